//! A player of random moves.

use rand::SeedableRng;
use rand::seq::IndexedRandom;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::choice::{Choice, RootMove};
use super::control::SearchControl;
use super::player::Player;
use crate::Playable;
use wabe_hive::game::Record;

/// Plays each legal move with the same probability.
#[derive(Clone, Debug)]
pub struct RandomPlayer {
    seed: u64,
    rng: Xoshiro256PlusPlus,
}

impl RandomPlayer {
    /// The same `seed` gives the same moves.
    pub fn new(seed: u64) -> RandomPlayer {
        RandomPlayer {
            seed,
            rng: Xoshiro256PlusPlus::seed_from_u64(seed),
        }
    }
}

impl<G: Playable> Player<G> for RandomPlayer {
    fn choose(&mut self, record: &Record<G>, _: &SearchControl<'_, G>) -> Option<Choice<G>> {
        let mv = *record.legal_moves().choose(&mut self.rng)?;
        Some(Choice {
            best: RootMove::without_evaluation(mv),
            nodes: 0,
        })
    }

    fn new_game(&mut self) {
        *self = RandomPlayer::new(self.seed);
    }
}
