#!/usr/bin/env python3
"""Plays two engines of the Universal Hive Protocol against each other and says which is stronger.

  scripts/uhp-match.py "wabe uhp" "other-engine uhp" --game Base+MLP --time 1 --games 200

Each opening of a few random plies is played twice, with colours swapped. A third engine, wabe unless told otherwise, is the
referee: it knows the legal moves and when a game is over. Whoever answers with an illegal move, or not at all, loses."""

import argparse
import math
import queue
import random
import shlex
import statistics
import subprocess
import sys
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


class Broken(Exception):
    """An engine that does not answer as it should."""


class Engine:
    """A running engine."""

    def __init__(self, command, commands=()):
        self.command = command
        self.setup = commands
        self.start()

    def start(self):
        self.process = subprocess.Popen(
            shlex.split(self.command), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        self.lines = queue.Queue()
        threading.Thread(target=self.listen, args=(self.process, self.lines), daemon=True).start()
        self.name = self.answer(30)[0].removeprefix("id ")
        for command in self.setup:
            self.ask(command)

    @staticmethod
    def listen(process, lines):
        for line in process.stdout:
            lines.put(line.rstrip("\r\n"))
        lines.put(None)

    def answer(self, seconds):
        lines, until = [], time.monotonic() + seconds
        while True:
            try:
                line = self.lines.get(timeout=max(0.0, until - time.monotonic()))
            except queue.Empty:
                raise Broken(f"{self.command} did not answer within {seconds} s") from None
            if line is None:
                raise Broken(f"{self.command} ended")
            if line == "ok":
                return lines or [""]
            lines.append(line)

    def ask(self, command, seconds=30.0):
        try:
            self.process.stdin.write(command + "\n")
            self.process.stdin.flush()
        except OSError as error:
            raise Broken(f"{self.command}: {error}") from None
        answer = self.answer(seconds)
        if answer[0].startswith(("err", "invalidmove")):
            raise Broken(f"{self.command} answers {command!r} with {answer[0]!r}")
        return answer[-1]

    def restart(self):
        self.process.kill()
        self.process.wait()
        self.start()


def play(referee, engines, opening, search, seconds, most_plies):
    """One game: white's score, the number of plies, and why it ended if not by the rules."""
    game = opening
    for engine in engines:
        engine.ask(f"newgame {game}")
    while True:
        fields = game.split(";")
        state, plies = fields[1], len(fields) - 3
        if state not in ("InProgress", "NotStarted"):
            return {"WhiteWins": 1.0, "BlackWins": 0.0}.get(state, 0.5), plies, None
        if plies >= most_plies:
            return 0.5, plies, f"{most_plies} plies"
        side = plies % 2
        try:
            move = engines[side].ask(f"bestmove {search}", seconds + 10).split(";")[0]
            game = referee.ask(f"play {move}")
        except Broken as error:
            engines[side].restart()
            return float(side), plies, str(error)
        for engine in engines:
            engine.ask(f"play {move}")


def opening(referee, game_type, plies, rng):
    while True:
        game = referee.ask(f"newgame {game_type}")
        for _ in range(plies):
            game = referee.ask(f"play {rng.choice(referee.ask('validmoves').split(';'))}")
        if plies == 0 or game.split(";")[1] == "InProgress":
            return game


def elo(score):
    return -400 * math.log10(1 / score - 1) if 0 < score < 1 else math.copysign(math.inf, score - 0.5)


def summary(pairs):
    """Score, Elo and its 95% interval, from the scores of pairs of games."""
    mean = statistics.mean(pairs) / 2
    if len(pairs) < 2:
        return f"{100 * mean:.1f}%"
    error = 1.96 * statistics.stdev(pairs) / 2 / math.sqrt(len(pairs))
    low, high = elo(max(0.0, mean - error)), elo(min(1.0, mean + error))
    return f"{100 * mean:.1f}%, Elo {elo(mean):+.0f} [{low:+.0f}, {high:+.0f}]"


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("engine", nargs=2, help="command of an engine")
    parser.add_argument("--game", default="Base+MLP", help="game type")
    parser.add_argument("--time", default=1.0, type=float, help="seconds for a move")
    parser.add_argument("--depth", type=int, help="depth for a move, instead of a time")
    parser.add_argument("--games", default=200, type=int)
    parser.add_argument("--opening-plies", default=6, type=int, help="random plies of each opening")
    parser.add_argument("--most-plies", default=250, type=int, help="a game this long is a draw")
    parser.add_argument("--seed", default=1, type=int, help="decides the openings")
    parser.add_argument("--referee", default=f"{ROOT / 'target/release/wabe'} uhp", help="command of the referee")
    for side in "ab":
        parser.add_argument(f"--{side}", action="append", default=[], metavar="COMMAND", help=f"sent to engine {side} at its start")
    return parser.parse_args()


def main():
    args = arguments()
    if args.depth is not None:
        search, seconds = f"depth {args.depth}", 600.0
    else:
        whole = args.time == int(args.time)
        # Not every engine takes fractions.
        last = f"{int(args.time) % 60:02}" if whole else f"{args.time % 60:06.3f}"
        search = f"time {int(args.time) // 3600:02}:{int(args.time) % 3600 // 60:02}:{last}"
        seconds = args.time
    print(f"bestmove {search}, {args.game}, seed {args.seed}")
    try:
        a, b = Engine(args.engine[0], args.a), Engine(args.engine[1], args.b)
        referee = Engine(args.referee)
    except (Broken, OSError) as error:
        sys.exit(f"uhp-match: {error}")
    rng = random.Random(args.seed)
    wins = draws = losses = 0
    pairs = []
    for _ in range((args.games + 1) // 2):
        begun, pair = opening(referee, args.game, args.opening_plies, rng), 0.0
        for swapped in (False, True):
            referee.ask(f"newgame {begun}")
            white, plies, reason = play(referee, (b, a) if swapped else (a, b), begun, search, seconds, args.most_plies)
            score = 1 - white if swapped else white
            wins, draws, losses = wins + (score == 1), draws + (score == 0.5), losses + (score == 0)
            pair += score
            if reason:
                print(f"game {wins + draws + losses}: {reason}", file=sys.stderr)
        pairs.append(pair)
        print(f"{a.name} against {b.name}: +{wins} ={draws} -{losses}, {summary(pairs)}", flush=True)


if __name__ == "__main__":
    main()
