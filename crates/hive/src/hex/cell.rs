//! Cells of a grid and free hex coordinates.

use std::fmt;
use std::str::FromStr;

use crate::ParseError;

/// Index of a field of a [`Grid`](super::Grid): smaller than the grid's `INDEX_BOUND` and always
/// one of its fields.
///
/// Only grids and their sets create cells, so every cell is on the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cell(u16);

impl Cell {
    /// Does not check the index: for implementations of [`Grid`](super::Grid) only. Elsewhere use
    /// [`Grid::cell`](super::Grid::cell).
    #[inline]
    pub const fn from_index(index: u16) -> Cell {
        Cell(index)
    }

    /// Index into tables of the grid's `INDEX_BOUND` entries.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A point of the unbounded hexagonal plane; it need not lie on any board. Its third cube
/// coordinate is `-x - y`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Hex {
    /// First cube coordinate.
    pub x: i8,
    /// Second cube coordinate.
    pub y: i8,
}

impl Hex {
    /// The point at `(x, y)`.
    pub const fn new(x: i8, y: i8) -> Hex {
        Hex { x, y }
    }

    /// The third cube coordinate, in a type that holds it for any `x` and `y`.
    pub const fn z(self) -> i16 {
        -(self.x as i16) - self.y as i16
    }
}

impl fmt::Display for Hex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{},{}", self.x, self.y)
    }
}

/// Reads `x,y`; both must fit an `i8`.
impl FromStr for Hex {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Hex, ParseError> {
        text.split_once(',')
            .and_then(|(x, y)| Some(Hex::new(x.trim().parse().ok()?, y.trim().parse().ok()?)))
            .ok_or_else(|| ParseError::new(text, "a pair of coordinates like `-3,1`"))
    }
}
