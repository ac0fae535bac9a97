//! `wabe.Game`: one game of either kind.

use std::borrow::Cow;
use std::hash::{DefaultHasher, Hash, Hasher};

use numpy::{PyArray1, PyArray3, PyArrayMethods};
use pyo3::exceptions::{PyOverflowError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyList, PyString};
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

use wabe_hive::contest::{Contest, ContestRecord};
use wabe_hive::game::{Ending, Game, Record, Repetition};
use wabe_hive::hex::{BoardSet, CellSet, ContestBoard, Grid, Hex};
use wabe_hive::standard::{OpeningRule, StandardRecord};
use wabe_hive::{Color, Move};
use wabe_records::diagram::{Diagram, DrawnGame};
use wabe_records::games::GameName;
use wabe_records::view::svg::{Arrow, picture_with_arrows};
use wabe_records::with_game;

use crate::action::{Actions, numbering_of};
use crate::any::{Any, with_any};
use crate::error::{illegal_move, value_error};
use crate::legal_moves::{AnyMoves, Listed, action_list, legal_moves};
use crate::observation::{self, Observed, Planes, View, numbers, planes};
use crate::pickle::{PickledGame, Reduced, pickle_game, read_pickle, reduce, unpickle_game};

/// A game of either kind.
pub(crate) type AnyGame = Any<ContestRecord, StandardRecord>;

impl From<ContestRecord> for AnyGame {
    fn from(record: ContestRecord) -> AnyGame {
        Any::Contest(record)
    }
}

impl From<StandardRecord> for AnyGame {
    fn from(record: StandardRecord) -> AnyGame {
        Any::Standard(record)
    }
}

impl AnyGame {
    /// The name of the game and its variant.
    pub(crate) fn name(&self) -> GameName {
        match self {
            Any::Contest(record) => GameName::Contest(record.variant()),
            Any::Standard(record) => GameName::Standard(record.variant()),
        }
    }

    /// Reads a record or a position. Without a name, the text decides which game it is.
    fn from_text(text: &str, name: Option<GameName>) -> PyResult<AnyGame> {
        let Some(name) = name.or_else(|| GameName::from_beginning(text)) else {
            return Err(value_error(format_args!(
                "`{}` is neither a game nor a position; for a position of standard Hive, pass \
                 name=\"Base\"",
                shortened(text)
            )));
        };
        with_game!(name, |G, variant| {
            let record: Record<G> = text.parse().map_err(value_error)?;
            // A position does not contain the expansions of which no piece is left.
            let record = if record.variant() == Default::default() {
                record.with_variant(variant)
            } else {
                record
            };
            Ok(record.into())
        })
    }
}

/// The beginning of a text, for messages.
fn shortened(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(60) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()).into(),
        None => text.into(),
    }
}

/// The result for a side of a game with this winner: 1, 0 or -1.
pub(crate) fn result_for(side: Color, winner: Option<Color>) -> i8 {
    match winner {
        Some(winner) if winner == side => 1,
        Some(_) => -1,
        None => 0,
    }
}

/// The result for player 0.
pub(crate) fn result_of(winner: Option<Color>) -> i8 {
    result_for(Color::Red, winner)
}

/// Reads the name of a game.
pub(crate) fn parse_name(name: &str) -> PyResult<GameName> {
    name.parse().map_err(value_error)
}

/// A generator with this seed, or with a random one.
pub(crate) fn generator(seed: Option<u64>) -> Xoshiro256PlusPlus {
    let seed = seed.unwrap_or_else(|| {
        // The keys of a hasher are random.
        std::hash::BuildHasher::hash_one(&std::hash::RandomState::new(), 0)
    });
    Xoshiro256PlusPlus::seed_from_u64(seed)
}

/// Coordinates of fields.
pub(crate) type Fields = Vec<(i64, i64)>;

/// The fields with these coordinates.
///
/// # Errors
/// If one of them is not on the board.
pub(crate) fn board_set(brambles: &[(i64, i64)]) -> Result<BoardSet, String> {
    let mut set = BoardSet::EMPTY;
    for &(x, y) in brambles {
        let hex = i8::try_from(x).ok().zip(i8::try_from(y).ok());
        let cell = hex.and_then(|(x, y)| ContestBoard::cell(Hex::new(x, y)));
        set |= CellSet::single(cell.ok_or_else(|| {
            format!("bramble ({x}, {y}) is not a field: expected x, y and x + y in -5..=5")
        })?);
    }
    Ok(set)
}

