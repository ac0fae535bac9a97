//! The evaluation of the contest's positions: a small learned [network](Network), or a [weighted sum](Weights) of what a player looks
//! at first. Either gives logits, which the logistic function turns into an expected score.

mod linear;
mod network;

use std::sync::Arc;

use super::Evaluator;
use super::network::Network;
use crate::hive::contest::{Contest, Move, Position};

use linear::LinearEvaluator;
pub use linear::{ParseWeightsError, WEIGHT_COUNT, WeightIndex, Weights, features};
use network::NetworkEvaluator;

/// Judges the contest's positions.
#[derive(Clone, Debug)]
pub struct ContestEvaluator(Kind);

#[derive(Clone, Debug)]
enum Kind {
    Linear(LinearEvaluator),
    Network(NetworkEvaluator),
}

/// The built-in network.
impl Default for ContestEvaluator {
    fn default() -> ContestEvaluator {
        ContestEvaluator::network(network::built_in())
    }
}

/// What decides how the contest's positions are judged.
#[derive(Clone, Debug, PartialEq)]
pub enum ContestEvaluation {
    /// A weighted sum.
    Linear(Box<Weights>),
    /// A network.
    Network(Arc<Network>),
}

impl ContestEvaluator {
    /// A weighted sum.
    pub fn linear(weights: Weights) -> ContestEvaluator {
        ContestEvaluator(Kind::Linear(LinearEvaluator::new(weights)))
    }

    /// A network.
    pub fn network(network: Arc<Network>) -> ContestEvaluator {
        ContestEvaluator(Kind::Network(NetworkEvaluator::new(network)))
    }

    /// The evaluation with these weights.
    pub fn new(evaluation: &ContestEvaluation) -> ContestEvaluator {
        match evaluation {
            ContestEvaluation::Linear(weights) => ContestEvaluator::linear((**weights).clone()),
            ContestEvaluation::Network(network) => ContestEvaluator::network(Arc::clone(network)),
        }
    }

    /// The evaluation in logits, as the side to move sees it: 0 is an even game, 1 an expected score of 73%.
    #[inline]
    pub fn logit(&self, position: &Position) -> f32 {
        match &self.0 {
            Kind::Linear(linear) => linear.logit(position),
            Kind::Network(network) => network.logit(position),
        }
    }
}

/// The logistic function.
#[inline]
fn expected_score(logit: f32) -> f32 {
    1.0 / (1.0 + (-logit).exp())
}

impl Evaluator<Contest> for ContestEvaluator {
    #[inline]
    fn evaluate(&self, position: &Position) -> f32 {
        expected_score(self.logit(position))
    }

    #[inline]
    fn with_successors<T>(
        &self,
        position: &Position,
        judge_them: impl FnOnce(&dyn Fn(Move, &Position) -> f32) -> T,
    ) -> T {
        match &self.0 {
            Kind::Linear(linear) => judge_them(&|_, next| expected_score(linear.logit(next))),
            Kind::Network(network) => {
                let logit = network.successors(position);
                judge_them(&|mv, next| expected_score(logit(mv, next)))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand_xoshiro::Xoshiro256PlusPlus;

    use super::super::network::{NetworkInputs, arbitrary};
    use super::*;
    use crate::hex::Symmetry;
    use crate::hive::contest::{Deal, random_brambles};
    use crate::search::random::random_move;

    #[test]
    fn scores_are_probabilities_that_favour_the_freer_bee() {
        // Blue's bee in the middle of red's pieces, red's at the rim of the hive.
        let position = "20 - 0,0:bQ;1,0:rA;0,1:rA;-1,1:rS;-1,0:rQ;0,-1:bA AG/AG";
        let position = position.parse().unwrap();
        for evaluator in [
            ContestEvaluator::default(),
            ContestEvaluator::linear(Weights::default()),
        ] {
            let score = evaluator.evaluate(&position);
            assert!(score > 0.6 && score < 1.0, "{score}");
        }
    }

    #[test]
    fn the_weighted_sum_judges_both_sides_alike() {
        let evaluator = ContestEvaluator::linear(Weights::default());
        let score = |position: &str| evaluator.evaluate(&position.parse().unwrap());
        let even = score("6 - 0,0:rQ;1,0:bQ AAA/AAA");
        let even_for_blue = score("7 - 0,0:rQ;1,0:bQ AAA/AAA");
        assert!((even - even_for_blue).abs() < 1e-6);
        assert!(even > 0.5);
    }

    #[test]
    fn a_judgement_does_not_depend_on_what_was_judged_before() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(5);
        let weights = Weights::default();
        let used = ContestEvaluator::linear(weights.clone());
        for _ in 0..20 {
            let mut position = Deal::Server.start(random_brambles(&mut rng));
            while let Some(mv) = random_move(&position, &mut rng) {
                position.play(mv);
                let mut afresh = 0.0;
                features(&position, |weight, value| afresh += weights[weight] * value);
                assert_eq!(used.logit(&position), afresh, "{position}");
            }
        }
    }

    #[test]
    fn successors_are_judged_as_if_they_stood_alone() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(6);
        let evaluator = ContestEvaluator::network(Arc::new(arbitrary::<Contest>(7)));
        for _ in 0..20 {
            let mut position = Deal::Server.start(random_brambles(&mut rng));
            while let Some(mv) = random_move(&position, &mut rng) {
                let mut moves = crate::hive::contest::MoveList::new();
                position.legal_moves(&mut moves);
                evaluator.with_successors(&position, |judge| {
                    for &mv in moves.iter() {
                        let next = position.after(mv);
                        assert_eq!(judge(mv, &next), evaluator.evaluate(&next), "{next}");
                    }
                });
                position.play(mv);
            }
        }
    }

    #[test]
    fn the_network_sees_the_same_position_through_every_symmetry() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(8);
        let images: Vec<_> = Symmetry::ALL
            .map(|s| (s, Contest::images_of_inputs(s)))
            .into();
        for _ in 0..5 {
            let mut position = Deal::Server.start(random_brambles(&mut rng));
            while let Some(mv) = random_move(&position, &mut rng) {
                position.play(mv);
                for (symmetry, images) in &images {
                    let mut expected = Vec::new();
                    Contest::inputs_of(&position, |input| expected.push(images[input.number()]));
                    let mut found = Vec::new();
                    let image = position.transformed(*symmetry).unwrap();
                    Contest::inputs_of(&image, |input| found.push(input));
                    expected.sort_unstable();
                    found.sort_unstable();
                    assert_eq!(found, expected, "{position}");
                }
            }
        }
    }
}
