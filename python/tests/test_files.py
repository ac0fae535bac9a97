import gzip
import pathlib
import pytest

import wabe



def finished_game(name: str, seed: int = 1) -> wabe.Game:
    """A random game that ended."""
    for number in range(seed, seed + 100):
        result = wabe.match("greedy", "random", games=2, game=name, seed=number)
        for played in result.games:
            if played.game.result is not None and not played.detail:
                return played.game
    raise AssertionError("no game ended")


@pytest.mark.parametrize(
    "name, form", [("Base+MLP", "pgn"), ("Base", "uhp"), ("contest", "xml"), ("contest", "record")]
)
def test_games_round_trip(tmp_path: pathlib.Path, name: str, form: str) -> None:
    game = finished_game(name)
    path = tmp_path / f"game.{form}"
    wabe.write(path, game)
    (recording,) = wabe.read(path)
    assert str(recording.game) == str(game)
    assert recording.result == game.result
    assert recording.damage is None
    text = wabe.dumps(game, form)
    assert path.read_text() == text
    (again,) = wabe.read(gzip.compress(text.encode()))
    assert str(again.game) == str(game)


def test_several_games_share_a_file(tmp_path: pathlib.Path) -> None:
    games = [finished_game("Base", seed) for seed in (1, 10, 20)]
    path = tmp_path / "games.pgn"
    wabe.write(str(path), games)
    assert [str(found.game) for found in wabe.read(path)] == [str(game) for game in games]
    wabe.write(path, wabe.read(path))
    assert len(wabe.read(path)) == 3
    with pytest.raises(ValueError, match="one game per file"):
        wabe.dumps(games, "svg")


def test_every_form_is_written() -> None:
    for name, forms in [("Base", "uhp pgn"), ("contest", "xml record")]:
        game = finished_game(name)
        for form in [*forms.split(), "json", "svg", "html", "txt"]:
            assert wabe.dumps(game, form)
        assert wabe.dumps(game, "html").startswith("<!DOCTYPE html>")
        # A board per position.
        assert wabe.dumps(game, "txt").count(" against ") == len(game.moves) + 1
    assert wabe.dumps(game, "json").startswith("{")
    assert wabe.dumps([game, game], "json").startswith("[")


def test_unknown_forms_name_the_known(tmp_path: pathlib.Path) -> None:
    game = wabe.Game("Base")
    with pytest.raises(ValueError, match="`xml`: expected .*pgn"):
        wabe.dumps(game, "xml")
    with pytest.raises(ValueError, match="expected a format"):
        wabe.write(tmp_path / "game", game)
    with pytest.raises(TypeError):
        wabe.dumps("game", "pgn")  # type: ignore[arg-type]


def test_bad_files_raise(tmp_path: pathlib.Path) -> None:
    with pytest.raises(FileNotFoundError, match="missing.pgn"):
        wabe.read(tmp_path / "missing.pgn")
    path = tmp_path / "bad.pgn"
    path.write_text("nonsense")
    with pytest.raises(ValueError, match="bad.pgn"):
        wabe.read(path)
    with pytest.raises(ValueError):
        wabe.read(b"")
    with pytest.raises(OSError):
        wabe.write(tmp_path / "missing" / "game.pgn", finished_game("Base"))


def test_failed_writes_keep_the_file(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "game.pgn"
    path.write_text("before")
    with pytest.raises(ValueError):
        wabe.write(path, [finished_game("Base"), wabe.Game("contest")])
    assert path.read_text() == "before"


def test_damaged_recordings_are_read_to_the_damage() -> None:
    text = "0 - - QSSSBBGGAAA/QSSSBBGGAAA moves set A 0,0;set A 1,0;nonsense"
    (recording,) = wabe.read(text.encode())
    assert recording.damage is not None and "nonsense" in recording.damage
    assert len(wabe.read(text.encode())) == 1
