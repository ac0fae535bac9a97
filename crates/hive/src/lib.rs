//! The game: pieces, positions, moves, outcomes and their text forms, over a [`RuleBook`].
//!
//! Everything here is generic over the rule book, which says what is special about a variant of
//! Hive: its grid, its piece kinds and how they move, where pieces may be placed, and when a game
//! is over. [`contest`] is the rule book of the Software Challenge 2020, [`standard`] that of the
//! game as it is sold, expansions included.
//!
//! - [`game::Record`] is a game with its history: start, moves, repetition, end. [`game::Game`]
//!   adds variants, notation and names to a rule book.
//! - [`hex`] has the boards: cells, and sets of cells as bits.
//! - [`Position`] is a small value; [`Setup`] is the loose form from which one is checked and
//!   built.
//! - [`Position::legal_moves`] fills a [`MoveList`], [`Position::play`] makes a move,
//!   [`Position::outcome`] ends a game.
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
