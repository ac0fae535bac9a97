//! Games that the engine can play.

use crate::evaluation::Features;
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

    /// The records of the benchmark, one per line, from opening to endgame. It searches their last
    /// positions.
    const BENCH: &'static str;
}

impl Playable for Contest {
    type Frame = FullBoard;

    const EXPLORATION: f32 = 0.5;

    const BENCH: &'static str = include_str!("search/bench/contest.txt");
}

impl Playable for Standard {
    type Frame = NarrowBoard;

    const EXPLORATION: f32 = 0.9;

    const BENCH: &'static str = include_str!("search/bench/standard.txt");
}
