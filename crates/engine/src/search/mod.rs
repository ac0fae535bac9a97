//! The choice of moves: the [`Player`] trait and its players, generic over the game.
//!
//! - [`RandomPlayer`] plays any legal move, [`GreedyPlayer`] the one with the best evaluation,
//!   [`MctsPlayer`] searches.
//! - [`Limits`] bound a search; a [`SearchControl`] carries them, the clock and the stop signal
//!   into it, and a [`Watch`] receives reports of its progress.
//! - [`PlayerSpec`] is the text form of a built-in player, such as `mcts:nodes=5000`.
//!
//! Scores are expected scores: 0 is a loss, 1 a win, a draw one half.

mod bench;
mod choice;
mod control;
mod greedy;
mod level;
mod mcts;
mod player;
mod random;
mod searcher;
mod spec;

pub use bench::{Benched, bench};
pub use choice::{Choice, RootMove, Solved};
pub use control::{
    BestKnown, Clock, Limits, Progress, SearchControl, SystemClock, Watch, unstopped,
};
pub use greedy::GreedyPlayer;
pub use level::{Level, LevelPlayer};
pub use mcts::{
    Branch, Branches, DEFAULT_MEMORY_MIB, MAX_THREADS, MctsOptions, MctsPlayer, ParamChanges,
    ParamError, ParamInfo, Params,
};
pub use player::Player;
pub use player::lines_of;
pub use random::RandomPlayer;
pub use searcher::Search;
pub use spec::{ParsePlayerSpecError, PlayerKind, PlayerSpec};
