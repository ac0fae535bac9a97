//! Games: a rule book with variants, notation and records.
//!
//! - [`Game`] is implemented by [`Contest`](crate::contest::Contest), and by
//!   [`Standard`](crate::standard::Standard) for standard Hive.
//! - [`Record`] is a game that is played: its start, its moves, the positions that occurred, its
//!   [`Ending`].
//! - [`Notation`] writes moves as the game's players do.

mod notation;
mod record;
mod side;

use std::fmt::{Debug, Display};
use std::str::FromStr;

use rand::Rng;

use crate::{ByColor, IllegalMove, KindOf, Move, Position, RuleBook};

pub use notation::{Notation, PlainNotation};
pub use record::{
    Adjudication, Ending, MAX_PLIES, MOVES, PlayError, Ply, ReadMoveErrorOf, ReadRecordError,
    Record, Repetition,
};
pub use side::Side;

/// A variant of Hive as it is played.
pub trait Game: RuleBook {
    /// The differences between games of this kind at their start: the pieces dealt, the expansions
    /// in play.
    type Variant: Copy
        + Debug
        + Default
        + Display
        + Eq
        + FromStr<Err: Display>
        + Send
        + Sync
        + 'static;

    /// The notation of moves.
    type Notation: Notation<Self>;

    /// The part of a position that the repetition rule compares; `()` in games without that rule.
    type RepetitionKey: Clone + Debug + PartialEq + Send + Sync;

    /// The word for the game on the command line and in files.
    const WORD: &'static str;

    /// The sides' paints and names.
    const SIDES: ByColor<Side>;

    /// The word for the piece that has to be surrounded.
    const BEE: &'static str;

    /// All variants, the usual one first.
    fn variants() -> Vec<Self::Variant>;

    /// The first position of a game; `rng` decides whatever is left to chance.
    fn start(variant: Self::Variant, _rng: &mut impl Rng) -> Position<Self> {
        Self::plain_start(variant)
    }

    /// The first position of a game, with nothing left to chance.
    fn plain_start(variant: Self::Variant) -> Position<Self>;

    /// The first position under looser opening rules, for recordings that the usual rules refuse;
    /// `None` if the game has only the usual ones.
    fn lenient_start(_variant: Self::Variant) -> Option<Position<Self>> {
        None
    }

    /// The variant that a position seems to belong to.
    fn variant_of(position: &Position<Self>) -> Self::Variant;

    /// True if the variant is played with pieces of `kind`.
    fn has(_variant: Self::Variant, _kind: KindOf<Self>) -> bool {
        true
    }

    /// The part of a position that the repetition rule compares.
    fn repetition_key(position: &Position<Self>) -> Self::RepetitionKey;

    /// The progress of a game after `turn` plies, in the game's own count: `round 18 of 30`.
    fn progress(turn: u16) -> String;

    /// Explains in the game's words why a move is not legal.
    fn explain(_position: &Position<Self>, _mv: Move<Self>, why: &IllegalMove) -> String {
        why.to_string()
    }

    /// True if a text begins as only records of this game do.
    fn recognises(_text: &str) -> bool {
        false
    }

    /// The text form of a record: by default that of its first position, then `moves` and the moves
    /// separated by `;`.
    fn write_record(record: &Record<Self>) -> String {
        record.plain_text()
    }

    /// Reads the text form of a record.
    ///
    /// # Errors
    /// For a text that is not a record, and for the first move that is not legal.
    fn read_record(text: &str) -> Result<Record<Self>, ReadRecordError<ReadMoveErrorOf<Self>>> {
        Record::from_plain_text(text)
    }
}
