//! Legality checks of single moves.

use thiserror::Error;

use super::{Move, PieceKind, Placement, Position, RuleBook};
use crate::hex::{Cell, CellSet, Grid, Hex};

/// The rule that a move breaks.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum IllegalMove {
    /// The game is over.
    #[error("the game is over")]
    GameOver,
    /// A pass in a position with another legal move.
    #[error("passing is not allowed while there is a legal move")]
    Pass,
    /// No piece of the kind is left in reserve.
    #[error("no such piece is left in the reserve")]
    NotInReserve,
    /// Another piece is placed although the bee must be placed.
    #[error("the bee must be placed now")]
    BeeDue,
    /// The bee may not be placed yet.
    #[error("the bee may not be placed yet")]
    BeeTooEarly,
    /// The field is outside the placement zone.
    #[error("a piece cannot be placed on ({0})")]
    Placement(Hex),
    /// A piece is moved before the bee is placed.
    #[error("no piece may move before its side's bee is on the board")]
    BeeFirst,
    /// The top piece is the other side's, or the field is empty.
    #[error("the top piece on ({0}) does not belong to the side to move")]
    NoOwnPiece(Hex),
    /// The one-hive rule pins the piece.
    #[error("moving the piece on ({0}) would split the hive")]
    Pinned(Hex),
    /// The piece is not pinned, but may not move in this ply, such as a resting piece.
    #[error("the piece on ({0}) may not move in this ply")]
    Resting(Hex),
    /// The piece cannot reach the target.
    #[error("the piece on ({0}) cannot reach ({1})")]
    Destination(Hex, Hex),
}

impl<R: RuleBook> Position<R> {
    /// Checks that `mv` is legal.
    ///
    /// # Errors
    /// The first rule that the move breaks.
    pub fn check(&self, mv: Move<R>) -> Result<(), IllegalMove> {
        if self.outcome().is_some() {
            return Err(IllegalMove::GameOver);
        }
        match mv {
            Move::Pass => {
                let moves = self.legal_moves();
                let is_legal = *moves == [Move::Pass];
                is_legal.then_some(()).ok_or(IllegalMove::Pass)
            }
            Move::Place { kind, to } => {
                if self.reserve(self.side_to_move()).count(kind) == 0 {
                    return Err(IllegalMove::NotInReserve);
                }
                let is_bee = kind == PieceKind::BEE;
                let zone = match R::placement(self) {
                    Placement::BeeOnly(_) if !is_bee => return Err(IllegalMove::BeeDue),
                    Placement::NoBee(_) if is_bee => return Err(IllegalMove::BeeTooEarly),
                    Placement::Any(zone) | Placement::BeeOnly(zone) | Placement::NoBee(zone) => {
                        zone
                    }
                };
                let error = IllegalMove::Placement(R::Grid::hex(to));
                zone.contains(to).then_some(()).ok_or(error)
            }
            Move::Drag { from, to } => {
                if !R::may_move_pieces(self) {
                    return Err(IllegalMove::BeeFirst);
                }
                if !R::movers(self).contains(from) {
                    return Err(self.why_immovable(from));
                }
                let is_legal = self.destinations(from).contains(to);
                let (from, to) = (R::Grid::hex(from), R::Grid::hex(to));
                is_legal
                    .then_some(())
                    .ok_or(IllegalMove::Destination(from, to))
            }
        }
    }

    /// The legal move from this position to `next`, if there is one.
    pub fn move_to(&self, next: &Position<R>) -> Option<Move<R>> {
        let moves = self.legal_moves();
        moves.into_iter().find(|&mv| self.after(mv) == *next)
    }

    fn why_immovable(&self, from: Cell) -> IllegalMove {
        let hex = R::Grid::hex(from);
        let color = self.side_to_move();
        if !self.tops(color).contains(from) {
            IllegalMove::NoOwnPiece(hex)
        } else if !self.unpinned(color).contains(from) {
            IllegalMove::Pinned(hex)
        } else {
            IllegalMove::Resting(hex)
        }
    }
}
