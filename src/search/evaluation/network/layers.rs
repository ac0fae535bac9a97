//! The network's weights, and what it makes of inputs.

use super::input::{ChangedInputs, Input};

/// Number of hidden units.
pub const HIDDEN: usize = 32;

/// What stands for 1 in the hidden units and their weights: the largest number whose square fits an `i16`.
const ONE: i16 = 181;

/// What stands for 1 in the output's weights.
const OUTPUT_ONE: i16 = 64;

/// Largest absolute value of an output's weight: with it no sum of the squares of all units overflows.
const OUTPUT_MOST: i16 = 8 * OUTPUT_ONE;

/// Number of heads.
pub const HEAD_COUNT: usize = 16;

const _: () =
    assert!(HIDDEN as i64 * (ONE as i64 * ONE as i64) * OUTPUT_MOST as i64 <= i32::MAX as i64 / 2);

/// Which of the output's weights judge a position: the game decides that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head(u8);

impl Head {
    /// The head with that number, or the last one if there are not so many.
    #[inline]
    pub(in super::super) const fn new(number: usize) -> Head {
        if number < HEAD_COUNT {
            Head(number as u8)
        } else {
            Head(HEAD_COUNT as u8 - 1)
        }
    }

    /// The number, less than [`HEAD_COUNT`].
    #[inline]
    pub const fn number(self) -> usize {
        self.0 as usize
    }
}

/// What the hidden units see, before they cut it off.
pub(in super::super) type Sums = [i16; HIDDEN];

/// The weights of a network, as they are trained.
#[derive(Clone, Debug, PartialEq)]
pub struct NetworkParts {
    /// What each hidden unit sees without any input.
    pub biases: [f32; HIDDEN],
    /// What each input adds to the hidden units, in the order of the inputs' numbers.
    pub rows: Vec<[f32; HIDDEN]>,
    /// What the square of each hidden unit adds to the output of each head, in logits.
    pub outputs: [[f32; HIDDEN]; HEAD_COUNT],
    /// What each head says without any hidden unit, in logits.
    pub output_biases: [f32; HEAD_COUNT],
}

/// A network in whole numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Network {
    pub(super) biases: Sums,
    /// One for each input.
    pub(super) rows: Box<[Sums]>,
    pub(super) outputs: [[i16; HIDDEN]; HEAD_COUNT],
    pub(super) output_biases: [i32; HEAD_COUNT],
}

/// What stands for 1 in the output.
const LOGIT: f32 = ONE as f32 * ONE as f32 * OUTPUT_ONE as f32;

impl Network {
    /// Rounds the weights of `parts`; what is out of range is cut off.
    pub fn rounded(parts: &NetworkParts) -> Network {
        let sum = |&value: &f32| (value * f32::from(ONE)).round() as i16;
        let output = |&value: &f32| {
            let most = f32::from(OUTPUT_MOST);
            (value * f32::from(OUTPUT_ONE)).round().clamp(-most, most) as i16
        };
        Network {
            biases: parts.biases.each_ref().map(sum),
            rows: parts
                .rows
                .iter()
                .map(|row| row.each_ref().map(sum))
                .collect(),
            outputs: parts
                .outputs
                .each_ref()
                .map(|head| head.each_ref().map(output)),
            output_biases: parts
                .output_biases
                .map(|bias| (bias * LOGIT).round() as i32),
        }
    }

    /// Whether every weight is in the range for which the sums cannot overflow.
    pub(super) fn is_in_range(&self) -> bool {
        self.outputs
            .iter()
            .flatten()
            .all(|weight| weight.abs() <= OUTPUT_MOST)
            && self
                .output_biases
                .iter()
                .all(|bias| bias.unsigned_abs() <= i32::MAX as u32 / 2)
    }

    /// The sums without any input.
    #[inline]
    pub(in super::super) fn empty_sums(&self) -> Sums {
        self.biases
    }

    /// Turns an input on.
    #[inline]
    pub(in super::super) fn add(&self, sums: &mut Sums, input: Input) {
        for (sum, weight) in sums.iter_mut().zip(&self.rows[input.number()]) {
            *sum = sum.wrapping_add(*weight);
        }
    }

    /// `sums` after `changes`.
    #[inline]
    pub(in super::super) fn changed(&self, mut sums: Sums, changes: &ChangedInputs) -> Sums {
        for input in &changes.off {
            for (sum, weight) in sums.iter_mut().zip(&self.rows[input.number()]) {
                *sum = sum.wrapping_sub(*weight);
            }
        }
        for &input in &changes.on {
            self.add(&mut sums, input);
        }
        sums
    }

    /// In logits.
    #[inline]
    pub(in super::super) fn output(&self, sums: &Sums, head: Head) -> f32 {
        let mut output = self.output_biases[head.number()];
        for (&sum, &weight) in sums.iter().zip(&self.outputs[head.number()]) {
            let unit = sum.clamp(0, ONE);
            output += i32::from(unit * unit) * i32::from(weight);
        }
        output as f32 / LOGIT
    }
}
