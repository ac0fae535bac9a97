//! Alternatives to moves of a game.

use serde::{Deserialize, Serialize};

use crate::Glyph;

/// Legal moves that replace moves of the game or of an outer variation.
///
/// Positions are numbered as in the game: the first move leads to position `after + 1`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Variation {
    /// Number of plies before the variation.
    pub after: usize,
    /// At least one move.
    pub moves: Vec<String>,
    /// Comments by position.
    pub remarks: Vec<(usize, String)>,
    /// Move annotations, by the position after the move.
    pub glyphs: Vec<(usize, Glyph)>,
    /// Nested variations.
    pub variations: Vec<Variation>,
}

impl Variation {
    /// Number of plies, including nested variations.
    pub(crate) fn plies(&self) -> usize {
        self.moves.len() + self.variations.iter().map(Variation::plies).sum::<usize>()
    }
}
