//! A small trained network, in memory and in files.
//!
//! Sparse binary features feed 128 or 256 hidden units; their clipped squares feed one of 16 output
//! buckets. This is an efficiently updatable network as in chess and shogi (NNUE, Nasu 2018). All
//! arithmetic is integer.
//!
//! A file is little-endian: eight bytes with the name and version of the feature set; the numbers
//! of features, hidden units and output buckets as `u32`; the hidden units' biases and the
//! features' rows as `i16`; the buckets' weights as `i16` and their biases as `i32`. A
//! [policy](super::policy) may follow: the number of move classes as `u32`; the buckets' weights of
//! the units and of the classes, and the features' weights on the start and on the target of a
//! move, as `i16`.

use std::sync::Arc;

use thiserror::Error;

use super::MoveEval;
use super::features::{Bucket, Changes, Feature, Features};
use super::policy::{self, MoveFeatures, Policy, PolicyParts};
use wabe_hive::RuleBook;
use wabe_hive::contest::Contest;
use wabe_hive::standard::Standard;

/// Number of hidden units that are computed together.
const BLOCK: usize = 128;

/// Maximum number of hidden units.
pub const MAX_UNITS: usize = 2 * BLOCK;

const MAX_BLOCKS: usize = MAX_UNITS / BLOCK;

/// Number of output buckets.
pub const BUCKET_COUNT: usize = 16;

/// Quantised 1.0 of the hidden units and their weights: the largest number whose square fits an
/// `i16`.
const ONE: i16 = 181;

/// Quantised 1.0 of the output weights.
const OUTPUT_ONE: i16 = 64;

/// Maximum absolute value of an output weight after training.
const MAX_OUTPUT_WEIGHT: i16 = 8 * OUTPUT_ONE;

/// Quantised output for one logit.
const LOGIT: f32 = ONE as f32 * ONE as f32 * OUTPUT_ONE as f32;

/// The inputs of the hidden units before clipping: the sum of the rows of all features that are on.
/// Those of blocks that the network lacks are 0.
pub(super) type Accumulator = [Row; MAX_BLOCKS];

/// The weights of a network in floating point, for training. Weights of units that the network
/// lacks are ignored.
#[derive(Clone, Debug, PartialEq)]
pub struct NetworkParts {
    /// Number of hidden units, rounded up to 128 or 256.
    pub units: usize,
    /// Biases of the hidden units.
    pub biases: [f32; MAX_UNITS],
    /// Weights from each feature to the hidden units.
    pub rows: Vec<[f32; MAX_UNITS]>,
    /// Weights from the squared hidden units to each output bucket, in logits.
    pub outputs: [[f32; MAX_UNITS]; BUCKET_COUNT],
    /// Bias of each output bucket, in logits.
    pub output_biases: [f32; BUCKET_COUNT],
}

/// The weights from one feature, or to one output bucket, of a block of hidden units. Aligned to
/// cache lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(align(64))]
pub(super) struct Row([i16; BLOCK]);

const ZEROS: Row = Row([0; BLOCK]);

impl Row {
    #[inline]
    fn add(&mut self, other: &Row) {
        for (sum, weight) in self.0.iter_mut().zip(&other.0) {
            *sum = sum.wrapping_add(*weight);
        }
    }

    #[inline]
    fn subtract(&mut self, other: &Row) {
        for (sum, weight) in self.0.iter_mut().zip(&other.0) {
            *sum = sum.wrapping_sub(*weight);
        }
    }

    /// The dot product of the squared hidden units of these sums and `weights`.
    #[inline]
    fn dot(&self, weights: &Row) -> i32 {
        let (parts, _) = self.0.as_chunks();
        let parts = parts.iter().zip(weights.0.as_chunks().0);
        parts.map(|(sums, weights)| dot(sums, weights)).sum()
    }
}

/// The dot product of the squared hidden units of `sums` and `weights`.
// The length, the pairs and `inline(never)` make the compiler use the vector instruction that adds
// products of pairs.
#[inline(never)]
fn dot(sums: &[i16; 64], weights: &[i16; 64]) -> i32 {
    let mut units = [0; 64];
    for (unit, &sum) in units.iter_mut().zip(sums) {
        let clipped = sum.clamp(0, ONE);
        *unit = clipped * clipped;
    }
    let mut dot = 0;
    let pairs = units.as_chunks().0.iter().zip(weights.as_chunks().0);
    for (&[u0, u1], &[w0, w1]) in pairs {
        dot += i32::from(u0) * i32::from(w0) + i32::from(u1) * i32::from(w1);
    }
    dot
}

