//! Annotations of moves.

use serde::{Deserialize, Serialize};

/// A move annotation, as in chess.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Glyph {
    /// `!`
    #[serde(rename = "!")]
    Good,
    /// `?`
    #[serde(rename = "?")]
    Mistake,
    /// `!!`
    #[serde(rename = "!!")]
    Brilliant,
    /// `??`
    #[serde(rename = "??")]
    Blunder,
    /// `!?`
    #[serde(rename = "!?")]
    Interesting,
    /// `?!`
    #[serde(rename = "?!")]
    Inaccuracy,
}

impl Glyph {
    /// All annotations in the order of PGN's numeric glyphs `$1` to `$6`.
    pub const ALL: [Glyph; 6] = [
        Glyph::Good,
        Glyph::Mistake,
        Glyph::Brilliant,
        Glyph::Blunder,
        Glyph::Interesting,
        Glyph::Inaccuracy,
    ];
}
