"""Plays wabe against any contest client on wabe's server."""

import sys

from . import command_line, server
from .command_line import Player
from .errors import UsageError
from .match import run

PROGRAM = "against-client.sh"


def main():
    arguments = command_line.parser(PROGRAM, __doc__)
    arguments.add_argument(
        "client",
        metavar="CLIENT_COMMAND",
        help="started as CLIENT_COMMAND --host H --port P --reservation R; one argument, or the path of a JAR",
    )
    command_line.add_games(arguments)
    options = arguments.parse_args()
    try:
        command = command_line.client_command(options.client)
        players = [command_line.wabe_player(options), Player("client", command, is_wabe=False)]
    except UsageError as error:
        command_line.fail(PROGRAM, error)

    def start_server(logs, stop):
        return server.start_wabe(command_line.wabe_binary(), logs, stop)

    return run(PROGRAM, start_server, players, options)


if __name__ == "__main__":
    sys.exit(main())
