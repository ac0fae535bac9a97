//! A search on the board of a frame, with the positions and moves of the game's own board.

use super::branches::Branches;
use super::node::NodeId;
use super::tree_search::TreeSearch;
use crate::Playable;
use crate::evaluation::Evaluator;
use crate::frame::SearchBoard;
use crate::search::choice::{Choice, RootMove};
use crate::search::control::{Progress, SearchControl, SearchObserver};
use crate::search::player::Player;
use wabe_hive::game::{Ply, Record, Repetition};
use wabe_hive::{Move, Position};

/// A search on the board of a frame.
#[derive(Debug)]
pub(super) struct OnBoard<F: SearchBoard<G>, G: Playable, E> {
    pub(super) frame: F,
    pub(super) search: TreeSearch<F::Rules, E>,
}

/// A search on any board.
pub(super) trait SearchOnBoard<G: Playable>: Player<G> {
    /// Excludes moves of `position` from the following searches.
    fn exclude(&mut self, position: &Position<G>, moves: &[Move<G>]);

    /// The upper part of the tree: see [`TreeSearch::branches`].
    fn branches(&self, widths: &[usize]) -> Branches<G>;
}

impl<F: SearchBoard<G>, G: Playable, E: Evaluator<F::Rules>> Player<G> for OnBoard<F, G, E> {
    fn choose(&mut self, record: &Record<G>, control: &SearchControl<'_, G>) -> Option<Choice<G>> {
        let choice = self.run(record, control, TreeSearch::choose)??;
        Some(Choice {
            best: widen(self.frame, choice.best),
            nodes: choice.nodes,
        })
    }

    fn ponder(&mut self, record: &Record<G>, control: &SearchControl<'_, G>) {
        self.run(record, control, TreeSearch::ponder);
    }

    fn lines(&self, max_lines: usize) -> Vec<RootMove<G>> {
        let lines = self.search.lines(max_lines).into_iter();
        lines.map(|line| widen(self.frame, line)).collect()
    }

    fn memory_bytes(&self) -> usize {
        self.search.tree.memory_bytes()
    }

    fn new_game(&mut self) {
        self.search.forget();
    }
}

impl<F: SearchBoard<G>, G: Playable, E: Evaluator<F::Rules>> SearchOnBoard<G> for OnBoard<F, G, E> {
    fn exclude(&mut self, position: &Position<G>, moves: &[Move<G>]) {
        self.search.excluded.clear();
        if moves.is_empty() {
            return;
        }
        let Some(narrow) = self.frame.narrow(position) else {
            return;
        };
        let legal = narrow.legal_moves();
        let is_excluded = |&mv: &Move<F::Rules>| moves.contains(&self.frame.widen(mv));
        self.search
            .excluded
            .extend(legal.iter().copied().filter(is_excluded));
    }

    fn branches(&self, widths: &[usize]) -> Branches<G> {
        let widen = |mv| self.frame.widen(mv);
        self.search.branches(NodeId::ROOT, widths, &widen)
    }
}

impl<F: SearchBoard<G>, G: Playable, E: Evaluator<F::Rules>> OnBoard<F, G, E> {
    fn run<T>(
        &mut self,
        record: &Record<G>,
        control: &SearchControl<'_, G>,
        search: impl FnOnce(
            &mut TreeSearch<F::Rules, E>,
            &Position<F::Rules>,
            Option<&[Position<F::Rules>]>,
            &SearchControl<'_, F::Rules>,
        ) -> T,
    ) -> Option<T> {
        let frame = self.frame;
        let position = frame.narrow(record.position())?;
        let history = history(record).map(|positions| {
            let narrow = |position| frame.narrow(position);
            positions.iter().filter_map(narrow).collect::<Vec<_>>()
        });
        let observer = WideningObserver {
            frame,
            observer: control.observer,
        };
        let control = SearchControl {
            limits: control.limits,
            clock: control.clock,
            stop: control.stop,
            observer: &observer,
        };
        Some(search(
            &mut self.search,
            &position,
            history.as_deref(),
            &control,
        ))
    }
}

/// The positions since the last placement, without the current one. Only these can occur again.
/// `None` if the game ignores repetition.
pub(super) fn history<G: Playable>(record: &Record<G>) -> Option<Vec<Position<G>>> {
    if G::REPETITION_LIMIT.is_none() || record.repetition() == Repetition::Ignore {
        return None;
    }
    let plies = record.plies();
    let is_placement = |ply: &Ply<G>| matches!(ply.mv, Move::Place { .. });
    let from = plies.iter().rposition(is_placement).map_or(0, |i| i + 1);
    Some(record.positions().take(plies.len()).skip(from).collect())
}

/// Maps a root move to the game's board.
fn widen<F: SearchBoard<G>, G: Playable>(frame: F, line: RootMove<F::Rules>) -> RootMove<G> {
    let continuation = line.continuation.iter();
    RootMove {
        mv: frame.widen(line.mv),
        continuation: continuation.map(|&mv| frame.widen(mv)).collect(),
        score: line.score,
        proof: line.proof,
        plies: line.plies,
        visits: line.visits,
    }
}

/// Maps the reports of a search to the game's board.
struct WideningObserver<'a, F, G: Playable> {
    frame: F,
    observer: &'a dyn SearchObserver<G>,
}

impl<F: SearchBoard<G>, G: Playable> SearchObserver<F::Rules> for WideningObserver<'_, F, G> {
    fn best(&self, mv: Move<F::Rules>) {
        self.observer.best(self.frame.widen(mv));
    }

    fn lines_wanted(&self) -> usize {
        self.observer.lines_wanted()
    }

    fn progress(&self, progress: Progress<F::Rules>) {
        let lines = progress.lines.into_iter();
        self.observer.progress(Progress {
            lines: lines.map(|line| widen(self.frame, line)).collect(),
            nodes: progress.nodes,
        });
    }
}
