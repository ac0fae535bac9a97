import pickle
from typing import Any

import numpy as np
import pytest

import wabe

GAMES = ["Base", "Base+MLP", "contest"]


def first_legal(batch: wabe.Batch) -> "np.ndarray[tuple[int], np.dtype[np.int32]]":
    actions, offsets = batch.legal_actions()
    return actions[offsets[:-1]]


@pytest.mark.parametrize("name", GAMES)
def test_batch_matches_games(name: str) -> None:
    batch = wabe.Batch(20, name, seed=1, max_plies=60)
    for _ in range(100):
        batch.step_random()
        planes, numbers = batch.observe()
        mask = batch.legal_mask()
        actions, offsets = batch.legal_actions()
        for index in (0, 7, 19):
            game = batch.game(index)
            assert sorted(game.legal_actions()) == np.flatnonzero(mask[index]).tolist()
            listed = actions[offsets[index] : offsets[index + 1]].tolist()
            assert sorted(listed) == sorted(game.legal_actions())
            drawn, rest = game.observe()
            assert (drawn == planes[index]).all() and (rest == numbers[index]).all()
            assert batch.players[index] == game.player
            assert not game.is_over


@pytest.mark.parametrize("name", GAMES)
def test_step_plays_actions(name: str) -> None:
    batch = wabe.Batch(50, name, seed=2)
    for dtype in (np.int32, np.int64):
        for _ in range(30):
            games = [batch.game(index) for index in range(3)]
            actions = first_legal(batch).astype(dtype)
            for game, action in zip(games, actions):
                game.play(int(action))
            batch.step(actions)
            for index, game in enumerate(games):
                # An ended game restarts in the same step.
                assert batch.game(index) == game or (game.is_over and not batch.game(index).moves)


def test_seeds_repeat_games() -> None:
    def play(seed: int) -> list[str]:
        batch = wabe.Batch(30, "contest", seed)
        for _ in range(100):
            batch.step_random()
        return [str(batch.game(index)) for index in range(30)]

    assert play(1) == play(1) != play(2)


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("restart", [True, False])
def test_pickles_keep_batches(name: str, restart: bool) -> None:
    batch = wabe.Batch(30, name, seed=1, max_plies=70, restart=restart)
    for _ in range(100):
        batch.step_random()
        if batch.players[0]:
            batch.restart(np.arange(30) == 7)
    same = pickle.loads(pickle.dumps(batch))
    assert repr(same) == repr(batch)
    for _ in range(100):
        assert [same.game(index) for index in range(30)] == [batch.game(i) for i in range(30)]
        assert (same.legal_mask() == batch.legal_mask()).all()
        for ours, theirs in zip(batch.step_random(), same.step_random()):
            assert (ours == theirs).all()


def test_pickles_keep_fixed_brambles() -> None:
    batch = wabe.Batch(2, brambles=[(0, 0), (1, -3)], seed=1)
    same = pickle.loads(pickle.dumps(batch))
    same.restart()
    assert same.game(1).start == batch.game(1).start


def damaged_batches() -> "list[tuple[Any, ...]]":
    """Contents of pickles, each with one fault."""
    batch = wabe.Batch(2, "Base", seed=1)
    for _ in range(5):
        batch.step_random()
    name, brambles, max_plies, restart, games = batch.__reduce__()[1][1]
    fields, actions, state = games[1]

    def with_game(game: object) -> "tuple[Any, ...]":
        return name, brambles, max_plies, restart, [games[0], game]

    return [
        ("chess", brambles, max_plies, restart, games),
        (name, [(0, 0)], max_plies, restart, games),
        ("contest", [(9, 9)], max_plies, restart, games),
        (name, brambles, 0, restart, games),
        (name, brambles, 5, restart, games),
        (name, brambles, max_plies, None, games),
        (name, brambles, max_plies, restart, []),
        (name, brambles, max_plies, restart),
        with_game((fields, actions[:-1], state)),
        with_game((fields, actions[2:], state)),
        with_game((fields, actions + actions, state)),
        with_game((fields, b"\xff\xff", state)),
        with_game((fields, actions, state[1:])),
        with_game((fields, "text", state)),
        with_game(None),
    ]


@pytest.mark.parametrize("contents", damaged_batches(), ids=range(len(damaged_batches())))
def test_damaged_pickles_raise(contents: "tuple[Any, ...]") -> None:
    unpickle, (version, _) = wabe.Batch(2).__reduce__()
    with pytest.raises(ValueError):
        unpickle(version, contents)


def test_pickles_of_other_versions_raise() -> None:
    unpickle, (version, contents) = wabe.Batch(2).__reduce__()
    for other in (version + 1, -1, None):
        with pytest.raises(ValueError, match=f"format {other}, expected {version}"):
            unpickle(other, contents)


def test_rewards_are_those_of_the_mover() -> None:
    batch = wabe.Batch(200, "contest", seed=1, restart=False)
    for _ in range(59):
        batch.step_random()
    movers = batch.players.copy()
    running = np.array([not batch.game(index).is_over for index in range(200)])
    rewards, terminated, truncated = batch.step_random()
    assert running.any() and (terminated == running).all() and not truncated.any()
    results = [batch.game(index).result for index in range(200)]
    expected = np.where(movers == 0, 1, -1) * np.array(results)
    assert (rewards == np.where(running, expected, 0)).all()


