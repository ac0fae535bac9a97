//! What positions should be judged as, and which are held out.

use rand::{RngExt, SeedableRng};
use rand_xoshiro::SplitMix64;

use crate::dataset::LabelledPosition;
use crate::hive::RuleBook;

/// How labelled positions are used.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Targets {
    /// Share of the game's result in a target, in `0..=1`; the rest is what the search expected. Where nothing was judged, the
    /// result alone is the target.
    pub result_share: f32,
    /// Share of the games that are held out, in `0..=1`.
    pub held_out_share: f64,
    /// Decides which games are held out.
    pub seed: u64,
}

impl Targets {
    /// How the game ended for the side to move, in `0..=1`.
    pub fn result<R: RuleBook>(labelled: &LabelledPosition<R>) -> f32 {
        f32::from(labelled.result.half_points()) / 2.0
    }

    /// What a position should be judged as, in `0..=1`.
    pub fn of<R: RuleBook>(&self, labelled: &LabelledPosition<R>) -> f32 {
        let result = Targets::result(labelled);
        labelled.expected_score().map_or(result, |expected| {
            self.result_share * result + (1.0 - self.result_share) * expected as f32
        })
    }

    /// Whether a position is held out: all of a game are or none, since they are too much alike. `file` is the number of the
    /// file that it is from.
    pub fn is_held_out<R: RuleBook>(&self, file: u32, labelled: &LabelledPosition<R>) -> bool {
        SplitMix64::seed_from_u64(self.seed ^ Targets::game(file, labelled).rotate_left(17))
            .random_bool(self.held_out_share.clamp(0.0, 1.0))
    }

    /// Tells the games of several files apart.
    pub(super) fn game<R: RuleBook>(file: u32, labelled: &LabelledPosition<R>) -> u64 {
        u64::from(file) << 32 | u64::from(labelled.game)
    }
}
