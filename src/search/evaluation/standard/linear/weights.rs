//! How much each feature counts, in logits.

use std::fmt;
use std::ops::Index;
use std::str::FromStr;

use thiserror::Error;

use crate::hive::PieceKind;
use crate::hive::standard::Kind;

/// A feature's place among the weights.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Feature(usize);

/// Number of features.
pub const STANDARD_FEATURE_COUNT: usize = 42;

const KINDS: usize = 8;

impl Feature {
    /// To be the side to move.
    pub const TEMPO: Feature = Feature(0);
    /// The queen is still in hand.
    pub const QUEEN_IN_HAND: Feature = Feature(1);
    /// The own queen can go.
    pub const SLIDING_QUEEN: Feature = Feature(2);
    /// An ant that is not shut in.
    pub const SLIDING_ANT: Feature = Feature(3);
    /// An own piece that is free to go and beside the own queen: it can make room.
    pub const FREE_BESIDE_OWN_QUEEN: Feature = Feature(4);
    /// A pillbug, or a mosquito as one, beside the own queen.
    pub const DEFENCE: Feature = Feature(5);
    /// The same, for each taken cell around her.
    pub const DEFENCE_BY_TAKEN: Feature = Feature(6);
    /// An own piece on top of the enemy's queen.
    pub const ON_ENEMY_QUEEN: Feature = Feature(7);
    /// An own piece on top of another beside the enemy's queen.
    pub const ABOVE_BESIDE_ENEMY_QUEEN: Feature = Feature(8);
    /// An own beetle on the ground beside the enemy's queen.
    pub const BEETLE_BESIDE_ENEMY_QUEEN: Feature = Feature(9);
    /// Any own piece beside the enemy's queen.
    pub const BESIDE_ENEMY_QUEEN: Feature = Feature(10);
    /// A cell beside the enemy's queen where an own piece may be placed.
    pub const PLACEABLE_BESIDE_ENEMY_QUEEN: Feature = Feature(11);
    /// A cell beside the enemy's queen that no piece slides into.
    pub const CLOSED_BESIDE_ENEMY_QUEEN: Feature = Feature(12);
    /// An own piece that is free to go and not beside the enemy's queen, for each taken cell around her.
    pub const COMERS_BY_TAKEN: Feature = Feature(13);

    /// That many taken cells around the own queen; those with all six are none of a running game's.
    pub fn taken_around_queen(taken: u32) -> Feature {
        Feature(14 + (taken as usize).min(5))
    }

    /// A piece of that kind that is free to go.
    pub fn free(kind: Kind) -> Feature {
        Feature(20 + kind.index())
    }

    /// A piece of that kind in hand.
    pub fn in_hand(kind: Kind) -> Feature {
        Feature(20 + KINDS + kind.index())
    }

    /// An own piece of that kind below others; of queen, spider and so on up to ant, mosquitoes lie there as ants do.
    pub fn covered(kind: Kind) -> Feature {
        Feature(20 + 2 * KINDS + kind.index().min(COVERED_KINDS - 1))
    }

    /// For tables.
    pub const fn index(self) -> usize {
        self.0
    }
}

/// Kinds that are told apart below others; the expansions are one.
const COVERED_KINDS: usize = 6;

const _: () = assert!(20 + 2 * KINDS + COVERED_KINDS <= STANDARD_FEATURE_COUNT);

/// A number for each feature, in logits.
///
/// The text form is a line `name value` for each feature; a line that begins with `#` is a comment.
#[derive(Clone, Debug, PartialEq)]
pub struct StandardWeights([f32; STANDARD_FEATURE_COUNT]);

impl Default for StandardWeights {
    fn default() -> StandardWeights {
        StandardWeights(DEFAULT)
    }
}

impl StandardWeights {
    /// The weights that `value` gives to the features, in the order of their indices.
    pub fn from_values(value: impl FnMut(usize) -> f32) -> StandardWeights {
        StandardWeights(std::array::from_fn(value))
    }

    /// The weights, in the order of the features' indices.
    pub fn values(&self) -> &[f32] {
        &self.0
    }

    /// Whether `text` is meant for this game: whether a line begins with the name of a feature of queens, which the contest's
    /// weights call bees.
    pub(in crate::search::evaluation) fn names_one_in(text: &str) -> bool {
        text.lines()
            .filter_map(|line| line.split_whitespace().next())
            .any(|word| NAMES.contains(&word) && word.contains("queen"))
    }

    /// The weights as source of the built-in ones.
    pub fn as_source(&self) -> String {
        let rows = self.0.chunks(8).map(|row| {
            let numbers: Vec<String> = row.iter().map(|value| format!("{value:.3}")).collect();
            format!("    {}, //\n", numbers.join(", "))
        });
        format!(
            "const DEFAULT: [f32; STANDARD_FEATURE_COUNT] = [\n{}];\n",
            rows.collect::<String>()
        )
    }
}

