//! The evaluation of standard Hive's positions: a small learned network, or a [weighted sum](StandardWeights) of what a player looks at
//! first. Either gives logits, which the logistic function turns into an expected score.

mod linear;
mod network;

use std::sync::Arc;

use super::Evaluator;
use super::links_cache::LinksCache;
use super::network::Network;
use crate::hex::{CompactTorus, Grid, WideTorus};
use crate::hive::standard::{Compact, Move, Position, Wide};
use crate::hive::{CellSetOf, links};

pub use linear::{
    Feature, ParseStandardWeightsError, STANDARD_FEATURE_COUNT, StandardWeights, standard_features,
};
use network::NetworkEvaluator;

/// Judges standard Hive's positions.
#[derive(Clone, Debug)]
pub struct StandardEvaluator {
    kind: Kind,
    links: LinksCache<CellSetOf<Compact>>,
}

#[derive(Clone, Debug)]
enum Kind {
    Linear(Box<StandardWeights>),
    Network(NetworkEvaluator),
}

/// The built-in network.
impl Default for StandardEvaluator {
    fn default() -> StandardEvaluator {
        StandardEvaluator::network(network::built_in())
    }
}

/// What decides how standard Hive's positions are judged.
#[derive(Clone, Debug, PartialEq)]
pub enum StandardEvaluation {
    /// A weighted sum.
    Linear(Box<StandardWeights>),
    /// A network.
    Network(Arc<Network>),
}

impl StandardEvaluator {
    /// The evaluation with these weights.
    pub fn new(evaluation: &StandardEvaluation) -> StandardEvaluator {
        match evaluation {
            StandardEvaluation::Linear(weights) => StandardEvaluator::linear((**weights).clone()),
            StandardEvaluation::Network(network) => StandardEvaluator::network(Arc::clone(network)),
        }
    }

    /// A weighted sum.
    pub fn linear(weights: StandardWeights) -> StandardEvaluator {
        StandardEvaluator {
            kind: Kind::Linear(Box::new(weights)),
            links: LinksCache::default(),
        }
    }

    /// A network.
    pub fn network(network: Arc<Network>) -> StandardEvaluator {
        StandardEvaluator {
            kind: Kind::Network(NetworkEvaluator::new(network)),
            links: LinksCache::default(),
        }
    }

    /// What a position is worth to the side to move.
    #[inline]
    fn judge<G: Grid>(&self, position: &Position<G>, links: impl Fn(G::Set) -> G::Set) -> f32 {
        expected_score(match &self.kind {
            Kind::Linear(weights) => linear::logit(weights, position, links(position.occupied())),
            Kind::Network(network) => network.logit(position, links),
        })
    }

    #[inline]
    fn judge_successors<G: Grid, T>(
        &self,
        position: &Position<G>,
        links: impl Fn(G::Set) -> G::Set,
        judge_them: impl FnOnce(&dyn Fn(Move<G>, &Position<G>) -> f32) -> T,
    ) -> T {
        match &self.kind {
            Kind::Linear(_) => judge_them(&|_, next| self.judge(next, &links)),
            Kind::Network(network) => {
                let logit = network.successors(position, links);
                judge_them(&|mv, next| expected_score(logit(mv, next)))
            }
        }
    }
}

/// The logistic function.
#[inline]
fn expected_score(logit: f32) -> f32 {
    1.0 / (1.0 + (-logit).exp())
}

impl Evaluator<Compact> for StandardEvaluator {
    #[inline]
    fn evaluate(&self, position: &Position<CompactTorus>) -> f32 {
        self.judge(position, |hive| self.links.links::<CompactTorus>(hive))
    }

    #[inline]
    fn with_successors<T>(
        &self,
        position: &Position<CompactTorus>,
        judge_them: impl FnOnce(&dyn Fn(Move<CompactTorus>, &Position<CompactTorus>) -> f32) -> T,
    ) -> T {
        let links = |hive| self.links.links::<CompactTorus>(hive);
        self.judge_successors(position, links, judge_them)
    }
}

/// Without a memory of links: hives are rarely as large as that.
impl Evaluator<Wide> for StandardEvaluator {
    fn evaluate(&self, position: &Position) -> f32 {
        self.judge(position, links::<WideTorus>)
    }

    fn with_successors<T>(
        &self,
        position: &Position,
        judge_them: impl FnOnce(&dyn Fn(Move, &Position) -> f32) -> T,
    ) -> T {
        self.judge_successors(position, links::<WideTorus>, judge_them)
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand_xoshiro::Xoshiro256PlusPlus;

    use super::super::network::{NetworkInputs, arbitrary};
    use super::*;
    use crate::hex::Symmetry;
    use crate::hive::standard::{GameType, MoveList, Opening};
    use crate::search::random::random_move;

    fn score(position: &str) -> f32 {
        let evaluator = StandardEvaluator::linear(StandardWeights::default());
        evaluator.evaluate(&position.parse::<Position>().unwrap())
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

    /// Games of random moves, of every type.
    fn for_each_position(mut look: impl FnMut(&Position<CompactTorus>)) {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(6);
        for game_type in GameType::ALL {
            let mut position: Position<CompactTorus> = game_type.start(Opening::default());
            while let Some(mv) = random_move(&position, &mut rng).filter(|_| position.turn() < 70) {
                position.play(mv);
                if position.outcome().is_none() {
                    look(&position);
                }
            }
        }
    }

    #[test]
    fn successors_are_judged_as_if_they_stood_alone() {
        let evaluator = StandardEvaluator::network(Arc::new(arbitrary::<Compact>(7)));
        for_each_position(|position| {
            let mut moves = MoveList::<CompactTorus>::new();
            position.legal_moves(&mut moves);
            evaluator.with_successors(position, |judge| {
                for &mv in moves.iter() {
                    let next = position.after(mv);
                    assert_eq!(judge(mv, &next), evaluator.evaluate(&next), "{next}");
                }
            });
        });
    }

    #[test]
    fn the_network_sees_the_same_position_through_every_symmetry_and_on_every_board() {
        let images: Vec<_> = Symmetry::ALL
            .map(|s| (s, Compact::images_of_inputs(s)))
            .into();
        for_each_position(|position| {
            let mut seen = Vec::new();
            Compact::inputs_of(position, |input| seen.push(input));
            let mut on_wide = Vec::new();
            let wide: Position = position.to_string().parse().unwrap();
            Wide::inputs_of(&wide, |input| on_wide.push(input));
            seen.sort_unstable();
            on_wide.sort_unstable();
            assert_eq!(seen, on_wide, "{position}");
            for (symmetry, images) in &images {
                let mut expected: Vec<_> = seen.iter().map(|i| images[i.number()]).collect();
                let mut found = Vec::new();
                let image = wide.transformed(*symmetry).unwrap();
                Wide::inputs_of(&image, |input| found.push(input));
                expected.sort_unstable();
                found.sort_unstable();
                assert_eq!(found, expected, "{position}");
            }
        });
    }

    #[test]
    fn a_pillbug_beside_the_own_queen_is_a_defence() {
        let far = "20 - 0,0:rQ;1,0:rA;0,1:bA;-1,0:bA;2,0:rP;-1,-1:bQ -/-";
        let near = "20 - 0,0:rQ;1,0:rP;0,1:bA;-1,0:bA;2,0:rA;-1,-1:bQ -/-";
        assert!(score(near) > score(far));
    }
}
