//! The evaluation of the contest's positions.
//!
//! A weighted sum of what a player looks at first, squashed to an expected score by the logistic function. [`features`] says
//! what is looked at, [`Weights`] how much it counts.

mod features;
mod links_cache;
mod weights;
mod weights_file;

use super::Evaluator;
use crate::hive::contest::{Contest, Position};

pub use features::features;
use features::features_with_links;
use links_cache::LinksCache;
pub use weights::{ParseWeightsError, WEIGHT_COUNT, WeightIndex, Weights};
pub use weights_file::{LoadWeightsError, WeightsFile, WeightsFileError};

/// Judges positions by weighted features.
#[derive(Clone, Debug, Default)]
pub struct ContestEvaluator {
    weights: Weights,
    links: LinksCache,
}

impl ContestEvaluator {
    /// An evaluation with these weights.
    pub fn new(weights: Weights) -> ContestEvaluator {
        ContestEvaluator {
            weights,
            links: LinksCache::default(),
        }
    }

    /// The weighted sum in logits, as the side to move sees it: 0 is an even game, 1 an expected score of 73%.
    #[inline]
    pub fn logit(&self, position: &Position) -> f32 {
        let mut logit = 0.0;
        let links = self.links.links(position.occupied());
        features_with_links(position, links, |weight, value| {
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
    use rand::SeedableRng;
    use rand_xoshiro::Xoshiro256PlusPlus;

    use super::*;
    use crate::hive::contest::{Deal, random_brambles};
    use crate::search::random::random_move;

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

    #[test]
    fn a_judgement_does_not_depend_on_what_was_judged_before() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(5);
        let used = ContestEvaluator::default();
        for _ in 0..20 {
            let mut position = Deal::Server.start(random_brambles(&mut rng));
            while let Some(mv) = random_move(&position, &mut rng) {
                position.play(mv);
                let mut afresh = 0.0;
                features(&position, |weight, value| {
                    afresh += used.weights[weight] * value
                });
                assert_eq!(used.logit(&position), afresh, "{position}");
            }
        }
    }
}
