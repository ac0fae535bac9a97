"""Plays a run of the arena, then the same run killed with SIGKILL and resumed again and again, and compares the two: settings,
pairs and final statistics must be equal, times aside. Some of the kills fall while a line is being written, and behind some
the file is damaged as by a power loss: its last line is cut off anywhere, or ends in zero bytes."""

import argparse
import os
import random
import shlex
import shutil
import signal
import sys
import tempfile
import time
from pathlib import Path

from contest_match import command_line
from contest_match.errors import UsageError
from contest_match.processes import Process, StopRequest

from . import results

PROGRAM = "arena-kill.sh"

DEFAULT_RUN = [
    *["--engine", "mcts:nodes=100 name=hundred", "--engine", "mcts:nodes=50 name=fifty"],
    *["--games", "400", "--concurrency", "2"],
]

RANDOM, WRITING, CUT, ZEROS = "at a random moment", "as a line was written", "cut off", "zero bytes"
KINDS = [RANDOM, WRITING, CUT, RANDOM, ZEROS]
"""The kinds of kills, in turn."""

LAST_PAIRS = 6
"""Number of pairs before the end without kills: the run might end first."""

BLOCK = 4096
"""Bytes that a file system writes together."""

POLL_SECONDS = 0.001

FINISHED = (0, 3, 4)
"""Exit statuses of completed runs."""


class RunFailed(Exception):
    """A run ended unexpectedly."""


class RunOver(Exception):
    """A run came to its end before it could be killed."""


def main():
    options = arguments()
    seed = (
        options.kill_seed
        if options.kill_seed is not None
        else random.SystemRandom().randrange(10**6)
    )
    try:
        command = [command_line.wabe_binary(), "arena", *(options.run or DEFAULT_RUN)]
    except UsageError as error:
        command_line.fail(PROGRAM, error)
    stop = StopRequest()
    folder = Path(tempfile.mkdtemp(prefix="arena-kill-"))
    print(f"kills drawn from --kill-seed {seed}", flush=True)
    try:
        differences = compare(command, folder, options.kills, random.Random(seed), stop)
    except RunFailed as error:
        differences = [str(error)]
    except UsageError as error:
        shutil.rmtree(folder)
        command_line.fail(PROGRAM, error)
    except BaseException:
        shutil.rmtree(folder)
        raise
    if differences:
        for line in differences:
            print(f"{PROGRAM}: {line}", file=sys.stderr)
        print(f"{PROGRAM}: everything is kept in {folder}", file=sys.stderr)
        return 1
    shutil.rmtree(folder)
    return 0


def arguments():
    parser = command_line.Parser(
        prog=PROGRAM,
        description=__doc__,
        epilog=f"Without a run of your own: {shlex.join(DEFAULT_RUN)}. Engines need nodes, not times, to play the same games twice. "
        "Exit status: 0 if the runs are equal, 1 if not, 2 if they could not begin. The environment variable WABE names another "
        "binary than target/release/wabe.",
    )
    parser.add_argument(
        "--kills", type=command_line.positive, default=10, metavar="N", help="[default: 10]"
    )
    parser.add_argument(
        "--kill-seed",
        type=int,
        metavar="N",
        help="decides when to kill [default: drawn and printed]",
    )
    parser.add_argument(
        "run",
        nargs=argparse.REMAINDER,
        metavar="-- ARENA OPTIONS",
        help="the run, without --results and --resume",
    )
    options = parser.parse_args()
    if options.run[:1] == ["--"]:
        del options.run[0]
    if any(word.partition("=")[0] in ("--results", "--resume") for word in options.run):
        parser.error("--results and --resume are given to the runs by this script")
    return options


