"""Plies a second that wabe's server arbitrates with instant random clients.

With SERVER_DIR, also the contest's server under the same clients, in turns.
"""

import argparse
import statistics
import sys
import tempfile
from pathlib import Path

from . import command_line, load, server
from .errors import ConnectionLost, ServerFailed, UsageError
from .java import find_java
from .official import server_folder
from .processes import StopRequest

PROGRAM = "referee-load.sh"
HEADER = (
    f"{'server':10}{'round':>6}{'plies/s':>10}{'median ms':>11}{'p99 ms':>10}"
    f"{'games':>7}{'failures':>10}{'CPU s':>7}{'MiB':>6}"
)


def main():
    arguments = argparse.ArgumentParser(prog=PROGRAM, description=__doc__)
    arguments.add_argument(
        "folder",
        nargs="?",
        type=Path,
        metavar="SERVER_DIR",
        help="the folder with the official server.jar and plugins [default: measure wabe's server alone]",
    )
    number = {"type": command_line.positive, "metavar": "N"}
    arguments.add_argument("--rooms", default=200, help="games at once [default: 200]", **number)
    arguments.add_argument(
        "--rounds", default=3, help="number of rounds in which the servers alternate [default: 3]", **number
    )
    arguments.add_argument(
        "--seconds", default=20, help="of each measurement [default: 20]", **number
    )
    arguments.add_argument(
        "--warm-up",
        default=20,
        help="seconds of play before each measurement [default: 20]",
        **number,
    )
    options = arguments.parse_args()
    try:
        starters = []
        if options.folder is not None:
            folder = server_folder(options.folder)
            java = find_java()
            starters.append(
                ("official", lambda logs, stop: server.official(java, folder, logs, stop))
            )
        wabe, generator = load.build()
        starters.insert(0, ("wabe", lambda logs, stop: server.ours(wabe, logs, stop)))
    except UsageError as error:
        command_line.fail(PROGRAM, error)
    stop = StopRequest()
    servers = []
    folders = []
    try:
        for name, start in starters:
            # Each with its own folder for logs.
            folders.append(tempfile.TemporaryDirectory(prefix=f"referee-load-{name}-"))
            servers.append((name, start(Path(folders[-1].name), stop)))
        rates = measure(servers, generator, options, stop)
    except (ServerFailed, ConnectionLost, RuntimeError) as error:
        print(f"{PROGRAM}: {error}", file=sys.stderr)
        return 1
    finally:
        for _, running in servers:
            running.end()
        for logs in folders:
            logs.cleanup()
    report(rates)
    return 0


def measure(servers, generator, options, stop):
    """Plies a second by name of the server, a number a round."""
    print(f"{options.rooms} rooms at once\n{HEADER}")
    rates = {name: [] for name, _ in servers}
    for round_number in range(1, options.rounds + 1):
        for name, running in servers:
            running.check()
            usage = load.Usage(running.pid)
            time = {
                "--rooms": options.rooms,
                "--seconds": options.seconds,
                "--warm-up": options.warm_up,
            }
            words = [str(word) for pair in time.items() for word in pair]
            busy = usage.processor_seconds()
            player = load.Generator(generator, running, running.password, words)
            try:
                with load.MemoryWatch(usage) as memory:
                    found = player.wait(options.seconds + options.warm_up, stop)
            finally:
                player.end()
            busy = usage.processor_seconds() - busy
            rates[name].append(found["plies/s"])
            times = f"{found.get('median', 0):11.2f}{found.get('p99', 0):10.2f}"
            counts = f"{found['games']:7.0f}{found['failures']:10.0f}{busy:7.1f}{memory.most:6.0f}"
            print(f"{name:10}{round_number:6}{found['plies/s']:10.1f}{times}{counts}", flush=True)
            for remark in player.remarks:
                print(f"  {remark}")
    return rates


def report(rates):
    for name, values in rates.items():
        print(f"{name}: median {statistics.median(values):.1f} plies/s")
    if "official" in rates:
        ratios = [ours / max(theirs, 0.1) for ours, theirs in zip(rates["wabe"], rates["official"])]
        print(f"ratio: median {statistics.median(ratios):.1f}, least {min(ratios):.1f}")


if __name__ == "__main__":
    sys.exit(main())
