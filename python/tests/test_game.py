import random

import pytest

import wabe


@pytest.mark.parametrize("name", ["Base", "Base+MLP", "contest"])
def test_random_games_end(name: str) -> None:
    rng = random.Random(1)
    game = wabe.Game(name)
    for _ in range(2000):
        moves = game.legal_moves()
        if not moves:
            break
        game.play(rng.choice(moves))
    assert game.result in (None, -1, 0, 1)


def test_illegal_moves_raise() -> None:
    game = wabe.Game("Base")
    with pytest.raises(wabe.IllegalMove, match="wQ"):
        game.play("wQ")
