import threading
from typing import Any, Callable, Dict, List, Tuple

import pytest

import wabe



@pytest.mark.parametrize("name", ["contest", "Base", "Base+MLP"])
def test_engine_plays_legal_moves(name: str) -> None:
    game = wabe.Game(name)
    engine = wabe.Engine(name, nodes=20)
    for _ in range(6):
        game.play(engine.best(game))


def test_lines_are_sorted_and_share_visits() -> None:
    game = wabe.Game("Base")
    analysis = wabe.Engine(game, nodes=300).search(game, lines=100)
    best = analysis.lines[0]
    assert (analysis.move, analysis.value) == (best.move, best.value)
    assert analysis.nodes == 300
    assert analysis.time > 0
    assert sum(line.share for line in analysis.lines) == pytest.approx(1)
    for line in analysis.lines:
        assert line.pv[0] == line.move and line.depth == len(line.pv)
        assert line.value is not None and 0 <= line.value <= 1
    assert len(wabe.Engine(game, nodes=50).search(game, lines=2).lines) == 2
    assert best.move in str(analysis) and best.move in repr(best)


def test_same_seed_repeats_a_search() -> None:
    game = wabe.Game("contest", seed=1)

    def search(seed: int) -> str:
        return str(wabe.Engine(game, nodes=200, seed=seed).search(game))

    assert search(3) == search(3)


def test_wins_are_proven() -> None:
    game = wabe.Game("contest", brambles=[(0, 2), (2, 2), (-2, -2)])
    for move in ["set Q 0,0", "set Q 1,0"]:
        game.play(move)
    engine = wabe.Engine("contest", nodes=200)
    analysis = engine.search(game)
    assert analysis.proof is None
    # The rest of the game is short enough to prove its end.
    while analysis.proof is None and game.result is None:
        game.play(analysis.move or "")
        analysis = engine.search(game)
    assert analysis.proof in ("win", "draw", "loss")


def test_finished_games_have_no_move() -> None:
    game = wabe.Game("contest", seed=1)
    engine = wabe.Engine(nodes=1)
    while game.result is None:
        game.play(engine.best(game))
    analysis = engine.search(game)
    assert (analysis.move, analysis.lines, analysis.nodes) == (None, (), 0)
    assert analysis.value in (0, 0.5, 1)
    with pytest.raises(ValueError, match="over"):
        engine.best(game)


def test_excluded_moves_are_not_played() -> None:
    game = wabe.Game("Base")
    engine = wabe.Engine(game, nodes=50)
    best = engine.best(game)
    analysis = engine.search(game, lines=100, exclude=[best])
    assert best not in [line.move for line in analysis.lines]
    assert engine.best(game) == best
    with pytest.raises(wabe.IllegalMove, match="exclude: `wQ`"):
        engine.search(game, exclude=["wQ"])
    with pytest.raises(ValueError, match="remaining"):
        engine.search(game, exclude=game.legal_moves())


def test_levels_vary_their_moves() -> None:
    game = wabe.Game("contest", seed=1)
    engine = wabe.Engine(game, level=1)
    first = [engine.best(game) for _ in range(20)]
    assert len(set(first)) > 1
    engine.new_game()
    assert first == [engine.best(game) for _ in range(20)]


@pytest.mark.parametrize(
    "options",
    [
        {"level": 11},
        {"level": 0},
        {"threads": 0},
        {"nodes": -1},
        {"nodes": True},
        {"time_ms": 0},
        {"seed": 1 << 70},
        {"weights": "missing.net"},
        {"params": {"depth": 1}},
        {"params": {"exploration": float("nan")}},
    ],
)
def test_invalid_options_are_named(options: Dict[str, Any]) -> None:
    with pytest.raises(ValueError):
        wabe.Engine("Base", **options)


def test_other_game_is_rejected() -> None:
    engine = wabe.Engine("Base", nodes=1)
    for call in (engine.search, engine.best, engine.review):
        with pytest.raises(ValueError, match="standard Hive"):
            call(wabe.Game("contest"))
    with pytest.raises(TypeError):
        engine.best("Base")  # type: ignore[arg-type]


def test_progress_can_end_a_search() -> None:
    game = wabe.Game("Base")
    engine = wabe.Engine(game)
    seen: List[wabe.Analysis] = []

    def stop(analysis: wabe.Analysis) -> bool:
        seen.append(analysis)
        return False

    # Without the callback the search would not end.
    analysis = engine.search(game, nodes=1 << 60, progress=stop)
    assert seen and analysis.move in game.legal_moves()


def test_progress_may_raise() -> None:
    game = wabe.Game("Base")
    engine = wabe.Engine(game)

    def fail(_: wabe.Analysis) -> bool:
        raise KeyError("progress")

    def search(_: wabe.Analysis) -> bool:
        engine.best(game)
        return True

    with pytest.raises(KeyError):
        engine.search(game, nodes=1 << 60, progress=fail)
    with pytest.raises(RuntimeError, match="already searching"):
        engine.search(game, nodes=1 << 60, progress=search)
    assert engine.best(game, nodes=5) in game.legal_moves()


def test_signals_end_a_search(interrupt: Callable[[], None]) -> None:
    game = wabe.Game("Base")
    with pytest.raises(KeyboardInterrupt):
        wabe.Engine(game).search(game, nodes=1 << 60, progress=lambda analysis: interrupt())


def test_other_threads_run_during_a_search() -> None:
    game = wabe.Game("Base")
    has_run = threading.Event()

    def stop(_: wabe.Analysis) -> bool:
        return not has_run.is_set()

    counter = threading.Thread(target=has_run.set)
    counter.start()
    wabe.Engine(game).search(game, nodes=1 << 60, progress=stop)
    counter.join()


def test_review_finds_mistakes() -> None:
    game = wabe.Game("Base")
    for move in ["wS1", "bS1 wS1-", "wQ \\wS1", "bQ bS1/"]:
        game.play(move)
    progress: List[Tuple[int, int]] = []
    engine = wabe.Engine(game, nodes=50)
    review = engine.review(game, progress=lambda done, total: progress.append((done, total)))
    assert [reviewed.ply for reviewed in review] == [1, 2, 3, 4]
    assert [reviewed.move for reviewed in review] == ["wS1", "bS1 wS1-", "wQ \\wS1", "bQ bS1/"]
    for reviewed in review:
        assert 0 <= reviewed.value_before <= 1 and 0 <= reviewed.loss <= 1
        assert (reviewed.better is None) == (reviewed.loss == 0)
    assert all(total == 5 for _, total in progress)
    assert [reviewed.ply for reviewed in engine.review(game, skip=3)] == [4]
    with pytest.raises(ValueError, match="skip=5"):
        engine.review(game, skip=5)
    assert engine.review(game, skip=4) == []
