//! The text forms that Hive programs exchange, as the Universal Hive Protocol defines them: names of pieces, moves, games.
//!
//! Positions know kinds and cells; a [`Game`] knows which piece is which, how it came about and how it may have ended.

mod game;
mod move_text;
mod named_pieces;
mod piece_name;
mod repetition;

pub use game::{Game, GameState, ParseGameError, PlayError};
pub use move_text::ReadMoveError;
pub use piece_name::{ParsePieceNameError, PieceName};
pub use repetition::Repetition;
