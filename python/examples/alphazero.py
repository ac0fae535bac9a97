"""AlphaZero for standard Hive with JAX on the processor.

Plays games against itself by tree search with a small network, and trains the network on the
searches' visits and values and the games' results. After the training it plays against a random
player, a one-ply player that looks at the queens, and wabe's network without a search.

    pip install ./python jax            # in a clone of wabe
    python alphazero.py --minutes 10
"""

import argparse
import random
import time
from typing import Any, Dict, List, Tuple

import jax
import jax.numpy as jnp
import numpy as np

import wabe

GAME = "Base"
WIDTH = 64
BATCH = 256

Params = Dict[str, Any]
# Features, actions, their shares of the visits, value.
Sample = Tuple[np.ndarray, np.ndarray, np.ndarray, float]


def new_params(features: int, actions: int, seed: int) -> Params:
    keys = jax.random.split(jax.random.PRNGKey(seed), 4)

    def layer(key: Any, rows: int, columns: int, scale: float) -> Tuple[Any, Any]:
        return jax.random.normal(key, (rows, columns)) * scale, jnp.zeros(columns)

    return {
        "features": layer(keys[0], features, WIDTH, 0.15),
        "hidden": layer(keys[1], WIDTH, WIDTH, 0.17),
        "policy": layer(keys[2], WIDTH, actions, 0.01),
        "value": layer(keys[3], WIDTH, 1, 0.01),
    }


@jax.jit
def network(params: Params, features: Any) -> Tuple[Any, Any]:
    """The logits of all actions and the value for the side to move, -1 to 1."""

    def apply(name: str, x: Any) -> Any:
        weights, bias = params[name]
        return x @ weights + bias

    table, bias = params["features"]
    # Numbers outside the table, which fill the rows, count as 0.
    rows = jnp.take(table, features, axis=0, mode="fill", fill_value=0.0)
    x = jax.nn.relu(rows.sum(axis=1) + bias)
    x = x + jax.nn.relu(apply("hidden", x))
    return apply("policy", x), jnp.tanh(apply("value", x)[:, 0])


@jax.jit
def adam(params: Params, moments: Params, step: Any, rate: Any, arrays: Any) -> Any:
    """One step of Adam on a batch of samples."""
    features, legal, policy, target = arrays

    def loss(params: Params) -> Any:
        logits, value = network(params, features)
        logits = jnp.where(legal, logits, -1e9)
        cross_entropy = -(policy * jax.nn.log_softmax(logits)).sum(axis=1)
        return cross_entropy.mean() + 2 * jnp.square(value - target).mean()

    error, gradient = jax.value_and_grad(loss)(params)
    first = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, moments["first"], gradient)
    second = jax.tree.map(lambda m, g: 0.99 * m + 0.01 * g * g, moments["second"], gradient)
    rate = rate * jnp.sqrt(1 - 0.99**step) / (1 - 0.9**step)
    params = jax.tree.map(
        lambda p, m, v: p - rate * m / (jnp.sqrt(v) + 1e-8), params, first, second
    )
    return params, {"first": first, "second": second}, error


def pressure(planes: np.ndarray) -> np.ndarray:
    """The difference in occupied fields around the queens, as a value for the side to move."""
    occupied = np.pad((planes[:, 32] > 0).astype(np.int8), ((0, 0), (1, 1), (1, 1)))
    side = planes.shape[-1]
    around = sum(
        occupied[:, 1 + x : 1 + x + side, 1 + y : 1 + y + side]
        for x, y in [(1, 0), (0, 1), (-1, 1), (-1, 0), (0, -1), (1, -1)]
    )
    # Topmost and covered queens.
    own, other = (((planes[:, q] + planes[:, q + 16]) * around).sum(axis=(1, 2)) for q in (0, 8))
    return np.asarray((other - own.astype(np.float32)) / 6)


