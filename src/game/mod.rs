//! Games: a rule book, and everything above the rules in which one variant of Hive differs from another.
//!
//! - [`Game`] is the type parameter of all that stands above: search, arena, replays, pictures, training. A variant implements it
//!   once; [`Contest`](crate::hive::contest::Contest) is one, [`Wide`](crate::hive::standard::Wide), standard Hive, the other.
//! - [`Record`] is a game that is played: its start, its moves, the positions that occurred, its [`Ending`].
//! - [`Notation`] writes moves as the game's players do.
//! - [`Frame`] lets the search use a smaller board than everybody else sees.
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
pub use record::{
    Agreement, Ending, MOST_PLIES, PlayError, Ply, ReadMoveErrorOf, ReadRecordError, Record,
    Repetition,
};
pub use scene::{Figure, InReserve, Paint, Pile, Scene, Spot, Stage};

/// The protocol that programs speak which play a game.
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

    /// How moves are written.
    type Notation: Notation<Self>;

    /// The board that the search uses.
    type Frame: Frame<Self>;

    /// A position as far as repetition looks at it; `()` where repetition means nothing.
    type Occurrence: Clone + Debug + PartialEq + Send + Sync;

    /// The word for the game on the command line and in files.
    const WORD: &'static str;

    /// The protocol of programs that play the game.
    const PROTOCOL: Protocol = Protocol::Uhp;

    /// How the sides are painted and called.
    const SIDES: ByColor<Paint>;

    /// The word for the piece that has to be surrounded.
    const BEE: &'static str;

    /// The weight of priors against expected scores in the search, unless it is set.
    const EXPLORATION: f32;

    /// Plies after which an arena calls a game a draw, unless it is told otherwise; `None` where the rules end every game.
    const MAX_PLIES: Option<u32>;

    /// Random plies of an arena's openings, unless it is told otherwise.
    const OPENING_PLIES: u16 = 4;

    /// Records whose last positions a benchmark searches, one a line: from openings to endings.
    const BENCH: &'static str;

    /// Version of the files of labelled positions, see [`dataset`](crate::dataset): 1 is the contest's own, 2 that of all other games.
    const DATASET_VERSION: u8 = 2;

    /// All variants, the usual one first.
    fn variants() -> Vec<Self::Variant> {
        vec![Self::Variant::default()]
    }

    /// The first position of a game; `rng` decides what is left to chance.
    fn start(variant: Self::Variant, rng: &mut impl Rng) -> Position<Self>;

    /// The first position of a game in which nothing was left to chance.
    fn plain_start(variant: Self::Variant) -> Position<Self>;

    /// The same under the rules of recordings that begin as the usual ones forbid, if the game has such rules.
    fn lenient_start(_variant: Self::Variant) -> Option<Position<Self>> {
        None
    }

    /// The variant that a position seems to belong to.
    fn variant_of(position: &Position<Self>) -> Self::Variant;

    /// True if the variant is played with pieces of `kind`.
    fn has(variant: Self::Variant, kind: KindOf<Self>) -> bool;

    /// A position as far as repetition looks at it.
    fn occurrence(position: &Position<Self>) -> Self::Occurrence;

    /// How far a game has come after so many plies, in the game's own count: `round 18 of 30`.
    fn progress(turn: u16) -> String;

    /// Why a move is not legal, in the game's words.
    fn explain(_position: &Position<Self>, _mv: Move<Self>, why: &IllegalMove) -> String {
        why.to_string()
    }

    /// True if an engine that knows these extensions of the Universal Hive Protocol plays the variant. The protocol itself is for
    /// standard Hive alone.
    fn is_known_by(_variant: Self::Variant, _extensions: &[&str]) -> bool {
        false
    }

    /// True if a text begins as records of this game do and those of others do not.
    fn recognises(_text: &str) -> bool {
        false
    }

    /// The text form of a record: by default that of its first position, then `moves` and the moves with `;` between them.
    fn write_record(record: &Record<Self>) -> String {
        record.plain_text()
    }

    /// Reads the text form of a record.
    ///
    /// # Errors
    /// For a text that is no record, and for the first move that is not legal.
    fn read_record(text: &str) -> Result<Record<Self>, ReadRecordError<ReadMoveErrorOf<Self>>> {
        Record::from_plain_text(text)
    }
}