def test_long_games_are_truncated() -> None:
    batch = wabe.Batch(10, "Base", seed=1, max_plies=7)
    for ply in range(1, 20):
        _, terminated, truncated = batch.step_random()
        assert truncated.all() == (ply % 7 == 0) and not terminated.any()
    assert len(batch.game(0).moves) == 19 % 7


def test_restart_replaces_chosen_games() -> None:
    batch = wabe.Batch(4, "Base", seed=1, restart=False)
    for _ in range(5):
        batch.step_random()
    batch.restart(np.array([True, False, False, True]))
    assert [len(batch.game(index).moves) for index in range(4)] == [0, 5, 5, 0]
    batch.restart()
    assert [len(batch.game(index).moves) for index in range(4)] == [0] * 4


def test_arrays_are_reused() -> None:
    batch = wabe.Batch(10, "Base", seed=1)
    planes, numbers = batch.observe()
    mask = batch.legal_mask()
    batch.step_random()
    assert batch.observe()[0] is planes and batch.observe()[1] is numbers
    assert batch.legal_mask() is mask


def test_illegal_actions_move_no_game() -> None:
    batch = wabe.Batch(100, "Base", seed=1)
    batch.step_random()
    before = [str(batch.game(index)) for index in range(100)]
    for action, message in [
        (10**15, "game 41: action 1000000000000000 is out of range: expected 0..=5502"),
        (-1, "game 41: action -1 is out of range"),
        (5502, "game 41: action 5502, `pass`: You can't pass"),
        (1, "game 41: action 1 means no move"),
    ]:
        actions = first_legal(batch).astype(np.int64)
        actions[[41, 77]] = action
        with pytest.raises(wabe.IllegalMove, match=message):
            batch.step(actions)
        assert [str(batch.game(index)) for index in range(100)] == before


def test_ended_games_ignore_actions() -> None:
    batch = wabe.Batch(3, "Base", seed=1, max_plies=1, restart=False)
    actions = first_legal(batch)
    batch.step(actions)
    assert not batch.legal_mask().any() and batch.legal_actions()[0].size == 0
    before = [str(batch.game(index)) for index in range(3)]
    rewards, terminated, truncated = batch.step(np.array([-1, 9999, 0]))
    assert not rewards.any() and not terminated.any() and not truncated.any()
    assert [str(batch.game(index)) for index in range(3)] == before


@pytest.mark.parametrize(
    "actions, error, message",
    [
        ([0, 0], TypeError, "expected a numpy array of int64 or int32, found <class 'list'>"),
        (np.zeros(2), TypeError, "found float64"),
        (np.zeros(2, np.uint8), TypeError, "found uint8"),
        (np.zeros(3, np.int64), ValueError, r"expected shape \(2,\), found \(3,\)"),
        (np.zeros((2, 1), np.int64), ValueError, r"expected shape \(2,\), found \(2, 1\)"),
        (np.int64(0), TypeError, "expected a numpy array"),
        (np.zeros((), np.int64), ValueError, r"found \(\)"),
        (None, TypeError, "expected a numpy array"),
    ],
    ids=repr,
)
def test_other_arrays_are_not_actions(
    actions: object, error: type[Exception], message: str
) -> None:
    batch = wabe.Batch(2, "Base", seed=1)
    with pytest.raises(error, match=message):
        batch.step(actions)  # type: ignore[arg-type]
    assert batch.game(0).moves == []


def test_strided_actions_are_read() -> None:
    batch = wabe.Batch(4, "Base", seed=1)
    actions = np.repeat(first_legal(batch), 3)[::3]
    batch.step(actions)
    assert len(batch.game(3).moves) == 1


@pytest.mark.parametrize("n", [0, -1, 1 << 40])
def test_size_is_limited(n: int) -> None:
    with pytest.raises(ValueError, match="expected 1..=1048576 games"):
        wabe.Batch(n)


def test_game_checks_the_index() -> None:
    batch = wabe.Batch(2)
    for index in (2, -1):
        with pytest.raises(IndexError, match="expected 0..=1"):
            batch.game(index)


@pytest.mark.parametrize("name", GAMES)
def test_features_fill_the_start_of_each_row(name: str) -> None:
    batch = wabe.Batch(10, name, seed=1)
    for _ in range(20):
        batch.step_random()
    features = batch.features()
    assert features.shape == (10, 128)
    is_used = features < batch.feature_count
    assert (features >= 0).all() and (features <= batch.feature_count).all()
    counts = is_used.sum(axis=1)
    assert (counts > 10).all()
    np.testing.assert_array_equal(is_used, np.arange(128) < counts[:, None])


def test_planes_show_the_numbers_of_topmost_pieces() -> None:
    game = wabe.Game("Base")
    for move in ("wA1", "bG1 -wA1", "wA2 wA1-", "bQ -bG1", "wQ wA2-", "bA1 /bQ", "wB1 wQ-"):
        game.play(move)
    planes, _ = game.observe()
    assert planes.shape == (35, 22, 22)
    is_ant = (planes[4] + planes[12]) > 0
    assert sorted(planes[34][is_ant]) == [1, 1, 2]
    np.testing.assert_array_equal(planes[34] > 0, planes[32] > 0)
