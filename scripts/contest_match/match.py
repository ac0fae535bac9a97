"""A match: games between two players with alternating colours."""

import contextlib
import shutil
import sys
import tempfile
from pathlib import Path

from .command_line import fail
from .errors import ConnectionLost, ServerFailed
from .game import Game, play
from .processes import StopRequest
from .table import render, tally

MAX_FAILURES = 3
"""Number of consecutive failed games after which the match ends."""


def run(program, start_server, players, options):
    """Plays the match, prints its table and returns the exit status.

    `start_server` is called with the log folder and the StopRequest.
    """
    stop = StopRequest()
    try:
        if options.logs is not None:
            options.logs.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        fail(program, f"cannot create the log folder: {error}")
    with _log_folder(options.logs) as logs:
        try:
            server = start_server(logs.path, stop)
        except (ServerFailed, ConnectionLost, OSError) as error:
            logs.keep = True
            print(f"{program}: {error}\nlogs: {logs.path}", file=sys.stderr)
            return 2
        games = []
        complete = False
        referee = _Referee(server, lambda: start_server(logs.path, stop))
        try:
            complete = _play_all(referee, players, options.games, games, logs.path, stop)
        except (ServerFailed, ConnectionLost, OSError) as error:
            print(f"{program}: {error}", file=sys.stderr)
        finally:
            referee.server.end()
            # Even if the match was interrupted.
            print(render(players, games))
        faultless = all(tally(player, games).is_faultless() for player in players if player.is_wabe)
        good = complete and faultless and all(game.has_result for game in games)
        logs.keep = not good
        if not good or options.logs:
            print(f"logs: {logs.path}", file=sys.stderr)
        return 0 if good else 1


class _Referee:
    """A server that can be restarted when it does not answer."""

    def __init__(self, server, start):
        self.server = server
        self._start = start

    def restart(self):
        self.server.end()
        self.server = self._start()


def _play(referee, players, log, stop):
    """Plays a game. If the server does not answer, the game has no result, and the server is restarted."""
    try:
        return play(referee.server, players, log, stop)
    except (ConnectionLost, TimeoutError) as error:
        # A server that has exited ends the match.
        referee.server.check()
        game = Game(players)
        game.error = f"{error}; restarting the server"
        referee.restart()
        return game


def _play_all(referee, players, count, games, logs, stop):
    """Adds games to the list. Returns true if all games were played."""
    failures = 0
    for number in range(1, count + 1):
        order = players if number % 2 == 1 else players[::-1]
        game = _play(referee, order, logs / f"game-{number:03}", stop)
        games.append(game)
        print(f"game {number}: {_describe(game)}", file=sys.stderr)
        failures = 0 if game.has_result else failures + 1
        referee.server.check()
        if failures == MAX_FAILURES:
            print(f"match ended after {MAX_FAILURES} consecutive games without a result", file=sys.stderr)
            return False
    return True


def _describe(game):
    names = " - ".join(seat.player.name for seat in game.seats)
    if not game.has_result:
        return f"{names}: {game.error or 'the room was closed without a result'}"
    winners = [f"{seat.player.name} won as {seat.color}" for seat in game.seats if seat.won]
    parts = [f"{names}: {winners[0] if winners else 'drawn'} at ply {game.turn}"]
    for seat in game.seats:
        if seat.cause != "REGULAR":
            parts.append(f"{seat.player.name}: {seat.cause} {seat.reason}".rstrip())
        if seat.exit_status is None:
            parts.append(f"{seat.player.name} did not exit")
        elif seat.exit_status != 0:
            parts.append(f"{seat.player.name}: exit status {seat.exit_status}")
    return "; ".join(parts)


class _Logs:
    def __init__(self, path):
        self.path = path
        self.keep = True


@contextlib.contextmanager
def _log_folder(given):
    """Yields the given folder, or a temporary one that is deleted unless `keep` is set."""
    if given is not None:
        yield _Logs(given.absolute())
        return
    logs = _Logs(Path(tempfile.mkdtemp(prefix="contest-match-")))
    try:
        yield logs
    except SystemExit:
        logs.keep = False
        raise
    finally:
        if not logs.keep:
            shutil.rmtree(logs.path, ignore_errors=True)
