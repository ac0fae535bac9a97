//! The network in floating point: forward pass, gradients and optimiser.
//!
//! The hidden units are divided into slices, which interact only through the output. Each slice is
//! trained by a single thread, so the result does not depend on the number of threads.

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use rayon::prelude::*;

use super::examples::Example;
use wabe_engine::evaluation::{BUCKET_COUNT, MAX_UNITS, NetworkParts};

/// Initial feature weights are uniform within plus or minus this.
const ROW_SPREAD: f32 = 0.06;
/// Initial output weights are uniform within plus or minus this, in logits.
const OUTPUT_SPREAD: f32 = 0.3;
/// Initial bias of the hidden units, in the middle of the range where the gradient is not zero.
const BIAS: f32 = 0.4;

const MEAN_DECAY: f32 = 0.9;
const SQUARE_DECAY: f32 = 0.999;
const EPSILON: f32 = 1e-8;

/// Hidden units per slice: one cache line of weights.
const WIDTH: usize = 16;

const _: () = assert!(MAX_UNITS.is_multiple_of(WIDTH) && BUCKET_COUNT <= WIDTH);

type Units = [f32; WIDTH];

/// Layout of a slice's rows: biases, output weights of each bucket, feature weights.
const OUTPUTS_AT: usize = 1;
const FEATURES_AT: usize = OUTPUTS_AT + BUCKET_COUNT;

/// Learning rate and weight decay of an optimiser step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    pub(super) rate: f32,
    /// Share of each weight that a step removes, times the learning rate.
    pub(super) decay: f32,
}

/// Weights and their optimiser state for AdamW (decoupled weight decay, Loshchilov and Hutter
/// 2019).
#[derive(Clone, Debug, PartialEq)]
struct Weights {
    values: Vec<Units>,
    gradient: Vec<Units>,
    means: Vec<Units>,
    squares: Vec<Units>,
}

impl Weights {
    fn new(values: Vec<Units>) -> Weights {
        let zeros = vec![[0.0; WIDTH]; values.len()];
        Weights {
            values,
            gradient: zeros.clone(),
            means: zeros.clone(),
            squares: zeros,
        }
    }

    /// Takes a step against the gradient times `scale`, and clears the gradient. `number` is the
    /// step, from 1.
    fn step(&mut self, scale: f32, step: Step, number: i32) {
        let mean_scale = 1.0 / (1.0 - MEAN_DECAY.powi(number));
        let square_scale = 1.0 / (1.0 - SQUARE_DECAY.powi(number));
        let weights = self.values.as_flattened_mut().iter_mut();
        let gradient = self.gradient.as_flattened_mut().iter_mut();
        let state = self.means.as_flattened_mut().iter_mut();
        let state = state.zip(self.squares.as_flattened_mut());
        for ((value, derivative), (mean, square)) in weights.zip(gradient).zip(state) {
            let gradient = *derivative * scale;
            *derivative = 0.0;
            *mean += (1.0 - MEAN_DECAY) * (gradient - *mean);
            *square += (1.0 - SQUARE_DECAY) * (gradient * gradient - *square);
            let direction = *mean * mean_scale / ((*square * square_scale).sqrt() + EPSILON);
            *value -= step.rate * (direction + step.decay * *value);
        }
    }
}

fn output_row(example: &Example) -> usize {
    OUTPUTS_AT + example.bucket.number()
}

/// Inputs of a slice's units, and the slice's contribution to the output in logits.
type Activation = (Units, f32);

fn activation(values: &[Units], example: &Example) -> Activation {
    let mut sums = values[0];
    let rows = &values[FEATURES_AT..];
    for feature in &example.features {
        for (sum, weight) in sums.iter_mut().zip(&rows[feature.number()]) {
            *sum += weight;
        }
    }
    let outputs = &values[output_row(example)];
    let units = sums.iter().map(|sum| sum.clamp(0.0, 1.0));
    let output = units
        .zip(outputs)
        .map(|(unit, weight)| unit * unit * weight);
    (sums, output.sum())
}

/// Adds an example's derivatives to the gradient. `error` is the error of the output, in logits.
fn learn(slice: &mut Weights, example: &Example, sums: &Units, error: f32) {
    let output = output_row(example);
    let mut backwards = [0.0; WIDTH];
    for (unit, sum) in sums.iter().enumerate() {
        let active = sum.clamp(0.0, 1.0);
        slice.gradient[output][unit] += error * active * active;
        if active == *sum {
            backwards[unit] = error * slice.values[output][unit] * 2.0 * active;
        }
    }
    let add = |row: &mut Units| {
        for (sum, back) in row.iter_mut().zip(&backwards) {
            *sum += back;
        }
    };
    add(&mut slice.gradient[0]);
    let rows = &mut slice.gradient[FEATURES_AT..];
    for feature in &example.features {
        add(&mut rows[feature.number()]);
    }
}

/// A network and the state of its training.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Model {
    /// Number of steps taken.
    steps: i32,
    slices: Vec<Weights>,
    /// A single row, with one bias per bucket.
    output_biases: Weights,
}

/// The logistic function.
pub(super) fn expected_score(logit: f32) -> f32 {
    1.0 / (1.0 + libm::expf(-logit))
}

