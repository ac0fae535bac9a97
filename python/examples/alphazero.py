"""AlphaZero for standard Hive with JAX on the processor.

Plays games against itself by tree search with a small network, and trains the network on the
searches' visits and the games' results. After the training it plays against a random player and
against a one-ply greedy player.

    pip install wabe jax
    python alphazero.py --minutes 10
"""

import argparse
import time
from typing import Any, Dict, List, Tuple

import jax
import jax.numpy as jnp
import numpy as np

import wabe

GAME = "Base"
SIZE = 12  # Hives of most games fit into 12 by 12 fields.
KINDS = 5  # Of the 8 kinds of pieces, Base has the first 5, of which the queen is the first.
# Topmost and covered pieces of both sides; height; the piece that moved last.
PLANES = [8 * group + kind for group in range(4) for kind in range(KINDS)] + [32, 33]
HEIGHT = 4 * KINDS

Params = Dict[str, Any]


def crop(planes: np.ndarray) -> np.ndarray:
    """The planes of Base, the middle of each."""
    start = (planes.shape[-1] - SIZE) // 2
    return planes[:, PLANES, start : start + SIZE, start : start + SIZE]


def new_params(numbers: int, actions: int, width: int, seed: int) -> Params:
    keys = jax.random.split(jax.random.PRNGKey(seed), 5)

    def layer(key: Any, rows: int, columns: int, scale: float = 1.0) -> Tuple[Any, Any]:
        weights = jax.random.normal(key, (rows, columns)) * scale / np.sqrt(rows)
        return weights, jnp.zeros(columns)

    return {
        "planes": layer(keys[0], len(PLANES) * SIZE * SIZE, width, 2.0),
        "numbers": layer(keys[1], numbers, width),
        "hidden": layer(keys[2], width, width, 1.4),
        "policy": layer(keys[3], width, actions, 0.1),
        "value": layer(keys[4], width, 1, 0.1),
        # The value of an occupied field around a queen.
        "queens": jnp.array(0.3),
    }


@jax.jit
def network(params: Params, planes: Any, numbers: Any) -> Tuple[Any, Any]:
    """The logits of all actions and the value for the side to move, -1 to 1."""

    def apply(name: str, x: Any) -> Any:
        weights, bias = params[name]
        return x @ weights + bias

    planes = planes.astype(jnp.float32)
    occupied = jnp.pad((planes[:, HEIGHT] > 0).astype(jnp.float32), ((0, 0), (1, 1), (1, 1)))
    around = sum(
        occupied[:, 1 + x : 1 + x + SIZE, 1 + y : 1 + y + SIZE]
        for x, y in [(1, 0), (0, 1), (-1, 1), (-1, 0), (0, -1), (1, -1)]
    )
    own, other = (
        ((planes[:, queen] + planes[:, queen + 2 * KINDS]) * around).sum(axis=(1, 2))
        for queen in (0, KINDS)
    )
    x = apply("planes", planes.reshape(planes.shape[0], -1))
    x = jax.nn.relu(x + apply("numbers", numbers.astype(jnp.float32) / 8))
    x = x + jax.nn.relu(apply("hidden", x))
    value = apply("value", x)[:, 0] + params["queens"] * (other - own)
    return apply("policy", x), jnp.tanh(value)


@jax.jit
def train_step(params: Params, moments: Params, step: Any, samples: Any) -> Any:
    """One step of Adam."""
    planes, numbers, legal, policy, result = samples

    def loss(params: Params) -> Any:
        logits, value = network(params, planes, numbers)
        logits = jnp.where(legal, logits, -1e9)
        cross_entropy = -(policy * jax.nn.log_softmax(logits)).sum(axis=1)
        return cross_entropy.mean() + jnp.square(value - result).mean()

    error, gradient = jax.value_and_grad(loss)(params)
    first = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, moments["first"], gradient)
    second = jax.tree.map(lambda m, g: 0.99 * m + 0.01 * g * g, moments["second"], gradient)
    rate = 1e-3 * jnp.sqrt(1 - 0.99**step) / (1 - 0.9**step)
    params = jax.tree.map(
        lambda p, m, v: p - rate * m / (jnp.sqrt(v) + 1e-8), params, first, second
    )
    return params, {"first": first, "second": second}, error


