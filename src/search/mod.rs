//! Choosing a move: the [`Player`] trait and its players, generic over the rule book.
//!
//! - [`RandomPlayer`] plays any legal move, [`GreedyPlayer`] the one whose position it likes best, [`MctsPlayer`] searches.
//! - [`Evaluator`] says how good a position is without looking ahead.
//! - [`Limits`] say how long to think; a [`SearchControl`] carries them, the clock and the stop signal into the search.
//! - [`PlayerSpec`] is the text form of a built-in player, such as `mcts:nodes=5000`.
//! - [`StandardPlayer`] and [`StandardSearcher`] play games of standard Hive.
//!
//! Scores are expected scores: 0 is a loss, 1 a win, a draw one half.

mod choice;
mod control;
mod evaluation;
mod greedy;
mod mcts;
mod player;
mod random;
mod spec;
mod standard;

pub use choice::{Choice, Line, Proof};
pub use control::{BestKnown, Clock, Limits, SearchControl, SystemClock, unstopped};
pub use evaluation::{
    ContestEvaluation, ContestEvaluator, EvaluationWeights, Evaluator, Feature, HEAD_COUNT, HIDDEN,
    Head, Input, LinearGame, LoadWeightsError, Network, NetworkError, NetworkInputs, NetworkParts,
    OtherGameError, ParseStandardWeightsError, ParseWeightsError, STANDARD_FEATURE_COUNT,
    StandardEvaluation, StandardEvaluator, StandardWeights, WEIGHT_COUNT, WeightIndex, Weights,
    WeightsFile, WeightsFileError, features, standard_features,
};
pub use greedy::GreedyPlayer;
pub use mcts::{
    Branch, Branches, DEFAULT_MEMORY_MIB, MctsOptions, MctsPlayer, ParamChanges, ParamError,
    ParamInfo, Params,
};
pub use player::Player;
pub use random::RandomPlayer;
pub use spec::{ParsePlayerSpecError, PlayerKind, PlayerSpec, PreparedPlayer};
pub use standard::{
    BestSoFar, Findings, SearcherSettings, StandardControl, StandardPlayer, StandardSearcher,
    choose_in_game, standard_params,
};