/// The coordinates of fields.
pub(crate) fn fields(set: BoardSet) -> Fields {
    let hexes = set.into_iter().map(ContestBoard::hex);
    hexes.map(|hex| (hex.x.into(), hex.y.into())).collect()
}

/// A move as Python passes it: its text or its action.
pub(crate) enum MoveArgument {
    /// The number of an action.
    Action(i64),
    /// The move in the game's notation.
    Text(String),
}

impl<'a, 'py> FromPyObject<'a, 'py> for MoveArgument {
    type Error = PyErr;

    fn extract(value: Borrowed<'a, 'py, PyAny>) -> PyResult<MoveArgument> {
        if value.is_instance_of::<PyString>() {
            return value.extract().map(MoveArgument::Text);
        }
        value.extract().map(MoveArgument::Action).map_err(|error| {
            if error.is_instance_of::<PyOverflowError>(value.py()) {
                return illegal_move(format_args!("action {} is out of range", &*value));
            }
            let found = value.get_type();
            PyTypeError::new_err(format!(
                "a move is expected as text (str) or as action (int), found {found}"
            ))
        })
    }
}

/// The move of an action, legal or not.
fn move_of_action<G: Actions>(record: &Record<G>, action: i64) -> PyResult<Move<G>> {
    let index = usize::try_from(action).ok().filter(|&a| a < G::ACTIONS);
    let index = index.ok_or_else(|| {
        illegal_move(format_args!(
            "action {action} is out of range: expected 0..={}",
            G::ACTIONS - 1
        ))
    })?;
    G::move_of(&numbering_of(record), index).ok_or_else(|| {
        illegal_move(format_args!(
            "action {action} means no move in this position"
        ))
    })
}

/// Reads a move, legal or not.
fn read_move<G: Actions>(record: &Record<G>, mv: &MoveArgument) -> PyResult<Move<G>> {
    match mv {
        MoveArgument::Action(action) => move_of_action(record, *action),
        MoveArgument::Text(text) => record
            .read(text)
            .map_err(|error| illegal_move(format_args!("`{}`: {error}", shortened(text)))),
    }
}

fn play<G: Listed>(
    record: &mut Record<G>,
    moves: &mut AnyMoves,
    mv: &MoveArgument,
) -> PyResult<()> {
    let moves = G::moves(moves);
    if let (Some(moves), MoveArgument::Action(action)) = (moves.as_mut(), mv)
        && let Some(mv) = usize::try_from(*action).ok().and_then(|a| moves.find(a))
        && !record.is_full()
    {
        record.play_legal(mv);
        moves.follow(mv, record.position());
        return Ok(());
    }
    if record.is_over() {
        return Err(illegal_move(match record.ending() {
            Some(ending) => format!("the game is over: {}", ending.sentence::<G>()),
            None => "the game is over".to_owned(),
        }));
    }
    let read = read_move(record, mv)?;
    record.play(read).map_err(|error| {
        illegal_move(match mv {
            MoveArgument::Action(action) => {
                format!("action {action}, `{}`: {error}", record.write(read))
            }
            MoveArgument::Text(text) => format!("`{}`: {error}", shortened(text)),
        })
    })?;
    if let Some(moves) = moves {
        moves.follow(read, record.position());
    }
    Ok(())
}

/// The number of a legal or illegal move.
fn action_of<G: Actions>(record: &Record<G>, text: &str) -> PyResult<usize> {
    let mv = read_move(record, &MoveArgument::Text(text.to_owned()))?;
    G::action(&numbering_of(record), mv)
        .ok_or_else(|| illegal_move(format_args!("`{}` has no action", shortened(text))))
}

/// The diagram of a game, and arrows for moves of its position.
fn picture<G: Actions>(record: &Record<G>, moves: &[MoveArgument]) -> PyResult<String> {
    let drawn = DrawnGame::new(record.clone());
    let mut arrows = Vec::new();
    for mv in moves {
        let (from, to) = match read_move(record, mv)? {
            Move::Drag { from, to } => (drawn.layout.place(from), to),
            Move::Place { to, .. } => (None, to),
            Move::Pass => continue,
        };
        arrows.extend(drawn.layout.place(to).map(|to| Arrow { from, to }));
    }
    let diagram: Diagram = drawn.diagram();
    Ok(picture_with_arrows(&diagram, &arrows))
}

/// Number of times that the position has occurred, this time included; 1 in games without a
/// repetition rule.
pub(crate) fn occurrences<G: Game>(record: &Record<G>) -> usize {
    if G::REPETITION_LIMIT.is_none() {
        return 1;
    }
    let key = G::repetition_key(record.position());
    record
        .positions()
        .filter(|position| G::repetition_key(position) == key)
        .count()
}