class SelfPlay:
    """Plays games against itself and collects positions with their visits and results."""

    def __init__(self, games: int, simulations: int, max_plies: int, seed: int) -> None:
        self.batch = wabe.Batch(games, GAME, seed, max_plies=max_plies)
        self.simulations = simulations
        self.search = wabe.TreeSearch(self.judge, noise=0.25, noise_alpha=0.3, seed=seed)
        self.params: Params = {}
        self.histories: List[List[Any]] = [[] for _ in range(games)]
        self.finished: List[Tuple[Any, ...]] = []
        self.ends = [0, 0]

    def judge(self, planes: np.ndarray, numbers: np.ndarray) -> Any:
        return network(self.params, crop(planes), numbers)

    def step(self) -> None:
        """Plays one move in each game."""
        planes, numbers = self.batch.observe()
        planes, numbers = crop(planes), numbers.copy()
        found = self.search.run(self.batch, self.simulations)
        actions, visits, offsets = found.visits()
        temperatures = [1.0 if len(history) < 16 else 0.3 for history in self.histories]
        rewards, terminated, truncated = self.batch.step(found.sample(temperatures))
        for index, history in enumerate(self.histories):
            part = slice(offsets[index], offsets[index + 1])
            shares = visits[part] / max(1, visits[part].sum())
            history.append((planes[index], numbers[index], actions[part], shares))
            if terminated[index] or truncated[index]:
                self.ends[int(truncated[index])] += 1
                # The reward is for the side that moved last. An unfinished game is worth what the
                # search thinks of its last position, in which that side was to move.
                result = float(rewards[index] if terminated[index] else found.values[index])
                for sample in reversed(history):
                    self.finished.append((*sample, result))
                    result = -result
                history.clear()


def stack(samples: List[Tuple[Any, ...]], actions: int) -> Tuple[np.ndarray, ...]:
    """The arrays of a training step."""
    legal = np.zeros((len(samples), actions), bool)
    policy = np.zeros((len(samples), actions), np.float32)
    for row, (_, _, moves, shares, _) in enumerate(samples):
        legal[row, moves] = True
        policy[row, moves] = shares
    planes, numbers, results = (np.stack([s[part] for s in samples]) for part in (0, 1, 4))
    return planes, numbers, legal, policy, results


def play_match(params: Params, opponent: str, games: int, simulations: int) -> wabe.MatchResult:
    """Plays the network with a search against a built-in player."""
    search = wabe.TreeSearch(lambda planes, rest: network(params, crop(planes), rest), leaves=8)

    def alphazero(game: wabe.Game, time: wabe.Time) -> int:
        return int(search.run([game], simulations).sample(0.0)[0])

    return wabe.match(alphazero, opponent, games=games, game=GAME)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--minutes", type=float, default=10, help="time of the training")
    parser.add_argument("--games", type=int, default=128, help="games at the same time")
    parser.add_argument("--simulations", type=int, default=24, help="simulations per move")
    parser.add_argument("--max-plies", type=int, default=80, help="plies of a game in self-play")
    parser.add_argument("--match-games", type=int, default=100, help="games of each match")
    parser.add_argument("--match-simulations", type=int, default=200, help="per move in matches")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()

    play = SelfPlay(options.games, options.simulations, options.max_plies, options.seed)
    actions = play.batch.action_count
    params = new_params(play.batch.numbers_shape[0], actions, 128, options.seed)
    zeros = jax.tree.map(jnp.zeros_like, params)
    moments, steps = {"first": zeros, "second": zeros}, 0
    rng = np.random.default_rng(options.seed)
    samples: List[Tuple[Any, ...]] = []
    end = time.time() + 60 * options.minutes
    reported_at = time.time()
    while steps == 0 or time.time() < end:
        play.params = params
        play.step()
        samples = (samples + play.finished)[-40_000:]
        # Each position is used about four times.
        wanted, play.finished = 4 * len(play.finished) // 128, []
        for _ in range(wanted):
            chosen = [samples[i] for i in rng.integers(len(samples), size=128)]
            steps += 1
            params, moments, error = train_step(
                params, moments, float(steps), stack(chosen, actions)
            )
        if steps and time.time() > reported_at + 10:
            reported_at = time.time()
            print(
                f"{max(0, end - reported_at):4.0f} s left, {play.ends[0]} games, "
                f"{play.ends[1]} cut off, {steps} steps, loss {float(error):.3f}",
                flush=True,
            )
    for opponent in ("random", "greedy"):
        result = play_match(params, opponent, options.match_games, options.match_simulations)
        print(f"against {opponent}: {result.wins} won, {result.draws} drawn, {result.losses} lost")


if __name__ == "__main__":
    main()
