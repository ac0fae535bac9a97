from typing import Optional

class IllegalMove(ValueError):
    """A move or action that is not legal in the position."""

class Game:
    """A game of Hive or of the Software Challenge."""

    def __init__(self, name: str = "contest") -> None: ...
    def legal_moves(self) -> list[str]:
        """The legal moves in the game's notation; empty after the end."""

    def play(self, text: str) -> None:
        """Plays a move."""

    @property
    def result(self) -> Optional[int]:
        """The result for the first player: 1, 0 or -1; ``None`` while the game runs."""

    @property
    def ending(self) -> Optional[str]:
        """The end of the game as a sentence; ``None`` while the game runs."""