impl Index<Feature> for StandardWeights {
    type Output = f32;

    #[inline]
    fn index(&self, feature: Feature) -> &f32 {
        &self.0[feature.0]
    }
}

impl fmt::Display for StandardWeights {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        NAMES
            .iter()
            .zip(self.0)
            .try_for_each(|(name, value)| writeln!(f, "{name} {value}"))
    }
}

/// Why a text holds no weights.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ParseStandardWeightsError {
    /// Not a name and a finite number.
    #[error("line {number}: `{line}` is not a feature and its weight")]
    Line {
        /// Counted from 1.
        number: usize,
        /// The line.
        line: String,
    },
    /// A feature without a weight.
    #[error("there is no weight for {0}")]
    Missing(&'static str),
}

impl FromStr for StandardWeights {
    type Err = ParseStandardWeightsError;

    fn from_str(text: &str) -> Result<StandardWeights, ParseStandardWeightsError> {
        let mut read = [None; STANDARD_FEATURE_COUNT];
        for (number, line) in (1..).zip(text.lines().map(str::trim)) {
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let weight = line
                .split_once(char::is_whitespace)
                .and_then(|(name, value)| {
                    let place = NAMES.iter().position(|known| *known == name)?;
                    let value: f32 = value.trim().parse().ok()?;
                    value.is_finite().then_some((place, value))
                });
            let Some((place, value)) = weight else {
                return Err(ParseStandardWeightsError::Line {
                    number,
                    line: line.to_owned(),
                });
            };
            if let Some(slot) = read.get_mut(place) {
                *slot = Some(value);
            }
        }
        let mut weights = StandardWeights::default();
        for ((slot, value), name) in weights.0.iter_mut().zip(read).zip(NAMES) {
            *slot = value.ok_or(ParseStandardWeightsError::Missing(name))?;
        }
        Ok(weights)
    }
}

/// By [`Feature::index`].
const NAMES: [&str; STANDARD_FEATURE_COUNT] = [
    "tempo",
    "queen_in_hand",
    "sliding_queen",
    "sliding_ant",
    "free_beside_own_queen",
    "defence",
    "defence_by_taken",
    "on_enemy_queen",
    "above_beside_enemy_queen",
    "beetle_beside_enemy_queen",
    "beside_enemy_queen",
    "placeable_beside_enemy_queen",
    "closed_beside_enemy_queen",
    "comers_by_taken",
    "taken_0",
    "taken_1",
    "taken_2",
    "taken_3",
    "taken_4",
    "taken_5",
    "free_queen",
    "free_spider",
    "free_beetle",
    "free_grasshopper",
    "free_ant",
    "free_mosquito",
    "free_ladybug",
    "free_pillbug",
    "hand_queen",
    "hand_spider",
    "hand_beetle",
    "hand_grasshopper",
    "hand_ant",
    "hand_mosquito",
    "hand_ladybug",
    "hand_pillbug",
    "covered_queen",
    "covered_spider",
    "covered_beetle",
    "covered_grasshopper",
    "covered_ant",
    "covered_expansion",
];

/// By [`Feature::index`]. Set by hand, then fitted to the results of games against itself.
const DEFAULT: [f32; STANDARD_FEATURE_COUNT] = [
    0.12, -0.14, -0.16, 0.17, 0.00, 0.25, 0.00, 0.80, //
    0.57, 0.07, 0.20, -0.07, 0.01, 0.00, //
    0.00, 0.01, -0.23, -0.38, -0.76, -1.65, //
    0.17, 0.10, 0.14, 0.09, 0.08, 0.10, -0.04, 0.13, //
    -0.06, 0.09, -0.08, 0.08, 0.12, -0.16, -0.08, -0.11, //
    -0.44, 0.16, -0.25, 0.14, 0.05, -0.10, //
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_read_back_as_they_print() {
        let weights = StandardWeights::default();
        let text = format!("# by hand\n\n{weights}");
        assert_eq!(text.parse(), Ok(weights));
    }

    #[test]
    fn the_file_that_training_begins_with_has_the_built_in_weights() {
        let text = include_str!("../../../../../scripts/train/standard-linear.txt");
        assert_eq!(text.parse(), Ok(StandardWeights::default()));
    }

    #[test]
    fn incomplete_and_wrong_texts_are_refused() {
        let text = StandardWeights::default().to_string();
        let shorter = text.replace("tempo", "# tempo");
        assert_eq!(
            shorter.parse::<StandardWeights>(),
            Err(ParseStandardWeightsError::Missing("tempo"))
        );
        for line in ["tempo", "tempo x", "tempo NaN", "nothing 1"] {
            let wrong = format!("{text}{line}\n");
            assert!(wrong.parse::<StandardWeights>().is_err(), "{line}");
        }
    }
}
