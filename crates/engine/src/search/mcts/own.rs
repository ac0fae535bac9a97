//! The search with a custom evaluation.

use super::on_board::{OnBoard, SearchOnBoard};
use super::tree_search::TreeSearch;
use super::{MctsOptions, begins_another};
use crate::Playable;
use crate::evaluation::Evaluator;
use crate::frame::SameBoard;
use crate::search::choice::{Choice, Line};
use crate::search::control::SearchControl;
use crate::search::player::Player;
use wabe_hive::game::Record;

/// A searching player with any evaluation, on the game's full board.
#[derive(Debug)]
pub struct OwnEvaluation<G: Playable, E> {
    pub(super) board: OnBoard<SameBoard, G, E>,
    /// The game that was searched last.
    last: Option<Record<G>>,
}

impl<G: Playable, E: Evaluator<G>> OwnEvaluation<G, E> {
    /// A player with this evaluation. Allocates the memory for its tree.
    pub fn new(evaluator: &E, options: MctsOptions) -> OwnEvaluation<G, E> {
        let board = OnBoard {
            frame: SameBoard,
            search: TreeSearch::new(evaluator, options),
        };
        OwnEvaluation { board, last: None }
    }

    /// Empties the tree if it belongs to another game.
    fn prepare(&mut self, record: &Record<G>) {
        if begins_another(&mut self.last, record) {
            self.board.search.forget();
        }
    }
}

impl<G: Playable, E: Evaluator<G>> Player<G> for OwnEvaluation<G, E> {
    fn choose(&mut self, record: &Record<G>, control: &SearchControl<'_, G>) -> Option<Choice<G>> {
        if record.is_over() {
            return None;
        }
        self.prepare(record);
        self.board.choose(record, control)
    }

    fn ponder(&mut self, record: &Record<G>, control: &SearchControl<'_, G>) {
        if !record.is_over() {
            self.prepare(record);
            self.board.ponder(record, control);
        }
    }

    fn lines(&self, most: usize) -> Vec<Line<G>> {
        self.board.lines(most)
    }

    fn new_game(&mut self) {
        self.last = None;
        self.board.search.forget();
    }
}
