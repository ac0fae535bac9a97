#!/usr/bin/env python3
"""Measures how long after a move request the client's reply leaves, and when it arrives at the referee.

Plays the referee over TCP: sends states of recorded games, each with a move request, and before each of them the state of
the opponent's turn, in which the client thinks ahead. A reply arrives when its last byte has been read, counted from just
before the request was written; when it left is what the client logs. By default as many busy
processes as there are cores run beside it. Before and after, it measures for how long a process that only looks at the clock
is kept from its core by the same busy processes: no program can be more punctual than that. On a virtual machine it also
tells apart the moves during which the host ran something else on the machine's cores ("steal"). Needs nothing but Python 3
and a release build of wabe.
"""

import argparse
import gzip
import json
import multiprocessing
import os
import pathlib
import random
import re
import socket
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
KINDS = {"A": "ANT", "Q": "BEE", "B": "BEETLE", "G": "GRASSHOPPER", "S": "SPIDER"}
OWNERS = {"r": "RED", "b": "BLUE"}


def positions():
    """Recorded positions in which red has a choice, each with the one before it."""
    with gzip.open(ROOT / "tests/data/sc2020-positions.jsonl.gz", "rt") as lines:
        rows = list(map(json.loads, lines))
    return [
        (before, row)
        for before, row in zip(rows, rows[1:])
        if row["turn"] % 2 == 0 and len(row["moves"]) > 1
        and (before["game"], before["turn"]) == (row["game"], row["turn"] - 1)
    ]


def piece(owner, kind):
    return f'<piece owner="{owner}" type="{KINDS[kind]}"/>'


def state(row):
    """The state message of a position."""
    brambles = {tuple(bramble) for bramble in row["brambles"]}
    stacks = {(x, y): pieces for x, y, pieces in row["stacks"]}
    columns = []
    for x in range(-5, 6):
        fields = []
        for y in range(-5, 6):
            if abs(x + y) > 5:
                fields.append("<null/>")
                continue
            pieces = stacks.get((x, y), "")
            inner = "".join(
                piece(OWNERS[pieces[i]], pieces[i + 1]) for i in range(0, len(pieces), 2)
            )
            obstructed = str((x, y) in brambles).lower()
            fields.append(
                f'<field x="{x}" y="{y}" z="{-x - y}" isObstructed="{obstructed}">{inner}</field>'
            )
        columns.append("<fields>" + "".join(fields) + "</fields>")
    reserves = {
        side: "".join(piece(side.upper(), kind) for kind in row["reserve"][side])
        for side in ("red", "blue")
    }
    return (
        f'<room roomId="latency"><data class="memento"><state class="state" startPlayerColor="RED" '
        f'turn="{row["turn"]}" currentPlayerColor="{("RED", "BLUE")[row["turn"] % 2]}"><red color="RED" displayName="wabe"/>'
        f'<blue color="BLUE" displayName="nobody"/><board>{"".join(columns)}</board>'
        f'<undeployedRedPieces>{reserves["red"]}</undeployedRedPieces>'
        f'<undeployedBluePieces>{reserves["blue"]}</undeployedBluePieces></state></data></room>'
    ).encode()


REQUEST = (
    b'<room roomId="latency"><data class="sc.framework.plugins.protocol.MoveRequest"/></room>'
)


def read_until(connection, end):
    received = b""
    while end not in received:
        chunk = connection.recv(65536)
        if not chunk:
            sys.exit(f"the client closed the connection after {received!r}")
        received += chunk
    return received


def keep_busy():
    while True:
        pass


def pauses(seconds, window=0.1):
    """The longest time in ms without the core, for each window of a process that always wants it."""
    longest = []
    now = time.perf_counter()
    end = now + seconds
    while now < end:
        window_end = now + window
        worst = 0.0
        while now < window_end:
            before = now
            now = time.perf_counter()
            worst = max(worst, now - before)
        longest.append(worst * 1e3)
    return longest


def stolen():
    """Ticks for which the host has kept the machine's cores for others; 0 where the system does not tell."""
    try:
        with open("/proc/stat") as stat:
            return int(stat.readline().split()[8])
    except (OSError, IndexError, ValueError):
        return 0


def left_after(log):
    """When each reply left, in ms after its request, from the client's debug log."""
    units = {"s": 1e3, "ms": 1.0, "µs": 1e-3, "ns": 1e-6}
    found = re.findall(r"answered ([0-9.]+)(s|ms|µs|ns) after the request", log)
    return [float(number) * units[unit] for number, unit in found]


