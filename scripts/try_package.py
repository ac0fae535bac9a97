#!/usr/bin/env python3
"""Checks a package for the contest by playing full games under the contest's limits.

Unpacks the ZIP into an empty folder, removes all execute permissions and runs start.sh on one core, with the contest's memory
as the limit of its address space. Plays against a built-in player on wabe's server with the contest's time limits, as red and as
blue, with each binary in the package. Exits with 1 if the package lost on time, broke a rule, crashed or used too much
memory, and with 2 if the ZIP or wabe is missing. Needs only Python 3 on Linux.
"""

import argparse
import os
import pathlib
import shutil
import sys
import tempfile
import zipfile
import zlib

from contest_match import server
from contest_match.command_line import Player, fail
from contest_match.errors import ConnectionLost, ServerFailed, UsageError
from contest_match.game import COLORS, EXIT_SECONDS, play
from contest_match.processes import StopRequest

WABE = os.environ.get("WABE", str(pathlib.Path(__file__).resolve().parent.parent / "target/release/wabe"))
CONFINED = pathlib.Path(__file__).resolve().with_name("confined.py")
BINARIES = ("x86-64-v3", "x86-64")
NOT_WABE = "start.sh"
"""Shown in the table for a package without these binaries."""


class Refused(Exception):
    """The package is rejected for this reason."""


def names_in(archive):
    """Checks that all files can be unpacked. Returns their names."""
    try:
        with zipfile.ZipFile(archive) as opened:
            damaged = opened.testzip()
            names = opened.namelist()
    except OSError as error:
        raise UsageError(f"cannot read {archive}: {error.strerror or error}") from error
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError) as error:
        raise UsageError(f"{archive} is not a valid ZIP: {error}") from error
    if damaged is not None:
        raise UsageError(f"{archive} is damaged: wrong checksum of {damaged}")
    return names


def unpack(archive, folder):
    """Unpacks all files without execute permission, as the contest may do."""
    with zipfile.ZipFile(archive) as opened:
        opened.extractall(folder)
    for path in folder.rglob("*"):
        if path.is_file():
            path.chmod(0o644)


def start_command(folder, binary, report, options):
    """The command that starts the package, without the arguments for the seat."""
    confined = [sys.executable, CONFINED, report, options.core, options.memory]
    # start.sh selects the binary, so only the plain one has to be forced.
    choice = ["env", f"WABE_CPU={binary}"] if binary == BINARIES[1] else ["env", "-u", "WABE_CPU"]
    command = [*confined, *choice, "sh", "-c", 'cd "$0" && exec sh start.sh "$@"', folder]
    return [str(word) for word in command]


def judge(game, seat, output):
    """Raises Refused unless the package played the game and exited correctly."""
    if seat.cause not in (None, "REGULAR"):
        load = ""
        if seat.cause.endswith("TIMEOUT"):
            load = f" (the machine may be too busy: load average {os.getloadavg()[0]:.1f})"
        raise Refused(f"lost by {seat.cause}: {seat.reason}{load}")
    if seat.died_early:
        raise Refused(f"exited with status {seat.exit_status} before the game started")
    if not game.has_result:
        raise Refused(f"no result: {game.error or 'the server closed the room'}")
    for other in game.seats:
        if other.cause != "REGULAR":
            raise Refused(f"no full game: {other.cause} of {other.player.name}: {other.reason}")
    if seat.exit_status is None:
        raise Refused(f"still running {EXIT_SECONDS:g} s after the result")
    if seat.exit_status != 0:
        raise Refused(f"exited with status {seat.exit_status}")
    for line in output.splitlines() if seat.player.is_wabe else []:
        if "ERROR" in line or "panicked" in line:
            raise Refused(f"logged: {line}")


def try_binary(binary, color, referee, opponent, scratch, options, stop):
    """Plays one game and prints its line of the table."""
    # The blank reveals scripts without quotes.
    folder = scratch / f"package {binary} {color}"
    unpack(options.archive, folder)
    report = scratch / "memory"
    report.unlink(missing_ok=True)
    command = start_command(folder, binary, report, options)
    package = Player("package", command, is_wabe=binary != NOT_WABE)
    players = [package, opponent] if color == "red" else [opponent, package]
    log = scratch / f"{binary} {color}"
    game = play(referee, players, log, stop)
    seat = game.seats[COLORS.index(color)]
    output = "".join(
        pathlib.Path(f"{log}-package.{ending}").read_text(errors="replace") for ending in ("out", "err")
    )
    try:
        judge(game, seat, output)
        if package.is_wabe and f"starting {folder}/wabe-{binary}" not in output:
            raise Refused(f"start.sh did not start wabe-{binary}; it needs a processor that can run it")
        megabytes = int(report.read_text()) / 1e6
        if megabytes > options.memory:
            raise Refused(f"used {megabytes:.0f} MB of memory")
    except Refused as refusal:
        raise Refused(f"{binary} as {color}: {refusal}\n{output}".rstrip()) from None
    shutil.rmtree(folder)
    outcome = "drawn" if game.drawn else "won" if seat.won else "lost"
    slowest = max(seat.replies) * 1e3
    print(f"{binary:<10} {color:<5} {outcome:<6} {game.turn:>5} {slowest:>12.0f} {megabytes:>9.0f}", flush=True)


def binaries_to_try(names, wanted):
    if "start.sh" not in names:
        raise Refused("no start.sh in the root of the ZIP")
    present = [binary for binary in BINARIES if f"wabe-{binary}" in names]
    if wanted is None:
        return present or [NOT_WABE]
    if wanted not in present:
        raise Refused(f"no wabe-{wanted} in the root of the ZIP (set by --binary)")
    return [wanted]


def try_all(scratch, options):
    binaries = binaries_to_try(names_in(options.archive), options.binary)
    cores = os.sched_getaffinity(0)
    if options.core is None:
        options.core = max(cores)
    # Server and opponent use other cores if possible.
    os.sched_setaffinity(0, cores - {options.core} or cores)
    wabe = options.wabe
    if not os.access(wabe, os.X_OK):
        raise UsageError(f"no program {wabe}: build it with `cargo build --release`")
    stop = StopRequest()
    opponent = Player("opponent", [str(wabe), "play", "--player", options.opponent], is_wabe=False)
    referee = server.start_wabe(str(wabe), scratch, stop)
    try:
        print("binary     plays result plies slowest (ms) peak (MB)", flush=True)
        for binary in binaries:
            for color in COLORS:
                try_binary(binary, color, referee, opponent, scratch, options, stop)
    finally:
        referee.end()


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    arguments.add_argument("archive", metavar="ZIP")
    arguments.add_argument(
        "--memory", type=int, default=1500, metavar="MB", help="address space limit [default: 1500]"
    )
    arguments.add_argument("--core", type=int, help="core for the package [default: the last one]")
    arguments.add_argument(
        "--opponent", default="mcts:time=200,memory=64", metavar="SPEC",
        help="built-in player [default: %(default)s]",
    )
    arguments.add_argument("--wabe", default=WABE, help="binary of server and opponent [default: target/release/wabe]")
    arguments.add_argument("--binary", choices=BINARIES, help="try only this binary")
    options = arguments.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        try:
            try_all(pathlib.Path(scratch).resolve(), options)
        except (Refused, ServerFailed, ConnectionLost, TimeoutError) as error:
            sys.exit(f"try_package.py: {error}")
        except UsageError as error:
            fail("try_package.py", error)


if __name__ == "__main__":
    main()
