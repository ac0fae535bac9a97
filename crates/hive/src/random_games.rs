//! Random games, for tests.

use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::Position;
use super::contest::{Contest, Deal, random_brambles};
use super::standard::{GameType, OpeningRule, StandardNarrow};

/// Hands the positions of twenty games of the contest, and of one game of each type of standard
/// Hive up to its 60th ply, to the closures.
pub fn for_each_position(
    seed: u64,
    mut of_contest: impl FnMut(&Position<Contest>),
    mut of_standard: impl FnMut(&Position<StandardNarrow>),
) {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    for _ in 0..20 {
        let mut position = Deal::Server.start(random_brambles(&mut rng));
        of_contest(&position);
        while let Some(mv) = position.random_move(&mut rng) {
            position.play(mv);
            of_contest(&position);
        }
    }
    for game_type in GameType::ALL {
        let mut position: Position<StandardNarrow> = game_type.start(OpeningRule::default());
        of_standard(&position);
        while position.turn() < 60
            && let Some(mv) = position.random_move(&mut rng)
        {
            position.play(mv);
            of_standard(&position);
        }
    }
}
