"""One game: its room, its two clients and its observer."""

import time

from .java import environment
from .patience import PATIENCE
from .processes import POLL_SECONDS, Process

COLORS = ("red", "blue")

START_SECONDS = 60 * PATIENCE
"""Time limit until the first position; a Java program on a busy machine is slow to start."""

SILENCE_SECONDS = 30 * PATIENCE
"""Time limit for silence in a game; the server itself ends it after 10 s without a reply."""

FAREWELL_SECONDS = 5 * PATIENCE
"""Time limit for a client to exit after its game, as in the contest's test client."""


class Seat:
    """The record of one client in one game."""

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
        self.trouble = ""

    @property
    def drawn(self):
        return self.has_result and not any(seat.won for seat in self.seats)


class Observation:
    """Turns the messages of an observed room into a Game."""

    def __init__(self, game):
        self._game = game
        self._asked = None
        self.over = False

    def take(self, message):
        element = message.element
        if element.tag == "left":
            self.over = True
        elif element.tag == "room":
            data = element.find("data")
            kind = None if data is None else data.get("class")
            if kind == "memento":
                self._take_state(data.find("state"), message.arrival)
            elif kind == "result":
                self._take_result(data, message.arrival)

    def _take_state(self, state, arrival):
        """The time from one position to the next is the reply of the side to move in the first one."""
        turn = int(state.get("turn"))
        if turn == self._game.turn:
            return
        self._end_reply(arrival)
        self._game.turn = turn
        color = state.get("currentPlayerColor").lower()
        self._asked = (self._game.seats[COLORS.index(color)], arrival)

    def _take_result(self, data, arrival):
        game = self._game
        game.has_result = True
        for seat, score in zip(game.seats, data.findall("score")):
            seat.cause = score.get("cause")
            seat.reason = score.get("reason") or ""
        for winner in data.findall("winner"):
            game.seats[COLORS.index(winner.get("color").lower())].won = True
        # The result of a regular game comes with its last position; any other one after some failed
        # reply.
        if any(seat.cause != "REGULAR" for seat in game.seats):
            self._end_reply(arrival)

    def _end_reply(self, arrival):
        if self._asked is not None:
            seat, asked = self._asked
            seat.replies.append(arrival - asked)


def play(server, players, log, stop):
    """Plays one game of players[0] as red against players[1] as blue.

    `log` is the path for the clients' output without the name of the player and the ending.
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
            seat = ["--host", host, "--port", str(port), "--reservation", code]
            command = [*player.command, *seat]
            clients.append(Process(command, f"{log}-{player.name}", env=environment()))
        _watch(game, administrator, room, clients, stop)
        for seat, client in zip(game.seats, clients):
            seat.exit_status = client.wait(FAREWELL_SECONDS if game.has_result else 0, stop)
    finally:
        for client in clients:
            client.end()
    if game.trouble:
        words = [client.last_words() for client in clients]
        game.trouble = "\n".join(filter(None, [game.trouble, *words]))
    return game


def _await_tag(administrator, tag, stop):
    """The next message of this kind; anything that still comes from an earlier room is dropped."""
    deadline = time.monotonic() + SILENCE_SECONDS
    while time.monotonic() < deadline:
        stop.check()
        message = administrator.next_message(POLL_SECONDS)
        if message is not None and message.element.tag == tag:
            return message.element
    raise TimeoutError(f"the server did not answer with <{tag}> within {SILENCE_SECONDS:g} s")


def _watch(game, administrator, room, clients, stop):
    """Takes everything that comes until the room is closed or nothing more can be expected."""
    observation = Observation(game)
    heard = time.monotonic()
    while not observation.over:
        stop.check()
        message = administrator.next_message(POLL_SECONDS)
        if message is not None:
            if message.element.get("roomId") == room:
                heard = message.arrival
                observation.take(message)
            continue
        silence = time.monotonic() - heard
        if game.turn is None:
            dead = [i for i, client in enumerate(clients) if client.exit_status() is not None]
            for i in dead:
                game.seats[i].died_early = True
            if dead:
                game.trouble = f"{game.seats[dead[0]].player.name} ended before the game began"
            elif silence > START_SECONDS:
                game.trouble = f"the game did not begin within {START_SECONDS:g} s"
        elif silence > SILENCE_SECONDS:
            game.trouble = f"nothing heard of the game for {SILENCE_SECONDS:g} s"
        if game.trouble:
            administrator.cancel(room)
            return
