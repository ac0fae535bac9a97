//! Search on the caller's thread.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use super::choice::RootMove;
use super::control::{
    Limits, Progress, REPORT_INTERVAL, SearchControl, SearchObserver, SystemClock,
};
use super::mcts::{MctsOptions, MctsPlayer};
use super::player::{Player, lines_with_choice};
use crate::Playable;
use crate::evaluation::{Evaluator, NetworkEvaluator};
use wabe_hive::Move;
use wabe_hive::game::Record;

/// Default memory of the tree, in MiB: enough for about 500,000 iterations.
const MEMORY_MIB: usize = 256;

/// Searches for moves and keeps its tree from move to move.
///
/// ```
/// use std::ops::ControlFlow;
/// use wabe_engine::search::{Limits, Search};
/// use wabe_hive::contest::{Contest, ContestRecord};
///
/// let game = ContestRecord::default();
/// let mut search = Search::<Contest>::new();
/// let best = search.best(&game, Limits::Nodes(200)).unwrap();
/// assert!(game.legal_moves().contains(&best));
///
/// // The three best moves with their scores; the callback stops the search.
/// let lines = search.lines(&game, Limits::Infinite, 3, |progress| match progress.nodes {
///     nodes if nodes < 1_000 => ControlFlow::Continue(()),
///     _ => ControlFlow::Break(()),
/// });
/// for line in &lines {
///     println!("{} expects {:?}", line.mv, line.score);
/// }
/// assert_eq!(lines.len(), 3);
/// ```
#[derive(Debug)]
pub struct Search<G: Playable>(MctsPlayer<G>);

impl<G: Playable> Search<G> {
    /// Uses the built-in network, one thread and a tree of 256 MiB.
    pub fn new() -> Search<G> {
        let options = MctsOptions {
            memory_mib: MEMORY_MIB,
            ..MctsOptions::for_game::<G>()
        };
        Search::with_options(options)
    }

    /// Uses the built-in network.
    pub fn with_options(options: MctsOptions) -> Search<G> {
        Search(MctsPlayer::new(&NetworkEvaluator::built_in(), options))
    }

    /// Evaluates positions with a function or another [`Evaluator`]. Standard Hive is then always
    /// searched on the full board, which is slower than the narrow board used with a network.
    pub fn with_evaluation(
        evaluator: impl Evaluator<G> + 'static,
        options: MctsOptions,
    ) -> Search<G> {
        Search(MctsPlayer::with_evaluation(&evaluator, options))
    }

    /// The best move, always legal; `None` when the game is over. With [`Limits::Infinite`] it
    /// returns only once the result is proven.
    ///
    /// # Panics
    /// If the evaluation panics.
    pub fn best(&mut self, game: &Record<G>, limits: Limits) -> Option<Move<G>> {
        let lines = self.lines(game, limits, 0, |_| ControlFlow::Continue(()));
        lines.first().map(|line| line.mv)
    }

    /// The best root moves: the chosen move first, at most `max_lines` but at least one; none when
    /// the game is over. `on_progress` receives the best root moves so far ten times per second and
    /// may end the search.
    ///
    /// # Panics
    /// If the evaluation panics.
    pub fn lines(
        &mut self,
        game: &Record<G>,
        limits: Limits,
        max_lines: usize,
        on_progress: impl FnMut(Progress<G>) -> ControlFlow<()> + Send,
    ) -> Vec<RootMove<G>> {
        let stop = AtomicBool::new(false);
        let reporter = Reporter {
            max_lines: max_lines.max(1),
            last: Mutex::new((None, on_progress)),
            stop: &stop,
        };
        let control = SearchControl {
            limits,
            clock: &SystemClock::since(Instant::now()),
            stop: &stop,
            observer: &reporter,
        };
        match self.0.choose(game, &control) {
            Some(choice) => lines_with_choice(&self.0, choice, max_lines),
            None => Vec::new(),
        }
    }

    /// Empties the tree before another game.
    pub fn new_game(&mut self) {
        self.0.new_game();
    }
}

impl<G: Playable> Default for Search<G> {
    fn default() -> Search<G> {
        Search::new()
    }
}

/// Passes reports to a function.
struct Reporter<'a, F> {
    max_lines: usize,
    /// The time of the last report, and the function that receives them.
    last: Mutex<(Option<Instant>, F)>,
    stop: &'a AtomicBool,
}

impl<G: Playable, F: FnMut(Progress<G>) -> ControlFlow<()> + Send> SearchObserver<G>
    for Reporter<'_, F>
{
    fn best(&self, _mv: Move<G>) {}

    fn lines_wanted(&self) -> usize {
        let last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let is_due = last.0.is_none_or(|at| at.elapsed() >= REPORT_INTERVAL);
        if is_due { self.max_lines } else { 0 }
    }

    fn progress(&self, progress: Progress<G>) {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        last.0 = Some(Instant::now());
        if (last.1)(progress).is_break() {
            self.stop.store(true, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wabe_hive::contest::{Contest, Position};
    use wabe_hive::standard::StandardRecord;

    #[test]
    fn nan_evaluations_count_as_even() {
        let options = MctsOptions {
            memory_mib: 1,
            ..MctsOptions::for_game::<Contest>()
        };
        let nan = |_: &Position| f32::NAN;
        let mut search = Search::with_evaluation(nan, options);
        let go = |_| ControlFlow::Continue(());
        let lines = search.lines(&Record::default(), Limits::Nodes(20), 2, go);
        assert_eq!(lines.len(), 2);
        assert!(
            lines.iter().all(|line| line.score == Some(0.5)),
            "{lines:?}"
        );
    }

    #[test]
    fn finished_games_have_no_best_move() {
        let over = r"Base;BlackWins;White[7];wS1;bS1 wS1-;wQ \wS1;bQ bS1/;wG1 -wQ;bG1 bQ-;wA1 wG1\;bA1 bQ\;wA2 \wQ;bA2 \bG1;wG2 wQ/;bG1 wG2\";
        let over: StandardRecord = over.parse().unwrap();
        let mut search = Search::new();
        assert_eq!(search.best(&over, Limits::Infinite), None);
        search.new_game();
        let game = Record::default();
        let best = search.best(&game, Limits::Nodes(5)).unwrap();
        assert!(game.legal_moves().contains(&best));
    }
}
