//! Training examples: features and targets of labelled positions, split into training and held-out ones.

use std::marker::PhantomData;
use std::ops::Range;

use rand::{RngExt, SeedableRng};
use rand_xoshiro::SplitMix64;

use crate::dataset::LabelledPosition;
use crate::evaluation::{Bucket, Feature, Features, features_of};
use crate::hive::RuleBook;

/// The targets of labelled positions, and the split into training and held-out ones.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Targets {
    /// Share of the game's result in a target, in `0..=1`; the rest is the search's expected score. Where one of them is missing, the
    /// other alone is the target.
    pub result_share: f32,
    /// Share of the games that are held out, in `0..=1`.
    pub held_out_share: f64,
    /// Decides which games are held out.
    pub seed: u64,
}

impl Targets {
    /// The expected score to learn for a position, in `0..=1`.
    pub fn of<R: RuleBook>(&self, labelled: &LabelledPosition<R>) -> f32 {
        match (labelled.score(), labelled.expected_score()) {
            (Some(result), Some(expected)) => {
                self.result_share * result as f32 + (1.0 - self.result_share) * expected as f32
            }
            (Some(only), None) | (None, Some(only)) => only as f32,
            (None, None) => 0.5,
        }
    }

    /// True if a position is held out: all of a game are or none, since they are too much alike. `file` is the number of the
    /// file that it is from.
    pub fn is_held_out<R: RuleBook>(&self, file: u32, labelled: &LabelledPosition<R>) -> bool {
        let game = u64::from(file) << 32 | u64::from(labelled.game);
        SplitMix64::seed_from_u64(self.seed ^ game.rotate_left(17))
            .random_bool(self.held_out_share.clamp(0.0, 1.0))
    }
}

/// Features and targets of many positions, one after the other.
#[derive(Clone, Debug, Default)]
pub struct Examples {
    features: Vec<Feature>,
    /// The end of each position's features.
    ends: Vec<usize>,
    buckets: Vec<Bucket>,
    /// The expected score to learn for each position, in `0..=1`.
    targets: Vec<f32>,
    /// The result of each position's game for the side to move, in `0..=1`, if it occurred.
    results: Vec<Option<f32>>,
}

/// One position.
#[derive(Clone, Copy, Debug)]
pub(super) struct Example<'e> {
    pub(super) features: &'e [Feature],
    pub(super) bucket: Bucket,
    /// In `0..=1`.
    pub(super) target: f32,
    /// In `0..=1`.
    pub(super) result: Option<f32>,
}

impl Examples {
    fn push<R: Features>(&mut self, labelled: &LabelledPosition<R>, target: f32) {
        let position = &labelled.position;
        features_of(position, &mut |feature| self.features.push(feature));
        self.ends.push(self.features.len());
        self.buckets.push(R::bucket(position, position.turn()));
        self.targets.push(target);
        self.results
            .push(labelled.score().map(|score| score as f32));
    }

    /// Number of positions.
    pub fn len(&self) -> usize {
        self.targets.len()
    }

    /// True if there is no position.
    pub fn is_empty(&self) -> bool {
        self.targets.is_empty()
    }

    fn range(&self, index: usize) -> Range<usize> {
        let start = index.checked_sub(1).map_or(0, |before| self.ends[before]);
        start..self.ends[index]
    }

    /// # Panics
    /// When there is no position with that index.
    pub(super) fn get(&self, index: usize) -> Example<'_> {
        Example {
            features: &self.features[self.range(index)],
            bucket: self.buckets[index],
            target: self.targets[index],
            result: self.results[index],
        }
    }
}

/// Examples to train with, and held-out examples that measure generalisation, split by whole games.
#[derive(Clone, Debug)]
pub struct ExampleSets<R: Features> {
    /// The training examples.
    pub training: Examples,
    /// The held-out examples.
    pub held_out: Examples,
    targets: Targets,
    game: PhantomData<R>,
}

impl<R: Features> ExampleSets<R> {
    /// No positions yet.
    pub fn new(targets: Targets) -> ExampleSets<R> {
        ExampleSets {
            training: Examples::default(),
            held_out: Examples::default(),
            targets,
            game: PhantomData,
        }
    }

    /// Adds a position. `file` is the number of the file it is from: games of different files are different games.
    pub fn push(&mut self, file: u32, labelled: &LabelledPosition<R>) {
        let set = if self.targets.is_held_out(file, labelled) {
            &mut self.held_out
        } else {
            &mut self.training
        };
        set.push(labelled, self.targets.of(labelled));
    }
}
