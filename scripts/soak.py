#!/usr/bin/env python3
"""Plays thousands of games through one `wabe serve` while clients are killed, paused, cut off and slowed: --help for more.

Every client reaches the referee through a proxy that delays its bytes and passes them on in pieces of any length. A part of the clients is
killed, stopped for a while or loses its connection at a random moment. The referee must play all games, blame nobody who was left
alone, write each replay completely, and neither its memory nor its descriptors may grow.
"""

import argparse
import asyncio
import collections
import contextlib
import os
import pathlib
import random
import re
import signal
import statistics
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
JOINED = re.compile(rb'<joined roomId="([^"]+)"')
RESULT = re.compile(r'^([0-9a-f-]{36}): red ".*?" (\d) (\w+), blue ".*?" (\d) (\w+), (\d+) plies, (.+)$')
PLAYERS = ["random", "greedy", "mcts:nodes=30"]
HANGING_SECONDS = 120
"""A client that runs longer has been forgotten by the referee."""
GROWTH = 1.15, 4096
"""The most that memory, in KiB, may grow from the first fifth of the samples to the last: a factor and a summand."""


class Soak:
    def __init__(self, args, folder):
        self.args = args
        self.folder = folder
        self.random = random.Random(args.seed)
        self.faults = []
        self.deeds = collections.Counter()
        self.causes = collections.Counter()
        self.samples = []
        self.games = 0
        self.plies = 0
        self.touched_games = 0
        self.rooms = collections.defaultdict(list)
        self.done = asyncio.Event()
        self.begin = 0

    def fault(self, text):
        self.faults.append(text)
        print(f"fault: {text}", flush=True)
        if len(self.faults) >= 20:
            self.done.set()

    async def run(self):
        self.server = await asyncio.create_subprocess_exec(
            self.args.wabe, "serve", "--port", "0", "--replays", self.folder / "replays",
            stdout=asyncio.subprocess.PIPE, stderr=open(self.folder / "server.err", "wb"),
        )
        first = (await self.server.stdout.readline()).decode()
        if not first.startswith("listening on "):
            self.fault(f"the referee did not start: {(self.folder / 'server.err').read_text(errors='replace').strip()}")
            return
        self.port = int(first.rsplit(":", 1)[1])
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, self.done.set)
        self.begin = time.monotonic()
        tasks = [asyncio.create_task(self.results()), asyncio.create_task(self.watch())]
        tasks += [asyncio.create_task(self.seat()) for _ in range(2 * self.args.tables)]
        ended = asyncio.create_task(self.done.wait())
        await asyncio.wait([ended, *tasks], return_when=asyncio.FIRST_COMPLETED)
        for task in [ended, *tasks]:
            task.cancel()
        for outcome in await asyncio.gather(*tasks, return_exceptions=True):
            if isinstance(outcome, Exception):
                self.fault(f"the script: {outcome!r}")
        if self.server.returncode is None:
            self.server.send_signal(signal.SIGTERM)
        try:
            status = await asyncio.wait_for(self.server.wait(), 30)
        except asyncio.TimeoutError:
            self.server.kill()
            status = "no end within 30 s"
        if status != 0:
            self.fault(f"the referee ended with {status}")

    async def results(self):
        """Reads a line for every game."""
        while line := (await self.server.stdout.readline()).decode():
            if line.startswith("seed "):
                continue
            match = RESULT.match(line.rstrip())
            if match is None:
                self.fault(f"an unexpected line of the referee: {line.rstrip()}")
                continue
            room, _, red, _, blue, plies, replay = match.groups()
            seats = self.rooms.pop(room, [])
            self.games += 1
            self.plies += int(plies)
            self.causes[" ".join(sorted({red, blue} - {"REGULAR"})) or "REGULAR"] += 1
            touched = [seat for seat in seats if seat.deed]
            self.touched_games += bool(touched)
            # The cause stands with the side that is to blame.
            for seat, cause in [(seat, cause) for seat in seats for cause in [red if seat.is_red else blue]]:
                if cause != "REGULAR" and not seat.deed:
                    self.fault(f"{line.rstrip()}: {'red' if seat.is_red else 'blue'} was left alone")
            text = pathlib.Path(replay)
            content = text.read_bytes()
            if not content.rstrip().endswith(b"</protocol>") or content.count(b"memento") <= int(plies):
                self.fault(f"{replay} is not complete")
            text.unlink()
            if self.games >= self.args.games:
                self.done.set()

    async def watch(self):
        """Samples the referee's memory and descriptors, and keeps the pace."""
        status = pathlib.Path(f"/proc/{self.server.pid}/status")
        while True:
            await asyncio.sleep(self.args.sample)
            text = status.read_text()
            memory = int(re.search(r"VmRSS:\s+(\d+)", text)[1])
            files = len(os.listdir(f"/proc/{self.server.pid}/fd"))
            self.samples.append((memory, files))
            age = time.monotonic() - self.begin
            print(f"{age:6.0f} s {self.games:6} games, {memory:6} KiB, {files:3} descriptors, {len(self.faults)} faults", flush=True)

    async def seat(self):
        """Plays one client after another."""
        # A cancellation that comes with a client's end may get lost in `wait_for`.
        while not self.done.is_set():
            ahead = self.games - (time.monotonic() - self.begin) / self.args.seconds * self.args.games
            await asyncio.sleep(max(0, ahead) * self.args.seconds / self.args.games)
            await Client(self).play()


