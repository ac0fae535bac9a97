//! Positions as a fit sees them: features and targets.

use std::marker::PhantomData;

use super::target::Targets;
use crate::dataset::LabelledPosition;
use crate::search::LinearGame;

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
    pub fn push<R: LinearGame>(&mut self, labelled: &LabelledPosition<R>, target: f32) {
        let mut sums = vec![0.0; R::FEATURE_COUNT];
        R::features_of(&labelled.position, |feature, value| sums[feature] += value);
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
    pub fn mean_loss(&self, weights: &[f64]) -> f64 {
        let sum: f64 = (0..self.len())
            .map(|index| self.loss(index, weights, None))
            .sum();
        sum / self.len().max(1) as f64
    }
}

/// Positions to fit to, and positions held out to see whether what was fitted holds elsewhere. All positions of a game are on
/// the same side: they are too much alike.
#[derive(Clone, Debug)]
pub struct TrainingSets<R: LinearGame> {
    /// To fit to.
    pub training: TrainingSet,
    /// To judge by.
    pub held_out: TrainingSet,
    targets: Targets,
    fingerprint: u64,
    game: PhantomData<R>,
}

impl<R: LinearGame> TrainingSets<R> {
    /// No positions yet.
    pub fn new(targets: Targets) -> TrainingSets<R> {
        TrainingSets {
            training: TrainingSet::default(),
            held_out: TrainingSet::default(),
            targets,
            fingerprint: 0,
            game: PhantomData,
        }
    }

    /// Adds a position. `file` is the number of the file it is from: games of different files are different games.
    pub fn push(&mut self, file: u32, labelled: &LabelledPosition<R>) {
        let target = self.targets.of(labelled);
        let set = if self.targets.is_held_out(file, labelled) {
            &mut self.held_out
        } else {
            &mut self.training
        };
        set.push(labelled, target);
        self.fingerprint = self.fingerprint.rotate_left(7)
            ^ labelled.position.hash()
            ^ u64::from(target.to_bits()) << 13
            ^ Targets::game(file, labelled);
    }

    /// Differs for different positions, targets or divisions.
    pub fn fingerprint(&self) -> u64 {
        self.fingerprint ^ (self.training.len() as u64).rotate_left(40)
    }
}