/// Planes and numbers of one position.
type Observation<'py> = (Bound<'py, PyArray3<u8>>, Bound<'py, PyArray1<u8>>);

/// Writes planes and numbers to new arrays.
fn observe<'py, G: Observed>(
    py: Python<'py>,
    record: &Record<G>,
    viewer: Option<Color>,
) -> PyResult<Observation<'py>> {
    let position = record.position();
    let view = View {
        position,
        notation: record.notation(),
        viewer: viewer.unwrap_or(position.side_to_move()),
        occurrences: occurrences(record),
    };
    let side = G::side(record.variant());
    let drawn = PyArray3::zeros(py, [planes::<G>(), side, side], false);
    let rest = PyArray1::zeros(py, numbers::<G>(), false);
    observation::observe(
        &view,
        side,
        &mut Planes::new(drawn.readwrite().as_slice_mut()?, &mut Vec::new()),
        rest.readwrite().as_slice_mut()?,
    );
    Ok((drawn, rest))
}

/// The repetition rule of a game.
pub(crate) fn repetition(draws: bool) -> Repetition {
    if draws {
        Repetition::Draw
    } else {
        Repetition::Ignore
    }
}

/// A game of Hive or of the Software Challenge.
///
/// Moves are texts: ``"wA1"`` and ``"bG1 -wA1"`` (UHP) in standard Hive, ``"set A 0,1"``,
/// ``"drag 0,1 2,0"`` and ``"skip"`` in the contest. Each also has a fixed number, its action.
///
/// Games are equal if start, moves and end are equal. They can be copied and pickled. The hash
/// changes with every move.
///
/// Args:
///     name: ``"Base"`` to ``"Base+MLP"``, ``"contest"``, or ``"rulebook"`` for the contest with
///         the pieces of its rule book.
///     seed: Draws the contest's brambles; by default they differ in every game.
///     brambles: The contest's brambles instead, as ``(x, y)``. ``[]`` is a board without any.
///     free_opening: Allows the queen on the first turn of standard Hive.
///
/// Raises:
///     ValueError: For an unknown name or a field outside the board.
#[pyclass(name = "Game", module = "wabe", subclass, eq)]
#[derive(Debug)]
pub(crate) struct PyGame {
    pub(crate) game: AnyGame,
    /// Those of the current position, or `None`.
    moves: AnyMoves,
}

impl From<AnyGame> for PyGame {
    fn from(game: AnyGame) -> PyGame {
        PyGame {
            game,
            moves: AnyMoves::default(),
        }
    }
}

impl PartialEq for PyGame {
    fn eq(&self, other: &PyGame) -> bool {
        self.game == other.game
    }
}

#[pymethods]
impl PyGame {
    #[new]
    #[pyo3(signature = (name = "contest", *, seed = None, brambles = None, free_opening = false))]
    fn new(
        name: &str,
        seed: Option<u64>,
        brambles: Option<Fields>,
        free_opening: bool,
    ) -> PyResult<PyGame> {
        let game: AnyGame = match (parse_name(name)?, brambles) {
            (GameName::Contest(_), _) if free_opening => {
                return Err(value_error("free_opening is a rule of standard Hive only"));
            }
            (GameName::Contest(deal), None) => {
                Record::new(deal, Contest::start(deal, &mut generator(seed))).into()
            }
            (GameName::Contest(deal), Some(brambles)) => {
                Record::new(deal, deal.start(board_set(&brambles).map_err(value_error)?)).into()
            }
            (GameName::Standard(_), Some(_)) => {
                return Err(value_error("brambles exist in the contest only"));
            }
            (GameName::Standard(game_type), None) => {
                let opening = if free_opening {
                    OpeningRule::Free
                } else {
                    OpeningRule::Tournament
                };
                Record::standard(game_type, opening).into()
            }
        };
        Ok(game.into())
    }

    /// Reads the text form of a game or of a position.
    ///
    /// Args:
    ///     text: A UHP game string, or a position with or without moves; ``str(game)`` and
    ///         ``game.position`` return such texts.
    ///     name: The game. Necessary for a position of standard Hive.
    ///
    /// Raises:
    ///     ValueError: If the text is neither, or a move in it is illegal.
    #[staticmethod]
    #[pyo3(signature = (text, name = None))]
    fn from_text(text: &str, name: Option<&str>) -> PyResult<PyGame> {
        let name = name.map(parse_name).transpose()?;
        AnyGame::from_text(text.trim(), name).map(PyGame::from)
    }

