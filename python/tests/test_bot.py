import pathlib
import socket
import sys
import threading
from typing import Callable, List

import pytest

import wabe


def program(folder: pathlib.Path, body: str) -> str:
    """A command line that runs a script."""
    script = folder / "bot.py"
    script.write_text(f"import sys, threading\nimport wabe\n{body}\n")
    return f"'{sys.executable}' '{script}'"


def play(command: str) -> wabe.MatchGame:
    """The first game of a match in which the program is red."""
    result = wabe.match(command, "random", games=2, concurrency=2)
    return result.games[0]


def test_bot_plays_a_game(
    tmp_path: pathlib.Path, caplog: pytest.LogCaptureFixture
) -> None:
    command = program(
        tmp_path,
        "result = wabe.run_bot(lambda game, time: game.legal_moves()[0])\n"
        "assert result.color in ('red', 'blue') and result.result in (-1, 0, 1)",
    )
    game = play(command)
    assert game.detail == "" and game.game.result is not None
    assert not caplog.records


def test_bot_takes_the_short_options_of_the_contest(tmp_path: pathlib.Path) -> None:
    command = program(
        tmp_path,
        "short = {'--host': '-h', '--port': '-p', '--reservation': '-r'}\n"
        "argv = [short.get(word, word) for word in sys.argv[1:]]\n"
        "assert '-r' in argv\n"
        "wabe.run_bot(lambda game, time: game.legal_moves()[0], argv=argv)",
    )
    assert play(command).game.result is not None


@pytest.mark.parametrize(
    "choose",
    [
        "def choose(game, time): raise KeyError('no move')",
        "def choose(game, time): return 'set Q 9,9'",
        "def choose(game, time): return 'nonsense'",
        "def choose(game, time): return 1 << 70",
        "def choose(game, time): return None",
        "def choose(game, time): game.play(game.legal_moves()[0])",
    ],
)
def test_bad_moves_are_replaced(
    tmp_path: pathlib.Path, choose: str, caplog: pytest.LogCaptureFixture
) -> None:
    game = play(program(tmp_path, f"{choose}\nwabe.run_bot(choose)"))
    assert game.detail == "" and game.game.result is not None
    # The match shows what the program has logged.
    logged = [record for record in caplog.records if record.name == "wabe"]
    assert len(logged) == 2 and {record.levelname for record in logged} == {"WARNING"}
    assert all("output of bot.py" in record.message for record in logged)


@pytest.mark.parametrize("hang", ["threading.Event().wait()", "while True: pass"])
def test_late_moves_are_replaced(
    tmp_path: pathlib.Path, hang: str, caplog: pytest.LogCaptureFixture
) -> None:
    # The first call never returns, so that all moves are late.
    body = (
        "def choose(game, remaining):\n"
        f"    {hang}\n"
        "wabe.run_bot(choose, time_ms=50)\n"
        "import atexit, pathlib\n"
        "atexit.register(pathlib.Path(sys.argv[1]).write_text, 'the program ends')"
    )
    end = tmp_path / "end"
    game = play(f"{program(tmp_path, body)} '{end}'")
    assert game.detail == "" and game.game.result is not None
    assert end.exists()
    assert "the function is late" in caplog.text


def test_functions_may_end_the_program(tmp_path: pathlib.Path) -> None:
    body = (
        "import pathlib\n"
        "try:\n"
        "    wabe.run_bot(lambda game, time: sys.exit('enough'))\n"
        "except SystemExit as end:\n"
        "    pathlib.Path(sys.argv[1]).write_text(str(end))"
    )
    end = tmp_path / "end"
    play(f"{program(tmp_path, body)} '{end}'")
    assert end.read_text() == "enough"


def test_time_runs_down(tmp_path: pathlib.Path) -> None:
    body = (
        "def choose(game, time):\n"
        "    assert 0 < time.left <= 1.8 and not time.is_up\n"
        "    return game.legal_moves()[-1]\n"
        "import logging\n"
        "logging.getLogger('wabe').addHandler(logging.FileHandler(sys.argv[1]))\n"
        "wabe.run_bot(choose)"
    )
    log = tmp_path / "log"
    play(f"{program(tmp_path, body)} '{log}'")
    assert log.read_text() == ""


def test_match_passes_its_time_to_programs(tmp_path: pathlib.Path) -> None:
    seen = tmp_path / "seen"
    body = (
        "def choose(game, time):\n"
        f"    with open({str(seen)!r}, 'a') as file:\n"
        "        print(time.left, file=file)\n"
        "    return game.legal_moves()[0]\n"
        "wabe.run_bot(choose)"
    )
    command = program(tmp_path, body)
    for arguments, knows in [("", False), (" --time {time}", True)]:
        seen.write_text("")
        wabe.match(command + arguments, "random", games=2, time_ms=60_000)
        # A client's own default is 1.8 s.
        times = [float(line) for line in seen.read_text().split()]
        assert times and all((left > 10) == knows for left in times)


def test_missing_server_raises() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
        with pytest.raises(ConnectionError, match=str(port)):
            wabe.run_bot(lambda game, time: "", "127.0.0.1", port, argv=[])


def test_server_that_hangs_up_raises() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:

        def hang_up() -> None:
            connection, _ = server.accept()
            connection.close()

        thread = threading.Thread(target=hang_up)
        thread.start()
        with pytest.raises(ConnectionError):
            wabe.run_bot(lambda game, time: "", port=server.getsockname()[1], argv=[])
        thread.join()


def test_signals_end_a_bot(interrupt: Callable[[], None]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:

        def accept() -> None:
            # Stays connected without a message.
            with server.accept()[0] as connection:
                interrupt()
                connection.recv(1 << 16)
                connection.recv(1)

        thread = threading.Thread(target=accept)
        thread.start()
        with pytest.raises(KeyboardInterrupt):
            wabe.run_bot(lambda game, time: "", port=server.getsockname()[1], argv=[])
        thread.join()


def test_arguments_override_the_command_line() -> None:
    argv: List[str] = ["--port", "1", "--unknown", "--host", "127.0.0.1"]
    with pytest.raises(ConnectionError, match="127.0.0.1:1"):
        wabe.run_bot(lambda game, time: "", argv=argv)
    with pytest.raises(ConnectionError, match="127.0.0.1:2"):
        wabe.run_bot(lambda game, time: "", port=2, argv=argv)


def test_invalid_arguments_raise() -> None:
    with pytest.raises(TypeError, match="choose"):
        wabe.run_bot("greedy", argv=[])  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="port=70000"):
        wabe.run_bot(lambda game, time: "", port=70000, argv=[])
    with pytest.raises(ValueError, match="time_ms=0"):
        wabe.run_bot(lambda game, time: "", time_ms=0, argv=[])
    with pytest.raises(ValueError, match="margin_ms=50: expected less than time_ms=50"):
        wabe.run_bot(lambda game, time: "", time_ms=50, margin_ms=50, argv=[])
