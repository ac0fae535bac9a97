//! A player that looks one ply ahead.

use rand::SeedableRng;
use rand::seq::IndexedRandom;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::choice::{Choice, RootMove, Solved};
use super::control::SearchControl;
use super::player::Player;
use crate::Playable;
use crate::evaluation::Evaluator;
use wabe_hive::game::Record;

/// Plays the move with the best evaluation one ply ahead; ties are broken at random.
#[derive(Clone, Debug)]
pub struct GreedyPlayer<E> {
    evaluator: E,
    seed: u64,
    rng: Xoshiro256PlusPlus,
}

impl<E> GreedyPlayer<E> {
    /// Evaluates with `evaluator`; `seed` decides between equal moves.
    pub fn new(evaluator: E, seed: u64) -> GreedyPlayer<E> {
        GreedyPlayer {
            evaluator,
            seed,
            rng: Xoshiro256PlusPlus::seed_from_u64(seed),
        }
    }
}

impl<G: Playable, E: Evaluator<G>> Player<G> for GreedyPlayer<E> {
    fn choose(&mut self, record: &Record<G>, _: &SearchControl<'_, G>) -> Option<Choice<G>> {
        let position = record.position();
        let moves = record.legal_moves();
        let evaluate = self.evaluator.successors(position);
        let scored = moves.iter().map(|&mv| {
            let next = position.after(mv);
            let proof = match next.outcome() {
                Some(outcome) => Some(Solved::from_winner(
                    outcome.winner(),
                    position.side_to_move(),
                )),
                None => record.repeats(mv).then_some(Solved::Draw),
            };
            let score = match proof {
                Some(proof) => proof.score(),
                None => 1.0 - E::score(evaluate(mv, &next).value),
            };
            RootMove {
                score: Some(f64::from(score)),
                proof,
                ..RootMove::without_evaluation(mv)
            }
        });
        let scored: Vec<RootMove<G>> = scored.collect();
        let score = |line: &&RootMove<G>| line.score.unwrap_or(0.0);
        let highest = scored.iter().max_by(|a, b| score(a).total_cmp(&score(b)))?;
        let ties: Vec<&RootMove<G>> = scored.iter().filter(|l| l.score == highest.score).collect();
        let best = ties.choose(&mut self.rng).copied()?.clone();
        Some(Choice {
            best,
            nodes: moves.len() as u64,
        })
    }

    fn new_game(&mut self) {
        self.rng = Xoshiro256PlusPlus::seed_from_u64(self.seed);
    }
}
