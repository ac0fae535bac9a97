"""Command-line arguments of both scripts."""

import argparse
import os
import shlex
import shutil
import sys
from collections import namedtuple
from pathlib import Path

from .errors import UsageError
from .java import find_java

ROOT = Path(__file__).resolve().parent.parent.parent
"""The checkout that contains the scripts."""

DEFAULT_GAMES = 50

Player = namedtuple("Player", "name command is_wabe")


def positive(text):
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is not a positive number")
    return number


class Parser(argparse.ArgumentParser):
    """Reports errors in one line."""

    def error(self, message):
        fail(self.prog, f"{message} (--help lists the arguments)")


def parser(program, description):
    arguments = Parser(
        prog=program,
        description=description,
        epilog="Exit status: 0 if every game has a result and wabe made no errors, 1 if not, "
        "2 if the match could not start. Environment: WABE, path of wabe [default: target/release/wabe]; JAVA, path of Java.",
    )
    arguments.add_argument(
        "--time", type=positive, metavar="MS", help="wabe's time per move, in ms [default: 1800]"
    )
    arguments.add_argument(
        "--player", metavar="SPEC", help="wabe's player, as in wabe play --player"
    )
    arguments.add_argument(
        "--logs",
        type=Path,
        metavar="DIR",
        help="folder for the output of server and clients [default: a temporary folder, kept after an error]",
    )
    return arguments


def add_games(arguments):
    arguments.add_argument(
        "games",
        nargs="?",
        type=positive,
        default=DEFAULT_GAMES,
        metavar="GAMES",
        help=f"number of games, colours alternating [default: {DEFAULT_GAMES}]",
    )


def wabe_binary():
    target = Path(os.environ.get("CARGO_TARGET_DIR") or ROOT / "target")
    path = Path(os.environ.get("WABE") or target / "release/wabe").absolute()
    if not os.access(path, os.X_OK) or path.is_dir():
        raise UsageError(f"no program {path}; build it with: cargo build --release")
    return str(path)


def wabe_player(options, name="wabe"):
    command = [wabe_binary(), "play"]
    if options.time is not None:
        command += ["--time", str(options.time)]
    if options.player is not None:
        command += ["--player", options.player]
    return Player(name, command, is_wabe=True)


def client_command(text):
    """Parses a client's command line, or the path of a JAR or program."""
    try:
        # pathlib raises an error if the text is too long for a path.
        words = [text] if os.path.isfile(text) else shlex.split(text)
    except ValueError as error:
        raise UsageError(f"cannot read the client's command: {error}") from error
    if not words:
        raise UsageError("the client's command is empty")
    program = Path(words[0])
    if program.suffix == ".jar" and program.is_file():
        return [find_java(), "-jar", str(program.absolute()), *words[1:]]
    found = shutil.which(words[0])
    if found is None:
        why = "is not executable" if program.is_file() else "does not exist"
        raise UsageError(f"cannot start the client: {words[0]} {why}")
    return [str(Path(found).absolute()), *words[1:]]


def fail(program, message):
    """Prints an error and exits with 2."""
    print(f"{program}: {message}", file=sys.stderr)
    raise SystemExit(2)