/// Quantises `rows` of `blocks` blocks with `weight`.
fn quantise<'a>(
    blocks: usize,
    rows: impl IntoIterator<Item = &'a [f32; MAX_UNITS]>,
    weight: impl Fn(f32) -> i16,
) -> Box<[Row]> {
    let rows = rows.into_iter().flat_map(|row| {
        let (row, _) = row.as_chunks::<BLOCK>();
        row.iter().take(blocks).map(|block| Row(block.map(&weight)))
    });
    rows.collect()
}

/// Quantises output weights, clipping each to its range.
pub(super) fn quantise_outputs(
    blocks: usize,
    outputs: &[[f32; MAX_UNITS]; BUCKET_COUNT],
) -> Box<[Row]> {
    let max = f32::from(MAX_OUTPUT_WEIGHT);
    quantise(blocks, outputs, |value| {
        (value * f32::from(OUTPUT_ONE)).round().clamp(-max, max) as i16
    })
}

/// A quantised network and the feature set of its inputs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Network {
    feature_set: [u8; 8],
    /// Number of blocks of hidden units: one or two.
    blocks: usize,
    biases: Box<[Row]>,
    /// The blocks of each feature, one feature after another.
    rows: Box<[Row]>,
    /// The blocks of each output bucket.
    outputs: Box<[Row]>,
    output_biases: [i32; BUCKET_COUNT],
    policy: Option<Policy>,
}

impl Network {
    /// Quantises the weights of `parts`, clipping each to its range. Weights of features become
    /// multiples of [`Features::WEIGHT_STEP`].
    pub fn rounded<R: Features>(parts: &NetworkParts) -> Network {
        let blocks = parts.units.clamp(1, MAX_UNITS).div_ceil(BLOCK);
        let unit = |value: f32| (value * f32::from(ONE)).round() as i16;
        let step = R::WEIGHT_STEP;
        let coarse = |value: f32| {
            let steps = (value * f32::from(ONE) / f32::from(step)).round() as i16;
            steps.saturating_mul(step)
        };
        Network {
            feature_set: *R::FEATURE_SET,
            blocks,
            biases: quantise(blocks, [&parts.biases], unit),
            rows: quantise(blocks, &parts.rows, coarse),
            outputs: quantise_outputs(blocks, &parts.outputs),
            output_biases: parts
                .output_biases
                .map(|bias| (bias * LOGIT).round() as i32),
            policy: None,
        }
    }

    /// Adds a policy: quantises its weights, clipping each to its range.
    #[must_use]
    pub fn with_policy(mut self, parts: &PolicyParts) -> Network {
        self.policy = Some(Policy::rounded(self.blocks, parts));
        self
    }

    /// Number of hidden units: 128 or 256.
    pub fn hidden_units(&self) -> usize {
        self.blocks * BLOCK
    }

    /// True if the network has a policy.
    pub fn has_policy(&self) -> bool {
        self.policy.is_some()
    }

    /// Checks that the network is for the feature set of `R`.
    ///
    /// # Errors
    /// If the feature sets differ.
    pub fn check<R: Features>(&self) -> Result<(), NetworkError> {
        if self.feature_set != *R::FEATURE_SET {
            let (found, wanted) = (self.feature_set, R::FEATURE_SET);
            return Err(NetworkError(match game_of(&found) {
                Some(game) => format!("it is for {game}, not for {}", R::NAME),
                None => format!(
                    "expected the feature set `{}` of {}, found `{}`",
                    wanted.escape_ascii(),
                    R::NAME,
                    found.escape_ascii()
                ),
            }));
        }
        let check = |what, found: usize, wanted: usize| {
            let problem = || NetworkError(format!("expected {wanted} {what}, found {found}"));
            (found == wanted).then_some(()).ok_or_else(problem)
        };
        check("features", self.feature_count(), R::FEATURE_COUNT)?;
        if let Some(policy) = &self.policy {
            check("features", policy.from.len(), R::FEATURE_COUNT)?;
            check("features", policy.to.len(), R::FEATURE_COUNT)?;
            let classes = policy::classes::<R>();
            check("move classes", policy.class_count(), classes)?;
        }
        Ok(())
    }

