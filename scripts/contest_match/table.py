"""Formats the results of a match."""

import statistics

from .game import COLORS

HEADER = [
    "player", "as", "games", "won", "drawn", "lost",
    "illegal", "timeouts", "left", "unknown", "bad exit", "median ms", "slowest ms",
]  # fmt: skip


class Tally:
    """Statistics of a player, for one colour or both."""

    def __init__(self, seats_and_games):
        finished = [(seat, game) for seat, game in seats_and_games if game.has_result]
        self.games = len(finished)
        self.won = sum(seat.won for seat, _ in finished)
        self.drawn = sum(game.drawn for _, game in finished)
        self.lost = self.games - self.won - self.drawn
        causes = [seat.cause for seat, _ in finished]
        self.illegal = causes.count("RULE_VIOLATION")
        self.timeouts = causes.count("SOFT_TIMEOUT") + causes.count("HARD_TIMEOUT")
        self.left = causes.count("LEFT") + sum(seat.died_early for seat, _ in seats_and_games)
        regular = causes.count("REGULAR")
        self.unknown = self.games - regular - self.illegal - self.timeouts - causes.count("LEFT")
        self.bad_exits = sum(seat.exit_status != 0 for seat, _ in finished)
        self.replies = [reply * 1e3 for seat, _ in seats_and_games for reply in seat.replies]

    def is_faultless(self):
        return not (self.illegal or self.timeouts or self.left or self.unknown or self.bad_exits)

    def cells(self):
        times = ["-", "-"]
        if self.replies:
            median = statistics.median(self.replies)
            times = [f"{median:.0f}", f"{max(self.replies):.0f}"]
        counts = [
            self.games, self.won, self.drawn, self.lost,
            self.illegal, self.timeouts, self.left, self.unknown, self.bad_exits,
        ]  # fmt: skip
        return [*map(str, counts), *times]


def tally(player, games, color=None):
    return Tally(
        [
            (seat, game)
            for game in games
            for seat in game.seats
            if seat.player is player and color in (None, seat.color)
        ]
    )


def render(players, games):
    """The table and a summary line."""
    rows = [HEADER]
    for player in players:
        for color in (*COLORS, None):
            rows.append([player.name, color or "both", *tally(player, games, color).cells()])
    widths = [max(len(row[column]) for row in rows) for column in range(len(HEADER))]
    lines = []
    for number, row in enumerate(rows):
        words = [
            cell.ljust(width) if column < 2 else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths))
        ]
        lines.append(f"| {' | '.join(words)} |")
        if number == 0:
            rules = [
                "-" * (width + 2) if column < 2 else "-" * (width + 1) + ":"
                for column, width in enumerate(widths)
            ]
            lines.append(f"|{'|'.join(rules)}|")
    finished = [game for game in games if game.has_result]
    plies = [game.turn for game in finished if game.turn is not None]
    mean = f", {statistics.mean(plies):.1f} plies per game" if plies else ""
    lines.append(f"\n{len(finished)} games{mean}; without a result: {len(games) - len(finished)}")
    return "\n".join(lines)
