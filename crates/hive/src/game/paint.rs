//! The colours of sides, as players name them.

use std::fmt;

/// The paint of a side's pieces. Prints as the side's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Paint {
    /// The contest's first side.
    Red,
    /// The contest's second side.
    Blue,
    /// The side that begins a standard game.
    White,
    /// The second side of a standard game.
    Black,
}

impl Paint {
    /// The side's letter, which precedes that of the piece.
    pub const fn letter(self) -> char {
        match self {
            Paint::Red => 'r',
            Paint::Blue | Paint::Black => 'b',
            Paint::White => 'w',
        }
    }

    /// The side's name.
    pub const fn name(self) -> &'static str {
        match self {
            Paint::Red => "red",
            Paint::Blue => "blue",
            Paint::White => "white",
            Paint::Black => "black",
        }
    }
}

impl fmt::Display for Paint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