    /// The name of the game, such as ``"Base+MLP"``.
    #[getter]
    fn name(&self) -> String {
        self.game.name().to_string()
    }

    /// The legal moves in the order of their actions; empty after the end.
    fn legal_moves(&mut self) -> Vec<String> {
        with_any!(&self.game, |record| {
            let moves = legal_moves(record, &mut self.moves).moves(record);
            moves.map(|mv| record.write(mv)).collect()
        })
    }

    /// The actions of the legal moves, sorted.
    fn legal_actions<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        with_any!(&self.game, |record| {
            action_list(py, legal_moves(record, &mut self.moves).actions(record))
        })
    }

    /// The legal actions as a new array of shape ``(action_count,)``.
    fn legal_mask<'py>(&mut self, py: Python<'py>) -> Bound<'py, PyArray1<bool>> {
        let mask = PyArray1::zeros(py, self.action_count(), false);
        {
            let mut values = mask.readwrite();
            let mut values = values.as_array_mut();
            with_any!(&self.game, |record| {
                for action in legal_moves(record, &mut self.moves).actions(record) {
                    if let Some(value) = values.get_mut(action) {
                        *value = true;
                    }
                }
            });
        }
        mask
    }

    /// The position as new arrays: planes of shape ``(planes, side, side)`` and numbers.
    ///
    /// Args:
    ///     player: The viewer, 0 or 1; by default the side to move.
    #[pyo3(signature = (player = None))]
    fn observe<'py>(&self, py: Python<'py>, player: Option<u8>) -> PyResult<Observation<'py>> {
        let viewer = match player {
            None => None,
            Some(0) => Some(Color::Red),
            Some(1) => Some(Color::Blue),
            Some(player) => {
                return Err(value_error(format_args!(
                    "player is {player}: expected 0 or 1"
                )));
            }
        };
        with_any!(&self.game, |record| observe(py, record, viewer))
    }

    /// Number of actions: 5,503 in standard Hive, 8,737 in the contest.
    #[getter]
    fn action_count(&self) -> usize {
        fn count<G: Actions>(_record: &Record<G>) -> usize {
            G::ACTIONS
        }
        with_any!(&self.game, |record| count(record))
    }

    /// The action of a move, legal or not.
    ///
    /// Raises:
    ///     IllegalMove: If the text is not a move of this position.
    #[pyo3(name = "action")]
    fn action_of(&self, r#move: &str) -> PyResult<usize> {
        with_any!(&self.game, |record| action_of(record, r#move))
    }

    /// The move of an action, legal or not.
    ///
    /// Raises:
    ///     IllegalMove: If the action is not a move of this position.
    #[pyo3(name = "move")]
    fn move_of(&self, action: i64) -> PyResult<String> {
        with_any!(&self.game, |record| {
            let mv = move_of_action(record, action)?;
            Ok(record.write(mv))
        })
    }

    /// True for the text or the action of a legal move.
    fn is_legal(&self, r#move: MoveArgument) -> bool {
        with_any!(&self.game, |record| !record.is_over()
            && read_move(record, &r#move)
                .is_ok_and(|mv| record.position().check(mv).is_ok()))
    }

    /// Plays a move, given as text or as action.
    ///
    /// Raises:
    ///     IllegalMove: With the rule that the move breaks. The game is then unchanged.
    fn play(&mut self, r#move: MoveArgument) -> PyResult<()> {
        with_any!(&mut self.game, |record| play(
            record,
            &mut self.moves,
            &r#move
        ))
    }

    /// Takes back the last ``count`` plies.
    ///
    /// Raises:
    ///     ValueError: If fewer were played. The game is then unchanged.
    #[pyo3(signature = (count = 1))]
    fn undo(&mut self, count: i64) -> PyResult<()> {
        let plies = usize::try_from(count).map_err(|_| {
            value_error(format_args!(
                "cannot undo {count} plies: expected at least 0"
            ))
        })?;
        let (done, played) = with_any!(&mut self.game, |record| {
            let played = record.plies().len();
            (record.undo(plies), played)
        });
        self.moves = AnyMoves::default();
        done.then_some(()).ok_or_else(|| {
            value_error(format_args!(
                "cannot undo {count} plies: only {played} were played"
            ))
        })
    }

    /// The moves played.
    #[getter]
    fn moves(&self) -> Vec<String> {
        with_any!(&self.game, |record| {
            record.plies().iter().map(|ply| ply.text.clone()).collect()
        })
    }

    /// The start position in text form.
    #[getter]
    fn start(&self) -> String {
        with_any!(&self.game, |record| record.start().to_string())
    }

    /// The position in text form: turn, brambles, stacks, reserves.
    #[getter]
    fn position(&self) -> String {
        with_any!(&self.game, |record| record.position().to_string())
    }

    /// Turn of the position, in plies from 0.
    #[getter]
    fn turn(&self) -> u16 {
        with_any!(&self.game, |record| record.position().turn())
    }

    /// The side to move: 0 or 1.
    #[getter]
    fn player(&self) -> u8 {
        with_any!(&self.game, |record| record.position().side_to_move() as u8)
    }

    /// The colour of the side to move; ``None`` after the end.
    #[getter]
    fn to_move(&self) -> Option<&'static str> {
        fn side<G: Game>(record: &Record<G>) -> Option<&'static str> {
            let side = G::SIDES[record.position().side_to_move()];
            (!record.is_over()).then(|| side.name())
        }
        with_any!(&self.game, |record| side(record))
    }

    /// True after the end.
    #[getter]
    fn is_over(&self) -> bool {
        with_any!(&self.game, |record| record.is_over())
    }

    /// The colour of the winner; ``None`` for a draw or a running game.
    #[getter]
    fn winner(&self) -> Option<&'static str> {
        fn winner<G: Game>(record: &Record<G>) -> Option<&'static str> {
            Some(G::SIDES[record.ending()?.winner()?].name())
        }
        with_any!(&self.game, |record| winner(record))
    }

    /// The result for player 0: 1, 0 or -1; ``None`` while the game runs.
    #[getter]
    fn result(&self) -> Option<i8> {
        let ending = with_any!(&self.game, |record| record.ending());
        ending.map(|ending| result_of(ending.winner()))
    }

    /// The result and its reason as a sentence; ``None`` while the game runs.
    #[getter]
    fn ending(&self) -> Option<String> {
        fn sentence<G: Game>(record: &Record<G>) -> Option<String> {
            record.ending().map(Ending::sentence::<G>)
        }
        with_any!(&self.game, |record| sentence(record))
    }

    /// How often the position has occurred, this time included. The third time is a draw in
    /// standard Hive; always 1 in the contest, which has no such rule.
    #[getter]
    fn occurrences(&self) -> usize {
        with_any!(&self.game, |record| occurrences(record))
    }

    /// True if the third occurrence of a position is a draw, which is the default.
    #[getter]
    fn get_repetition_draws(&self) -> bool {
        with_any!(&self.game, |record| record.repetition() == Repetition::Draw)
    }

    #[setter]
    fn set_repetition_draws(&mut self, draws: bool) {
        with_any!(&mut self.game, |record| record
            .set_repetition(repetition(draws)));
        // Whether the game is over may have changed.
        self.moves = AnyMoves::default();
    }

    /// The board as SVG, with moves of this position as arrows. Later arrows are paler.
    #[pyo3(signature = (moves = None))]
    fn svg(&self, moves: Option<Vec<MoveArgument>>) -> PyResult<String> {
        with_any!(&self.game, |record| picture(
            record,
            &moves.unwrap_or_default()
        ))
    }

    fn _repr_svg_(&self) -> PyResult<String> {
        self.svg(None)
    }

    /// A copy that can be changed on its own.
    fn copy(&self) -> PyGame {
        self.game.clone().into()
    }

    fn __copy__(&self) -> PyGame {
        self.copy()
    }

    fn __deepcopy__(&self, _memo: &Bound<'_, PyAny>) -> PyGame {
        self.copy()
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py, PickledGame>> {
        reduce::<PyGame, _>(py, pickle_game(&self.game))
    }

    #[staticmethod]
    fn _unpickle(version: &Bound<'_, PyAny>, contents: &Bound<'_, PyAny>) -> PyResult<PyGame> {
        let contents = read_pickle("game", version, contents)?;
        unpickle_game(&contents).map(PyGame::from)
    }

    /// Equal games have equal hashes. The hash changes with every move.
    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        with_any!(&self.game, |record| {
            record.position().hash().hash(&mut hasher);
            record.plies().len().hash(&mut hasher);
        });
        hasher.finish()
    }

    fn __str__(&self) -> String {
        with_any!(&self.game, |record| record.to_string())
    }

    fn __repr__(&self) -> String {
        let name = self.name();
        format!("wabe.Game.from_text({:?}, {name:?})", self.__str__())
    }
}
