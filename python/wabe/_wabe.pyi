"""The compiled part of wabe. Colours are red and blue in the contest, white and black in standard
Hive; player 0 moves first."""

import os
from typing import (
    Any,
    Callable,
    Dict,
    Iterable,
    List,
    Mapping,
    Optional,
    Sequence,
    Tuple,
    Union,
    final,
)

import numpy as np
import numpy.typing as npt

class IllegalMove(ValueError):
    """A move or action that is not legal in the position."""

class Game:
    """A game of Hive or of the Software Challenge.

    Moves are texts: ``"wA1"`` and ``"bG1 -wA1"`` (UHP) in standard Hive, ``"set A 0,1"``,
    ``"drag 0,1 2,0"`` and ``"skip"`` in the contest. Each also has a fixed number, its action.

    Games are equal if start, moves and end are equal. They can be copied and pickled. The hash
    changes with every move.

    Args:
        name: ``"Base"`` to ``"Base+MLP"``, ``"contest"``, or ``"rulebook"`` for the contest with
            the pieces of its rule book.
        seed: Draws the contest's brambles; by default they differ in every game.
        brambles: The contest's brambles instead, as ``(x, y)``. ``[]`` is a board without any.
        free_opening: Allows the queen on the first turn of standard Hive.

    Raises:
        ValueError: For an unknown name or a field outside the board.
    """

    def __new__(
        cls,
        name: str = "contest",
        *,
        seed: Optional[int] = None,
        brambles: Optional[list[tuple[int, int]]] = None,
        free_opening: bool = False,
    ) -> Game: ...
    @staticmethod
    def from_text(text: str, name: Optional[str] = None) -> Game:
        """Reads the text form of a game or of a position.

        Args:
            text: A UHP game string, or a position with or without moves; ``str(game)`` and
                ``game.position`` return such texts.
            name: The game. Necessary for a position of standard Hive.

        Raises:
            ValueError: If the text is neither, or a move in it is illegal.
        """

    @property
    def name(self) -> str:
        """The name of the game, such as ``"Base+MLP"``."""

    def legal_moves(self) -> list[str]:
        """The legal moves in the order of their actions; empty after the end."""

    def legal_actions(self) -> list[int]:
        """The actions of the legal moves, sorted."""

    def legal_mask(self) -> npt.NDArray[np.bool_]:
        """The legal actions as a new array of shape ``(action_count,)``."""

    @property
    def action_count(self) -> int:
        """Number of actions: 5,503 in standard Hive, 8,737 in the contest."""

    def action(self, move: str) -> int:
        """The action of a move, legal or not.

        Raises:
            IllegalMove: If the text is not a move of this position.
        """

    def move(self, action: int) -> str:
        """The move of an action, legal or not.

        Raises:
            IllegalMove: If the action is not a move of this position.
        """

    def is_legal(self, move: Union[str, int]) -> bool:
        """True for the text or the action of a legal move."""

    def play(self, move: Union[str, int]) -> None:
        """Plays a move, given as text or as action.

        Raises:
            IllegalMove: With the rule that the move breaks. The game is then unchanged.
        """

    def undo(self, count: int = 1) -> None:
        """Takes back the last ``count`` plies.

        Raises:
            ValueError: If fewer were played. The game is then unchanged.
        """

    @property
    def moves(self) -> list[str]:
        """The moves played."""

    @property
    def start(self) -> str:
        """The start position in text form."""

    @property
    def position(self) -> str:
        """The position in text form: turn, brambles, stacks, reserves."""

    @property
    def turn(self) -> int:
        """Turn of the position, in plies from 0."""

    @property
    def player(self) -> int:
        """The side to move: 0 or 1."""

    @property
    def to_move(self) -> Optional[str]:
        """The colour of the side to move; ``None`` after the end."""

    @property
    def is_over(self) -> bool:
        """True after the end."""

    @property
    def winner(self) -> Optional[str]:
        """The colour of the winner; ``None`` for a draw or a running game."""

    @property
    def result(self) -> Optional[int]:
        """The result for player 0: 1, 0 or -1; ``None`` while the game runs."""

    @property
    def ending(self) -> Optional[str]:
        """The result and its reason as a sentence; ``None`` while the game runs."""

    @property
    def occurrences(self) -> int:
        """How often the position has occurred, this time included. The third time is a draw in
        standard Hive; always 1 in the contest, which has no such rule."""

    repetition_draws: bool
    """True if the third occurrence of a position is a draw, which is the default."""

    def observe(
        self, player: Optional[int] = None
    ) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.uint8]]:
        """The position as new arrays: planes of shape ``(planes, side, side)`` and numbers.

        Args:
            player: The viewer, 0 or 1; by default the side to move.
        """

    def svg(self, moves: Optional[list[Union[str, int]]] = None) -> str:
        """The board as SVG, with moves of this position as arrows. Later arrows are paler."""

    def _repr_svg_(self) -> str: ...
    def copy(self) -> Game:
        """A copy that can be changed on its own."""

    def __copy__(self) -> Game: ...
    def __deepcopy__(self, memo: dict[int, Any]) -> Game: ...
    def __hash__(self) -> int: ...