    fn feature_count(&self) -> usize {
        self.rows.len() / self.blocks
    }

    /// The accumulator with all features off.
    #[inline]
    pub(super) fn biases(&self) -> Accumulator {
        let mut accumulator = [ZEROS; MAX_BLOCKS];
        for (sums, biases) in accumulator.iter_mut().zip(&self.biases) {
            *sums = *biases;
        }
        accumulator
    }

    /// Turns a feature on.
    #[inline]
    pub(super) fn add(&self, accumulator: &mut Accumulator, feature: Feature) {
        let row = &self.rows[feature.number() * self.blocks..];
        for (sums, weights) in accumulator.iter_mut().take(self.blocks).zip(row) {
            sums.add(weights);
        }
    }

    /// The outputs for an accumulator.
    #[inline]
    pub(super) fn outputs(&self, accumulator: &Accumulator, bucket: Bucket) -> MoveEval {
        self.outputs_after(accumulator, &Changes::default(), bucket)
    }

    /// The outputs after `changes` of an accumulator.
    #[inline]
    pub(super) fn outputs_after(
        &self,
        accumulator: &Accumulator,
        changes: &Changes,
        bucket: Bucket,
    ) -> MoveEval {
        let mut value = self.output_biases[bucket.number()];
        let mut policy = 0;
        for (block, sums) in accumulator.iter().take(self.blocks).enumerate() {
            let sums = self.sums_after(sums, changes, block);
            let output = bucket.number() * self.blocks + block;
            value += sums.dot(&self.outputs[output]);
            if let Some(weights) = &self.policy {
                policy += sums.dot(&weights.outputs[output]);
            }
        }
        MoveEval {
            value: value as f32 / LOGIT,
            policy: policy as f32 / LOGIT,
        }
    }

    /// The sums of a block after `changes`.
    #[inline]
    fn sums_after(&self, sums: &Row, changes: &Changes, block: usize) -> Row {
        let mut sums = *sums;
        for feature in &changes.off {
            sums.subtract(&self.rows[feature.number() * self.blocks + block]);
        }
        for feature in &changes.on {
            sums.add(&self.rows[feature.number() * self.blocks + block]);
        }
        sums
    }

    /// The squared hidden units, in `0..=1`; 0 for units that the network lacks.
    pub(super) fn units(accumulator: &Accumulator) -> [f32; MAX_UNITS] {
        let mut units = [0.0; MAX_UNITS];
        let sums = accumulator.iter().flat_map(|row| row.0);
        for (unit, sum) in units.iter_mut().zip(sums) {
            let clipped = f32::from(sum.clamp(0, ONE)) / f32::from(ONE);
            *unit = clipped * clipped;
        }
        units
    }

    /// The part of a policy that depends on the move itself, in logits; 0 without a policy.
    /// `bucket` is that of the position after the move.
    #[inline]
    pub(super) fn policy_of_move(
        &self,
        features: impl FnOnce() -> MoveFeatures,
        bucket: Bucket,
    ) -> f32 {
        (self.policy.as_ref()).map_or(0.0, |policy| policy.move_logit(features(), bucket))
    }

    /// True if no output can overflow.
    fn is_in_range(&self) -> bool {
        let fits = |row: &[Row], bias: i32| {
            let weights = row.iter().flat_map(|block| block.0);
            let sum: i64 = weights.map(|weight| i64::from(weight.unsigned_abs())).sum();
            let one = i64::from(ONE);
            sum * one * one + i64::from(bias.unsigned_abs()) <= i64::from(i32::MAX)
        };
        let outputs = self.outputs.chunks(self.blocks).zip(self.output_biases);
        let policy = self
            .policy
            .iter()
            .flat_map(|policy| policy.outputs.chunks(self.blocks));
        outputs
            .chain(policy.map(|row| (row, 0)))
            .all(|(row, bias)| fits(row, bias))
    }
}

/// The game with this feature set.
fn game_of(feature_set: &[u8; 8]) -> Option<&'static str> {
    let games = [
        (Contest::FEATURE_SET, Contest::NAME),
        (Standard::FEATURE_SET, Standard::NAME),
    ];
    let found = games.into_iter().find(|(set, _)| *set == feature_set);
    found.map(|(_, name)| name)
}

