//! Schedules the pairs of a run.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Which engines play each other.
#[derive(clap::ValueEnum, Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Format {
    /// Every engine plays every other engine.
    #[default]
    RoundRobin,
    /// The first engine plays all other engines.
    Gauntlet,
}

/// Indices of a pair's two engines. The first one is red in the first game.
pub type Pairing = (usize, usize);

/// A share of a run's pairs: those with `number % count == index`.
///
/// The text form counts from 1: `1/4` to `4/4`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    index: u64,
    count: u64,
}

impl Shard {
    /// The whole run.
    pub const WHOLE: Shard = Shard { index: 0, count: 1 };

    /// Number of the shard's pair with this index, both from 0; `None` on overflow.
    pub fn pair(self, index: u64) -> Option<u64> {
        index.checked_mul(self.count)?.checked_add(self.index)
    }
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Shard, String> {
        text.split_once('/')
            .and_then(|(i, n)| Some((i.parse::<u64>().ok()?, n.parse::<u64>().ok()?)))
            .filter(|&(i, n)| i >= 1 && i <= n)
            .map(|(i, count)| Shard {
                index: i - 1,
                count,
            })
            .ok_or_else(|| format!("`{text}` is not a shard: expected I/N with 1 <= I <= N"))
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.index + 1, self.count)
    }
}

/// All pairs of a run: every pairing plays each opening.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schedule {
    pairings: Vec<Pairing>,
    openings: u64,
}

impl Schedule {
    /// A schedule with `openings` openings per pairing. Empty for fewer than two engines.
    pub fn new(format: Format, engines: usize, openings: u64) -> Schedule {
        let pairings = (0..engines)
            .flat_map(|first| (first + 1..engines).map(move |second| (first, second)))
            .filter(|(first, _)| format == Format::RoundRobin || *first == 0)
            .collect();
        Schedule { pairings, openings }
    }

    /// Number of pairs.
    fn pair_count(&self) -> u64 {
        self.openings.saturating_mul(self.pairings.len() as u64)
    }

    /// Number of pairs in a shard.
    pub fn pairs_of(&self, shard: Shard) -> u64 {
        let following = self.pair_count().saturating_sub(shard.index);
        following.div_ceil(shard.count)
    }

    /// The engines and the opening number of a pair; `None` after the last pair.
    pub fn pair(&self, number: u64) -> Option<(Pairing, u64)> {
        let pairings = self.pairings.len() as u64;
        if number >= self.pair_count() {
            return None;
        }
        let pairing = *self
            .pairings
            .get(usize::try_from(number % pairings).ok()?)?;
        Some((pairing, number / pairings))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gauntlets_pair_the_first_with_all_others() {
        let pairs = |format| {
            let schedule = Schedule::new(format, 3, 2);
            let pairs = (0..).map_while(|number| schedule.pair(number));
            pairs.collect::<Vec<_>>()
        };
        assert_eq!(pairs(Format::RoundRobin).len(), 6);
        assert_eq!(
            pairs(Format::Gauntlet),
            [((0, 1), 0), ((0, 2), 0), ((0, 1), 1), ((0, 2), 1)]
        );
    }

    #[test]
    fn shards_partition_the_pairs() {
        let contains = |shard: &Shard, pair| pair % shard.count == shard.index;
        let shards: Vec<Shard> = (1..=3).map(|i| format!("{i}/3").parse().unwrap()).collect();
        for pair in 0..20 {
            assert_eq!(shards.iter().filter(|s| contains(s, pair)).count(), 1);
        }
        for pairs in 0..20 {
            let schedule = Schedule::new(Format::RoundRobin, 2, pairs);
            for shard in &shards {
                let expected: Vec<u64> = (0..pairs).filter(|&n| contains(shard, n)).collect();
                let count = schedule.pairs_of(*shard);
                let numbers: Vec<u64> = (0..count).filter_map(|i| shard.pair(i)).collect();
                assert_eq!(numbers, expected);
            }
        }
        let endless = Schedule::new(Format::RoundRobin, 9, u64::MAX);
        assert_eq!(endless.pairs_of(Shard::WHOLE), u64::MAX);
        for text in ["0/3", "4/3", "1", "a/b", "1/0"] {
            assert!(text.parse::<Shard>().is_err(), "{text}");
        }
    }
}
