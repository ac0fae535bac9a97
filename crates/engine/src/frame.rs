//! Smaller boards for the search.

use std::fmt::Debug;

use crate::Playable;
use crate::evaluation::Features;
use wabe_hive::{Move, Position};

/// Maps positions of `G` to a board on which the search is faster. Positions that do not fit are
/// searched on the board of `G`.
pub trait SearchBoard<G: Playable>: Copy + Debug + PartialEq + Send + Sync {
    /// The rules on that board.
    type Rules: Features;

    /// A frame that contains the hive of `position`. Returns `before` if it still does. `None` if
    /// the hive is too large.
    fn around(position: &Position<G>, before: Option<Self>) -> Option<Self>;

    /// A frame that also contains the hive after `plies` more plies; `None` if the hive may grow
    /// too large.
    fn for_plies(position: &Position<G>, plies: u32) -> Option<Self>;

    /// The position in the frame; `None` if it does not fit.
    fn narrow(self, position: &Position<G>) -> Option<Position<Self::Rules>>;

    /// The same move in the frame; `None` if it leaves the frame.
    fn narrow_move(self, mv: Move<G>) -> Option<Move<Self::Rules>>;

    /// The same move on the board of `G`.
    fn widen(self, mv: Move<Self::Rules>) -> Move<G>;
}

/// The game's own board, for games without a smaller one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FullBoard;

impl<G: Playable> SearchBoard<G> for FullBoard {
    type Rules = G;

    fn around(_position: &Position<G>, _before: Option<FullBoard>) -> Option<FullBoard> {
        Some(FullBoard)
    }

    fn for_plies(_position: &Position<G>, _plies: u32) -> Option<FullBoard> {
        Some(FullBoard)
    }

    fn narrow(self, position: &Position<G>) -> Option<Position<G>> {
        Some(*position)
    }

    fn narrow_move(self, mv: Move<G>) -> Option<Move<G>> {
        Some(mv)
    }

    fn widen(self, mv: Move<G>) -> Move<G> {
        mv
    }
}
