//! Colour names of the sides.

use std::fmt;

/// The colour name of a side, which differs between the games.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Side {
    /// Moves first in the contest.
    Red,
    /// Moves second in the contest.
    Blue,
    /// Moves first in standard Hive.
    White,
    /// Moves second in standard Hive.
    Black,
}

impl Side {
    /// The letter in front of a piece's letter: `r`, `b` or `w`.
    pub const fn letter(self) -> char {
        match self {
            Side::Red => 'r',
            Side::Blue | Side::Black => 'b',
            Side::White => 'w',
        }
    }

    /// The name in lower case: `white`.
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
