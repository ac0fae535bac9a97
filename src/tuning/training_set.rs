//! Positions as a fit sees them: features and targets.

use rand::{RngExt, SeedableRng};
use rand_xoshiro::SplitMix64;

use crate::dataset::LabelledPosition;
use crate::search::{WEIGHT_COUNT, features};

/// A feature that a position has: index of its weight, and its value.
type Feature = (u8, f32);

/// Features and targets of many positions, behind each other.
#[derive(Clone, Debug, Default)]
pub struct TrainingSet {
    features: Vec<Feature>,
    /// Where each position's features end.
    ends: Vec<usize>,
    /// What each position should be judged as, in `0..=1`.
    targets: Vec<f32>,
}

impl TrainingSet {
    /// Adds a position that should be judged as `target`, in `0..=1`.
    pub fn push(&mut self, labelled: &LabelledPosition, target: f32) {
        let mut sums = [0.0; WEIGHT_COUNT];
        features(&labelled.position, |weight, value| {
            sums[weight.index()] += value
        });
        self.features.extend(
            (0u8..)
                .zip(sums)
                .filter(|(_, value)| *value != 0.0)
                .collect::<Vec<_>>(),
        );
        self.ends.push(self.features.len());
        self.targets.push(target);
    }

    /// Number of positions.
    pub fn len(&self) -> usize {
        self.targets.len()
    }

    /// Whether there is no position.
    pub fn is_empty(&self) -> bool {
        self.targets.is_empty()
    }

    fn features_of(&self, index: usize) -> &[Feature] {
        let start = index
            .checked_sub(1)
            .and_then(|previous| self.ends.get(previous));
        let range = start.copied().unwrap_or(0)..self.ends.get(index).copied().unwrap_or(0);
        self.features.get(range).unwrap_or(&[])
    }

    /// Cross-entropy of the target of a position and what `weights` make of it, in nats; adds its derivatives to `gradient`.
    pub(super) fn loss(&self, index: usize, weights: &[f64], gradient: Option<&mut [f64]>) -> f64 {
        let features = self.features_of(index);
        let target = f64::from(self.targets.get(index).copied().unwrap_or(0.5));
        let logit: f64 = features
            .iter()
            .map(|&(weight, value)| weights[usize::from(weight)] * f64::from(value))
            .sum();
        if let Some(gradient) = gradient {
            let error = 1.0 / (1.0 + libm::exp(-logit)) - target;
            for &(weight, value) in features {
                gradient[usize::from(weight)] += error * f64::from(value);
            }
        }
        // ln(1 + e^logit) without overflow.
        logit.max(0.0) + libm::log1p(libm::exp(-logit.abs())) - target * logit
    }

    /// Mean cross-entropy over all positions, in nats; 0 without any.
    pub fn mean_loss(&self, weights: &[f64; WEIGHT_COUNT]) -> f64 {
        let sum: f64 = (0..self.len())
            .map(|index| self.loss(index, weights, None))
            .sum();
        sum / self.len().max(1) as f64
    }
}

/// Positions to fit to, and positions held out to see whether what was fitted holds elsewhere. All positions of a game are on
/// the same side: they are too much alike.
#[derive(Clone, Debug)]
pub struct TrainingSets {
    /// To fit to.
    pub training: TrainingSet,
    /// To judge by.
    pub held_out: TrainingSet,
    result_share: f32,
    held_out_share: f64,
    seed: u64,
    fingerprint: u64,
}

impl TrainingSets {
    /// No positions yet. A target is `result_share` of the game's result and the rest of what the search expected; where nothing
    /// was judged, the result alone. About `held_out_share` of the games are held out; `seed` decides which.
    pub fn new(result_share: f32, held_out_share: f64, seed: u64) -> TrainingSets {
        TrainingSets {
            training: TrainingSet::default(),
            held_out: TrainingSet::default(),
            result_share,
            held_out_share,
            seed,
            fingerprint: 0,
        }
    }

    /// Adds a position. `file` is the number of the file it is from: games of different files are different games.
    pub fn push(&mut self, file: u32, labelled: &LabelledPosition) {
        let result = f32::from(labelled.result.half_points()) / 2.0;
        let target = labelled.expected_score().map_or(result, |expected| {
            self.result_share * result + (1.0 - self.result_share) * expected as f32
        });
        let game = u64::from(file) << 32 | u64::from(labelled.game);
        let held_out = SplitMix64::seed_from_u64(self.seed ^ game.rotate_left(17))
            .random_bool(self.held_out_share.clamp(0.0, 1.0));
        let set = if held_out {
            &mut self.held_out
        } else {
            &mut self.training
        };
        set.push(labelled, target);
        self.fingerprint = self.fingerprint.rotate_left(7)
            ^ labelled.position.hash()
            ^ u64::from(target.to_bits()) << 13
            ^ game;
    }

    /// Differs for different positions, targets or divisions.
    pub fn fingerprint(&self) -> u64 {
        self.fingerprint ^ (self.training.len() as u64).rotate_left(40)
    }
}
