import random
from typing import Any, Callable, List

import pytest

import wabe


def choose_at_random(game: wabe.Game, time: wabe.Time) -> str:
    assert time.left == float("inf")
    return random.choice(game.legal_moves())


def test_engines_play_each_other() -> None:
    result = wabe.match("mcts:nodes=20", "random", games=4, game="Base")
    assert result.wins + result.draws + result.losses == 4 == len(result.games)
    assert result.wins > result.losses
    assert result.names == ("mcts:nodes=20", "random")
    assert sum(result.pentanomial) == 2
    assert result.score is not None and result.score.low <= result.score.value
    assert (result.sprt, result.llr) == (None, None)
    assert "mcts:nodes=20" in str(result) and "4 won" in repr(result)
    for game in result.games:
        assert {*game.names} == {*result.names}
        assert len(game.times) == len(game.values) > 0
        assert game.end and game.result in (-1, 0, 1)
        assert (game.winner is None) == (game.result == 0)


@pytest.mark.parametrize("game", ["contest", "Base+MLP"])
def test_functions_play_engines(game: str) -> None:
    result = wabe.match(choose_at_random, "greedy", games=2, game=game, concurrency=2)
    assert result.losses == 2
    assert result.names == ("choose_at_random", "greedy")


def test_functions_play_functions() -> None:
    def choose(game: wabe.Game, time: wabe.Time) -> str:
        return game.legal_moves()[0]

    result = wabe.match(choose, choose, games=2, time_ms=60_000)
    assert result.names == ("choose", "choose (2)")
    first, second = result.games
    assert first.names == second.names[::-1]


def test_openings_are_played_twice() -> None:
    opening = "Base;InProgress;White[2];wS1;bG1 wS1-"
    result = wabe.match("random", "random", games=2, game="Base", openings=[opening])
    for game in result.games:
        assert "wS1;bG1 wS1-" in str(game.game)
    with pytest.raises(ValueError, match="openings: line 1"):
        wabe.match("random", "random", game="Base", openings=["nonsense"])


def test_sprt_ends_a_match() -> None:
    results: List[wabe.MatchResult] = []
    result = wabe.match(
        "greedy",
        "random",
        games=2000,
        game="contest",
        sprt="elo0=0 elo1=300 model=logistic",
        progress=results.append,
    )
    assert result.sprt == "H1" and result.llr is not None and result.llr > 2
    assert len(result.games) < 2000
    assert [len(seen.games) for seen in results] == list(range(2, len(result.games) + 1, 2))


def test_exceptions_of_functions_end_a_match() -> None:
    def fail(game: wabe.Game, time: wabe.Time) -> str:
        raise LookupError("no move")

    seen: List[wabe.MatchResult] = []

    def stop(result: wabe.MatchResult) -> None:
        seen.append(result)
        raise RuntimeError("enough")

    with pytest.raises(LookupError, match="no move"):
        wabe.match(fail, "random", games=2)
    with pytest.raises(wabe.IllegalMove):
        wabe.match(lambda game, time: "set Q 9,9", "random", games=2)
    with pytest.raises(TypeError, match="None"):
        nothing: Any = None
        wabe.match(lambda game, time: nothing, "random", games=2)
    with pytest.raises(RuntimeError, match="enough"):
        wabe.match("random", "random", games=1000, progress=stop)
    assert len(seen) == 1


def test_progress_ends_a_match_by_returning_false() -> None:
    seen: List[wabe.MatchResult] = []

    def progress(result: wabe.MatchResult) -> bool:
        seen.append(result)
        return len(seen) < 3

    result = wabe.match("random", "random", games=10_000_000, concurrency=1, progress=progress)
    assert len(seen) >= 3 and result.wins + result.draws + result.losses == len(result.games)
    assert len(result.games) == 2 * len(seen)


def test_signals_end_a_match(interrupt: Callable[[], None]) -> None:
    with pytest.raises(KeyboardInterrupt):
        wabe.match("random", "random", games=10_000_000, progress=lambda result: interrupt())


def test_late_functions_lose() -> None:
    def wait(game: wabe.Game, time: wabe.Time) -> str:
        # The referee tolerates 100 ms.
        deadline = 0.2
        while not time.is_up:
            pass
        import time as clock

        clock.sleep(deadline)
        return game.legal_moves()[0]

    result = wabe.match(wait, "random", games=2, time_ms=1)
    assert result.losses == 2
    assert {game.end for game in result.games} == {"time"}


@pytest.mark.parametrize(
    "engine, words",
    [
        ("mcts:nodes=0", "nodes=0"),
        ("mcts:depth=3", "depth=3"),
        ("uhp:engine", "standard Hive"),
        ("", "built-in player"),
        ("gredy", r"not a built-in player \(random, greedy, mcts\), nor a program in PATH"),
        ("'unclosed", "quote"),
    ],
)
def test_invalid_engines_are_named(engine: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        wabe.match(engine, "random", game="contest")


def test_invalid_arguments_raise() -> None:
    with pytest.raises(ValueError, match="games=0"):
        wabe.match("random", "random", games=0)
    with pytest.raises(ValueError, match="time_ms=-1"):
        wabe.match("random", "random", time_ms=-1)
    with pytest.raises(ValueError, match="chess"):
        wabe.match("random", "random", game="chess")
    with pytest.raises(ValueError, match="sprt"):
        wabe.match("random", "random", sprt="elo0=x")
    with pytest.raises(TypeError, match="b: "):
        wabe.match("random", 3)  # type: ignore[arg-type]
    with pytest.raises(RuntimeError, match="no-such-program"):
        wabe.match("./no-such-program", "random", games=2)