def print_quantiles(title, values):
    print(title)
    for name, share in [("p50", 0.5), ("p99", 0.99), ("p99.9", 0.999)]:
        print(f"  {name:6} {quantile(values, share):+8.2f}")
    print(f"  max    {max(values):+8.2f}")


def quantile(values, share):
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    arguments.add_argument("--wabe", default=str(ROOT / "target/release/wabe"), help="the binary")
    arguments.add_argument("--moves", type=int, default=2000)
    arguments.add_argument("--move-time", type=int, default=100, help="budget in ms")
    arguments.add_argument("--opponent-time", type=float, default=100,
                           help="longest turn of the opponent in ms; 0 leaves these turns out")
    arguments.add_argument("--nice", type=int, default=0, help="niceness of the client")
    arguments.add_argument("--slack", type=int, default=200,
                           help="ms after the budget from which on a reply is late; in the contest 2,000 - 1,800")
    arguments.add_argument("--ponder", choices=["on", "off"], default="on",
                           help="whether the client ponders in them")
    arguments.add_argument("--busy", type=int, default=os.cpu_count(), help="busy processes")
    arguments.add_argument("--pauses", type=float, default=15, help="seconds of the measurement of pauses")
    arguments.add_argument("--seed", type=int, default=1, help="seed of the positions")
    options = arguments.parse_args()

    rng = random.Random(options.seed)
    rows = rng.choices(positions(), k=options.moves)
    listener = socket.create_server(("127.0.0.1", 0))
    hogs = [multiprocessing.Process(target=keep_busy, daemon=True) for _ in range(options.busy)]
    for hog in hogs:
        hog.start()
    kept_waiting = pauses(options.pauses)
    log = tempfile.TemporaryFile("w+")
    client = subprocess.Popen(
        [options.wabe, "--port", str(listener.getsockname()[1]), "--reservation", "latency",
         "--move-time", str(options.move_time), "--ponder", options.ponder],
        preexec_fn=lambda: os.nice(options.nice),
        env={**os.environ, "RUST_LOG": "wabe::client=debug"},
        stderr=log,
    )
    connection, _ = listener.accept()
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    read_until(connection, b"joinPrepared")
    connection.sendall(
        b'<protocol><joined roomId="latency"/>'
        b'<room roomId="latency"><data class="welcomeMessage" color="red"/></room>'
    )
    late = []
    undisturbed = []
    for number, (before, row) in enumerate(rows, 1):
        if options.opponent_time > 0:
            connection.sendall(state(before))
            time.sleep(rng.uniform(0, options.opponent_time) / 1e3)
        message = state(row) + REQUEST
        stolen_before = stolen()
        started = time.perf_counter()
        connection.sendall(message)
        read_until(connection, b"</room>")
        took = (time.perf_counter() - started) * 1e3
        late.append(took - options.move_time)
        if stolen() == stolen_before:
            undisturbed.append(took - options.move_time)
        if number % 100 == 0:
            print(f"{number} moves, latest {max(late):+.1f} ms", file=sys.stderr)
    client.kill()
    client.wait()
    kept_waiting += pauses(options.pauses)
    for hog in hogs:
        hog.kill()
    log.seek(0)
    left = [after - options.move_time for after in left_after(log.read())]

    searched = [lateness for lateness in late if lateness > -options.move_time / 2]
    print(f"moves {len(late)}, of which {len(searched)} used the budget of {options.move_time} ms;"
          f" busy processes {options.busy}, cores {os.cpu_count()}, niceness {options.nice}")
    over = sum(lateness > options.slack for lateness in late)
    print(f"replies more than {options.slack} ms after the budget: {over}")
    if searched:
        mean = options.move_time + sum(searched) / len(searched)
        print(f"mean time of the moves that used the budget: {mean:.1f} ms")
    if left:
        print_quantiles("reply left after the budget, in ms:", left)
    print_quantiles("reply arrived after the budget, in ms:", late)
    if left:
        on_the_way = [whole - part for whole, part in zip(late, left)]
        print_quantiles("request noticed after it was sent, and reply read after it left, in ms:", on_the_way)
    if undisturbed:
        print_quantiles(f"the same, {len(undisturbed)} moves during which the host took no core away:", undisturbed)
    print_quantiles("longest time without the core in 100 ms, of a process that always wants it, in ms:",
                    kept_waiting)


if __name__ == "__main__":
    main()
