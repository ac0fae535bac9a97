//! Games with an evaluation that is a weighted sum.

use std::fmt::Display;

use super::contest::{ContestEvaluation, WEIGHT_COUNT, Weights, features};
use super::standard::{
    STANDARD_FEATURE_COUNT, StandardEvaluation, StandardWeights, standard_features,
};
use super::weights_file::{OtherGameError, WeightsFile};
use crate::hive::contest::Contest;
use crate::hive::standard::Wide;
use crate::hive::{Position, RuleBook};

/// A game with an evaluation that is a weighted sum of features.
pub trait LinearGame: RuleBook {
    /// A number in logits for each feature. Its text form is that of a weights file.
    type Weights: Clone + Default + Display;

    /// Number of features.
    const FEATURE_COUNT: usize;

    /// Hands every feature of a position, by its index, and its value to `sink`, as the side to move sees it. A feature may come
    /// in several parts.
    fn features_of(position: &Position<Self>, sink: impl FnMut(usize, f32));

    /// The weights in the order of the features.
    fn values(weights: &Self::Weights) -> &[f32];

    /// The weights that `value` gives, by index.
    fn from_values(value: impl FnMut(usize) -> f32) -> Self::Weights;

    /// The weights as source of the built-in ones.
    fn as_source(weights: &Self::Weights) -> String;

    /// The weights in a file; `None` if it holds a network.
    ///
    /// # Errors
    /// When it is for another game.
    fn in_file(file: &WeightsFile) -> Result<Option<&Self::Weights>, OtherGameError>;
}

impl LinearGame for Contest {
    type Weights = Weights;

    const FEATURE_COUNT: usize = WEIGHT_COUNT;

    fn features_of(position: &Position<Contest>, mut sink: impl FnMut(usize, f32)) {
        features(position, |weight, value| sink(weight.index(), value));
    }

    fn values(weights: &Weights) -> &[f32] {
        weights.values()
    }

    fn from_values(mut value: impl FnMut(usize) -> f32) -> Weights {
        Weights::from_values(|weight| value(weight.index()))
    }

    fn as_source(weights: &Weights) -> String {
        weights.as_source()
    }

    fn in_file(file: &WeightsFile) -> Result<Option<&Weights>, OtherGameError> {
        Ok(match file.contest()? {
            ContestEvaluation::Linear(weights) => Some(weights),
            ContestEvaluation::Network(_) => None,
        })
    }
}

impl LinearGame for Wide {
    type Weights = StandardWeights;

    const FEATURE_COUNT: usize = STANDARD_FEATURE_COUNT;

    fn features_of(position: &Position<Wide>, mut sink: impl FnMut(usize, f32)) {
        standard_features(position, |feature, value| sink(feature.index(), value));
    }

    fn values(weights: &StandardWeights) -> &[f32] {
        weights.values()
    }

    fn from_values(value: impl FnMut(usize) -> f32) -> StandardWeights {
        StandardWeights::from_values(value)
    }

    fn as_source(weights: &StandardWeights) -> String {
        weights.as_source()
    }

    fn in_file(file: &WeightsFile) -> Result<Option<&StandardWeights>, OtherGameError> {
        Ok(match file.standard()? {
            StandardEvaluation::Linear(weights) => Some(weights),
            StandardEvaluation::Network(_) => None,
        })
    }
}
