//! Games: a rule book, and everything above the rules that differs between variants of Hive.
//!
//! - [`Game`] is the type parameter of everything above it: search, arena, replays, pictures, training. Each variant implements it once:
//!   [`Contest`](crate::hive::contest::Contest), and [`Wide`](crate::hive::standard::Wide) for standard Hive.
//! - [`Record`] is a game that is played: its start, its moves, the positions that occurred, its [`Ending`].
//! - [`Notation`] writes moves as the game's players do.
//! - [`Frame`] lets the search use a smaller board than the rest of the program.
//! - [`Scene`] is a position as pictures show it.

mod contest;
mod frame;
mod layout;
mod notation;
mod record;
mod scene;
pub mod standard;

use std::fmt::{Debug, Display};
use std::str::FromStr;

use rand::Rng;

use crate::evaluation::Features;
use crate::hive::{ByColor, IllegalMove, KindOf, Move, Position};

pub use frame::{Frame, SameBoard};
pub use layout::Layout;
pub use notation::{Notation, PlainNotation};
pub(crate) use record::MOVES;
pub use record::{
    Agreement, Ending, MOST_PLIES, PlayError, Ply, ReadMoveErrorOf, ReadRecordError, Record,
    Repetition,
};
pub use scene::{Figure, InReserve, Paint, Pile, Scene, Spot, Stage};

/// The protocol of the programs that play a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// The contest's XML over TCP.
    Contest,
    /// The Universal Hive Protocol over pipes, with the game's own record texts.
    Uhp,
}

/// A variant of Hive as it is played.
pub trait Game: Features {
    /// The differences between games of this kind at their start: the pieces dealt, the expansions in play.
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

    /// The board that the search uses.
    type Frame: Frame<Self>;

    /// The part of a position that the repetition rule compares; `()` in games without that rule.
    type Occurrence: Clone + Debug + PartialEq + Send + Sync;

    /// The word for the game on the command line and in files.
    const WORD: &'static str;

    /// The protocol of programs that play the game.
    const PROTOCOL: Protocol = Protocol::Uhp;

    /// The sides' paints and names.
    const SIDES: ByColor<Paint>;

    /// The word for the piece that has to be surrounded.
    const BEE: &'static str;

    /// The default weight of priors against expected scores in the search.
    const EXPLORATION: f32;

    /// The default number of plies after which an arena declares a draw; `None` where the rules end every game.
    const MAX_PLIES: Option<u32>;

    /// The default number of random plies in an arena's openings.
    const OPENING_PLIES: u16 = 4;

    /// Records whose last positions a benchmark searches, one a line: from openings to endings.
    const BENCH: &'static str;

    /// All variants, the usual one first.
    fn variants() -> Vec<Self::Variant> {
        vec![Self::Variant::default()]
    }

    /// The first position of a game; `rng` decides whatever is left to chance.
    fn start(variant: Self::Variant, rng: &mut impl Rng) -> Position<Self>;

    /// The first position of a game, with nothing left to chance.
    fn plain_start(variant: Self::Variant) -> Position<Self>;

    /// The first position under looser opening rules, for recordings that the usual rules refuse; `None` if the game has only the usual
    /// ones.
    fn lenient_start(_variant: Self::Variant) -> Option<Position<Self>> {
        None
    }

    /// The variant that a position seems to belong to.
    fn variant_of(position: &Position<Self>) -> Self::Variant;

    /// True if the variant is played with pieces of `kind`.
    fn has(variant: Self::Variant, kind: KindOf<Self>) -> bool;

    /// The part of a position that the repetition rule compares.
    fn occurrence(position: &Position<Self>) -> Self::Occurrence;

    /// The progress of a game after `turn` plies, in the game's own count: `round 18 of 30`.
    fn progress(turn: u16) -> String;

    /// Explains in the game's words why a move is not legal.
    fn explain(_position: &Position<Self>, _mv: Move<Self>, why: &IllegalMove) -> String {
        why.to_string()
    }

    /// True if an engine that knows these extensions of the Universal Hive Protocol plays the variant. The protocol itself covers standard
    /// Hive only.
    fn is_known_by(_variant: Self::Variant, _extensions: &[&str]) -> bool {
        false
    }

    /// True if a text begins as only records of this game do.
    fn recognises(_text: &str) -> bool {
        false
    }

    /// The text form of a record: by default that of its first position, then `moves` and the moves separated by `;`.
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