/// Why a network cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct NetworkError(String);

/// Reads numbers from bytes whose length has been checked. Returns zeros past the end.
struct Numbers<'b>(&'b [u8]);

impl Numbers<'_> {
    fn next<const N: usize>(&mut self) -> [u8; N] {
        let (number, rest) = self.0.split_first_chunk().unwrap_or((&[0; N], &[]));
        self.0 = rest;
        *number
    }

    fn short(&mut self) -> i16 {
        i16::from_le_bytes(self.next())
    }

    /// Rows of `units` weights, filled up with zeros to whole blocks.
    fn rows(&mut self, count: usize, units: usize) -> Box<[Row]> {
        let blocks = units.div_ceil(BLOCK);
        let mut rows = vec![ZEROS; count * blocks];
        for row in rows.chunks_exact_mut(blocks) {
            let weights = row.iter_mut().flat_map(|block| &mut block.0);
            weights
                .take(units)
                .for_each(|weight| *weight = self.short());
        }
        rows.into()
    }

    fn shorts(&mut self, count: usize) -> Box<[i16]> {
        (0..count).map(|_| self.short()).collect()
    }

    fn long(&mut self) -> u32 {
        u32::from_le_bytes(self.next())
    }
}

/// Bytes before the weights: the name and three numbers.
const HEADER: usize = 8 + 3 * 4;

/// Length of a file without a policy, in bytes.
const fn file_length(features: usize, hidden: usize) -> usize {
    HEADER + 2 * hidden * (1 + features) + BUCKET_COUNT * (2 * hidden + 4)
}

/// Length of a policy without its number of classes, in bytes.
const fn policy_length(features: usize, hidden: usize, classes: usize) -> usize {
    2 * (BUCKET_COUNT * (hidden + classes) + 2 * features)
}

/// Larger numbers of hidden units or output buckets mean that a file is not a network.
const MAX_COUNT: u32 = 1 << 16;

/// Maximum number of move classes in a policy, far more than in any game.
const MAX_CLASSES: usize = 1024;

impl Network {
    /// Reads a network from the bytes of a file. [`check`](Network::check) tests whether it is for
    /// a given game.
    ///
    /// # Errors
    /// If the bytes are not a network in this format. Networks with fewer hidden units are
    /// accepted.
    pub fn from_bytes(bytes: &[u8]) -> Result<Network, NetworkError> {
        if bytes.len() < HEADER {
            let count = bytes.len();
            return Err(NetworkError(format!("not a network: only {count} bytes")));
        }
        let mut numbers = Numbers(bytes);
        let feature_set = numbers.next();
        let features = numbers.long();
        let (hidden, buckets) = (numbers.long(), numbers.long());
        if hidden.max(buckets) > MAX_COUNT {
            return Err(NetworkError("not a network".to_owned()));
        }
        let units = usize::try_from(hidden).unwrap_or(usize::MAX);
        if !(1..=MAX_UNITS).contains(&units) || buckets != BUCKET_COUNT as u32 {
            return Err(NetworkError(format!(
                "unsupported network: expected at most {MAX_UNITS} hidden units and {BUCKET_COUNT} output buckets, found {hidden} and \
                 {buckets}"
            )));
        }
        // Feature numbers have 16 bits.
        let features = usize::try_from(features).unwrap_or(usize::MAX).min(1 << 16);
        let (found, mut expected) = (bytes.len(), file_length(features, units));
        let after = bytes.get(expected..).unwrap_or_default();
        let classes = after.first_chunk().map(|&classes| {
            let classes = usize::try_from(u32::from_le_bytes(classes)).unwrap_or(usize::MAX);
            classes.min(MAX_CLASSES)
        });
        if let Some(classes) = classes {
            expected += 4 + policy_length(features, units, classes);
        }
        if found != expected {
            return Err(NetworkError(format!(
                "expected {expected} bytes, found {found}"
            )));
        }
        let mut network = Network {
            feature_set,
            blocks: units.div_ceil(BLOCK),
            biases: numbers.rows(1, units),
            rows: numbers.rows(features, units),
            outputs: numbers.rows(BUCKET_COUNT, units),
            output_biases: [(); BUCKET_COUNT].map(|()| i32::from_le_bytes(numbers.next())),
            policy: None,
        };
        if let Some(classes) = classes {
            numbers.long();
            network.policy = Some(Policy {
                outputs: numbers.rows(BUCKET_COUNT, units),
                classes: numbers.shorts(BUCKET_COUNT * classes),
                from: numbers.shorts(features),
                to: numbers.shorts(features),
            });
        }
        if network.is_in_range() {
            Ok(network)
        } else {
            // Sums could overflow.
            Err(NetworkError("a weight is out of range".to_owned()))
        }
    }

