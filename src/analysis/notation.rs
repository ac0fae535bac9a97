//! Writing moves as a game's own players do.

use crate::hive::contest::{self, Contest};
use crate::hive::standard::notation::Game;
use crate::hive::standard::{self, Wide};
use crate::hive::{ByColor, Move, RuleBook};
use crate::view::Paint;

/// How moves of one position, and of those after it, are written.
pub trait Notation<R: RuleBook>: Clone {
    /// How the sides are painted and called.
    const PAINTS: ByColor<Paint>;

    /// A move of the position.
    fn write(&self, mv: Move<R>) -> String;

    /// The notation of the position after a legal move.
    #[must_use]
    fn after(&self, mv: Move<R>) -> Self;

    /// Moves that follow one another, as far as they are legal.
    fn write_line(&self, moves: impl Iterator<Item = Move<R>>) -> Vec<String>;
}

/// The contest's, in which a move's text does not depend on the position.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ContestNotation;

impl Notation<Contest> for ContestNotation {
    const PAINTS: ByColor<Paint> = Paint::CONTEST;

    fn write(&self, mv: contest::Move) -> String {
        mv.to_string()
    }

    fn after(&self, _mv: contest::Move) -> ContestNotation {
        ContestNotation
    }

    fn write_line(&self, moves: impl Iterator<Item = contest::Move>) -> Vec<String> {
        moves.map(|mv| mv.to_string()).collect()
    }
}

/// Standard Hive's, in which pieces are named by what happened before.
impl Notation<Wide> for Game {
    const PAINTS: ByColor<Paint> = Paint::STANDARD;

    fn write(&self, mv: standard::Move) -> String {
        Game::write(self, mv)
    }

    fn after(&self, mv: standard::Move) -> Game {
        let mut game = self.clone();
        // An illegal move leaves the game as it is.
        let _ = game.play(&self.write(mv));
        game
    }

    fn write_line(&self, moves: impl Iterator<Item = standard::Move>) -> Vec<String> {
        Game::write_line(self, moves)
    }
}
