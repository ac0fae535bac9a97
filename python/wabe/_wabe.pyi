import os
from typing import Callable, List, Mapping, Optional, Sequence, Tuple, Union

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

class Line:
    """A move and its evaluation."""

    @property
    def move(self) -> str:
        """The move."""

    @property
    def pv(self) -> List[str]:
        """The principal variation: the move and the expected replies."""

    @property
    def depth(self) -> int:
        """Number of moves in ``pv``."""

    @property
    def value(self) -> Optional[float]:
        """Expected score of the side to move, 0 (loss) to 1 (win); ``None`` without a search."""

    @property
    def visits(self) -> int:
        """Search iterations through the move."""

    @property
    def share(self) -> float:
        """Share of all iterations, 0 to 1."""

    @property
    def proof(self) -> Optional[str]:
        """``"win"``, ``"draw"`` or ``"loss"`` of the side to move, if proven."""

    @property
    def plies(self) -> Optional[int]:
        """For a proven win or loss, the plies to the end of the game, this move included."""

class Analysis:
    """The result of a search. ``str()`` is a table of the lines."""

    @property
    def move(self) -> Optional[str]:
        """The chosen move; ``None`` when the game is over."""

    @property
    def value(self) -> Optional[float]:
        """Expected score of the side to move, 0 (loss) to 1 (win).

        ``None`` if there is only one legal move, which is not searched.
        """

    @property
    def proof(self) -> Optional[str]:
        """``"win"``, ``"draw"`` or ``"loss"`` of the side to move, if proven."""

    @property
    def lines(self) -> Tuple[Line, ...]:
        """The best moves, the chosen one first."""

    @property
    def nodes(self) -> int:
        """Search iterations."""

    @property
    def time(self) -> float:
        """Time in seconds."""

class ReviewedMove:
    """A move of a reviewed game. Values are for the first player: red or white."""

    @property
    def ply(self) -> int:
        """Number of the move in the game, from 1."""

    @property
    def move(self) -> str:
        """The move."""

    @property
    def value_before(self) -> float:
        """Expected score of the first player before the move, 0 to 1."""

    @property
    def value_after(self) -> float:
        """Expected score of the first player after the move, 0 to 1."""

    @property
    def loss(self) -> float:
        """Expected score that the mover lost, 0 to 1; 0 without a better move."""

    @property
    def better(self) -> Optional[str]:
        """The better move, if there was one."""

class Engine:
    """wabe's engine, with its search tree.

    An engine searches for one thread at a time; others get a ``RuntimeError``.
    """

    def __init__(
        self,
        game: Union[None, str, Game] = None,
        *,
        level: Optional[int] = None,
        threads: Optional[int] = None,
        time_ms: Optional[int] = None,
        nodes: Optional[int] = None,
        memory_mib: Optional[int] = None,
        seed: Optional[int] = None,
        weights: Union[None, str, os.PathLike[str]] = None,
        params: Optional[Mapping[str, float]] = None,
    ) -> None:
        """An engine for the contest or for standard Hive with all expansions.

        ``game`` is a game or its name, by default the contest. ``level`` is the strength from 1
        to 8, by default the full strength of 8. ``time_ms`` and ``nodes`` limit each search; the
        default is one second. ``threads`` (default 1) share a tree of ``memory_mib`` (256). With
        one thread and a limit on nodes, equal seeds repeat a search. ``weights`` is a network
        file, ``params`` are parameters of the search such as ``{"exploration": 0.8}``.
        """

    def search(
        self,
        game: Game,
        *,
        lines: int = 5,
        time_ms: Optional[int] = None,
        nodes: Optional[int] = None,
        exclude: Sequence[str] = (),
        progress: Optional[Callable[[Analysis], Optional[bool]]] = None,
    ) -> Analysis:
        """Searches the position of a game and returns at most ``lines`` moves.

        Limits replace those of the engine. Moves in ``exclude`` are not searched. ``progress``
        receives the results so far about ten times per second; the search ends when it returns
        ``False`` or raises.
        """

    def best(
        self,
        game: Game,
        *,
        time_ms: Optional[int] = None,
        nodes: Optional[int] = None,
    ) -> str:
        """The best move; ``ValueError`` if the game is over."""

    def review(
        self,
        game: Game,
        *,
        time_ms: Optional[int] = None,
        nodes: Optional[int] = None,
        skip: int = 0,
        progress: Optional[Callable[[int, int], object]] = None,
    ) -> List[ReviewedMove]:
        """Reviews the moves of a game after its first ``skip`` plies.

        Limits are per position; without any, each gets 300 ms. ``progress`` receives the number of
        searched positions and the total.
        """

    def new_game(self) -> None:
        """Empties the tree and resets the random state."""
