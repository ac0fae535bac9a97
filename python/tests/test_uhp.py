import pathlib
import subprocess
import sys
from typing import List

import pytest

import wabe


def script(folder: pathlib.Path, body: str) -> pathlib.Path:
    path = folder / "first.py"
    path.write_text(f"import wabe\n{body}\n")
    return path


def talk(path: pathlib.Path, commands: List[str]) -> List[str]:
    """The lines that an engine answers."""
    text = "".join(command + "\n" for command in commands)
    done = subprocess.run(
        [sys.executable, str(path)], input=text, capture_output=True, text=True, check=True
    )
    return done.stdout.splitlines()


def test_engine_answers_with_the_function(tmp_path: pathlib.Path) -> None:
    path = script(
        tmp_path,
        "def choose(game, time):\n"
        "    print('not for the viewer')\n"
        "    return game.legal_moves()[0]\n"
        "wabe.run_uhp(choose)",
    )
    lines = talk(path, ["newgame Base", "validmoves", "bestmove depth 1", "exit"])
    assert lines[0] == "id first"
    valid = lines[lines.index("ok", 3) + 1].split(";")
    assert lines.count(valid[0]) == 1
    assert not any("viewer" in line for line in lines)


@pytest.mark.parametrize("choice", ["1 / 0", "'wQ'", "None"])
def test_bad_moves_are_replaced(tmp_path: pathlib.Path, choice: str) -> None:
    path = script(tmp_path, f"wabe.run_uhp(lambda game, time: {choice}, name='My engine 1.0')")
    lines = talk(path, ["newgame Base", "bestmove depth 1", "exit"])
    assert lines[0] == "id My engine 1.0"
    assert lines[-3] in wabe.Game("Base").legal_moves()


def test_late_moves_are_replaced(tmp_path: pathlib.Path) -> None:
    # The first call ends only after its answer is due.
    body = (
        "def choose(game, time):\n"
        "    while not time.is_up: pass\n"
        "    raise ValueError\n"
        "wabe.run_uhp(choose)"
    )
    lines = talk(script(tmp_path, body), ["newgame Base", "bestmove seconds 1", "exit"])
    assert lines[-3] in wabe.Game("Base").legal_moves()


@pytest.mark.parametrize("hang", ["threading.Event().wait()", "while True: pass"])
def test_programs_end_during_a_call(tmp_path: pathlib.Path, hang: str) -> None:
    body = f"import threading\ndef choose(game, left):\n    {hang}\nwabe.run_uhp(choose)"
    # Ends the program, and checks its exit code.
    lines = talk(script(tmp_path, body), ["newgame Base", "bestmove seconds 1", "exit"])
    assert lines[-3] in wabe.Game("Base").legal_moves()


def test_uhp_engine_plays_a_match(tmp_path: pathlib.Path) -> None:
    path = script(tmp_path, "wabe.run_uhp(lambda game, time: game.legal_moves()[0])")
    command = f"'uhp:{sys.executable} {path}'"
    result = wabe.match(command, "greedy", games=2, game="Base")
    assert result.losses == 2 and result.names[0] != result.names[1]
    assert all(game.detail == "" for game in result.games)
