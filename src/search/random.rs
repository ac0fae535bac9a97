//! A player that plays anything.

use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::{Choice, Line, Player, SearchControl};
use crate::hive::{MoveList, Position, RuleBook};

/// Plays each legal move with the same probability.
#[derive(Clone, Debug)]
pub struct RandomPlayer {
    seed: u64,
    rng: Xoshiro256PlusPlus,
}

impl RandomPlayer {
    /// A player whose games are decided by `seed`.
    pub fn new(seed: u64) -> RandomPlayer {
        RandomPlayer {
            seed,
            rng: Xoshiro256PlusPlus::seed_from_u64(seed),
        }
    }
}

/// A legal move, each with the same probability; `None` when the game is over.
pub(super) fn random_move<R: RuleBook>(
    position: &Position<R>,
    rng: &mut impl Rng,
) -> Option<crate::hive::Move<R>> {
    let mut moves = MoveList::new();
    position.legal_moves(&mut moves);
    moves.choose(rng).copied()
}

impl<R: RuleBook> Player<R> for RandomPlayer {
    fn choose(&mut self, position: &Position<R>, _: &SearchControl<'_, R>) -> Option<Choice<R>> {
        let mv = random_move(position, &mut self.rng)?;
        Some(Choice {
            best: Line::unjudged(mv),
            nodes: 0,
        })
    }

    fn new_game(&mut self) {
        *self = RandomPlayer::new(self.seed);
    }
}
