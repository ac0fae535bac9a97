"""Contest clients and UHP engines that play the moves of a function."""

import argparse
import contextlib
import os
import sys
from typing import Callable, Optional, Sequence, Union

from ._wabe import ContestResult, Game, Time, play_contest, serve_uhp

Choose = Callable[[Game, Time], Union[str, int]]
"""Chooses a move, or the number of an action, for the side to move."""


def run_bot(
    choose: Choose,
    host: Optional[str] = None,
    port: Optional[int] = None,
    reservation: Optional[str] = None,
    *,
    time_ms: Optional[int] = None,
    margin_ms: Optional[int] = None,
    argv: Optional[Sequence[str]] = None,
) -> ContestResult:
    """Plays one game on a contest server with the moves that ``choose(game, time)`` returns.

    ``time.left`` are the seconds until the move is due. If ``choose`` is late, raises or returns
    an illegal move, the move of a one-ply search is played and a warning is logged by the logger
    ``wabe``. ``choose`` runs on the calling thread.

    Arguments that are ``None`` come from the command line (``--host``, ``--port``,
    ``--reservation``, ``--time``), as the contest's server sets it; other options are ignored.
    Defaults are port 13050 on this machine, any open seat, and 1,800 ms per move, of which
    ``margin_ms`` is kept back for sending (by default adapted to the machine, usually 40).

    Raises ``ConnectionError`` if the game has no result.
    """
    parser = argparse.ArgumentParser(allow_abbrev=False, description="Play one contest game")
    parser.add_argument("--host", default="127.0.0.1", help="host name or address of the server")
    parser.add_argument("--port", type=int, default=13050, help="TCP port of the server")
    parser.add_argument("--reservation", help="code of a reserved seat [default: any open seat]")
    parser.add_argument("--time", type=int, default=1800, help="time per move in ms")
    options, _ = parser.parse_known_args(argv)
    return play_contest(
        choose,
        options.host if host is None else host,
        options.port if port is None else port,
        options.reservation if reservation is None else reservation,
        options.time if time_ms is None else time_ms,
        margin_ms,
    )


def run_uhp(choose: Choose, name: Optional[str] = None) -> None:
    """Runs as a UHP engine for standard Hive on standard input and output, until ``exit``.

    ``choose(game, time)`` returns the moves of ``bestmove``; ``time.left`` is infinite for
    searches to a depth. If ``choose`` is late, raises or returns an illegal move, the move of a
    one-ply search is answered and a warning is logged. ``name`` is shown in viewers; the default
    is that of the script. What ``choose`` prints goes to standard error.
    """
    if name is None:
        name = os.path.splitext(os.path.basename(sys.argv[0]))[0] or "python"
    with contextlib.redirect_stdout(sys.stderr):
        serve_uhp(choose, name)
