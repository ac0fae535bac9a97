//! How much each feature counts.
//!
//! A weights file has one weight a line, its name and its value in logits with a space between them, each name once and none
//! left out; lines that begin with `#` say nothing.

use std::fmt;
use std::ops::{Index, IndexMut};
use std::str::FromStr;

use thiserror::Error;

use crate::hive::contest::Kind;

/// Number of weights.
pub const WEIGHT_COUNT: usize = NAMES.len();

const NAMES: [&str; 27] = [
    "tempo",
    "late_free_field",
    "bee_in_reserve",
    "beetle_on_bee",
    "beetle_beside_bee",
    "free_around_bee_0",
    "free_around_bee_1",
    "free_around_bee_2",
    "free_around_bee_3",
    "free_around_bee_4",
    "free_around_bee_5",
    "free_around_bee_6",
    "unpinned_bee",
    "unpinned_spider",
    "unpinned_beetle",
    "unpinned_grasshopper",
    "unpinned_ant",
    "reserve_bee",
    "reserve_spider",
    "reserve_beetle",
    "reserve_grasshopper",
    "reserve_ant",
    "covered_bee",
    "covered_spider",
    "covered_beetle",
    "covered_grasshopper",
    "covered_ant",
];

/// Fitted to the results of 4,000 games of the search against itself and to what it expected in them, half and half; the matches
/// that they won against the hand-made ones before them are in `docs/strength.md`.
const DEFAULTS: [f32; WEIGHT_COUNT] = [
    0.133, 1.319, -0.374, 0.416, 0.205, //
    -2.396, -1.925, -1.347, -0.976, -0.709, -0.587, 0.100, //
    0.264, 0.030, 0.220, 0.058, 0.192, //
    -0.174, 0.055, -0.038, -0.032, -0.008, //
    -0.507, -0.026, -0.094, -0.004, -0.171, //
];

/// Names a weight.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WeightIndex(u8);

impl WeightIndex {
    /// For having the move.
    pub const TEMPO: WeightIndex = WeightIndex(0);
    /// For each free field more around the own bee, times the square of the share of the game that is over: at its end free
    /// fields decide.
    pub const LATE_FREE_FIELD: WeightIndex = WeightIndex(1);
    /// For a bee that is not placed yet.
    pub const BEE_IN_RESERVE: WeightIndex = WeightIndex(2);
    /// For an own beetle on top of the other bee.
    pub const BEETLE_ON_BEE: WeightIndex = WeightIndex(3);
    /// For an own beetle next to the other bee.
    pub const BEETLE_BESIDE_BEE: WeightIndex = WeightIndex(4);

    const FREE_AROUND_BEE: u8 = 5;
    const UNPINNED: u8 = 12;
    const RESERVE: u8 = 17;
    const COVERED: u8 = 22;

    /// For a bee with this many free fields around it, at most 6.
    #[inline]
    pub const fn free_around_bee(free: u32) -> WeightIndex {
        let free = if free > 6 { 6 } else { free as u8 };
        WeightIndex(WeightIndex::FREE_AROUND_BEE + free)
    }

    /// For a piece that may leave its field without splitting the hive.
    #[inline]
    pub const fn unpinned(kind: Kind) -> WeightIndex {
        WeightIndex(WeightIndex::UNPINNED + kind as u8)
    }

    /// For a piece in reserve.
    #[inline]
    pub const fn reserve(kind: Kind) -> WeightIndex {
        WeightIndex(WeightIndex::RESERVE + kind as u8)
    }

    /// For a piece with another one on top of it.
    #[inline]
    pub const fn covered(kind: Kind) -> WeightIndex {
        WeightIndex(WeightIndex::COVERED + kind as u8)
    }

    /// Every weight.
    pub fn all() -> impl Iterator<Item = WeightIndex> {
        (0..WEIGHT_COUNT as u8).map(WeightIndex)
    }

    /// Position among all weights.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The name in a weights file.
    pub fn name(self) -> &'static str {
        NAMES[self.index()]
    }
}

/// A value in logits for each weight. Its text form is that of a weights file.
#[derive(Clone, Debug, PartialEq)]
pub struct Weights([f32; WEIGHT_COUNT]);

impl Default for Weights {
    fn default() -> Weights {
        Weights(DEFAULTS)
    }
}

impl Weights {
    /// All weights zero.
    pub fn zero() -> Weights {
        Weights([0.0; WEIGHT_COUNT])
    }

    /// The weights that `value` gives.
    pub fn from_values(mut value: impl FnMut(WeightIndex) -> f32) -> Weights {
        let mut weights = Weights::zero();
        for weight in WeightIndex::all() {
            weights[weight] = value(weight);
        }
        weights
    }

