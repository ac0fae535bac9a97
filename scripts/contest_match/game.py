"""One game: its room, its two clients and its observer."""

import time

from .java import environment
from .processes import POLL_SECONDS, Process
from .time_factor import TIME_FACTOR

COLORS = ("red", "blue")

START_SECONDS = 60 * TIME_FACTOR
"""Timeout for the first position. Java programs start slowly on a busy machine."""

SILENCE_SECONDS = 30 * TIME_FACTOR
"""Maximum time between two messages of a game. The server's own limit for a reply is 10 s."""

EXIT_SECONDS = 5 * TIME_FACTOR
"""Timeout for clients to exit after the game, as in the contest's test client."""


class Seat:
    """A player's part in a game: result, reply times and exit status."""

    def __init__(self, player, color):
        self.player = player
        self.color = color
        self.cause = None
        self.reason = ""
        self.won = False
        self.replies = []
        self.exit_status = None
        self.died_early = False


class Game:
    """A finished or failed game."""

    def __init__(self, players):
        self.seats = [Seat(player, color) for player, color in zip(players, COLORS)]
        self.turn = None
        self.has_result = False
        self.error = ""

    @property
    def drawn(self):
        return self.has_result and not any(seat.won for seat in self.seats)


class Observation:
    """Turns the messages of an observed room into a Game."""

    def __init__(self, game):
        self._game = game
        self._request = None
        self.over = False

    def add(self, message):
        element = message.element
        if element.tag == "left":
            self.over = True
        elif element.tag == "room":
            data = element.find("data")
            kind = None if data is None else data.get("class")
            if kind == "memento":
                self._add_state(data.find("state"), message.arrival)
            elif kind == "result":
                self._add_result(data, message.arrival)

    def _add_state(self, state, arrival):
        """Takes the time between two positions as the reply time of the side to move in the first."""
        turn = int(state.get("turn"))
        if turn == self._game.turn:
            return
        self._end_reply(arrival)
        self._game.turn = turn
        color = state.get("currentPlayerColor").lower()
        self._request = (self._game.seats[COLORS.index(color)], arrival)

    def _add_result(self, data, arrival):
        game = self._game
        game.has_result = True
        for seat, score in zip(game.seats, data.findall("score")):
            seat.cause = score.get("cause")
            seat.reason = score.get("reason") or ""
        for winner in data.findall("winner"):
            game.seats[COLORS.index(winner.get("color").lower())].won = True
        # A regular result follows its position immediately. Other results follow a failed reply.
        if any(seat.cause != "REGULAR" for seat in game.seats):
            self._end_reply(arrival)

    def _end_reply(self, arrival):
        if self._request is not None:
            seat, requested_at = self._request
            seat.replies.append(arrival - requested_at)


def play(server, players, log, stop):
    """Plays one game of players[0] as red against players[1] as blue.

    `log` is the path of the clients' output, without the player's name and the extension.
    """
    game = Game(players)
    administrator = server.administrator
    administrator.prepare([player.name for player in players])
    prepared = _await_tag(administrator, "prepared", stop)
    room = prepared.get("roomId")
    codes = [reservation.text for reservation in prepared.findall("reservation")]
    administrator.observe(room)
    _await_tag(administrator, "observed", stop)
    clients = []
    try:
        for player, code in zip(players, codes):
            host, port = server.address
            arguments = ["--host", host, "--port", str(port), "--reservation", code]
            command = [*player.command, *arguments]
            clients.append(Process(command, f"{log}-{player.name}", env=environment()))
        _watch(game, administrator, room, clients, stop)
        for seat, client in zip(game.seats, clients):
            seat.exit_status = client.wait(EXIT_SECONDS if game.has_result else 0, stop)
    finally:
        for client in clients:
            client.end()
    if game.error:
        outputs = [client.output_tail() for client in clients]
        game.error = "\n".join(filter(None, [game.error, *outputs]))
    return game


def _await_tag(administrator, tag, stop):
    """Waits for a message with this tag. Ignores messages that still arrive from earlier rooms."""
    deadline = time.monotonic() + SILENCE_SECONDS
    while time.monotonic() < deadline:
        stop.check()
        message = administrator.next_message(POLL_SECONDS)
        if message is not None and message.element.tag == tag:
            return message.element
    raise TimeoutError(f"the server did not answer with <{tag}> within {SILENCE_SECONDS:g} s")


def _watch(game, administrator, room, clients, stop):
    """Receives messages until the room is closed, or until a client or the server fails."""
    observation = Observation(game)
    last_message_at = time.monotonic()
    while not observation.over:
        stop.check()
        message = administrator.next_message(POLL_SECONDS)
        if message is not None:
            if message.element.get("roomId") == room:
                last_message_at = message.arrival
                observation.add(message)
            continue
        silence = time.monotonic() - last_message_at
        if game.turn is None:
            dead = [i for i, client in enumerate(clients) if client.exit_status() is not None]
            for i in dead:
                game.seats[i].died_early = True
            if dead:
                game.error = f"{game.seats[dead[0]].player.name} exited before the game started"
            elif silence > START_SECONDS:
                game.error = f"the game did not start within {START_SECONDS:g} s"
        elif silence > SILENCE_SECONDS:
            game.error = f"no message about the game for {SILENCE_SECONDS:g} s"
        if game.error:
            administrator.cancel(room)
            return
