//! Why a move is not legal.

use thiserror::Error;

use super::{Move, MoveList, PieceKind, Placement, Position, RuleBook};
use crate::hex::{Cell, CellSet, Grid, Hex};

/// What is wrong with a move.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum IllegalMove {
    /// No more moves.
    #[error("the game is over")]
    GameOver,
    /// A pass where there is something to do.
    #[error("passing is not allowed while there is a legal move")]
    Pass,
    /// Nothing of that kind is left.
    #[error("there is no such piece in the reserve")]
    NotInReserve,
    /// The bee is due.
    #[error("the bee must be placed now")]
    BeeDue,
    /// The bee may not be placed yet.
    #[error("the bee may not be placed yet")]
    BeeTooEarly,
    /// Not a field to place on.
    #[error("a piece cannot be placed on ({0})")]
    Placement(Hex),
    /// Nothing may move yet.
    #[error("no piece may move before the own bee is on the board")]
    BeeFirst,
    /// Nothing to move.
    #[error("there is no own piece on top of ({0})")]
    NoOwnPiece(Hex),
    /// The one-hive rule.
    #[error("the hive would fall apart without the piece on ({0})")]
    Pinned(Hex),
    /// The piece could leave its field, but not in this ply.
    #[error("the piece on ({0}) may not move in this ply")]
    Resting(Hex),
    /// The piece cannot go there.
    #[error("the piece on ({from}) cannot go to ({to})")]
    Destination {
        /// Where it stands.
        from: Hex,
        /// Where it cannot go.
        to: Hex,
    },
}

impl<R: RuleBook> Position<R> {
    /// Whether `mv` is legal, and if not, why.
    ///
    /// # Errors
    /// The first rule that the move breaks.
    pub fn check(&self, mv: Move<R>) -> Result<(), IllegalMove> {
        if self.outcome().is_some() {
            return Err(IllegalMove::GameOver);
        }
        match mv {
            Move::Pass => {
                let mut moves = MoveList::new();
                self.legal_moves(&mut moves);
                if *moves == [Move::Pass] {
                    Ok(())
                } else {
                    Err(IllegalMove::Pass)
                }
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
                if zone.contains(to) {
                    Ok(())
                } else {
                    Err(IllegalMove::Placement(R::Grid::hex(to)))
                }
            }
            Move::Drag { from, to } => {
                if !R::may_move_pieces(self) {
                    return Err(IllegalMove::BeeFirst);
                }
                if !R::movers(self).contains(from) {
                    return Err(self.why_immovable(from));
                }
                if self.destinations(from).contains(to) {
                    Ok(())
                } else {
                    Err(IllegalMove::Destination {
                        from: R::Grid::hex(from),
                        to: R::Grid::hex(to),
                    })
                }
            }
        }
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

    /// Makes a move if it is legal.
    ///
    /// # Errors
    /// Says why it is not; the position is unchanged then.
    pub fn try_play(&mut self, mv: Move<R>) -> Result<(), IllegalMove> {
        self.check(mv)?;
        self.play(mv);
        Ok(())
    }
}
