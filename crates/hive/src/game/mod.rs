//! Games: a rule book with variants, notation and records.
//!
//! - [`Game`] is implemented by [`Contest`](crate::contest::Contest), and by
//!   [`Standard`](crate::standard::Standard) for standard Hive.
//! - [`Record`] is a running or finished game: start position, moves, repetitions and [`Ending`].
//! - [`Notation`] reads and writes moves in the game's own notation.

mod notation;
mod record;
mod side;

use std::fmt::{Debug, Display};
use std::str::FromStr;

use rand::Rng;

use crate::{ByColor, IllegalMove, KindOf, Move, Position, RuleBook};

pub use notation::{Notation, PlainNotation};
pub use record::{
    Adjudication, Ending, MAX_PLIES, MOVES_SEPARATOR, PlayError, Ply, ReadMoveErrorOf,
    ReadRecordError, Record, Repetition,
};
pub use side::Side;

/// A rule book with variants, notation and names.
pub trait Game: RuleBook {
    /// The pieces in the game: the deal in the contest, the expansions in standard Hive.
    type Variant: Copy
        + Debug
        + Default
        + Display
        + Eq
        + FromStr<Err: Display>
        + Send
        + Sync
        + 'static;

    /// Reads and writes moves.
    type Notation: Notation<Self>;

    /// The part of a position that the repetition rule compares; `()` in games without that rule.
    type RepetitionKey: PartialEq;

    /// Identifies the game on the command line and in files.
    const WORD: &'static str;

    /// The colour names of the sides.
    const SIDES: ByColor<Side>;

    /// The game's name for its bee or queen.
    const BEE: &'static str;

    /// All variants, the default first.
    fn variants() -> Vec<Self::Variant>;

    /// A start position, with random elements drawn from `rng`.
    fn start(variant: Self::Variant, _rng: &mut impl Rng) -> Position<Self> {
        Self::plain_start(variant)
    }

    /// The start position without random elements.
    fn plain_start(variant: Self::Variant) -> Position<Self>;

    /// The start position under looser opening rules, for recordings that break the default rules.
    /// `None` if the game has no looser rules.
    fn lenient_start(_variant: Self::Variant) -> Option<Position<Self>> {
        None
    }

    /// Guesses the variant from the pieces of a position.
    fn variant_of(position: &Position<Self>) -> Self::Variant;

    /// True if the variant includes pieces of `kind`.
    fn has(_variant: Self::Variant, _kind: KindOf<Self>) -> bool {
        true
    }

    /// Extracts what the repetition rule compares.
    fn repetition_key(position: &Position<Self>) -> Self::RepetitionKey;

    /// The progress of a game after `turn` plies, for display: `round 18 of 30`.
    fn progress(turn: u16) -> String;

    /// Explains in the game's terms why a move is illegal.
    fn explain(_position: &Position<Self>, _mv: Move<Self>, why: &IllegalMove) -> String {
        why.to_string()
    }

    /// Writes the text form of a record: by default the start position, `moves`, and the moves
    /// separated by `;`.
    fn write_record(record: &Record<Self>) -> String {
        record.plain_text()
    }

    /// Reads the text form of a record.
    ///
    /// # Errors
    /// If the text is not a record or contains an illegal move.
    fn read_record(text: &str) -> Result<Record<Self>, ReadRecordError<ReadMoveErrorOf<Self>>> {
        Record::from_plain_text(text)
    }
}
