//! A player that looks one ply ahead.

use rand::SeedableRng;
use rand::seq::IndexedRandom;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::{Choice, Evaluator, Line, Player, Proof, SearchControl};
use crate::hive::{MoveList, Position, RuleBook};

/// Plays the move after which the evaluation is best; the seed decides between equals.
#[derive(Clone, Debug)]
pub struct GreedyPlayer<E> {
    evaluator: E,
    seed: u64,
    rng: Xoshiro256PlusPlus,
}

impl<E> GreedyPlayer<E> {
    /// A player with this evaluation.
    pub fn new(evaluator: E, seed: u64) -> GreedyPlayer<E> {
        GreedyPlayer {
            evaluator,
            seed,
            rng: Xoshiro256PlusPlus::seed_from_u64(seed),
        }
    }
}

impl<R: RuleBook, E: Evaluator<R>> Player<R> for GreedyPlayer<E> {
    fn choose(&mut self, position: &Position<R>, _: &SearchControl<'_, R>) -> Option<Choice<R>> {
        let mut moves = MoveList::new();
        position.legal_moves(&mut moves);
        let scored: Vec<Line<R>> = self.evaluator.with_successors(position, |judge| {
            let scored = moves.iter().map(|&mv| {
                let next = position.after(mv);
                let proof = next
                    .outcome()
                    .map(|o| Proof::of(o, position.side_to_move()));
                let score = match proof {
                    Some(proof) => proof.score(),
                    None => 1.0 - judge(mv, &next),
                };
                Line {
                    score: Some(f64::from(score)),
                    proof,
                    ..Line::unjudged(mv)
                }
            });
            scored.collect()
        });
        let score = |line: &&Line<R>| line.score.unwrap_or(0.0);
        let highest = scored.iter().max_by(|a, b| score(a).total_cmp(&score(b)))?;
        let equals: Vec<&Line<R>> = scored.iter().filter(|l| l.score == highest.score).collect();
        let best = equals.choose(&mut self.rng).copied()?.clone();
        Some(Choice {
            best,
            nodes: moves.len() as u64,
        })
    }

    fn new_game(&mut self) {
        self.rng = Xoshiro256PlusPlus::seed_from_u64(self.seed);
    }
}