class Client:
    """A client with its proxy. `deed` names what is done to it, once it is done."""

    def __init__(self, soak):
        self.soak = soak
        self.random = random.Random(soak.random.random())
        self.plan = self.random.choices(["", "kill", "pause", "cut"], [70, 10, 10, 10])[0]
        self.deed = ""
        self.is_red = False
        self.slowness = self.random.choice([0, 0.002, 0.01, 0.03])
        self.piece = self.random.choice([5, 40, 300, 65536])
        self.writers = []

    async def play(self):
        soak = self.soak
        proxy = await asyncio.start_server(self.connected, "127.0.0.1", 0)
        port = proxy.sockets[0].getsockname()[1]
        player = self.random.choice(PLAYERS)
        process = None
        deed = None
        try:
            process = await asyncio.create_subprocess_exec(
                soak.args.wabe, "--port", str(port), "--player", player,
                stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.PIPE,
            )
            deed = asyncio.create_task(self.disturb(process))
            try:
                _, errors = await asyncio.wait_for(process.communicate(), HANGING_SECONDS)
            except asyncio.TimeoutError:
                return soak.fault(f"a client ({player}, {self.deed or 'left alone'}) runs after {HANGING_SECONDS} s")
            if soak.done.is_set():
                # The referee may have gone.
                return
            if process.returncode != 0 and not self.deed:
                soak.fault(f"a client that was left alone ended with {process.returncode}: {errors.decode()[-300:]}")
            elif process.returncode not in (0, 1, -9):
                soak.fault(f"a client ({self.deed}) ended with {process.returncode}: {errors.decode()[-300:]}")
        finally:
            if deed:
                deed.cancel()
            if process and process.returncode is None:
                with contextlib.suppress(ProcessLookupError):
                    process.kill()
                await process.wait()
            self.close()
            proxy.close()

    async def disturb(self, process):
        await asyncio.sleep(self.random.expovariate(0.7))
        with contextlib.suppress(ProcessLookupError):
            if self.plan == "kill":
                self.mark()
                process.kill()
            elif self.plan == "pause":
                self.mark()
                process.send_signal(signal.SIGSTOP)
                await asyncio.sleep(self.random.choice([0.2, 3, 12]))
                process.send_signal(signal.SIGCONT)
            elif self.plan == "cut":
                self.mark()
                self.close()

    def mark(self):
        self.deed = self.plan
        self.soak.deeds[self.plan] += 1

    def close(self):
        for writer in self.writers:
            if self.random.random() < 0.5:
                writer.transport.abort()
            else:
                writer.close()

    async def connected(self, reader, writer):
        with contextlib.suppress(OSError, asyncio.CancelledError):
            upstream, server = await asyncio.open_connection("127.0.0.1", self.soak.port)
            self.writers = [writer, server]
            await asyncio.gather(self.forward(reader, server, False), self.forward(upstream, writer, True))
            self.close()

    async def forward(self, reader, writer, from_server):
        """Passes bytes on, in pieces and late."""
        head = b""
        with contextlib.suppress(OSError, asyncio.CancelledError):
            while data := await reader.read(65536):
                if from_server and head is not None:
                    head = self.joined(head + data)
                if self.slowness:
                    await asyncio.sleep(self.random.uniform(0, self.slowness))
                start = 0
                while start < len(data):
                    end = start + (self.random.randint(1, self.piece) if len(data) - start < 2000 else 1000)
                    writer.write(data[start:end])
                    await writer.drain()
                    start = end
            # Closed with unread bytes, a socket takes back those that it has sent.
            writer.write_eof()

    def joined(self, head):
        """Notes room and colour, which come first; gives None once both are known."""
        room = JOINED.search(head)
        if room is None:
            return head
        color = re.search(rb'color="(red|blue)"', head[room.end():])
        if color is None:
            return head
        self.is_red = color[1] == b"red"
        self.soak.rooms[room[1].decode()].append(self)
        return None


