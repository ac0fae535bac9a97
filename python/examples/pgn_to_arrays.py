"""Turns recorded games into arrays and fits a first network to them.

    python pgn_to_arrays.py GAMES.pgn…

Without files, it first plays games between built-in players and writes them to one. The network
predicts the result from the pieces in reserve and on the board; it needs only numpy.
"""

import argparse
import pathlib
import tempfile
from typing import Any, List, Tuple

import numpy as np

import wabe

GAME = "Base"


def play_games(path: pathlib.Path, count: int) -> None:
    """Writes games between built-in players as PGN."""
    result = wabe.match("greedy", "mcts:nodes=8", games=count, game=GAME)
    finished = [played.game for played in result.games if played.game.result is not None]
    wabe.write(path, finished)


def to_arrays(paths: List[pathlib.Path]) -> Tuple[np.ndarray, np.ndarray]:
    """Inputs and results of all positions, for the side to move."""
    inputs, results = [], []
    for chunk in wabe.positions(paths, GAME, chunk=4096):
        known = ~np.isnan(chunk.results)
        # Pieces of each plane, and the numbers.
        counts = chunk.planes.sum(axis=(2, 3))
        inputs.append(np.concatenate([counts, chunk.numbers], axis=1)[known])
        results.append(chunk.results[known])
    return np.concatenate(inputs).astype(np.float32) / 8, np.concatenate(results)


def fit(inputs: np.ndarray, results: np.ndarray, steps: int) -> Tuple[float, float]:
    """Fits a network with one hidden layer. Returns its error and that of the mean."""
    rng = np.random.default_rng(1)
    held_out = np.arange(len(inputs)) % 10 == 0
    weights: List[Any] = [
        rng.normal(size=(inputs.shape[1], 32)) / 8,
        np.zeros(32),
        rng.normal(size=32) / 8,
        np.zeros(1),
    ]

    def forward(x: np.ndarray) -> Tuple[np.ndarray, np.ndarray]:
        hidden = np.maximum(x @ weights[0] + weights[1], 0)
        return hidden, np.tanh(hidden @ weights[2] + weights[3])

    train = np.flatnonzero(~held_out)
    for _ in range(steps):
        rows = rng.choice(train, size=256)
        x, y = inputs[rows], results[rows]
        hidden, value = forward(x)
        slope = (value - y) * (1 - value**2) / len(rows)
        below = np.outer(slope, weights[2]) * (hidden > 0)
        for weight, gradient in zip(
            weights, (x.T @ below, below.sum(0), hidden.T @ slope, slope.sum(keepdims=True))
        ):
            weight -= 0.3 * gradient
    truth = results[held_out]
    error = np.mean((forward(inputs[held_out])[1] - truth) ** 2)
    return float(error), float(np.mean((results[~held_out].mean() - truth) ** 2))


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("files", nargs="*", type=pathlib.Path, help="PGN, SGF, XML or others")
    parser.add_argument("--games", type=int, default=1000, help="games to play without files")
    parser.add_argument("--steps", type=int, default=4000, help="steps of the training")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        paths = options.files
        if not paths:
            paths = [pathlib.Path(folder) / "games.pgn"]
            play_games(paths[0], options.games)
        inputs, results = to_arrays(paths)
    error, baseline = fit(inputs, results, options.steps)
    print(f"{len(inputs)} positions: squared error {error:.3f}, without a network {baseline:.3f}")


if __name__ == "__main__":
    main()
