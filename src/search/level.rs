//! Levels of strength for people to play against.

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::choice::Choice;
use super::control::SearchControl;
use super::player::Player;
use super::random::RandomPlayer;
use crate::game::{Game, Record};

/// A level of strength.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Level {
    /// Largest number of iterations for a move; `None` for no limit.
    pub nodes: Option<u64>,
    /// Percentage of random moves.
    pub slips: u32,
}

impl Level {
    /// All levels, the weakest first. The first [`Level::BEGINNERS`] slip.
    pub const ALL: [Level; 7] = [
        Level::new(Some(4), 50),
        Level::new(Some(8), 20),
        Level::new(Some(10), 0),
        Level::new(Some(60), 0),
        Level::new(Some(400), 0),
        Level::new(Some(3_000), 0),
        Level::new(None, 0),
    ];

    /// Number of levels for beginners.
    pub const BEGINNERS: usize = 2;

    const fn new(nodes: Option<u64>, slips: u32) -> Level {
        Level { nodes, slips }
    }
}

/// A player that makes random moves now and then.
pub struct SlippingPlayer<G: Game> {
    player: Box<dyn Player<G>>,
    slips: u32,
    seed: u64,
    rng: Xoshiro256PlusPlus,
    random: RandomPlayer,
}

impl<G: Game> SlippingPlayer<G> {
    /// Makes `slips` percent of its moves at random, drawn with `seed`, and the others as `player` does.
    pub fn new(player: Box<dyn Player<G>>, slips: u32, seed: u64) -> SlippingPlayer<G> {
        SlippingPlayer {
            player,
            slips,
            seed,
            rng: Xoshiro256PlusPlus::seed_from_u64(seed),
            random: RandomPlayer::new(seed),
        }
    }
}

impl<G: Game> Player<G> for SlippingPlayer<G> {
    fn choose(&mut self, record: &Record<G>, control: &SearchControl<'_, G>) -> Option<Choice<G>> {
        if self.rng.random_ratio(self.slips.min(100), 100) {
            self.random.choose(record, control)
        } else {
            self.player.choose(record, control)
        }
    }

    fn new_game(&mut self) {
        self.player.new_game();
        self.rng = Xoshiro256PlusPlus::seed_from_u64(self.seed);
        Player::<G>::new_game(&mut self.random);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hive::contest::Contest;
    use crate::search::{Limits, PlayerSpec, unstopped};

    #[test]
    fn beginners_slip_as_often_as_told() {
        let record: Record<Contest> = Record::from(Contest::plain_start(Default::default()));
        let moves = |slips| {
            let best = PlayerSpec::default().prepare(7).unwrap().build();
            let mut player = SlippingPlayer::<Contest>::new(best, slips, 7);
            let choose = |_| {
                let choice = unstopped(Limits::Nodes(1), |control| player.choose(&record, control));
                choice.unwrap().best.score.is_some()
            };
            (0..200).map(choose).filter(|&judged| judged).count()
        };
        assert_eq!([moves(0), moves(100)], [200, 0]);
        assert!((70..130).contains(&moves(50)), "{}", moves(50));
    }
}
