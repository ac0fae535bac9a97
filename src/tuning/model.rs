//! The network in floating point: its output, its loss, and the gradient.

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::examples::Example;
use crate::evaluation::{BUCKET_COUNT, Bucket, Feature, HIDDEN, NetworkParts};

/// Spread of the features' weights before the training.
const ROW_SPREAD: f32 = 0.06;
/// Spread of the outputs' weights before the training, in logits.
const OUTPUT_SPREAD: f32 = 0.3;
/// Initial bias of the hidden units: in the middle of the range with a gradient.
const BIAS: f32 = 0.4;

/// Offsets of the parts of a model.
const OUTPUTS_AT: usize = HIDDEN;
const OUTPUT_BIASES_AT: usize = OUTPUTS_AT + BUCKET_COUNT * HIDDEN;
const ROWS_AT: usize = OUTPUT_BIASES_AT + BUCKET_COUNT;

/// The weights, or their gradient, in this order: biases of the hidden units, weights of the output buckets, biases of the output
/// buckets, rows of the features.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Model(pub(super) Vec<f32>);

fn units(values: &[f32], at: usize) -> &[f32; HIDDEN] {
    values[at..].first_chunk().unwrap_or(&[0.0; HIDDEN])
}

fn row_at(feature: Feature) -> usize {
    ROWS_AT + feature.number() * HIDDEN
}

fn output_at(bucket: Bucket) -> usize {
    OUTPUTS_AT + bucket.number() * HIDDEN
}

fn output_bias_at(bucket: Bucket) -> usize {
    OUTPUT_BIASES_AT + bucket.number()
}

/// The logistic function.
fn expected_score(logit: f32) -> f32 {
    1.0 / (1.0 + libm::expf(-logit))
}

/// Cross-entropy of an expected score that is given in logits, in nats.
fn cross_entropy(logit: f32, target: f32) -> f32 {
    // ln(1 + e^logit) without overflow.
    logit.max(0.0) + libm::log1pf(libm::expf(-logit.abs())) - target * logit
}

/// Mean losses over some positions.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Losses {
    /// Cross-entropy of the targets, in nats.
    pub target: f64,
    /// Mean squared error on the results of the games, as scores in `0..=1`.
    pub squared_error: f64,
}

impl Model {
    /// Small random weights for this number of features.
    pub(super) fn random(features: usize, seed: u64) -> Model {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut values = vec![0.0; ROWS_AT + features * HIDDEN];
        values[..OUTPUTS_AT].fill(BIAS);
        for value in &mut values[ROWS_AT..] {
            *value = rng.random_range(-ROW_SPREAD..ROW_SPREAD);
        }
        let first: Vec<f32> = (0..HIDDEN)
            .map(|_| rng.random_range(-OUTPUT_SPREAD..OUTPUT_SPREAD))
            .collect();
        // All buckets begin with the same weights: they judge the same game.
        for bucket in values[OUTPUTS_AT..OUTPUT_BIASES_AT].chunks_mut(HIDDEN) {
            bucket.copy_from_slice(&first);
        }
        Model(values)
    }

    /// Zero for every weight of `model`.
    pub(super) fn zero_like(model: &Model) -> Model {
        Model(vec![0.0; model.0.len()])
    }

    fn accumulate(&self, features: &[Feature], images: &[Feature]) -> [f32; HIDDEN] {
        let mut accumulator = *units(&self.0, 0);
        for feature in features {
            let row = units(&self.0, row_at(images[feature.number()]));
            for (sum, weight) in accumulator.iter_mut().zip(row) {
                *sum += weight;
            }
        }
        accumulator
    }

    fn logit(&self, accumulator: &[f32; HIDDEN], bucket: Bucket) -> f32 {
        let outputs = units(&self.0, output_at(bucket));
        let mut logit = self.0[output_bias_at(bucket)];
        for (sum, weight) in accumulator.iter().zip(outputs) {
            let unit = sum.clamp(0.0, 1.0);
            logit += unit * unit * weight;
        }
        logit
    }

    /// Cross-entropy of an example whose features are replaced by their `images`, in nats; adds its derivatives to `gradient`.
    pub(super) fn learn(
        &self,
        example: Example<'_>,
        images: &[Feature],
        gradient: &mut Model,
    ) -> f32 {
        let accumulator = self.accumulate(example.features, images);
        let logit = self.logit(&accumulator, example.bucket);
        let error = expected_score(logit) - example.target;
        let output = output_at(example.bucket);
        let mut backwards = [0.0; HIDDEN];
        for (unit, sum) in accumulator.iter().enumerate() {
            let active = sum.clamp(0.0, 1.0);
            gradient.0[output + unit] += error * active * active;
            if active == *sum {
                backwards[unit] = error * self.0[output + unit] * 2.0 * active;
            }
        }
        gradient.0[output_bias_at(example.bucket)] += error;
        let mut add = |at: usize| {
            for (sum, back) in gradient.0[at..at + HIDDEN].iter_mut().zip(&backwards) {
                *sum += back;
            }
        };
        add(0);
        for feature in example.features {
            add(row_at(images[feature.number()]));
        }
        cross_entropy(logit, example.target)
    }

    /// Mean losses over `examples`.
    pub(super) fn losses<'e>(
        &self,
        examples: impl Iterator<Item = Example<'e>>,
        identity: &[Feature],
    ) -> Losses {
        let mut losses = Losses::default();
        let (mut count, mut played) = (0u32, 0u32);
        for example in examples {
            let logit = self.logit(&self.accumulate(example.features, identity), example.bucket);
            losses.target += f64::from(cross_entropy(logit, example.target));
            count += 1;
            if let Some(result) = example.result {
                let error = expected_score(logit) - result;
                losses.squared_error += f64::from(error * error);
                played += 1;
            }
        }
        losses.target /= f64::from(count.max(1));
        losses.squared_error /= f64::from(played.max(1));
        losses
    }

    /// The weights as the parts of a network.
    pub(super) fn parts(&self) -> NetworkParts {
        let buckets = |bucket: usize| *units(&self.0, OUTPUTS_AT + bucket * HIDDEN);
        NetworkParts {
            biases: *units(&self.0, 0),
            rows: self.0[ROWS_AT..]
                .chunks_exact(HIDDEN)
                .map(|row| *units(row, 0))
                .collect(),
            outputs: std::array::from_fn(buckets),
            output_biases: std::array::from_fn(|bucket| self.0[OUTPUT_BIASES_AT + bucket]),
        }
    }
}
