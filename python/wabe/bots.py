"""Contest clients and UHP engines that play the moves of a function."""

import argparse
import contextlib
import logging
import os
import queue
import sys
import threading
from typing import Callable, Iterator, Optional, Sequence, Union

from ._wabe import ContestResult, Game, MoveRequest, Time, play_contest, serve_uhp

Choose = Callable[[Game, Time], Union[str, int]]
"""Chooses a move, or the number of an action, for the side to move."""


def _answer(requests: "queue.SimpleQueue[Optional[MoveRequest]]", choose: Choose) -> None:
    for request in iter(requests.get, None):
        try:
            if request.is_wanted:
                request.answer(choose(*request.arguments()))
        except Exception:
            text = "the function failed, another move is played: %s"
            logging.getLogger("wabe").warning(text, request.cancel(), exc_info=True)
        except BaseException as error:
            request.fail(error)


@contextlib.contextmanager
def _called(choose: Choose) -> Iterator[Callable[[MoveRequest], None]]:
    """Starts a thread that answers the requests passed to the function that this yields.

    The program may end while ``choose`` runs: the thread is a daemon. It calls ``choose`` and logs
    from Python, because the end of Python ends daemons by unwinding, which compiled code does not
    survive.
    """
    if not callable(choose):
        name = type(choose).__name__
        raise TypeError(f"choose: expected a function `choose(game, time)`, found {name}")
    requests: "queue.SimpleQueue[Optional[MoveRequest]]" = queue.SimpleQueue()
    threading.Thread(target=_answer, args=(requests, choose), name="wabe", daemon=True).start()
    try:
        yield requests.put
    finally:
        requests.put(None)


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
    ``wabe``. ``choose`` runs on a thread of its own, one call at a time; after the game, this
    function returns also while a late call still runs.

    Arguments that are ``None`` come from the command line (``--host``, ``--port``,
    ``--reservation``, ``--time``, or ``-h``, ``-p``, ``-r``), as the contest's server sets it;
    other options are ignored.
    Defaults are port 13050 on this machine, any open seat, and 1,800 ms per move, of which
    ``margin_ms`` is kept back for sending (by default adapted to the machine, usually 40).

    Raises ``ConnectionError`` if the game has no result.
    """
    # The contest's tools use -h for the host.
    parser = argparse.ArgumentParser(
        allow_abbrev=False, add_help=False, description="Play one contest game"
    )
    parser.add_argument("--help", action="help", help="show this help and exit")
    parser.add_argument(
        "-h", "--host", default="127.0.0.1", help="host name or address of the server"
    )
    parser.add_argument("-p", "--port", type=int, default=13050, help="TCP port of the server")
    parser.add_argument(
        "-r", "--reservation", help="code of a reserved seat [default: any open seat]"
    )
    parser.add_argument("--time", type=int, default=1800, help="time per move in ms")
    options, _ = parser.parse_known_args(argv)
    with _called(choose) as send:
        return play_contest(
            send,
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
    is that of the script. What ``choose`` prints goes to standard error. It runs on a thread of its
    own, as in ``run_bot``.
    """
    if name is None:
        name = os.path.splitext(os.path.basename(sys.argv[0]))[0] or "python"
    with contextlib.redirect_stdout(sys.stderr), _called(choose) as send:
        serve_uhp(send, name)
