"""The cost of misbehaving clients on wabe's server: delay of the others' plies, and memory."""

import argparse
import sys
import tempfile
from pathlib import Path

from . import command_line, load, server
from .errors import ConnectionLost, ServerFailed, UsageError
from .processes import StopRequest

PROGRAM = "referee-abuse.sh"

CASES = [
    (None, 0),
    ("busy", 2),
    ("flood", 8),
    ("talk", 8),
    ("endless", 8),
    ("silent", 200),
    ("half-open", 200),
    ("never-read", 8),
    ("slow-read", 8),
    ("reconnect", 8),
]
"""Kinds of misbehaviour and numbers of clients; the first two rows are for comparison."""

HEADER = (
    f"{'misbehaviour':14}{'clients':>8}{'plies/s':>9}{'median ms':>11}{'p99 ms':>8}{'p99.9 ms':>10}{'max ms':>8}"
    f"{'failures':>10}{'before MiB':>12}{'most MiB':>10}{'after MiB':>11}{'connections':>13}{'sent MiB':>10}"
)


def main():
    arguments = argparse.ArgumentParser(prog=PROGRAM, description=__doc__)
    number = {"type": command_line.positive, "metavar": "N"}
    arguments.add_argument("--rooms", default=20, help="games at once [default: 20]", **number)
    arguments.add_argument(
        "--think",
        default=10,
        help="milliseconds that players take for a move [default: 10]",
        **number,
    )
    arguments.add_argument(
        "--seconds", default=20, help="of each measurement [default: 20]", **number
    )
    arguments.add_argument(
        "--rounds", default=1, help="number of times that everything is measured [default: 1]", **number
    )
    options = arguments.parse_args()
    try:
        wabe, generator = load.build()
    except UsageError as error:
        command_line.fail(PROGRAM, error)
    stop = StopRequest()
    logs = tempfile.TemporaryDirectory(prefix="referee-abuse-")
    print(f"{options.rooms} rooms, {options.think} ms a move\n{HEADER}")
    try:
        for _ in range(options.rounds):
            for kind, count in CASES:
                running = server.ours(wabe, Path(logs.name), stop)
                try:
                    measure(running, generator, kind, count, options, stop)
                finally:
                    running.end()
    except (ServerFailed, ConnectionLost, RuntimeError) as error:
        print(f"{PROGRAM}: {error}", file=sys.stderr)
        return 1
    finally:
        logs.cleanup()
    return 0


def measure(running, generator, kind, count, options, stop):
    """One line of the table: games beside clients that begin before them and end after them."""
    usage = load.Usage(running.pid)
    players = [
        "--rooms",
        str(options.rooms),
        "--think",
        str(options.think),
        "--seconds",
        str(options.seconds),
    ]
    # Misbehaviour adds to the memory of a server with running games.
    warming = load.Generator(
        generator, running, running.password, [*players[:4], "--seconds", "3", "--warm-up", "0"]
    )
    started = []
    try:
        started.append(warming)
        warming.wait(3, stop)
        before = usage.memory()
        with load.MemoryWatch(usage) as memory:
            if kind is not None:
                crowd = ["--rooms", "0", "--warm-up", "0", "--seconds", str(options.seconds + 4)]
                crowd += ["--abuse", kind, "--abusers", str(count)]
                started.append(
                    load.Generator(generator, running, running.password, crowd, nice=True)
                )
            player = load.Generator(
                generator, running, running.password, [*players, "--warm-up", "2"]
            )
            started.append(player)
            found = player.wait(options.seconds + 2, stop)
            deeds = started[1].wait(10, stop) if kind is not None else {}
        after = usage.memory()
    finally:
        for process in started:
            process.end()
    running.check()
    times = f"{found['median']:11.2f}{found['p99']:8.2f}{found['p99.9']:10.2f}{found['max']:8.1f}"
    sizes = f"{before:12.1f}{memory.most:10.1f}{after:11.1f}"
    done = f"{deeds.get('connections', 0):13.0f}{deeds.get('sent', 0) / 1024:10.1f}"
    print(
        f"{kind or 'nobody':14}{count:8}{found['plies/s']:9.0f}{times}{found['failures']:10.0f}{sizes}{done}",
        flush=True,
    )
    for remark in player.remarks:
        print(f"  {remark}")


if __name__ == "__main__":
    sys.exit(main())
