import pathlib
from typing import Any, List

import numpy as np
import pytest

import wabe


def finished_game(name: str, seed: int = 1) -> wabe.Game:
    """A game that ended."""
    for number in range(seed, seed + 100):
        for played in wabe.match("greedy", "random", games=2, game=name, seed=number).games:
            if played.game.result is not None:
                return played.game
    raise AssertionError("no game ended")


def chunks(sources: Any, game: str, chunk: int = 50) -> List[wabe.Positions]:
    return list(wabe.positions(sources, game, chunk))


@pytest.mark.parametrize("name", ["Base", "contest"])
def test_positions_have_actions_and_results(tmp_path: pathlib.Path, name: str) -> None:
    games = [finished_game(name, seed) for seed in (1, 10)]
    paths = []
    for number, game in enumerate(games):
        paths.append(tmp_path / f"{number}.json")
        paths[-1].write_text(wabe.dumps(game, "uhp" if name == "Base" else "record"))
    found = chunks(paths, name)
    assert all(len(part) == 50 for part in found[:-1])
    actions = np.concatenate([part.actions for part in found])
    results = np.concatenate([part.results for part in found])
    numbers = np.concatenate([part.games for part in found])
    plies = np.concatenate([part.plies for part in found])
    assert found[0].planes.dtype == np.uint8 and found[0].planes.ndim == 4
    assert found[0].numbers.shape[0] == len(found[0])
    row = 0
    for number, game in enumerate(games):
        replayed = wabe.Game.from_text(game.start, name) if name == "contest" else wabe.Game(name)
        sign = 1 if replayed.player == 0 else -1
        for move in game.moves:
            assert actions[row] == replayed.action(move)
            assert results[row] == sign * (game.result or 0)
            assert (numbers[row], plies[row]) == (number, replayed.turn)
            replayed.play(move)
            sign, row = -sign, row + 1
    assert row == len(actions)
    assert all(np.isnan(part.values).all() for part in found)
    assert all((part.policy[2] == 0).all() for part in found)


def test_positions_reject_other_games(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "game.pgn"
    wabe.write(path, finished_game("Base+MLP"))
    with pytest.raises(ValueError, match="Base\\+MLP"):
        chunks(path, "Base")
    with pytest.raises(ValueError, match="game.pgn"):
        chunks(path, "contest")
    with pytest.raises(ValueError, match="chunk=0"):
        chunks(path, "Base+MLP", chunk=0)
    with pytest.raises(FileNotFoundError):
        chunks([path, tmp_path / "missing"], "Base+MLP", chunk=10**9)
    assert chunks([], "Base") == []
