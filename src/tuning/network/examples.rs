//! Positions as a training sees them: the inputs that are on, and targets.

use std::marker::PhantomData;
use std::ops::Range;

use crate::dataset::LabelledPosition;
use crate::search::{Head, Input, NetworkInputs};
use crate::tuning::target::Targets;

/// Inputs and targets of many positions, behind each other.
#[derive(Clone, Debug, Default)]
pub struct Examples {
    inputs: Vec<Input>,
    /// Where each position's inputs end.
    ends: Vec<usize>,
    heads: Vec<Head>,
    /// What each position should be judged as, in `0..=1`.
    targets: Vec<f32>,
    /// How each position's game ended for the side to move, in `0..=1`.
    results: Vec<f32>,
}

/// One position.
#[derive(Clone, Copy, Debug)]
pub(super) struct Example<'e> {
    pub(super) inputs: &'e [Input],
    pub(super) head: Head,
    /// In `0..=1`.
    pub(super) target: f32,
    /// In `0..=1`.
    pub(super) result: f32,
}

impl Examples {
    fn push<R: NetworkInputs>(&mut self, labelled: &LabelledPosition<R>, target: f32) {
        R::inputs_of(&labelled.position, |input| self.inputs.push(input));
        self.ends.push(self.inputs.len());
        self.heads.push(R::head_of(&labelled.position));
        self.targets.push(target);
        self.results.push(Targets::result(labelled));
    }

    /// Number of positions.
    pub fn len(&self) -> usize {
        self.targets.len()
    }

    /// Whether there is no position.
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
            inputs: &self.inputs[self.range(index)],
            head: self.heads[index],
            target: self.targets[index],
            result: self.results[index],
        }
    }
}

/// Positions to train with, and positions held out to see whether what was learned holds elsewhere, by whole games.
#[derive(Clone, Debug)]
pub struct ExampleSets<R: NetworkInputs> {
    /// To train with.
    pub training: Examples,
    /// To judge by.
    pub held_out: Examples,
    targets: Targets,
    game: PhantomData<R>,
}

impl<R: NetworkInputs> ExampleSets<R> {
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