@final
class Batch:
    """Games of one kind that are stepped together, on all cores.

    Methods return the same arrays in every call and overwrite them: copy what must stay. Do not
    write to them. ``RAYON_NUM_THREADS`` limits the threads. Pickles contain the games, the settings
    and the random state, but not the arrays.

    Args:
        n: Number of games, up to 1,048,576.
        game: The game, as in ``Game``.
        seed: Draws brambles and random moves; the same seed gives the same games on any number of
            cores. By default they differ in every batch.
        brambles: Fixed brambles for all games of the contest; by default each game draws its own.
        max_plies: Number of plies after which a game is cut off, up to 10,000.
        restart: If true, an ended game is replaced by a new one in the step that ends it.
            Otherwise it stays until ``restart()``.
    """

    def __new__(
        cls,
        n: int,
        game: str = "contest",
        seed: Optional[int] = None,
        *,
        brambles: Optional[list[tuple[int, int]]] = None,
        max_plies: int = 500,
        restart: bool = True,
    ) -> Batch: ...
    def __len__(self) -> int: ...
    @property
    def name(self) -> str:
        """The name of the game."""

    @property
    def action_count(self) -> int:
        """Number of actions."""

    @property
    def feature_count(self) -> int:
        """Number of the network's features; all are smaller."""

    @property
    def planes_shape(self) -> tuple[int, int, int]:
        """Shape of the planes of one game: planes, side, side."""

    @property
    def numbers_shape(self) -> tuple[int]:
        """Shape of the numbers of one game."""

    @property
    def players(self) -> npt.NDArray[np.uint8]:
        """The sides to move, 0 or 1: shape ``(n,)``."""

    def step(
        self, actions: npt.NDArray[Any]
    ) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
        """Plays one ply in every game.

        Args:
            actions: One legal action per game: int64 or int32 of shape ``(n,)``. Games that have
                ended and were not restarted ignore theirs.

        Returns:
            Rewards, terminated and truncated, each of shape ``(n,)``. A reward is that of the side
            that made the move: 1, 0 or -1. Games are truncated at ``max_plies``.

        Raises:
            IllegalMove: Names the first game whose action is illegal. No game has moved.
            TypeError: For another dtype.
            ValueError: For another shape.
        """

    def step_random(
        self,
    ) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
        """Plays a uniformly random legal move in every running game. Returns as ``step``."""

    def restart(self, games: Optional[npt.NDArray[np.bool_]] = None) -> None:
        """Starts new games: all, or those where ``games``, of shape ``(n,)``, is true."""

    def observe(self) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.uint8]]:
        """Planes of shape ``(n, planes, side, side)`` and numbers of shape ``(n, numbers)``, viewed
        by the side to move of each game."""

    def legal_mask(self) -> npt.NDArray[np.bool_]:
        """The legal actions: shape ``(n, action_count)``. All false in an ended game."""

    def legal_actions(self) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int64]]:
        """The legal actions as lists: those of game ``i`` are
        ``actions[offsets[i]:offsets[i + 1]]``, sorted. The offsets have shape ``(n + 1,)``."""

    def features(self) -> npt.NDArray[np.int32]:
        """The active features of wabe's network, viewed by the side to move: int32 (n, 128).

        The rest of a row is ``feature_count``.
        """

    def game(self, index: int) -> Game:
        """A copy of one game.

        Raises:
            IndexError: For an index outside the batch.
        """

