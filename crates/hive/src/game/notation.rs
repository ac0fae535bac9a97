//! Move notations.

use std::error::Error;
use std::fmt::Debug;

use super::Game;
use crate::hex::Cell;
use crate::standard::ReadMoveError;
use crate::{Move, ParseError, Position};

/// Reads and writes the moves of one game. Tracks the game, because the name of a piece may depend
/// on earlier moves.
pub trait Notation<G: Game>: Clone + Debug + Send + Sync {
    /// Why a text is not a move.
    type Error: Clone + Debug + Error + Eq + Into<ReadMoveError> + Send + Sync + 'static;

    /// The notation for a game that starts at `position`.
    fn from_start(position: &Position<G>) -> Self;

    /// Reads a move of `position`, legal or not.
    ///
    /// # Errors
    /// If the text is not a move of `position`.
    fn read(&self, text: &str, position: &Position<G>) -> Result<Move<G>, Self::Error>;

    /// Writes a move of `position` in canonical form.
    fn write(&self, mv: Move<G>, position: &Position<G>) -> String;

    /// Updates the names of pieces for `mv`, a legal move of `before`.
    fn follow(&mut self, mv: Move<G>, before: &Position<G>);

    /// The number, from 1, of the piece at height `level` on `cell` among its side's pieces of its
    /// kind; `None` if the notation does not number them.
    fn ordinal(&self, cell: Cell, level: usize) -> Option<u8>;
}

/// The text form of [`Move`], which does not depend on the position.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PlainNotation;

impl<G: Game> Notation<G> for PlainNotation {
    type Error = ParseError;

    fn from_start(_position: &Position<G>) -> PlainNotation {
        PlainNotation
    }

    fn read(&self, text: &str, _position: &Position<G>) -> Result<Move<G>, ParseError> {
        text.parse()
    }

    fn write(&self, mv: Move<G>, _position: &Position<G>) -> String {
        mv.to_string()
    }

    fn follow(&mut self, _mv: Move<G>, _before: &Position<G>) {}

    fn ordinal(&self, _cell: Cell, _level: usize) -> Option<u8> {
        None
    }
}
