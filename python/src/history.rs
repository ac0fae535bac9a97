//! The course of a game, without texts.

use wabe_hive::game::{Ending, Game, Record, Repetition};
use wabe_hive::{Move, Position};

/// Start, moves and end of a game.
#[derive(Clone, Debug)]
pub(crate) struct History<G: Game> {
    pub(crate) start: Position<G>,
    pub(crate) moves: Vec<Move<G>>,
    /// The number of occurrences of a position that ends the game.
    pub(crate) repetition_limit: Option<usize>,
    pub(crate) ending: Option<Ending>,
}

impl<G: Game> History<G> {
    /// The moves of this game after those of `earlier`; `None` if it is another game.
    pub(crate) fn moves_after(&self, earlier: &History<G>) -> Option<&[Move<G>]> {
        if self.start != earlier.start || self.repetition_limit != earlier.repetition_limit {
            return None;
        }
        self.moves.strip_prefix(&earlier.moves[..])
    }
}

impl<G: Game> From<&Record<G>> for History<G> {
    fn from(record: &Record<G>) -> History<G> {
        let is_draw = record.repetition() == Repetition::Draw;
        History {
            start: *record.start(),
            moves: record.plies().iter().map(|ply| ply.mv).collect(),
            repetition_limit: G::REPETITION_LIMIT.filter(|_| is_draw),
            ending: record.ending(),
        }
    }
}
