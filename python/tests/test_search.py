from typing import Any, Callable, List, Tuple

import numpy as np
import pytest

import wabe

Judge = Callable[[np.ndarray, np.ndarray], Tuple[Any, Any]]


def even(actions: int) -> Judge:
    """A judge without an opinion."""
    return lambda planes, numbers: (np.zeros((len(planes), actions)), np.zeros(len(planes)))


CONTEST = 8737
STANDARD = 5503


@pytest.mark.parametrize("name, actions", [("contest", CONTEST), ("Base", STANDARD)])
def test_visits_are_counted(name: str, actions: int) -> None:
    games = [wabe.Game(name) for _ in range(3)]
    games[1].play(games[1].legal_moves()[0])
    found = wabe.TreeSearch(even(actions), leaves=4).run(games, 40)
    indices, visits, offsets = found.visits()
    policy = found.policy()
    assert policy.shape == (3, actions) and len(found) == 3
    np.testing.assert_allclose(policy.sum(axis=1), 1, rtol=1e-5)
    for row, game in enumerate(games):
        part = slice(offsets[row], offsets[row + 1])
        assert sorted(indices[part]) == sorted(game.legal_actions())
        # The first simulation evaluates the root.
        assert visits[part].sum() == 39
        np.testing.assert_allclose(policy[row][indices[part]], visits[part] / 39, rtol=1e-5)


def test_batches_are_searched() -> None:
    batch = wabe.Batch(5, "contest", seed=1)
    search = wabe.TreeSearch(even(CONTEST))
    for _ in range(4):
        batch.step(search.run(batch, 10).sample())


def test_judge_gets_observations_of_the_batch() -> None:
    batch = wabe.Batch(4, "Base", seed=1)
    for _ in range(9):
        batch.step_random()
    planes, numbers = batch.observe()
    seen: List[Tuple[np.ndarray, np.ndarray]] = []

    def judge(planes: np.ndarray, numbers: np.ndarray) -> Tuple[Any, Any]:
        seen.append((planes.copy(), numbers.copy()))
        return even(STANDARD)(planes, numbers)

    wabe.TreeSearch(judge, leaves=2).run(batch, 5)
    # Arrays have one row per leaf; the roots come first, the other rows are zero.
    np.testing.assert_array_equal(seen[0][0][:4], planes)
    np.testing.assert_array_equal(seen[0][1][:4], numbers)
    assert not seen[0][0][4:].any()
    assert {part[0].shape for part in seen} == {(8, *planes.shape[1:])}


def test_logits_guide_the_search() -> None:
    game = wabe.Game("Base")
    wanted = game.legal_actions()[2]

    def judge(planes: np.ndarray, numbers: np.ndarray) -> Tuple[Any, Any]:
        logits = np.zeros((len(planes), STANDARD), np.float32)
        logits[:, wanted] = 10
        # A column of values is accepted.
        return logits, np.zeros((len(planes), 1), np.float32)

    found = wabe.TreeSearch(judge).run([game], 50)
    assert found.sample(0.0)[0] == wanted == found.policy(0.0)[0].argmax()


def test_search_finds_wins() -> None:
    game = wabe.Game("Base")
    engine = wabe.Engine("Base", nodes=200)
    # Play until the engine sees a win in one ply.
    while True:
        analysis = engine.search(game)
        if analysis.proof == "win" and analysis.lines[0].plies == 1:
            break
        game.play(analysis.move or "")
        if game.result is not None:
            game = wabe.Game("Base")
    found = wabe.TreeSearch(even(STANDARD), leaves=8).run([game], 500)
    game.play(game.move(int(found.sample(0.0)[0])))
    assert game.result in (1, -1)
    assert found.values[0] > 0


def test_tree_is_kept_between_moves() -> None:
    calls: List[int] = []

    def judge(planes: np.ndarray, numbers: np.ndarray) -> Tuple[Any, Any]:
        calls.append(1)
        return even(CONTEST)(planes, numbers)

    game = wabe.Game("contest", seed=1)
    search = wabe.TreeSearch(judge)
    found = search.run([game], 300)
    _, visits, _ = found.visits()
    game.play(game.move(int(found.sample(0.0)[0])))
    again = search.run([game], 10)
    assert len(calls) == 310
    assert again.visits()[1].sum() == visits.max() - 1 + 10
    # Another game starts a new tree.
    assert search.run([wabe.Game("contest", seed=2)], 10).visits()[1].sum() == 9


def test_same_seed_repeats_a_search() -> None:
    def run(seed: int) -> Tuple[List[int], List[int]]:
        games = [wabe.Game("Base") for _ in range(4)]
        search = wabe.TreeSearch(even(STANDARD), noise=0.5, seed=seed)
        found = search.run(games, 30)
        return list(found.visits()[1]), list(found.sample())

    assert run(1) == run(1)
    assert run(1) != run(2)


