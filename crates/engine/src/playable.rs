//! Games that the search plays.

use crate::evaluation::Features;
use crate::{FullBoard, NarrowBoard, SearchBoard};
use wabe_hive::contest::Contest;
use wabe_hive::game::Game;
use wabe_hive::standard::Standard;

/// A game with features for the network and settings of the search.
pub trait Playable: Game + Features {
    /// The board of the search.
    type Frame: SearchBoard<Self>;

    /// Default weight of priors against expected scores.
    const EXPLORATION: f32;

    /// Records whose last positions a benchmark searches, one per line: from openings to endings.
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
