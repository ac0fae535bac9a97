//! Random games, for tests.

use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::Position;
use super::contest::{Contest, Deal, random_brambles};
use super::standard::{GameType, OpeningRule, StandardNarrow};

/// Visits every position of 20 contest games, and of one game per standard game type up to ply 60.
pub fn for_each_position(
    seed: u64,
    mut visit_contest: impl FnMut(&Position<Contest>),
    mut visit_standard: impl FnMut(&Position<StandardNarrow>),
) {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    for _ in 0..20 {
        let mut position = Deal::Contest.start(random_brambles(&mut rng));
        visit_contest(&position);
        while let Some(mv) = position.random_move(&mut rng) {
            position.play(mv);
            visit_contest(&position);
        }
    }
    for game_type in GameType::ALL {
        let mut position: Position<StandardNarrow> = game_type.start(OpeningRule::default());
        visit_standard(&position);
        while position.turn() < 60
            && let Some(mv) = position.random_move(&mut rng)
        {
            position.play(mv);
            visit_standard(&position);
        }
    }
}
