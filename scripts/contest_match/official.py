"""Plays wabe on the official server, against the official SimpleClient or itself."""

import sys
from pathlib import Path

from . import command_line, server
from .command_line import Player
from .errors import UsageError
from .java import find_java
from .match import run

PROGRAM = "against-official.sh"
CLIENT_FILES = ("defaultplayer.jar", "simpleclient-hive-*.jar", "simpleclient*.jar")


def main():
    arguments = command_line.parser(PROGRAM, __doc__)
    opponent = arguments.add_mutually_exclusive_group()
    opponent.add_argument(
        "--client",
        metavar="COMMAND",
        help="opponent [default: the SimpleClient in SERVER_DIR or its parent folder]",
    )
    opponent.add_argument("--self", action="store_true", help="wabe plays against itself")
    arguments.add_argument(
        "folder",
        type=Path,
        metavar="SERVER_DIR",
        help="folder with the official server.jar and plugins",
    )
    command_line.add_games(arguments)
    options = arguments.parse_args()
    try:
        folder = server_folder(options.folder)
        java = find_java()
        players = [command_line.wabe_player(options), _opponent(options, folder, java)]
    except UsageError as error:
        command_line.fail(PROGRAM, error)

    def start_server(logs, stop):
        return server.start_official(java, folder, logs, stop)

    return run(PROGRAM, start_server, players, options)


def server_folder(folder):
    """Checks that the folder contains the official server. Returns its absolute path."""
    hint = "SERVER_DIR is the unpacked software-challenge-server.zip (see docs/official.md)"
    folder = folder.absolute()
    if not folder.is_dir():
        raise UsageError(f"no folder {folder}; {hint}")
    if not (folder / "server.jar").is_file():
        raise UsageError(f"no server.jar in {folder}; {hint}")
    if not list((folder / "plugins").glob("*.jar")):
        raise UsageError(f"no game in {folder / 'plugins'}; {hint}")
    return folder


def _opponent(options, folder, java):
    if options.self:
        return command_line.wabe_player(options, "wabe-again")
    if options.client is not None:
        command = command_line.client_command(options.client)
        return Player("opponent", command, is_wabe=False)
    for place in (folder, folder.parent):
        for pattern in CLIENT_FILES:
            for found in sorted(place.glob(pattern)):
                return Player("SimpleClient", [java, "-jar", str(found)], is_wabe=False)
    raise UsageError(
        f"no SimpleClient ({', '.join(CLIENT_FILES)}) in {folder} or its parent folder; "
        "use --client COMMAND or --self"
    )


if __name__ == "__main__":
    sys.exit(main())
