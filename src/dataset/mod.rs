//! Labelled positions: what an evaluation is fitted to.
//!
//! A position that was searched in a game, what the search expected, and how the game ended, both as the side to move sees it.
//! A file of the contest's positions begins with the eight bytes `wabepos` and 1, the version; then come records, one after the other:
//!
//! | bytes | content |
//! |---|---|
//! | 1 | number of bytes that follow in the record |
//! | 4 | number of the game, little-endian; positions of one game share it |
//! | 1 | plies played |
//! | 2 | expected score of the side to move in thousandths, little-endian; 65535 if it was not judged |
//! | 1 | result for the side to move: 0 loss, 1 draw, 2 win |
//! | 1 | plies from here to the end of the game |
//! | 5 | reserves, one byte a kind in the order bee, spider, beetle, grasshopper, ant: red's number + 16 · blue's |
//! | 1 | number of brambles |
//! | 1 each | fields of the brambles |
//! | 2 each | pieces, those of one field from bottom to top: its field, then kind + 8 if it is blue's |
//!
//! A field is `11 · (x + 5) + y + 5`. A position takes about 48 bytes.

mod encoding;
mod file;
mod reader;
mod sample;
mod summary;
mod writer;

use std::fmt;

use crate::hive::contest::Contest;
use crate::hive::{Position, RuleBook};
use crate::statistics::GameScore;

pub use file::{DatasetFile, DatasetFileError};
pub use reader::{DatasetError, DatasetReader};
pub use sample::Reservoir;
pub use summary::DatasetSummary;
pub use writer::DatasetWriter;

/// The first bytes of a file.
const MAGIC: [u8; 8] = *b"wabepos\x01";

/// A position with what is known of its game.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LabelledPosition<R: RuleBook = Contest> {
    /// Number of the game it is from.
    pub game: u32,
    /// The position.
    pub position: Position<R>,
    /// What the search expected for the side to move, in thousandths; `None` where nothing judged.
    pub expected_thousandths: Option<u16>,
    /// How the game ended for the side to move.
    pub result: GameScore,
    /// Plies that were played from here to the end of the game.
    pub plies_to_end: u8,
}

impl<R: RuleBook> LabelledPosition<R> {
    /// What the search expected for the side to move, in `0..=1`.
    pub fn expected_score(&self) -> Option<f64> {
        self.expected_thousandths
            .map(|thousandths| f64::from(thousandths) / 1000.0)
    }
}

/// Position, expected score, result and plies to the end, separated by tabs; `-` where nothing judged.
impl fmt::Display for LabelledPosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}\t", self.position)?;
        match self.expected_score() {
            Some(score) => write!(f, "{score:.3}")?,
            None => write!(f, "-")?,
        }
        let result = f64::from(self.result.half_points()) / 2.0;
        write!(f, "\t{result}\t{}", self.plies_to_end)
    }
}
