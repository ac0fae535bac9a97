//! Writing moves as the players of a game do.

use std::error::Error;
use std::fmt::Debug;

use super::Game;
use crate::hex::Cell;
use crate::{Move, ParseError, Position};

/// The notation of a game's moves. It follows the game, because a piece's name may depend on
/// earlier moves.
pub trait Notation<G: Game>: Clone + Debug + Send + Sync {
    /// The reason that a text is not a move.
    type Error: Clone + Debug + Error + Eq + Send + Sync + 'static;

    /// The notation of a game that begins with `position`.
    fn from_start(position: &Position<G>) -> Self;

    /// The move that a text means in `position`; it need not be legal.
    ///
    /// # Errors
    /// When the text means no move there.
    fn read(&self, text: &str, position: &Position<G>) -> Result<Move<G>, Self::Error>;

    /// A move of `position` in canonical form.
    fn write(&self, mv: Move<G>, position: &Position<G>) -> String;

    /// Updates the notation for `mv`, a legal move of `before`.
    fn follow(&mut self, mv: Move<G>, before: &Position<G>);

    /// The number, from 1, of the piece at height `level` on `cell` among its side's pieces of its
    /// kind; `None` where the players do not tell them apart.
    fn ordinal(&self, cell: Cell, level: usize) -> Option<u8>;
}

/// Moves in the text form of [`Move`], which does not depend on the position.
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
