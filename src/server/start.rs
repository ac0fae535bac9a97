//! What games start from.

use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::hex::BoardSet;
use crate::hive::contest::{Deal, Position, random_brambles};
use crate::protocol::WireMove;

/// The first state of a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Start {
    /// The position; its turn need not be 0.
    pub position: Position,
    /// What led to it, for the states that name the last move.
    pub last_move: Option<WireMove>,
}

/// Where a server takes its games' first states from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StartSource {
    /// Every game begins with an empty board.
    Dealt {
        /// Which pieces the sides get.
        deal: Deal,
        /// Where the brambles are; without it three fields are drawn for each game.
        brambles: Option<BoardSet>,
    },
    /// Every game begins here.
    Loaded(Box<Start>),
}

impl Default for StartSource {
    fn default() -> StartSource {
        StartSource::Dealt {
            deal: Deal::default(),
            brambles: None,
        }
    }
}

impl StartSource {
    /// The start of game number `number` under `seed`: a game's brambles depend on nothing else.
    pub fn start(&self, seed: u64, number: u64) -> Start {
        match self {
            StartSource::Loaded(start) => Start::clone(start),
            StartSource::Dealt { deal, brambles } => {
                let brambles = brambles.unwrap_or_else(|| {
                    let game_seed = seed.wrapping_add(number.wrapping_mul(0x9e37_79b9_7f4a_7c15));
                    random_brambles(&mut Xoshiro256PlusPlus::seed_from_u64(game_seed))
                });
                Start {
                    position: deal.start(brambles),
                    last_move: None,
                }
            }
        }
    }
}
