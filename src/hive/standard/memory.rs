//! What a position remembers beyond what the board shows.

use super::super::position::hash_mix as mix;
use crate::hex::Cell;

/// Whether a side may place its queen on its first turn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Opening {
    /// It may not: the tournament rule, and the custom of tables, engines and viewers.
    #[default]
    Tournament,
    /// It may.
    Free,
}

/// The piece that moved last, and the rule that the game was begun with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Memory {
    resting: Option<Cell>,
    opening: Opening,
}

impl Memory {
    /// Before the first ply, and after a pass.
    pub const fn new(opening: Opening) -> Memory {
        Memory {
            resting: None,
            opening,
        }
    }

    /// Where the piece is that was moved, thrown or placed on the last ply: it may not move, throw or be thrown.
    #[inline]
    pub const fn resting(self) -> Option<Cell> {
        self.resting
    }

    /// Whether queens may be placed on the first turn.
    #[inline]
    pub const fn opening(self) -> Opening {
        self.opening
    }

    /// The same after a ply that put a piece on that cell.
    #[inline]
    #[must_use]
    pub const fn after(self, destination: Option<Cell>) -> Memory {
        Memory {
            resting: destination,
            ..self
        }
    }

    #[inline]
    pub(super) fn key(self) -> u64 {
        const RESTING: u64 = mix(6 << 40) | 1;
        const FREE_OPENING: u64 = mix(7 << 40);
        let resting = self.resting.map_or(0, |cell| cell.index() as u64 + 1);
        let opening = match self.opening {
            Opening::Tournament => 0,
            Opening::Free => FREE_OPENING,
        };
        // Multiples of a large odd number; differences of hashes stay as unpredictable as the number.
        resting.wrapping_mul(RESTING).wrapping_add(opening)
    }
}