def report(soak):
    seconds = time.monotonic() - soak.begin if soak.begin else 0
    print(f"\n{soak.games} games of {soak.plies} plies in {seconds:.0f} s, {soak.touched_games} with a disturbed client")
    print("disturbed: " + (", ".join(f"{count} {deed}" for deed, count in sorted(soak.deeds.items())) or "no client"))
    print("ends: " + ", ".join(f"{count} {cause}" for cause, count in soak.causes.most_common()))
    fifth = len(soak.samples) // 5
    if fifth:
        for name, column, (factor, summand) in [("memory, KiB", 0, GROWTH), ("descriptors", 1, (1, 8))]:
            values = [sample[column] for sample in soak.samples]
            first, last = (statistics.median(part) for part in (values[:fifth], values[-fifth:]))
            print(f"{name}: {first:.0f} in the first fifth of the time, {last:.0f} in the last, {max(values)} at most")
            if last > first * factor + summand:
                soak.fault(f"{name} grew")
    else:
        print("too short a run to compare memory")
    if soak.games < soak.args.games:
        soak.fault(f"{soak.games} games of {soak.args.games}")
    errors = (soak.folder / "server.err").read_text(errors="replace")
    if "panicked" in errors:
        soak.fault("the referee panicked")
    print(f"{len(soak.faults)} faults")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=10_000, help="games to play [default: %(default)s]")
    parser.add_argument("--seconds", type=float, default=7_200, help="time over which they are spread [default: %(default)s]")
    parser.add_argument("--tables", type=int, default=16, help="pairs of clients at once [default: %(default)s]")
    parser.add_argument("--sample", type=float, default=20, help="seconds between samples of memory [default: %(default)s]")
    parser.add_argument("--seed", type=int, default=2020, help="decides what happens to which client [default: %(default)s]")
    parser.add_argument("--wabe", default=os.environ.get("WABE", str(ROOT / "target/release/wabe")), help="the binary")
    args = parser.parse_args()
    if min(args.games, args.tables) < 1 or min(args.seconds, args.sample) <= 0:
        parser.error("--games, --seconds, --tables and --sample are positive")
    if not os.access(args.wabe, os.X_OK):
        print(f"soak.py: no program {args.wabe}; build it with `cargo build --release`", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory(prefix="wabe-soak-") as folder:
        soak = Soak(args, pathlib.Path(folder))
        asyncio.run(soak.run())
        report(soak)
    return 1 if soak.faults else 0


if __name__ == "__main__":
    sys.exit(main())