@final
class Line:
    """A move and its evaluation."""

    @property
    def move(self) -> str:
        """The move as text."""

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

@final
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

    @property
    def table(self) -> str:
        """The text of ``str()``: a table of the lines."""

@final
class ReviewedMove:
    """A move of a reviewed game. Values are for the first player: red or white."""

    @property
    def ply(self) -> int:
        """Number of the move in the game, from 1."""

    @property
    def move(self) -> str:
        """The move as text."""

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

@final
class Engine:
    """wabe's engine for the contest or for standard Hive with all expansions, with its search tree.

    It searches for one thread at a time; others get a ``RuntimeError``.

    Args:
        game: A game or its name; by default the contest.
        level: Strength from 1 to 10; by default the full strength of 10.
        threads: Number of threads that share a tree; by default 1.
        time_ms: Limit of each search in ms; by default one second.
        nodes: Limit of each search in iterations.
        memory_mib: Size of the tree in MiB; by default 256.
        seed: With one thread and a limit on nodes, equal seeds repeat a search.
        weights: A network file.
        params: Parameters of the search such as ``{"exploration": 0.8}``.
    """

    def __new__(
        cls,
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
    ) -> Engine: ...

    def search(
        self,
        game: Game,
        *,
        lines: int = 5,
        time_ms: Optional[int] = None,
        nodes: Optional[int] = None,
        exclude: Optional[Sequence[str]] = None,
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

@final
class Time:
    """The time for a move of a function."""

    @property
    def left(self) -> float:
        """Seconds until the move is due, at least 0; infinite without a limit."""

    @property
    def is_up(self) -> bool:
        """True if no time is left."""

@final
class ContestResult:
    """The result of a contest game. ``str()`` lists points, causes and names."""

    @property
    def result(self) -> Optional[int]:
        """1 for a win, 0 for a draw, -1 for a loss; ``None`` if the colour is unknown."""

    @property
    def color(self) -> Optional[str]:
        """``"red"`` or ``"blue"``, if the server sent it."""

    @property
    def names(self) -> Tuple[str, str]:
        """The names of red and blue; empty if the server did not send them."""

    @property
    def text(self) -> str:
        """The text of ``str()``."""

@final
class MoveRequest:
    """A request for the move of a function, on another thread."""

    @property
    def is_wanted(self) -> bool:
        """False once another move has been played."""

    def arguments(self) -> Tuple[Game, Time]:
        """The arguments of the function."""

    def answer(self, chosen: Union[str, int]) -> None:
        """Sends a move. Raises if it is not legal."""

    def cancel(self) -> str:
        """Lets another move be played. Returns the text form of the game."""

    def fail(self, error: BaseException) -> None:
        """Raises an error such as ``SystemExit`` on the thread that waits for the end."""

def play_contest(
    send: Callable[[MoveRequest], None],
    host: str,
    port: int,
    reservation: Optional[str],
    time_ms: int,
    margin_ms: Optional[int],
) -> ContestResult:
    """Plays one game on a contest server; see ``run_bot``."""

def serve_uhp(send: Callable[[MoveRequest], None], name: str) -> None:
    """Runs a UHP engine; see ``run_uhp``."""

@final
class Estimate:
    """A value with its 95 % interval."""

    @property
    def value(self) -> float:
        """The measured value."""

    @property
    def low(self) -> float:
        """Lower bound of the interval."""

    @property
    def high(self) -> float:
        """Upper bound of the interval."""

@final
class MatchGame:
    """A game of a match."""

    @property
    def game(self) -> Game:
        """The game. In the contest it starts from the position after the opening."""

    @property
    def names(self) -> Tuple[str, str]:
        """The names of the first player (red or white) and of the second."""

    @property
    def result(self) -> int:
        """Result for the first player: 1, 0 or -1."""

    @property
    def winner(self) -> Optional[str]:
        """The name of the winner; ``None`` for a draw."""

    @property
    def end(self) -> str:
        """Why the game ended, such as ``"surrounded"``, ``"time"`` or ``"illegal move"``."""

    @property
    def detail(self) -> str:
        """Details of the loser's fault; may be empty."""

    @property
    def opening_plies(self) -> int:
        """Number of plies of ``game`` that belong to the opening; 0 in the contest."""

    @property
    def times(self) -> List[float]:
        """Seconds for each move after the opening."""

    @property
    def values(self) -> List[Optional[float]]:
        """The mover's expected score (0 to 1) for each move after the opening, if reported."""

@final
class MatchResult:
    """The result of a match for its first engine. ``str()`` is a summary."""

    @property
    def names(self) -> Tuple[str, str]:
        """The names of both engines."""

    @property
    def wins(self) -> int:
        """Games won."""

    @property
    def draws(self) -> int:
        """Games drawn."""

    @property
    def losses(self) -> int:
        """Games lost."""

    @property
    def score(self) -> Optional[Estimate]:
        """Points per game, 0 to 1; ``None`` without games."""

    @property
    def elo(self) -> Optional[Estimate]:
        """Elo difference, infinite at 0 and 1 points per game; ``None`` without games."""

    @property
    def normalized_elo(self) -> Optional[Estimate]:
        """Normalized Elo difference; ``None`` if all pairs have the same result."""

    @property
    def superiority(self) -> Optional[float]:
        """Likelihood that the first engine is stronger, 0 to 1; ``None`` without games."""

    @property
    def pentanomial(self) -> List[int]:
        """Numbers of pairs of games with 0, 0.5, 1, 1.5 and 2 points."""

    @property
    def sprt(self) -> Optional[str]:
        """``"H0"``, ``"H1"`` or ``"undecided"``; ``None`` without a test."""

    @property
    def llr(self) -> Optional[float]:
        """Log-likelihood ratio of the test; ``None`` without one."""

    @property
    def games(self) -> Tuple[MatchGame, ...]:
        """The games, in pairs that start from the same opening with colours swapped."""

    @property
    def text(self) -> str:
        """The text of ``str()``."""

def match(
    a: Union[str, Callable[[Game, Time], Union[str, int]]],
    b: Union[str, Callable[[Game, Time], Union[str, int]]],
    *,
    games: int = 100,
    game: str = "contest",
    time_ms: Optional[int] = None,
    seed: int = 1,
    concurrency: Optional[int] = None,
    random_plies: Optional[int] = None,
    openings: Optional[Sequence[str]] = None,
    sprt: Optional[str] = None,
    progress: Optional[Callable[[MatchResult], object]] = None,
) -> MatchResult:
    """Plays ``games`` games between two engines, rounded up to pairs with colours swapped.

    An engine is a built-in player such as ``"mcts:nodes=300"``, ``"greedy"`` or ``"random"``, the
    command line of a program (a contest client, or a UHP engine for standard Hive) with the options
    of ``wabe arena --engine``, or a function ``choose(game, time)`` that returns a move or an
    action. Functions run on the calling thread. Their exceptions and illegal moves end the match
    with an exception; a program that crashes or plays an illegal move loses its game. After each
    game, the logger ``wabe`` warns with the end of what a program printed.

    ``time_ms`` is the time per move of engines without another limit. The default is unlimited for
    functions, the contest's 2 s for contest clients, and 100 ms for others. A client receives it
    where its command line contains ``{time}``. ``concurrency`` games run at the same time: by
    default one per core, or one if a function plays. Openings have ``random_plies`` random plies
    (default 4 in the contest, 6 in standard Hive), or are ``openings``: positions or games in text
    form.

    ``sprt``, such as ``"elo0=0 elo1=10"``, ends the match when the test accepts a hypothesis.
    ``progress`` receives the result after each pair of games. If it returns ``False``, the match
    ends with the games in progress.
    """

@final
class Recording:
    """A recorded game."""

    @property
    def game(self) -> Game:
        """The game, up to the first error of the recording."""

    @property
    def names(self) -> Tuple[str, str]:
        """The names of the first player (red or white) and of the second; may be empty."""

    @property
    def tags(self) -> Dict[str, str]:
        """Other data, such as event and date."""

    @property
    def comments(self) -> Dict[int, str]:
        """Comments by the number of plies before them."""

    @property
    def times(self) -> Dict[int, float]:
        """Seconds per move, by the number of plies after the move."""

    @property
    def result(self) -> Optional[int]:
        """1, 0 or -1 for the first player by the rules, otherwise as stated; ``None`` if open."""

    @property
    def result_text(self) -> str:
        """The result and its reason."""

    @property
    def damage(self) -> Optional[str]:
        """The error at which reading stopped; ``None`` for a complete recording."""

def read(
    source: Union[str, os.PathLike[str], bytes], game: Optional[str] = None
) -> List[Recording]:
    """Reads all games of a file or of its bytes, plain, gzipped or in a ZIP archive.

    The forms are those of ``wabe replay``: the contest's XML, text forms, and for standard Hive
    game strings, PGN, BoardSpace's SGF and hivegame.com's analyses. The form decides which game it
    is, unless ``game`` names it. Damaged recordings are read up to the damage. ``ValueError`` if
    no game can be read.
    """

def write(
    path: Union[str, os.PathLike[str]],
    games: Union[Game, Recording, Iterable[Union[Game, Recording]]],
    format: Optional[str] = None,
) -> None:
    """Writes games to a file, in the format of its extension or another.

    Formats are ``"xml"`` and ``"record"`` for the contest, ``"pgn"`` and ``"uhp"`` for standard
    Hive, and ``"json"``, ``"txt"``, ``"html"`` and ``"svg"`` (the last position) for both. An
    existing file is replaced only after everything has been written.
    """

def dumps(
    games: Union[Game, Recording, Iterable[Union[Game, Recording]]], format: str
) -> str:
    """The text that ``write`` would write."""

@final
class Positions:
    """Labelled positions as arrays, one row per position. Views are of the side to move."""

    @property
    def planes(self) -> npt.NDArray[np.uint8]:
        """uint8 (n, planes, side, side), as in ``Batch.observe``."""

    @property
    def numbers(self) -> npt.NDArray[np.uint8]:
        """uint8 (n, numbers), as in ``Batch.observe``."""

    @property
    def actions(self) -> npt.NDArray[np.int32]:
        """int32 (n,): the action played; -1 if the position was not in the game."""

    @property
    def results(self) -> npt.NDArray[np.float32]:
        """float32 (n,): result of the game, 1, 0 or -1; NaN if unknown."""

    @property
    def values(self) -> npt.NDArray[np.float32]:
        """float32 (n,): value of a search, -1 to 1; NaN without one."""

    @property
    def policy(
        self,
    ) -> Tuple[npt.NDArray[np.int32], npt.NDArray[np.float32], npt.NDArray[np.int64]]:
        """Visits of a search: actions, their shares, and offsets (n + 1,) of the rows."""

    @property
    def games(self) -> npt.NDArray[np.int32]:
        """int32 (n,): the game's number, from 0 or as in a file of training games."""

    @property
    def plies(self) -> npt.NDArray[np.int32]:
        """int32 (n,): plies before the position."""

    def __len__(self) -> int: ...

@final
class PositionReader:
    """Iterates over chunks of positions."""

    def __iter__(self) -> PositionReader: ...
    def __next__(self) -> Positions: ...

def positions(
    sources: Union[str, os.PathLike[str], bytes, Iterable[Union[str, os.PathLike[str], bytes]]],
    game: str,
    chunk: int = 4096,
) -> PositionReader:
    """Streams the positions of recordings and of files of training games (``wabe selfplay``).

    All games must be of ``game`` or of a smaller variant; it decides the size of the planes. Chunks
    have ``chunk`` positions, the last one fewer. An error, such as ``ValueError`` for a damaged
    file, comes after the positions before the damage; the iterator continues with the next game of
    recordings, or with the next file.
    """

@final
class SearchResult:
    """The result of a search over n games."""

    @property
    def values(self) -> npt.NDArray[np.float32]:
        """float32 (n,): mean values for the side to move, -1 to 1; the result of ended games."""

    def visits(
        self,
    ) -> Tuple[npt.NDArray[np.int32], npt.NDArray[np.int32], npt.NDArray[np.int64]]:
        """The legal actions of all games, their visits, and offsets (n + 1,) of the games."""

    def policy(
        self, temperature: Union[float, Sequence[float], npt.NDArray[np.floating[Any]]] = 1.0
    ) -> npt.NDArray[np.float32]:
        """float32 (n, actions): visits to the power of 1 / temperature, scaled to a sum of 1.

        With temperature 0 only the most visited actions count. Rows of ended games are 0.
        """

    def sample(
        self, temperature: Union[float, Sequence[float], npt.NDArray[np.floating[Any]]] = 1.0
    ) -> npt.NDArray[np.int64]:
        """int64 (n,): actions drawn from ``policy``; -1 for ended games."""

    def __len__(self) -> int: ...

@final
class TreeSearch:
    """Tree search (PUCT) over many games whose leaves a function evaluates.

    ``judge(planes, numbers)`` returns (policy, value) for one batch of leaves. Its arguments are
    arrays as in ``Batch.observe`` with always the same number of rows, ``leaves`` per game; unused
    rows are 0. With ``inputs="features"`` its only argument is an array as in ``Batch.features``.
    Arguments are reused: copy what you keep. ``policy`` are logits, float (rows, actions), of which
    those of legal actions count; ``value`` is float (rows,), -1 to 1 for the side to move. Both may
    be numpy, JAX or PyTorch arrays on the processor. If the judge raises or returns NaN or a wrong
    shape, ``run`` raises, and the tree stays as before that call of the judge.

    Repetitions inside the tree are found by hashes.

    Args:
        judge: Evaluates leaves.
        inputs: ``"planes"`` or ``"features"``.
        exploration: Weight of the priors in PUCT.
        noise: Share of Dirichlet noise in the priors of the roots, 0 to 1; 0.25 in self-play.
        noise_alpha: Parameter of the Dirichlet noise.
        leaves: Leaves per game and call. More make larger batches and a weaker search.
        seed: Draws noise and samples; by default they differ in every search.
    """

    def __new__(
        cls,
        judge: Callable[..., Tuple[Any, Any]],
        *,
        inputs: str = "planes",
        exploration: float = 1.5,
        noise: float = 0.0,
        noise_alpha: float = 0.3,
        leaves: int = 1,
        seed: Optional[int] = None,
    ) -> TreeSearch: ...

    def run(self, games: Union[Batch, Sequence[Game]], simulations: int) -> SearchResult:
        """Runs this number of simulations in the current position of each game.

        The trees are kept: if a game continues the one at the same index of the last run, its
        search continues from the part below its moves.
        """
