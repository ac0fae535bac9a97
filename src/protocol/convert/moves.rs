//! Moves on the wire ⇄ moves of the game.

use std::fmt;

use thiserror::Error;

use crate::hex::{Cell, ContestBoard, Grid};
use crate::hive::contest::Move;
use crate::hive::{Color, Piece};
use crate::protocol::field::WireCoordinates;
use crate::protocol::moves::{WireAction, WireMove, WirePlace};

/// Why a move on the wire cannot be a move of the game, whatever the position.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum MoveError {
    /// Three numbers that are no cube coordinates.
    #[error("the {endpoint} {at} does not satisfy x + y + z = 0")]
    NotCube {
        /// Which end of the move.
        endpoint: Endpoint,
        /// The numbers.
        at: WireCoordinates,
    },
    /// A place outside of the board.
    #[error("the {endpoint} {at} is not on the board")]
    OffBoard {
        /// Which end of the move.
        endpoint: Endpoint,
        /// The place.
        at: WireCoordinates,
    },
    /// A piece of the other side.
    #[error("{0} cannot place a piece of the other side")]
    WrongOwner(Color),
}

/// An end of a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Endpoint {
    /// Where a piece comes from.
    Start,
    /// Where a piece goes.
    Destination,
}

impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Endpoint::Start => "start",
            Endpoint::Destination => "destination",
        })
    }
}

impl WireMove {
    /// The move `mv` made by `mover`, in the short form.
    pub fn new(mv: Move, mover: Color, hint: Option<String>) -> WireMove {
        let place = |cell| WirePlace::plain(WireCoordinates::of(ContestBoard::hex(cell)));
        let action = match mv {
            Move::Place { kind, to } => WireAction::Set {
                piece: Piece::new(mover, kind),
                destination: place(to),
            },
            Move::Drag { from, to } => WireAction::Drag {
                start: place(from),
                destination: place(to),
            },
            Move::Pass => WireAction::Skip,
        };
        WireMove { hint, action }
    }

    /// The move of the game that `mover` means. Whether it is legal is for the position to say.
    ///
    /// # Errors
    /// When it names a place that is not on the board or a piece of the other side.
    pub fn to_move(&self, mover: Color) -> Result<Move, MoveError> {
        match &self.action {
            WireAction::Set { piece, destination } => {
                let to = cell(destination, Endpoint::Destination)?;
                if piece.color != mover {
                    return Err(MoveError::WrongOwner(mover));
                }
                let kind = piece.kind;
                Ok(Move::Place { kind, to })
            }
            WireAction::Drag { start, destination } => Ok(Move::Drag {
                from: cell(start, Endpoint::Start)?,
                to: cell(destination, Endpoint::Destination)?,
            }),
            WireAction::Skip => Ok(Move::Pass),
        }
    }
}

fn cell(place: &WirePlace, endpoint: Endpoint) -> Result<Cell, MoveError> {
    let at = place.at;
    if !at.is_cube() {
        return Err(MoveError::NotCube { endpoint, at });
    }
    at.hex()
        .and_then(ContestBoard::cell)
        .ok_or(MoveError::OffBoard { endpoint, at })
}