def test_noise_changes_visits() -> None:
    game = wabe.Game("Base")
    plain = wabe.TreeSearch(even(STANDARD), seed=1).run([game], 100).policy()
    noisy = wabe.TreeSearch(even(STANDARD), noise=0.5, seed=1).run([game], 100).policy()
    assert (plain != noisy).any()


def test_finished_games_are_not_searched() -> None:
    engine = wabe.Engine("contest", nodes=1)
    over, running = wabe.Game("contest"), wabe.Game("contest")
    while over.result is None:
        over.play(engine.best(over))
    found = wabe.TreeSearch(even(CONTEST)).run([over, running], 10)
    assert found.sample()[0] == -1
    assert found.policy()[0].sum() == 0
    assert found.values[0] in (-1, 0, 1)


def test_temperatures_may_differ() -> None:
    found = wabe.TreeSearch(even(STANDARD)).run([wabe.Game("Base")] * 2, 20)
    policy = found.policy(np.array([0.0, 1.0]))
    assert policy[0].max() > policy[1].max()
    for temperature in (-1, float("nan"), [1.0], "hot"):
        with pytest.raises((ValueError, TypeError)):
            found.sample(temperature)  # type: ignore[arg-type]


def wrong(kind: str) -> Judge:
    def judge(planes: np.ndarray, numbers: np.ndarray) -> Any:
        rows = len(planes)
        logits, values = np.zeros((rows, STANDARD)), np.zeros(rows)
        if kind == "nan policy":
            logits[:] = np.nan
        elif kind == "nan value":
            values[-1] = np.nan
        elif kind == "large value":
            values[:] = 2
        elif kind == "policy shape":
            return logits[:, 1:], values
        elif kind == "value shape":
            return logits, values[1:]
        elif kind == "not a pair":
            return logits
        elif kind == "not an array":
            return "policy", values
        elif kind == "raises":
            raise LookupError("raises")
        return logits, values

    return judge


@pytest.mark.parametrize("name, actions", [("contest", CONTEST), ("Base", STANDARD)])
def test_judge_gets_features_of_the_batch(name: str, actions: int) -> None:
    batch = wabe.Batch(4, name, seed=1)
    for _ in range(9):
        batch.step_random()
    expected = batch.features().copy()
    seen: List[np.ndarray] = []

    def judge(features: np.ndarray) -> Tuple[Any, Any]:
        seen.append(features.copy())
        return np.zeros((len(features), actions)), np.zeros(len(features))

    wabe.TreeSearch(judge, inputs="features", leaves=2).run(batch, 5)
    np.testing.assert_array_equal(seen[0][:4], expected)
    assert (seen[0][4:] == batch.feature_count).all()
    with pytest.raises(ValueError, match="inputs='x'"):
        wabe.TreeSearch(judge, inputs="x")


@pytest.mark.parametrize(
    "kind",
    [
        "nan policy",
        "nan value",
        "large value",
        "policy shape",
        "value shape",
        "not a pair",
        "not an array",
        "raises",
    ],
)
def test_wrong_answers_leave_the_tree_intact(kind: str) -> None:
    games = [wabe.Game("Base") for _ in range(2)]
    judges = [even(STANDARD), wrong(kind), even(STANDARD)]
    search = wabe.TreeSearch(lambda planes, numbers: judges[0](planes, numbers), leaves=3)
    before = search.run(games, 20).visits()[1]
    judges.pop(0)
    with pytest.raises((ValueError, TypeError, LookupError)):
        search.run(games, 20)
    judges.pop(0)
    after = search.run(games, 20).visits()[1]
    assert (after >= before).all() and after.sum() >= before.sum() + 40


def test_invalid_arguments_raise() -> None:
    judge = even(STANDARD)
    for options in ({"noise": 2.0}, {"noise_alpha": 0.0}, {"leaves": 0}, {"exploration": -1.0}):
        with pytest.raises(ValueError, match=next(iter(options))):
            wabe.TreeSearch(judge, **options)
    with pytest.raises(TypeError, match="judge"):
        wabe.TreeSearch(None)  # type: ignore[arg-type]
    search = wabe.TreeSearch(judge)
    with pytest.raises(ValueError, match="one variant"):
        search.run([wabe.Game("Base"), wabe.Game("contest")], 1)
    with pytest.raises(ValueError, match="simulations=0"):
        search.run([wabe.Game("Base")], 0)
    with pytest.raises(TypeError):
        search.run(["Base"], 1)  # type: ignore[list-item]
    assert len(search.run([], 1)) == 0


def test_search_in_its_judge_raises() -> None:
    game = wabe.Game("Base")
    search: wabe.TreeSearch

    def judge(planes: np.ndarray, numbers: np.ndarray) -> Tuple[Any, Any]:
        search.run([game], 1)
        return even(STANDARD)(planes, numbers)

    search = wabe.TreeSearch(judge)
    with pytest.raises(RuntimeError, match="already running"):
        search.run([game], 1)