    /// Reads a network that `build.rs` has encoded. A test reads both.
    pub(super) fn built_in(planes: &[u8]) -> Arc<Network> {
        let (low, high) = planes.split_at(planes.len() / 2);
        let numbers = low.iter().zip(high).flat_map(|(&low, &high)| {
            let encoded = u16::from_le_bytes([low, high]);
            (encoded >> 1 ^ (encoded & 1).wrapping_neg()).to_le_bytes()
        });
        let network = Network::from_bytes(&numbers.collect::<Vec<_>>());
        Arc::new(network.expect("the built-in network is valid"))
    }

    /// The contents of a file with this network.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = self.feature_set.to_vec();
        for number in [self.feature_count(), self.hidden_units(), BUCKET_COUNT] {
            bytes.extend((number as u32).to_le_bytes());
        }
        let rows = [&self.biases, &self.rows, &self.outputs];
        for number in rows.into_iter().flatten().flat_map(|row| row.0) {
            bytes.extend(number.to_le_bytes());
        }
        for number in self.output_biases {
            bytes.extend(number.to_le_bytes());
        }
        if let Some(policy) = &self.policy {
            bytes.extend((policy.class_count() as u32).to_le_bytes());
            let move_weights = [&policy.classes, &policy.from, &policy.to];
            let move_weights = move_weights.into_iter().flatten().copied();
            let outputs = policy.outputs.iter().flat_map(|row| row.0);
            for number in outputs.chain(move_weights) {
                bytes.extend(number.to_le_bytes());
            }
        }
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::super::MoveInputs;
    use super::*;
    use rand::{RngExt, SeedableRng};
    use rand_xoshiro::Xoshiro256PlusPlus;
    use wabe_hive::standard::StandardNarrow;

    impl Network {
        /// A network of 256 units with a policy and random weights.
        pub(in crate::evaluation) fn arbitrary<R: Features>(seed: u64) -> Network {
            Network::arbitrary_of::<R>(MAX_UNITS, seed)
        }

        pub(in crate::evaluation) fn arbitrary_of<R: Features>(units: usize, seed: u64) -> Network {
            let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
            let mut number = || rng.random_range(-0.25..0.25);
            let network = Network::rounded::<R>(&NetworkParts {
                units,
                biases: [(); MAX_UNITS].map(|()| number()),
                rows: (0..R::FEATURE_COUNT)
                    .map(|_| [(); MAX_UNITS].map(|()| number()))
                    .collect(),
                outputs: [(); BUCKET_COUNT].map(|()| [(); MAX_UNITS].map(|()| number())),
                output_biases: [(); BUCKET_COUNT].map(|()| number()),
            });
            let mut policy = PolicyParts::zeros::<R>();
            let outputs = policy.outputs.as_flattened_mut().iter_mut();
            let classes = policy.classes.iter_mut();
            let features = policy.from.iter_mut().chain(&mut policy.to);
            for weight in outputs.chain(classes).chain(features) {
                *weight = number();
            }
            network.with_policy(&policy)
        }

        /// The network without its policy.
        pub(in crate::evaluation) fn without_policy(&self) -> Network {
            Network {
                policy: None,
                ..self.clone()
            }
        }

        /// The policy of a move in logits, by a direct computation.
        pub(in crate::evaluation) fn policy_of(&self, inputs: &MoveInputs) -> Option<f32> {
            let policy = self.policy.as_ref()?;
            let output = policy
                .outputs
                .chunks(self.blocks)
                .nth(inputs.bucket.number());
            let output = output?.iter().flat_map(|row| row.0).zip(inputs.units);
            let position_logit: f32 = output.map(|(w, unit)| f32::from(w) / 64.0 * unit).sum();
            let class = inputs.bucket.number() * policy.class_count() + inputs.features.class;
            let class_weight = policy.classes[class];
            let from = inputs.features.from.into_iter().flatten();
            let to = inputs.features.to.into_iter().flatten();
            let move_weight = i32::from(class_weight)
                + from
                    .map(|f| i32::from(policy.from[f.number()]))
                    .sum::<i32>()
                + to.map(|f| i32::from(policy.to[f.number()])).sum::<i32>();
            Some(position_logit + move_weight as f32 / 256.0)
        }
    }

