#!/usr/bin/env python3
"""Plays full games with a package as the contest would, and says whether it is fit to be uploaded.

Unpacks the ZIP into an empty folder, drops all execute bits and starts start.sh on one core, with the contest's memory as
the limit of its address space, against a built-in player on wabe's own server at the contest's times: as red and as blue, and
that with each binary of wabe in it. Refuses a package (exit 1) that lost on time, broke a rule, crashed or took too much memory.
Needs nothing but Python 3 on Linux. Exits with 2 where there is no ZIP, or no wabe to play against.
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
from contest_match.game import COLORS, FAREWELL_SECONDS, play
from contest_match.processes import StopRequest

WABE = os.environ.get("WABE", str(pathlib.Path(__file__).resolve().parent.parent / "target/release/wabe"))
CONFINED = pathlib.Path(__file__).resolve().with_name("confined.py")
BINARIES = ("x86-64-v3", "x86-64")
NOT_WABE = "start.sh"
"""In the table, a package that has none of the binaries."""


class Refused(Exception):
    """Why the package is not good."""


def names_in(archive):
    """The names of the archive's files, once all of them can be read."""
    try:
        with zipfile.ZipFile(archive) as opened:
            damaged = opened.testzip()
            names = opened.namelist()
    except OSError as error:
        raise UsageError(f"cannot read {archive}: {error.strerror or error}") from error
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError) as error:
        raise UsageError(f"{archive} is no ZIP that can be unpacked: {error}") from error
    if damaged is not None:
        raise UsageError(f"{archive} is damaged: {damaged} has another checksum")
    return names


def unpack(archive, folder):
    """Leaves nothing executable, as the contest's unpacking may."""
    with zipfile.ZipFile(archive) as opened:
        opened.extractall(folder)
    for path in folder.rglob("*"):
        if path.is_file():
            path.chmod(0o644)


def start_command(folder, binary, report, options):
    """What starts the package, but for the seat."""
    confined = [sys.executable, CONFINED, report, options.core, options.memory]
    # Where the processor or another start.sh decides, it is left to do so.
    choice = ["env", f"WABE_CPU={binary}"] if binary == BINARIES[1] else ["env", "-u", "WABE_CPU"]
    command = [*confined, *choice, "sh", "-c", 'cd "$0" && exec sh start.sh "$@"', folder]
    return [str(word) for word in command]


def judge(game, seat, output):
    """Raises unless the package ended the game and itself as it should."""
    if seat.cause not in (None, "REGULAR"):
        load = ""
        if seat.cause.endswith("TIMEOUT"):
            load = f" (the load average is {os.getloadavg()[0]:.1f}: a busy machine may be the cause)"
        raise Refused(f"lost by {seat.cause}: {seat.reason}{load}")
    if seat.died_early:
        raise Refused(f"ended with exit status {seat.exit_status} before the game began")
    if not game.has_result:
        raise Refused(f"no result: {game.trouble or 'the server closed the room'}")
    for other in game.seats:
        if other.cause != "REGULAR":
            raise Refused(f"no full game: {other.player.name} has {other.cause}: {other.reason}")
    if seat.exit_status is None:
        raise Refused(f"still ran {FAREWELL_SECONDS:g} s after the result")
    if seat.exit_status != 0:
        raise Refused(f"ended with exit status {seat.exit_status}")
    for line in output.splitlines() if seat.player.is_wabe else []:
        if "ERROR" in line or "panicked" in line:
            raise Refused(f"logged: {line}")


def try_binary(binary, color, referee, opponent, scratch, options, stop):
    """One game; prints its line of the table."""
    # Scripts that do not quote a space are caught here.
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
            raise Refused(f"start.sh did not take wabe-{binary}; try the package on a processor that can run it")
        megabytes = int(report.read_text()) / 1e6
        if megabytes > options.memory:
            raise Refused(f"took {megabytes:.0f} MB of memory")
    except Refused as refusal:
        raise Refused(f"{binary} as {color}: {refusal}\n{output}".rstrip()) from None
    shutil.rmtree(folder)
    outcome = "drawn" if game.drawn else "won" if seat.won else "lost"
    slowest = max(seat.replies) * 1e3
    print(f"{binary:<10} {color:<5} {outcome:<6} {game.turn:>5} {slowest:>12.0f} {megabytes:>9.0f}", flush=True)


def binaries_to_try(names, wanted):
    if "start.sh" not in names:
        raise Refused("there is no start.sh at its root")
    present = [binary for binary in BINARIES if f"wabe-{binary}" in names]
    if wanted is None:
        return present or [NOT_WABE]
    if wanted not in present:
        raise Refused(f"there is no wabe-{wanted} at its root, which --binary asks for")
    return [wanted]


def try_all(scratch, options):
    binaries = binaries_to_try(names_in(options.archive), options.binary)
    cores = os.sched_getaffinity(0)
    if options.core is None:
        options.core = max(cores)
    # The server and the opponent leave the package alone if they can.
    os.sched_setaffinity(0, cores - {options.core} or cores)
    wabe = options.wabe
    if not os.access(wabe, os.X_OK):
        raise UsageError(f"no program {wabe}: build it with `cargo build --release`")
    stop = StopRequest()
    opponent = Player("opponent", [str(wabe), "play", "--player", options.opponent], is_wabe=False)
    referee = server.ours(str(wabe), scratch, stop)
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
        "--memory", type=int, default=1500, metavar="MB", help="limit of the address space [default: 1500]"
    )
    arguments.add_argument("--core", type=int, help="where the package runs [default: the last one]")
    arguments.add_argument(
        "--opponent", default="mcts:time=200,memory=64", metavar="SPEC",
        help="a built-in player [default: %(default)s, which makes games long]",
    )
    arguments.add_argument("--wabe", default=WABE, help="server and opponent [default: target/release/wabe]")
    arguments.add_argument("--binary", choices=BINARIES, help="try only this one of wabe's")
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
