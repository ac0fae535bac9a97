//! The [`Player`] trait and its implementations, generic over the game.
//!
//! - [`RandomPlayer`] plays random legal moves, [`GreedyPlayer`] the move with the best evaluation,
//!   [`MctsPlayer`] searches.
//! - A [`SearchControl`] passes [`Limits`], the clock and the stop signal to a search, and a
//!   [`SearchObserver`] receives its reports.
//! - A [`Solver`] proves short wins by exhaustive search.
//! - [`PlayerSpec`] is the text form of a built-in player, such as `mcts:nodes=5000`.
//!
//! Scores are expected scores: 0 for a loss, 0.5 for a draw, 1 for a win.

mod bench;
mod choice;
mod control;
mod greedy;
mod level;
mod mcts;
mod player;
mod random;
mod searcher;
mod solver;
mod spec;

pub use bench::{BenchResult, bench};
pub use choice::{Choice, RootMove, Solved};
pub use control::{
    BestMove, Clock, Limits, Progress, REPORT_INTERVAL, SearchControl, SearchObserver, SystemClock,
};
pub use greedy::GreedyPlayer;
pub use level::{Level, LevelPlayer};
pub use mcts::{
    Branch, Branches, DEFAULT_MEMORY_MIB, MAX_THREADS, MctsOptions, MctsPlayer, ParamChanges,
    Params,
};
pub use player::{Player, lines_with_choice};
pub use random::RandomPlayer;
pub use searcher::Search;
pub use solver::Solver;
#[cfg(test)]
pub(crate) use solver::tests::wins as minimax_wins;
pub use spec::{ParsePlayerSpecError, PlayerKind, PlayerSpec};