    #[test]
    fn networks_round_trip() {
        let network = Network::arbitrary::<Contest>(3);
        let bytes = network.to_bytes();
        assert_eq!(Network::from_bytes(&bytes), Ok(network));
        let network = Network::arbitrary_of::<Standard>(BLOCK, 4);
        assert_eq!(network.check::<StandardNarrow>(), Ok(()));
        assert_eq!(Network::from_bytes(&network.to_bytes()), Ok(network));
        let contest = Contest::built_in();
        assert!(!contest.has_policy());
        assert_eq!(contest.to_bytes(), include_bytes!("contest.net"));
        assert_eq!(contest.check::<Contest>(), Ok(()));
        let standard = StandardNarrow::built_in();
        assert_eq!(standard.to_bytes(), include_bytes!("standard.net"));
        assert_eq!(standard.check::<StandardNarrow>(), Ok(()));
    }

    #[test]
    fn rounded_clips_weights() {
        let network = Network::rounded::<Contest>(&NetworkParts {
            units: BLOCK,
            biases: [0.0; MAX_UNITS],
            rows: vec![[1e9; MAX_UNITS], [-1e9; MAX_UNITS]],
            outputs: [[0.0; MAX_UNITS]; BUCKET_COUNT],
            output_biases: [0.0; BUCKET_COUNT],
        });
        let extremes = [i16::MAX, i16::MIN].map(|weight| [weight; BLOCK]);
        assert_eq!(*network.rows, extremes.map(Row));
    }

    #[test]
    fn check_rejects_policies_of_other_games() {
        let contest = Network::arbitrary::<Contest>(5);
        let mut network = Network {
            policy: contest.policy,
            ..Network::arbitrary::<Standard>(5)
        };
        let error = |network: &Network| network.check::<Standard>().unwrap_err().to_string();
        assert!(error(&network).contains("features"));
        let wanted = Standard::FEATURE_COUNT;
        let policy = network.policy.as_mut().unwrap();
        (policy.from, policy.to) = (vec![0; wanted].into(), vec![0; wanted].into());
        assert!(error(&network).contains("classes"));
        assert_eq!(network.without_policy().check::<Standard>(), Ok(()));
    }

    #[test]
    fn from_bytes_reports_damage() {
        let assert_error = |bytes: &[u8], part: &str| {
            let error = Network::from_bytes(bytes).unwrap_err().to_string();
            assert!(error.contains(part), "{error}");
        };
        let with_policy = Network::arbitrary::<Contest>(5);
        let whole = with_policy.without_policy().to_bytes();
        assert_error(b"wabecon1", "only 8 bytes");
        assert_error(&[b'x'; 40], "not a network");
        let mut other = whole.clone();
        other[12] = 250;
        assert_error(&other, "unsupported");
        let expected = whole.len();
        let mut bytes = whole.clone();
        bytes.push(0);
        assert_error(&bytes, &format!("expected {expected} bytes"));
        // A truncated policy, and one with too many classes.
        let mut policy = with_policy.to_bytes();
        policy.pop();
        assert_error(&policy, "bytes, found");
        policy[expected..][..4].copy_from_slice(&[255; 4]);
        assert_error(&policy, "bytes, found");
        bytes.truncate(expected - 1);
        assert_error(&bytes, "bytes, found");
        let mut bytes = whole.clone();
        bytes[expected - 1] = 0x7f;
        assert_error(&bytes, "out of range");
        // The sum of the last bucket's weights. `i16::MIN` has no absolute value.
        let mut bytes = whole;
        let end = expected - 4 * BUCKET_COUNT;
        for weight in bytes[end - 6..end].as_chunks_mut().0 {
            *weight = i16::MIN.to_le_bytes();
        }
        assert_error(&bytes, "out of range");
    }
}
