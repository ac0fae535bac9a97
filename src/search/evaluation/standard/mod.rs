//! The evaluation of standard Hive's positions: a weighted sum of what a player looks at first, squashed to an expected score
//! by the logistic function.

mod features;
mod weights;

use super::Evaluator;
use crate::hex::Grid;
use crate::hive::Position;
use crate::hive::standard::Standard;

pub use features::standard_features;
pub use weights::{Feature, ParseStandardWeightsError, STANDARD_FEATURE_COUNT, StandardWeights};

/// Judges positions by queens, mobility and reserves.
#[derive(Clone, Debug, Default)]
pub struct StandardEvaluator {
    weights: StandardWeights,
}

impl StandardEvaluator {
    /// An evaluation with these weights.
    pub fn new(weights: StandardWeights) -> StandardEvaluator {
        StandardEvaluator { weights }
    }

    /// The weighted sum in logits, as the side to move sees it: 0 is an even game, 1 an expected score of 73%.
    pub fn logit<G: Grid>(&self, position: &Position<Standard<G>>) -> f32 {
        let mut logit = 0.0;
        standard_features(position, |feature, value| {
            logit += self.weights[feature] * value;
        });
        logit
    }
}

impl<G: Grid> Evaluator<Standard<G>> for StandardEvaluator {
    fn evaluate(&self, position: &Position<Standard<G>>) -> f32 {
        1.0 / (1.0 + (-self.logit(position)).exp())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hive::standard::Position;

    fn score(position: &str) -> f32 {
        StandardEvaluator::default().evaluate(&position.parse::<Position>().unwrap())
    }

    #[test]
    fn a_crowded_queen_is_worse_than_a_free_one() {
        let crowded = "20 - 0,0:bQ;1,0:rA;0,1:rA;-1,1:rS;-1,0:rQ;0,-1:bA AG/AG";
        let score_of_red = score(crowded);
        assert!(score_of_red > 0.6 && score_of_red < 1.0, "{score_of_red}");
        let score_of_blue = score(&crowded.replacen("20", "21", 1));
        assert!(score_of_blue < 0.5, "{score_of_blue}");
    }

    #[test]
    fn both_sides_see_the_same_position() {
        let even = score("6 - 0,0:rQ;1,0:bQ AAA/AAA");
        let even_for_blue = score("7 - 0,0:rQ;1,0:bQ AAA/AAA");
        assert!((even - even_for_blue).abs() < 1e-6);
        assert!(even > 0.5);
    }

    #[test]
    fn a_pillbug_beside_the_own_queen_is_a_defence() {
        let far = "20 - 0,0:rQ;1,0:rA;0,1:bA;-1,0:bA;2,0:rP;-1,-1:bQ -/-";
        let near = "20 - 0,0:rQ;1,0:rP;0,1:bA;-1,0:bA;2,0:rA;-1,-1:bQ -/-";
        assert!(score(near) > score(far));
    }
}
