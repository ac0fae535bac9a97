//! Games that the engine can play.

use crate::evaluation::Features;
use crate::search::Level;
use crate::{FullBoard, NarrowBoard, SearchBoard};
use wabe_hive::contest::Contest;
use wabe_hive::game::Game;
use wabe_hive::standard::Standard;

/// A game with network features and search settings.
pub trait Playable: Game + Features {
    /// The board for the search.
    type Frame: SearchBoard<Self>;

    /// Default exploration weight in PUCT.
    const EXPLORATION: f32;

    /// Temperature of each [`Level`], the weakest first: the difference in expected score that makes
    /// a move e times less likely. 0 always chooses the best.
    const LEVEL_TEMPERATURES: [f64; Level::MAX as usize];

    /// The records of the benchmark, one per line, from opening to endgame. It searches their last
    /// positions.
    const BENCH: &'static str;
}

impl Playable for Contest {
    type Frame = FullBoard;

    const EXPLORATION: f32 = 0.5;

    const LEVEL_TEMPERATURES: [f64; Level::MAX as usize] = [
        0.24, 0.1, 0.056, 0.033, 0.0175, 0.008, 0.0045, 0.0025, 0.0, 0.0,
    ];

    const BENCH: &'static str = include_str!("search/bench/contest.txt");
}

impl Playable for Standard {
    type Frame = NarrowBoard;

    const EXPLORATION: f32 = 0.9;

    const LEVEL_TEMPERATURES: [f64; Level::MAX as usize] = [
        0.132, 0.079, 0.0485, 0.0307, 0.0218, 0.0163, 0.0155, 0.0155, 0.003, 0.0,
    ];

    const BENCH: &'static str = include_str!("search/bench/standard.txt");
}