def compare(command, folder, kills, dice, stop):
    """The differences between the uninterrupted run and the killed one."""
    whole, killed = folder / "whole.jsonl", folder / "killed.jsonl"
    began = time.monotonic()
    try:
        expected = finish(stretch(command, whole, folder / "whole"), stop)
    except RunFailed as error:
        raise UsageError(error) from error
    seconds = time.monotonic() - began
    pairs = results.complete_lines(whole.read_bytes()) - 1
    print(f"in one go: {pairs} pairs in {seconds:.1f} s", flush=True)
    if pairs <= LAST_PAIRS:
        raise UsageError(f"{pairs} pairs are too few to be interrupted")

    moments = sorted(dice.randrange(pairs - LAST_PAIRS) for _ in range(kills))
    for number, after in enumerate(moments, 1):
        kind = KINDS[(number - 1) % len(KINDS)]
        was_damaged = is_damaged(killed)
        process = stretch(command, killed, folder / f"killed-{number}")
        # The first kills may come before there is a file, the others somewhere in a pair.
        try:
            kill(process, killed, kind, after, dice.uniform(0, 2 * seconds / pairs), stop)
        except RunOver:
            print(f"kill {number:2}: too late, the run was over", flush=True)
            kills = number - 1
            break
        check_note(process, killed, was_damaged)
        damage = damaged(killed, kind, dice)
        print(f"kill {number:2}: {state(killed, kind, damage)}", flush=True)
    was_damaged = is_damaged(killed)
    process = stretch(command, killed, folder / "killed-last")
    found = finish(process, stop)
    check_note(process, killed, was_damaged)
    differences = results.same_run(whole, expected, killed, found)
    if kills == 0:
        differences.append("the run was never killed; play more games")
    if not differences:
        print(f"killed {kills} times: the same {pairs} pairs and the same statistics")
        print(results.statistics(found), end="")
    return differences


def stretch(command, file, log):
    return Process([*command, "--quiet", "--resume", str(file)], log)


def finish(process, stop):
    """The final output of the run."""
    try:
        status = None
        while status is None:
            status = process.wait(3600, stop)
    finally:
        process.end()
    if status not in FINISHED:
        raise RunFailed(f"a run ended with exit status {status}:\n{process.last_words()}")
    return process.output()


def kill(process, file, kind, after, delay, stop):
    """Kills the run some time after it has so many pairs on record."""
    try:
        while after > 0 and pairs_in(file) < after:
            check_running(process, stop)
            time.sleep(POLL_SECONDS)
        if kind is WRITING:
            smallest = size(file)
            # Without sleeping: the awaited state lasts microseconds.
            while size(file) <= smallest:
                smallest = min(smallest, size(file))
                check_running(process, stop)
        else:
            time.sleep(delay)
            check_running(process, stop)
        os.kill(process.pid, signal.SIGKILL)
    finally:
        process.end()


def check_running(process, stop):
    stop.check()
    if process.exit_status() in FINISHED:
        raise RunOver
    if process.exit_status() is not None:
        raise RunFailed(
            f"a run ended with exit status {process.exit_status()} before it was killed:\n{process.last_words()}"
        )


def check_note(process, file, was_damaged):
    """Checks that a damaged file is not repaired silently."""
    words = process.output("err")
    told = "are cut off" in words or "begun anew" in words
    if told and not was_damaged:
        raise RunFailed(f"a run told of damage that nobody made:\n{process.last_words()}")
    if was_damaged and not told and not is_damaged(file):
        raise RunFailed("a run said nothing about the damaged end of its file")


def is_damaged(file):
    return file.exists() and not file.read_bytes().endswith(b"\n")


def size(file):
    try:
        return os.stat(file).st_size
    except FileNotFoundError:
        return 0


def pairs_in(file):
    return results.complete_lines(file.read_bytes()) - 1 if file.exists() else 0


def damaged(file, kind, dice):
    """Damages the end of the file as a power loss may, and says how; None if nothing was done."""
    if kind not in (CUT, ZEROS) or size(file) == 0:
        return None
    content = file.read_bytes()
    begin = content.rfind(b"\n", 0, len(content) - 1) + 1
    cut = dice.randrange(begin, len(content))
    kept = content[:cut]
    if kind is CUT:
        file.write_bytes(kept)
        return (
            None
            if cut == begin
            else f"last line cut off after {cut - begin} of {len(content) - begin} bytes"
        )
    zeros = BLOCK - cut % BLOCK
    file.write_bytes(kept + bytes(zeros))
    return f"{zeros} zero bytes after {cut - begin} of the last line's {len(content) - begin} bytes"


def state(file, kind, damage):
    if not file.exists():
        return "before there was a file"
    content = file.read_bytes()
    words = f"{results.complete_lines(content) - 1} pairs whole"
    if damage is not None:
        return f"{words}, {damage}"
    torn = len(content) - content.rfind(b"\n") - 1
    moment = f"{words}, {WRITING}" if kind is WRITING else words
    return f"{moment}, {torn} bytes of a line behind them" if torn else moment


if __name__ == "__main__":
    sys.exit(main())
