"""Self-play on several machines with Ray.

    pip install ./python ray            # in a clone of wabe
    python ray_selfplay.py --workers 8

Each worker steps a batch of games on its own machine. `ray.init` uses the cluster that the
environment names, otherwise this machine.
"""

import argparse
import sys
from typing import Tuple

import wabe


def play(seed: int, games: int, plies: int, game: str) -> Tuple[int, int]:
    """Plays random moves. Returns the numbers of games that ended and of first players' wins."""
    batch = wabe.Batch(games, game, seed)
    ended = won = 0
    for _ in range(plies):
        # Replace this line by a search: wabe.TreeSearch(judge).run(batch, 64).sample()
        movers = batch.players.copy()
        rewards, terminated, truncated = batch.step_random()
        ended += int(terminated.sum() + truncated.sum())
        won += int(((rewards == 1) & (movers == 0)).sum() + ((rewards == -1) & (movers == 1)).sum())
    return ended, won


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--workers", type=int, default=4)
    parser.add_argument("--games", type=int, default=1024, help="games per worker")
    parser.add_argument("--plies", type=int, default=200, help="plies per game")
    parser.add_argument("--game", default="Base+MLP")
    options = parser.parse_args()
    try:
        import ray  # type: ignore[import-not-found,unused-ignore]
    except ImportError:
        print("skipped: Ray is not installed (pip install ray)")
        sys.exit(0)
    ray.init()
    remote = ray.remote(play)
    tasks = [
        remote.remote(seed, options.games, options.plies, options.game)
        for seed in range(options.workers)
    ]
    ended, won = (sum(column) for column in zip(*ray.get(tasks)))
    print(f"{ended} games ended, {won} won by the first player")


if __name__ == "__main__":
    main()
