"""Speed beside OpenSpiel's Hive, and whether both have the same legal moves.

    pip install open_spiel
    python benches/openspiel.py [--seconds 3] [--rounds 5] [--positions 10000]

All figures come from one run, in alternating rounds; medians are printed.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import statistics
import time
from collections.abc import Callable
from typing import Any

import pyspiel

import wabe

BATCH = 1024


def spiel_game(expansions: bool) -> Any:
    names = ("uses_mosquito", "uses_ladybug", "uses_pillbug")
    return pyspiel.load_game("hive", {name: expansions for name in names})


def rate(seconds: float, run: Callable[[], int]) -> float:
    """Calls ``run`` for that time and returns the sum of its results per second."""
    count, start = 0, time.perf_counter()
    while True:
        count += run()
        elapsed = time.perf_counter() - start
        if elapsed >= seconds:
            return count / elapsed


def spiel_random_game(rng: random.Random) -> int:
    state = spiel_game(True).new_initial_state()
    plies = 0
    while not state.is_terminal():
        state.apply_action(rng.choice(state.legal_actions()))
        plies += 1
    return plies


def wabe_random_game(rng: random.Random) -> int:
    # OpenSpiel ends games after 500 plies, too.
    game = wabe.Game("Base+MLP")
    for ply in range(500):
        actions = game.legal_actions()
        if not actions:
            return ply
        game.play(rng.choice(actions))
    return 500


def spiel_states(count: int) -> list[Any]:
    rng = random.Random(2)
    states: list[Any] = []
    while len(states) < count:
        state = spiel_game(True).new_initial_state()
        while not state.is_terminal() and len(states) < count:
            state.apply_action(rng.choice(state.legal_actions()))
            states.append(state.clone())
    return states


def measure(seconds: float, rounds: int) -> None:
    rng = random.Random(1)
    states = [state for state in spiel_states(BATCH) if not state.is_terminal()]

    def spiel_tensors() -> int:
        for state in states:
            state.observation_tensor()
        return len(states)

    batch = wabe.Batch(BATCH, "Base+MLP", 1)
    # Games in all stages.
    for _ in range(300):
        batch.step_random()

    def step() -> int:
        batch.step_random()
        return BATCH

    def observe() -> int:
        batch.observe()
        return BATCH

    rows: dict[str, tuple[Callable[[], int], list[float]]] = {
        "OpenSpiel, random plies, one game": (lambda: spiel_random_game(rng), []),
        "wabe, random plies, one game": (lambda: wabe_random_game(rng), []),
        f"wabe, random plies, batch of {BATCH}": (step, []),
        "OpenSpiel, observation tensors": (spiel_tensors, []),
        f"wabe, observations, batch of {BATCH}": (observe, []),
    }
    for _ in range(rounds):
        for run, rates in rows.values():
            rates.append(rate(seconds, run))
    names = list(rows)
    base = {names[1]: names[0], names[2]: names[0], names[4]: names[3]}
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else float("nan")
    print(f"{os.cpu_count()} cores, load {load:.1f}, Base+MLP; per second, median (range)")
    for name, (_, rates) in rows.items():
        line = f"{name:38} {statistics.median(rates):12,.0f} ({min(rates):,.0f}–{max(rates):,.0f})"
        if name in base:
            ratios = [own / other for own, other in zip(rates, rows[base[name]][1])]
            line += f"  ×{statistics.median(ratios):.1f} ({min(ratios):.1f}–{max(ratios):.1f})"
        print(line)


NAME = re.compile(r"[wb][A-Z]\d?")


class Names:
    """OpenSpiel may place ``wA2`` before ``wA1``; UHP numbers pieces in the order of placement."""

    def __init__(self) -> None:
        self.placed: dict[str, str] = {}

    def translate(self, text: str) -> str:
        """The move with UHP's names."""
        return NAME.sub(lambda name: self.placed.get(name[0]) or self.next(name[0]), text)

    def next(self, name: str) -> str:
        """UHP's name for a piece in hand."""
        if not name[2:]:
            return name
        same = sum(other.startswith(name[:2]) for other in self.placed)
        return f"{name[:2]}{same + 1}"

    def follow(self, text: str) -> None:
        """Remembers the name of a placed piece."""
        found = NAME.match(text)
        if found and found[0] not in self.placed:
            self.placed[found[0]] = self.next(found[0])


def compare(name: str, expansions: bool, positions: int) -> None:
    """Compares the legal moves of random positions."""
    rng = random.Random(3)
    checked = different = 0
    examples: list[str] = []
    queens_in_hand = 0
    while checked < positions:
        state, game = spiel_game(expansions).new_initial_state(), wabe.Game(name)
        names = Names()
        while not state.is_terminal() and not game.is_over and checked < positions:
            player = state.current_player()
            theirs: dict[int, int] = {}
            for action in state.legal_actions():
                text = names.translate(state.action_to_string(player, action))
                theirs[game.action(text)] = action
            ours = set(game.legal_actions())
            checked += 1
            if ours != set(theirs):
                different += 1
                # A queen is among the reserves, the last field of a position.
                in_hand = "Q" in game.position.split()[-1]
                queens_in_hand += in_hand
                if len(examples) < 3 or not in_hand:
                    only_ours = sorted(game.move(action) for action in ours - set(theirs))
                    only_theirs = sorted(game.move(action) for action in set(theirs) - ours)
                    examples.append(
                        f"  {game.position}\n    only wabe: {only_ours[:6]}, only OpenSpiel: "
                        f"{only_theirs[:6]}"
                    )
            common = sorted(ours & set(theirs))
            if not common:
                break
            action = rng.choice(common)
            names.follow(state.action_to_string(player, theirs[action]))
            state.apply_action(theirs[action])
            game.play(action)
    print(
        f"{name}: legal moves differ in {different} of {checked} positions, in {queens_in_hand} of "
        "them with a queen in hand"
    )
    print("\n".join(examples[:8]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=3.0, help="time per measurement")
    parser.add_argument("--rounds", type=int, default=5, help="number of alternating rounds")
    parser.add_argument("--positions", type=int, default=10_000, help="positions to compare")
    arguments = parser.parse_args()
    measure(arguments.seconds, arguments.rounds)
    compare("Base", False, arguments.positions)
    compare("Base+MLP", True, arguments.positions)


if __name__ == "__main__":
    main()
