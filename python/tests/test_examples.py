"""Runs the examples in short form."""

import importlib.util
import json
import pathlib
import subprocess
import sys
from typing import Any, Dict

import pytest

import wabe

EXAMPLES = pathlib.Path(__file__).parent.parent / "examples"


def run(name: str, *arguments: str) -> str:
    command = [sys.executable, str(EXAMPLES / name), *arguments]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_bot_beats_greedy() -> None:
    command = f"'{sys.executable}' '{EXAMPLES / 'bot.py'}' --time 60"
    result = wabe.match(command, "greedy", games=2)
    assert all(game.detail == "" for game in result.games)
    assert result.wins > result.losses


def test_notebook_runs(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    notebook = json.loads((EXAMPLES / "play.ipynb").read_text(encoding="utf-8"))
    names: Dict[str, Any] = {}
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            exec("".join(cell["source"]), names)
    assert (tmp_path / "game.json").exists()


def test_recordings_become_arrays() -> None:
    output = run("pgn_to_arrays.py", "--games", "6", "--steps", "20")
    assert "squared error" in output


def test_alphazero_trains_in_a_few_seconds() -> None:
    pytest.importorskip("jax")
    output = run(
        "alphazero.py",
        *("--minutes", "0.01", "--games", "8", "--simulations", "2", "--max-plies", "8"),
        *("--match-games", "2", "--match-simulations", "2"),
    )
    assert "against random" in output and "against greedy" in output


def test_ray_example_needs_ray() -> None:
    if importlib.util.find_spec("ray") is None:
        assert "skipped" in run("ray_selfplay.py")
    else:
        arguments = ("--workers", "2", "--games", "4", "--plies", "10")
        assert "games ended" in run("ray_selfplay.py", *arguments)
