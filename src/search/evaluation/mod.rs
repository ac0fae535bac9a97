//! Judging a position without looking ahead.

mod contest;

use crate::hive::{Position, RuleBook};

pub use contest::{
    ContestEvaluator, LoadWeightsError, ParseWeightsError, WEIGHT_COUNT, WeightIndex, Weights,
    WeightsFile, WeightsFileError, features,
};

/// Judges positions of games that are not over.
pub trait Evaluator<R: RuleBook>: Clone + Send {
    /// The expected score of the side to move, in `0..=1`.
    fn evaluate(&self, position: &Position<R>) -> f32;
}