class SelfPlay:
    """A network that plays games against itself and learns from them."""

    def __init__(self, games: int, simulations: int, max_plies: int, seed: int) -> None:
        self.batch = wabe.Batch(games, GAME, seed, max_plies=max_plies)
        self.actions, self.simulations = self.batch.action_count, simulations
        self.search = wabe.TreeSearch(self.judge, inputs="features", noise=0.25, seed=seed)
        self.params = new_params(self.batch.feature_count, self.actions, seed)
        zeros = jax.tree.map(jnp.zeros_like, self.params)
        self.moments, self.steps, self.error = {"first": zeros, "second": zeros}, 0, 0.0
        # Random positions of all stages, so that games end from the first step on.
        rng = np.random.default_rng(seed)
        for _ in range(max_plies):
            self.batch.step_random()
            self.batch.restart(rng.random(games) < 2 / max_plies)
        # The samples of the unfinished games, and the searches' values.
        self.histories: List[List[Tuple[Any, ...]]] = [[] for _ in range(games)]

    def train(self, samples: List[Sample], rate: float) -> None:
        legal = np.zeros((len(samples), self.actions), bool)
        policy = np.zeros((len(samples), self.actions), np.float32)
        for row, (_, moves, shares, _) in enumerate(samples):
            legal[row, moves] = True
            policy[row, moves] = shares
        features = np.stack([sample[0] for sample in samples])
        target = np.array([sample[3] for sample in samples], np.float32)
        arrays = (features, legal, policy, target)
        self.steps += 1
        self.params, self.moments, self.error = adam(
            self.params, self.moments, self.steps, rate, arrays
        )

    def judge(self, features: np.ndarray) -> Any:
        return network(self.params, features)

    def step(self) -> List[Sample]:
        """Plays one move in each game. Returns the samples of the games that ended."""
        features, values = self.batch.features().copy(), pressure(self.batch.observe()[0])
        found = self.search.run(self.batch, self.simulations)
        actions, visits, offsets = found.visits()
        temperatures = [1.0 if len(history) < 12 else 0.25 for history in self.histories]
        rewards, terminated, truncated = self.batch.step(found.sample(temperatures))
        finished: List[Sample] = []
        for index, history in enumerate(self.histories):
            part = slice(offsets[index], offsets[index + 1])
            shares = visits[part] / max(1, visits[part].sum())
            history.append((features[index], actions[part], shares, found.values[index]))
            if terminated[index] or truncated[index]:
                # For the side that moved last. Games that are cut off count by the queens.
                result = float(rewards[index] if terminated[index] else values[index])
                for row, moves, shares, value in reversed(history):
                    finished.append((row, moves, shares, (result + float(value)) / 2))
                    result = -result
                history.clear()
        return finished


def one_ply(game: wabe.Game, time: wabe.Time) -> int:
    """The move after which the queens stand best."""

    def value(action: int) -> float:
        game.play(action)
        planes, _ = game.observe()
        game.undo()
        return -float(pressure(planes[None])[0]) + 0.01 * random.random()

    return max(game.legal_actions(), key=value)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--minutes", type=float, default=10, help="time of the training")
    parser.add_argument("--games", type=int, default=256, help="games at the same time")
    parser.add_argument("--simulations", type=int, default=48, help="simulations per move")
    parser.add_argument("--max-plies", type=int, default=80, help="plies of a game in self-play")
    parser.add_argument("--match-games", type=int, default=100, help="games of each match")
    parser.add_argument("--match-simulations", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()

    play = SelfPlay(options.games, options.simulations, options.max_plies, options.seed)
    rng = np.random.default_rng(options.seed)
    samples: List[Sample] = []
    start, wanted, left = time.time(), 0.0, 1.0
    while play.steps == 0 or left > 0:
        finished = play.step()
        samples = (samples + finished)[-150_000:]
        left = max(0.0, 1 - (time.time() - start) / (60 * options.minutes))
        # Each position is used about six times. The rate falls in the second half.
        wanted += 6 * len(finished) / BATCH
        while play.steps < wanted:
            chosen = [samples[i] for i in rng.integers(len(samples), size=BATCH)]
            play.train(chosen, 2e-3 * min(1.0, max(0.05, 2 * left)))
        print(f"{left:4.0%} left, {play.steps} steps, loss {play.error:.3f}", flush=True)
    search = wabe.TreeSearch(play.judge, inputs="features", leaves=8)

    def alphazero(game: wabe.Game, time: wabe.Time) -> int:
        return int(search.run([game], options.match_simulations).sample(0.0)[0])

    for opponent in ("random", one_ply, "greedy"):
        print(wabe.match(alphazero, opponent, games=options.match_games, game=GAME), flush=True)


if __name__ == "__main__":
    main()
