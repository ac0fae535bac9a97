//! The hand-made evaluation of the contest's positions.
//!
//! A weighted sum of what a player looks at first, squashed to an expected score by the logistic function. [`features`] says
//! what is looked at, [`Weights`] how much it counts.

mod features;
mod weights;
mod weights_file;

use super::Evaluator;
use crate::hive::contest::{Contest, Position};

pub use features::features;
pub use weights::{ParseWeightsError, WEIGHT_COUNT, WeightIndex, Weights};
pub use weights_file::{LoadWeightsError, WeightsFile, WeightsFileError};

/// Judges positions by weighted features.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ContestEvaluator {
    weights: Weights,
}

impl ContestEvaluator {
    /// An evaluation with these weights.
    pub fn new(weights: Weights) -> ContestEvaluator {
        ContestEvaluator { weights }
    }

    /// The weighted sum in logits, as the side to move sees it: 0 is an even game, 1 an expected score of 73%.
    #[inline]
    pub fn logit(&self, position: &Position) -> f32 {
        let mut logit = 0.0;
        features(position, |weight, value| {
            logit += self.weights[weight] * value
        });
        logit
    }
}

impl Evaluator<Contest> for ContestEvaluator {
    #[inline]
    fn evaluate(&self, position: &Position) -> f32 {
        1.0 / (1.0 + (-self.logit(position)).exp())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn score(position: &str) -> f32 {
        ContestEvaluator::default().evaluate(&position.parse().unwrap())
    }

    #[test]
    fn scores_are_probabilities_that_favour_the_freer_bee() {
        // Blue's bee in the middle of red's pieces, red's at the rim of the hive.
        let score = score("20 - 0,0:bQ;1,0:rA;0,1:rA;-1,1:rS;-1,0:rQ;0,-1:bA AG/AG");
        assert!(score > 0.6 && score < 1.0, "{score}");
    }

    #[test]
    fn both_sides_see_the_same_position() {
        let even = score("6 - 0,0:rQ;1,0:bQ AAA/AAA");
        let even_for_blue = score("7 - 0,0:rQ;1,0:bQ AAA/AAA");
        assert!((even - even_for_blue).abs() < 1e-6);
        assert!(even > 0.5);
    }
}
