//! Pickles of games and batches.

use std::fmt::Display;

use pyo3::PyTypeInfo;
use pyo3::prelude::*;

use wabe_hive::contest::Contest;
use wabe_hive::game::{Adjudication, Ending, Game, Record, Repetition};
use wabe_hive::standard::{OpeningRule, RuleState, Standard};
use wabe_hive::{Color, Position};
use wabe_records::games::GameName;
use wabe_records::with_game;

use crate::any::with_any;
use crate::error::value_error;
use crate::game::{AnyGame, parse_name, repetition};

/// Version of all pickles.
const VERSION: u32 = 1;

/// The result of `__reduce__`: `_unpickle` of the class, version and contents.
pub(crate) type Reduced<'py, T> = (Bound<'py, PyAny>, (u32, T));

/// Contents of a pickled game: name, start, free opening, repetition draws, end by agreement, moves.
pub(crate) type PickledGame = (String, String, bool, bool, Option<String>, Vec<String>);

/// The result of `__reduce__` of a class.
pub(crate) fn reduce<C: PyTypeInfo, T>(py: Python<'_>, contents: T) -> PyResult<Reduced<'_, T>> {
    let unpickle = py.get_type::<C>().getattr("_unpickle")?;
    Ok((unpickle, (VERSION, contents)))
}

/// Reads the arguments of `_unpickle`.
///
/// # Errors
/// `ValueError` for another version, or contents of another form.
pub(crate) fn read_pickle<'py, T: for<'a> FromPyObject<'a, 'py, Error = PyErr>>(
    what: &str,
    version: &Bound<'py, PyAny>,
    contents: &Bound<'py, PyAny>,
) -> PyResult<T> {
    if !version.eq(VERSION)? {
        return Err(value_error(format_args!(
            "the {what} was pickled by another version of wabe: format {version}, expected \
             {VERSION}"
        )));
    }
    contents.extract().map_err(|error| damaged(what, error))
}

/// The error for a pickle with invalid contents.
pub(crate) fn damaged(what: &str, error: impl Display) -> PyErr {
    value_error(format_args!("the pickle of a {what} is damaged: {error}"))
}

/// The contents of a game's pickle.
pub(crate) fn pickle_game(game: &AnyGame) -> PickledGame {
    with_any!(game, |record| pickled(game.name(), record))
}

/// The game of a pickle.
///
/// # Errors
/// `ValueError` if a part is invalid or a move illegal.
pub(crate) fn unpickle_game(contents: &PickledGame) -> PyResult<AnyGame> {
    let name = parse_name(&contents.0)?;
    with_game!(name, |G, variant| Ok(
        unpickled::<G>(variant, contents)?.into()
    ))
}

/// Parts of a rule state that texts do not contain.
trait StartRules: Game {
    /// True if the queen may be placed on the first turn.
    fn has_free_opening(_start: &Position<Self>) -> bool {
        false
    }

    /// The position with that rule.
    fn with_free_opening(start: Position<Self>) -> Position<Self> {
        start
    }
}

impl StartRules for Contest {}

impl StartRules for Standard {
    fn has_free_opening(start: &Position<Standard>) -> bool {
        start.rule_state().opening() == OpeningRule::Free
    }

    fn with_free_opening(start: Position<Standard>) -> Position<Standard> {
        start.with_rule_state(RuleState::new(OpeningRule::Free))
    }
}

fn agreement_word(ending: Option<Ending>) -> Option<String> {
    let Some(Ending::Agreement(agreement)) = ending else {
        return None;
    };
    Some(
        match agreement {
            Adjudication::Draw => "draw",
            Adjudication::Resignation(Color::Red) => "first resigned",
            Adjudication::Resignation(Color::Blue) => "second resigned",
        }
        .to_owned(),
    )
}

fn parse_agreement(word: &str) -> PyResult<Adjudication> {
    Ok(match word {
        "draw" => Adjudication::Draw,
        "first resigned" => Adjudication::Resignation(Color::Red),
        "second resigned" => Adjudication::Resignation(Color::Blue),
        _ => {
            return Err(value_error(format_args!(
                "`{word}` is not an end by agreement"
            )));
        }
    })
}

fn pickled<G: StartRules>(name: GameName, record: &Record<G>) -> PickledGame {
    let moves = record.plies().iter().map(|ply| ply.text.clone());
    (
        name.to_string(),
        record.start().to_string(),
        G::has_free_opening(record.start()),
        record.repetition() == Repetition::Draw,
        agreement_word(record.ending()),
        moves.collect(),
    )
}

fn unpickled<G: StartRules>(
    variant: G::Variant,
    (_, start, free_opening, repetition_draws, agreement, moves): &PickledGame,
) -> PyResult<Record<G>> {
    let mut start: Position<G> = start.parse().map_err(value_error)?;
    if *free_opening {
        start = G::with_free_opening(start);
    }
    let mut record = Record::new(variant, start).with_repetition(repetition(*repetition_draws));
    record
        .play_texts(moves.iter().map(String::as_str))
        .map_err(value_error)?;
    record.set_agreement(agreement.as_deref().map(parse_agreement).transpose()?);
    Ok(record)
}
