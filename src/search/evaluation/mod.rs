//! Judging a position without looking ahead.

mod contest;
mod linear_game;
mod links_cache;
mod network;
mod standard;
mod weights_file;

use crate::hive::{Move, Position, RuleBook};

pub use contest::{
    ContestEvaluation, ContestEvaluator, ParseWeightsError, WEIGHT_COUNT, WeightIndex, Weights,
    features,
};
pub use linear_game::LinearGame;
pub use network::{
    HEAD_COUNT, HIDDEN, Head, Input, Network, NetworkError, NetworkInputs, NetworkParts,
};
pub use standard::{
    Feature, ParseStandardWeightsError, STANDARD_FEATURE_COUNT, StandardEvaluation,
    StandardEvaluator, StandardWeights, standard_features,
};

pub use weights_file::{
    EvaluationWeights, LoadWeightsError, OtherGameError, WeightsFile, WeightsFileError,
};

/// Judges positions of games that are not over.
pub trait Evaluator<R: RuleBook>: Clone + Send {
    /// The expected score of the side to move, in `0..=1`.
    fn evaluate(&self, position: &Position<R>) -> f32;

    /// Calls `judge_them` with a judge of the positions after one legal move from `position`: what [`evaluate`](Evaluator::evaluate)
    /// says of them, where they have much in common perhaps faster.
    fn with_successors<T>(
        &self,
        _position: &Position<R>,
        judge_them: impl FnOnce(&dyn Fn(Move<R>, &Position<R>) -> f32) -> T,
    ) -> T {
        judge_them(&|_, next| self.evaluate(next))
    }
}
