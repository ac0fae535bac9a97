#!/usr/bin/env python3
"""Measures the arena's overhead: the share of the time in which engines think, and games a second of one run with as many games
at the same time as there are cores, beside as many processes that play one game at a time. The two take turns."""

import argparse
import os
import re
import statistics
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
THOUGHT = re.compile(r"^\d+ at a time for .*: engines thought ([0-9.]+)% of the time$", re.MULTILINE)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--wabe", default=ROOT / "target/release/wabe", type=Path, help="the binary")
    parser.add_argument("--games", default=100, type=int, help="games of each run")
    parser.add_argument("--nodes", default=400, type=int, help="search iterations for a move")
    parser.add_argument("--rounds", default=5, type=int)
    parser.add_argument("--jobs", default=os.cpu_count(), type=int, help="games or processes at the same time")
    return parser.parse_args()


def command(args, *more):
    engines = [f"mcts:nodes={args.nodes} name={name}" for name in "AB"]
    return [args.wabe, "arena", "--engine", engines[0], "--engine", engines[1], "--games", str(args.games), *more]


def play(commands):
    """Runs the commands side by side. Games a second, those of all commands added, and the shares of time spent thinking."""
    started = time.monotonic()
    running = [subprocess.Popen(c, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) for c in commands]
    ended = {}
    while len(ended) < len(running):
        for index, process in enumerate(running):
            if index not in ended and process.poll() is not None:
                ended[index] = time.monotonic() - started
        time.sleep(0.005)
    rate, shares = 0.0, []
    for index, process in enumerate(running):
        text = process.stdout.read()
        games = re.search(r"^games\s+(\d+)", text, re.MULTILINE)
        thought = THOUGHT.search(text)
        if process.returncode != 0 or not games or not thought:
            sys.exit(f"arena_speed: {process.args} ended with {process.returncode}:\n{text}")
        rate += int(games.group(1)) / ended[index]
        shares.append(float(thought.group(1)))
    return rate, statistics.mean(shares)


def main():
    args = arguments()
    if not args.wabe.is_file():
        sys.exit(f"arena_speed: there is no {args.wabe}; `cargo build --release` makes it")
    together = [command(args, "--concurrency", str(args.jobs))]
    apart = [command(args, "--concurrency", "1", "--shard", f"{n}/{args.jobs}") for n in range(1, args.jobs + 1)]
    print(f"{args.games} games of {args.nodes} nodes a move, {args.jobs} at the same time; games/s, share of the time spent thinking")
    ratios = []
    for number in range(1, args.rounds + 1):
        order = [together, apart] if number % 2 else [apart, together]
        results = {id(commands): play(commands) for commands in order}
        (one, one_share), (many, many_share) = results[id(together)], results[id(apart)]
        ratios.append(one / many)
        print(
            f"round {number}: one process {one:.3f} ({one_share:.1f}%), {args.jobs} processes {many:.3f} ({many_share:.1f}%), "
            f"ratio {one / many:.3f}",
            flush=True,
        )
    print(f"median ratio {statistics.median(ratios):.3f}")


if __name__ == "__main__":
    main()
