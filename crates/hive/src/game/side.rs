//! The colours of sides, as players name them.

use std::fmt;

/// The paint of a side's pieces. Prints as the side's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Side {
    /// The contest's first side.
    Red,
    /// The contest's second side.
    Blue,
    /// The side that begins a standard game.
    White,
    /// The second side of a standard game.
    Black,
}

impl Side {
    /// The side's letter, which precedes that of the piece.
    pub const fn letter(self) -> char {
        match self {
            Side::Red => 'r',
            Side::Blue | Side::Black => 'b',
            Side::White => 'w',
        }
    }

    /// The side's name.
    pub const fn name(self) -> &'static str {
        match self {
            Side::Red => "red",
            Side::Blue => "blue",
            Side::White => "white",
            Side::Black => "black",
        }
    }
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
