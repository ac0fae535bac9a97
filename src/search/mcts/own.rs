//! The search with an evaluation of one's own.

use super::tree_search::TreeSearch;
use super::{MOST_THREADS, MctsOptions, history};
use crate::evaluation::Evaluator;
use crate::game::{Game, Record};
use crate::search::choice::{Choice, Line};
use crate::search::control::SearchControl;
use crate::search::player::Player;

/// A searching player with any evaluation, on the game's full board.
#[derive(Debug)]
pub struct OwnEvaluation<G: Game, E> {
    search: TreeSearch<G, E>,
    /// The game that was searched last.
    last: Option<Record<G>>,
}

impl<G: Game, E: Evaluator<G>> OwnEvaluation<G, E> {
    /// A player with this evaluation. Allocates the memory for its tree.
    pub fn new(evaluator: &E, options: MctsOptions) -> OwnEvaluation<G, E> {
        let MctsOptions {
            threads,
            memory_mib,
            seed,
            params,
        } = options;
        let threads = threads.clamp(1, MOST_THREADS);
        OwnEvaluation {
            search: TreeSearch::new(evaluator, threads, memory_mib, seed, params),
            last: None,
        }
    }

    /// Empties the tree if it belongs to another game.
    fn prepare(&mut self, record: &Record<G>) {
        if G::OCCURRENCES.is_none() {
            // The position alone decides.
            return;
        }
        if !(self.last.as_ref()).is_some_and(|last| record.continues(last)) {
            self.search.forget();
        }
        self.last = Some(record.clone());
    }
}

impl<G: Game, E: Evaluator<G>> Player<G> for OwnEvaluation<G, E> {
    fn choose(&mut self, record: &Record<G>, control: &SearchControl<'_, G>) -> Option<Choice<G>> {
        if record.is_over() {
            return None;
        }
        self.prepare(record);
        self.search
            .choose(record.position(), &history(record), control)
    }

    fn ponder(&mut self, record: &Record<G>, control: &SearchControl<'_, G>) {
        if !record.is_over() {
            self.prepare(record);
            self.search
                .ponder(record.position(), &history(record), control);
        }
    }

    fn lines(&self, most: usize) -> Vec<Line<G>> {
        self.search.lines(most)
    }

    fn new_game(&mut self) {
        self.last = None;
        self.search.forget();
    }
}