    /// The values as Rust source, a line for each group of weights.
    pub fn as_source(&self) -> String {
        let groups = [
            WeightIndex::FREE_AROUND_BEE,
            WeightIndex::UNPINNED,
            WeightIndex::RESERVE,
            WeightIndex::COVERED,
        ];
        let mut source = "const DEFAULTS: [f32; WEIGHT_COUNT] = [".to_owned();
        for (weight, value) in WeightIndex::all().zip(&self.0) {
            let first_of_line = weight.0 == 0 || groups.contains(&weight.0);
            source += match (first_of_line, weight.0) {
                (true, 0) => "\n    ",
                (true, _) => ", //\n    ",
                (false, _) => ", ",
            };
            source += &format!("{value:.3}");
        }
        source + ", //\n];\n"
    }

    /// The values in the order of the indices.
    pub fn values(&self) -> &[f32; WEIGHT_COUNT] {
        &self.0
    }
}

impl Index<WeightIndex> for Weights {
    type Output = f32;

    #[inline]
    fn index(&self, weight: WeightIndex) -> &f32 {
        &self.0[weight.index()]
    }
}

impl IndexMut<WeightIndex> for Weights {
    fn index_mut(&mut self, weight: WeightIndex) -> &mut f32 {
        &mut self.0[weight.index()]
    }
}

impl fmt::Display for Weights {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        NAMES
            .iter()
            .zip(&self.0)
            .try_for_each(|(name, value)| writeln!(f, "{name} {value}"))
    }
}

/// Why a text is no weights file.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ParseWeightsError {
    /// Not a name and a value.
    #[error("line {line}: `{text}` is not a name and a value")]
    Line {
        /// Line in the file, from 1.
        line: usize,
        /// What it says.
        text: String,
    },
    /// A name that there is no weight of.
    #[error("line {line}: there is no weight `{name}`")]
    Name {
        /// Line in the file, from 1.
        line: usize,
        /// The name.
        name: String,
    },
    /// A weight given twice.
    #[error("line {line}: the weight `{name}` is given twice")]
    Twice {
        /// Line in the file, from 1.
        line: usize,
        /// The name.
        name: &'static str,
    },
    /// A weight left out.
    #[error("the weight `{0}` is missing")]
    Missing(&'static str),
}

impl FromStr for Weights {
    type Err = ParseWeightsError;

    fn from_str(text: &str) -> Result<Weights, ParseWeightsError> {
        let mut given: [Option<f32>; WEIGHT_COUNT] = [None; WEIGHT_COUNT];
        for (line, text) in (1..).zip(text.lines()) {
            if text.trim().is_empty() || text.starts_with('#') {
                continue;
            }
            let malformed = || ParseWeightsError::Line {
                line,
                text: text.to_owned(),
            };
            let (name, value) = text.trim().split_once(' ').ok_or_else(malformed)?;
            let value: f32 = value.trim().parse().map_err(|_| malformed())?;
            let weight = WeightIndex::all()
                .find(|weight| weight.name() == name)
                .ok_or_else(|| ParseWeightsError::Name {
                    line,
                    name: name.to_owned(),
                })?;
            if !value.is_finite() {
                return Err(malformed());
            }
            if given[weight.index()].replace(value).is_some() {
                return Err(ParseWeightsError::Twice {
                    line,
                    name: weight.name(),
                });
            }
        }
        let mut weights = Weights::zero();
        for weight in WeightIndex::all() {
            weights[weight] =
                given[weight.index()].ok_or(ParseWeightsError::Missing(weight.name()))?;
        }
        Ok(weights)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hive::PieceKind;

    #[test]
    fn indices_and_names_agree() {
        assert_eq!(WeightIndex::free_around_bee(6).name(), "free_around_bee_6");
        for &kind in Kind::ALL {
            let name = format!("{kind:?}").to_lowercase();
            assert_eq!(
                WeightIndex::unpinned(kind).name(),
                format!("unpinned_{name}")
            );
            assert_eq!(WeightIndex::reserve(kind).name(), format!("reserve_{name}"));
            assert_eq!(WeightIndex::covered(kind).name(), format!("covered_{name}"));
        }
    }

    #[test]
    fn weights_round_trip_as_text() {
        let text = format!("# comment\n\n{}", Weights::default());
        assert_eq!(text.parse::<Weights>().unwrap(), Weights::default());
    }

    #[test]
    fn the_source_form_has_every_value_in_order() {
        let source = Weights::default().as_source();
        let values: Vec<f32> = source
            .split(|c: char| !(c.is_ascii_digit() || "-.".contains(c)))
            .filter(|text| text.contains('.'))
            .map(|text| text.parse().unwrap())
            .collect();
        assert_eq!(values, *Weights::default().values());
    }

    #[test]
    fn errors_name_the_line_and_the_weight() {
        let text = Weights::zero().to_string();
        let message = |text: &str| text.parse::<Weights>().unwrap_err().to_string();
        assert!(message(&text.replace("tempo 0\n", "")).contains("`tempo` is missing"));
        assert!(
            message(&text.replace("tempo", "temp")).contains("line 1: there is no weight `temp`")
        );
        assert!(message(&format!("{text}tempo 1")).contains("line 28"));
        assert!(message(&text.replace("tempo 0", "tempo inf")).contains("line 1"));
        assert!(message(&text.replace("tempo 0", "tempo")).contains("`tempo`"));
    }
}