/// Cross-entropy in nats between an expected score, given in logits, and a target.
pub(super) fn cross_entropy(logit: f32, target: f32) -> f32 {
    // ln(1 + e^logit) without overflow.
    logit.max(0.0) + libm::log1pf(libm::expf(-logit.abs())) - target * logit
}

impl Model {
    /// Creates a model of `units` hidden units, a multiple of 16, with small random weights.
    pub(super) fn random(features: usize, units: usize, seed: u64) -> Model {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        let slice = |_| {
            // All buckets start with the same weights, because they evaluate the same game.
            let output = [(); WIDTH].map(|()| rng.random_range(-OUTPUT_SPREAD..OUTPUT_SPREAD));
            let mut rows = vec![[BIAS; WIDTH]];
            rows.extend([output; BUCKET_COUNT]);
            rows.extend(
                (0..features)
                    .map(|_| [(); WIDTH].map(|()| rng.random_range(-ROW_SPREAD..ROW_SPREAD))),
            );
            Weights::new(rows)
        };
        Model {
            steps: 0,
            slices: (0..units.min(MAX_UNITS) / WIDTH).map(slice).collect(),
            output_biases: Weights::new(vec![[0.0; WIDTH]]),
        }
    }

    /// Activations of each slice for each example.
    fn activations(&self, batch: &[Example]) -> Vec<Vec<Activation>> {
        let slice_activations = |slice: &Weights| {
            let examples = batch.iter();
            examples
                .map(|example| activation(&slice.values, example))
                .collect()
        };
        self.slices.par_iter().map(slice_activations).collect()
    }

    /// Output for each example, in logits.
    fn outputs(&self, batch: &[Example], activations: &[Vec<Activation>]) -> Vec<f32> {
        let output = |(i, example): (usize, &Example)| {
            let parts = activations.iter().map(|slice| slice[i].1);
            self.output_biases.values[0][example.bucket.number()] + parts.sum::<f32>()
        };
        batch.iter().enumerate().map(output).collect()
    }

    /// Computes the output for each example, in logits.
    pub(super) fn logits(&self, batch: &[Example]) -> Vec<f32> {
        self.outputs(batch, &self.activations(batch))
    }

    /// Takes an optimiser step on a batch. Returns the summed cross-entropy before the step, in
    /// nats.
    pub(super) fn learn(&mut self, batch: &[Example], step: Step) -> f64 {
        let activations = self.activations(batch);
        let logits = self.outputs(batch, &activations);
        let scale = 1.0 / batch.len().max(1) as f32;
        let mut loss = 0.0;
        let mut errors = Vec::with_capacity(batch.len());
        for (example, logit) in batch.iter().zip(logits) {
            let target = example.target;
            let error = expected_score(logit) - target;
            loss += f64::from(cross_entropy(logit, target));
            self.output_biases.gradient[0][example.bucket.number()] += error;
            errors.push(error);
        }
        self.steps = self.steps.saturating_add(1);
        let number = self.steps;
        self.output_biases.step(scale, step, number);
        let slices = self.slices.par_iter_mut().zip(&activations);
        slices.for_each(|(slice, activations)| {
            for ((example, (sums, _)), &error) in batch.iter().zip(activations).zip(&errors) {
                learn(slice, example, sums, error);
            }
            slice.step(scale, step, number);
        });
        loss
    }

    /// Appends the model to `bytes`.
    pub(super) fn write(&self, bytes: &mut Vec<u8>) {
        bytes.extend(self.steps.to_le_bytes());
        let weights = self.slices.iter().chain([&self.output_biases]);
        for rows in weights.flat_map(|weights| [&weights.values, &weights.means, &weights.squares])
        {
            bytes.extend(
                rows.as_flattened()
                    .iter()
                    .flat_map(|number| number.to_le_bytes()),
            );
        }
    }

    /// Reads a model of the same size. Returns the rest of `bytes`, or `None` if they are too
    /// short.
    pub(super) fn read<'b>(&mut self, bytes: &'b [u8]) -> Option<&'b [u8]> {
        let (steps, mut bytes) = bytes.split_first_chunk()?;
        self.steps = i32::from_le_bytes(*steps);
        for weights in self.slices.iter_mut().chain([&mut self.output_biases]) {
            for rows in [
                &mut weights.values,
                &mut weights.means,
                &mut weights.squares,
            ] {
                for number in rows.as_flattened_mut() {
                    let (next, rest) = bytes.split_first_chunk()?;
                    *number = f32::from_le_bytes(*next);
                    bytes = rest;
                }
            }
        }
        Some(bytes)
    }

    /// Converts the weights to the parts of a network.
    pub(super) fn parts(&self) -> NetworkParts {
        let row = |row: usize| {
            let mut weights = [0.0; MAX_UNITS];
            let slices = weights
                .as_chunks_mut::<WIDTH>()
                .0
                .iter_mut()
                .zip(&self.slices);
            slices.for_each(|(units, slice)| *units = slice.values[row]);
            weights
        };
        let rows = self.slices.first().map_or(0, |slice| slice.values.len());
        NetworkParts {
            units: self.slices.len() * WIDTH,
            biases: row(0),
            rows: (FEATURES_AT..rows).map(row).collect(),
            outputs: std::array::from_fn(|bucket| row(OUTPUTS_AT + bucket)),
            output_biases: std::array::from_fn(|bucket| self.output_biases.values[0][bucket]),
        }
    }
}
