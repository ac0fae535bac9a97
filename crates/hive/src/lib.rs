//! Hive: pieces, positions, moves, outcomes and their text forms.
//!
//! Everything is generic over the [`RuleBook`], which defines a variant of Hive: its grid, its
//! piece kinds and their moves, where pieces may be placed, and when the game ends. [`contest`] is
//! the rule book of the Software Challenge 2020, [`standard`] that of the published game with its
//! expansions.
//!
//! - [`game::Record`] is a game with its history: start, moves, repetition, end. [`game::Game`]
//!   adds variants, notation and names to a rule book.
//! - [`hex`] contains the boards: cells, and sets of cells as bits.
//! - [`Position`] is a valid position, small and `Copy`; [`Setup`] is an unchecked one.
//! - [`Position::legal_moves`] returns a [`MoveList`], [`Position::play`] makes a move,
//!   [`Position::outcome`] returns the result.
//! - [`perft`] counts move sequences.

mod color;
pub mod contest;
pub mod game;
pub mod hex;
mod legality;
mod movegen;
mod moves;
mod outcome;
mod parse_error;
pub mod perft;
mod piece;
mod position;
#[doc(hidden)]
pub mod random_games;
mod rulebook;
pub mod standard;

pub use color::{ByColor, Color};
pub use legality::IllegalMove;
pub use movegen::{LiftedPiece, MoveSink, articulation_points, articulation_points_with};
pub use moves::{MAX_MOVES, Move, MoveList};
pub use outcome::{Outcome, Solved};
pub use parse_error::ParseError;
pub use piece::{Piece, PieceKind, Reserve};
pub use position::{MAX_COVERED, Position, PositionError, Setup, Stack};
pub use rulebook::{CellSetOf, KindOf, Obstacles, PieceOf, Placement, RuleBook};
