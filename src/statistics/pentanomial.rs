//! Pairs of games by their score.

use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign};

use super::score_counts::ScoreCounts;
use super::{GameScore, MatchEstimate};

/// How many pairs of games gave a player 0, ½, 1, 1½ and 2 points: fastchess's `Ptnml(0-2)`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Pentanomial {
    counts: [u64; 5],
}

impl Pentanomial {
    /// From the numbers of pairs that gave 0, ½, 1, 1½ and 2 points.
    pub const fn new(counts: [u64; 5]) -> Pentanomial {
        Pentanomial { counts }
    }

    /// Numbers of pairs that gave 0, ½, 1, 1½ and 2 points.
    pub const fn counts(self) -> [u64; 5] {
        self.counts
    }

    /// Counts a pair.
    pub fn record(&mut self, games: [GameScore; 2]) {
        let half_points: u8 = games.iter().map(|game| game.half_points()).sum();
        self.counts[usize::from(half_points)] += 1;
    }

    /// Number of pairs.
    pub fn pairs(self) -> u64 {
        self.counts.iter().sum()
    }

    /// Number of games, two for each pair.
    pub fn games(self) -> u64 {
        2 * self.pairs()
    }

    /// Points over all games: a win counts 1, a draw ½.
    pub fn points(self) -> f64 {
        let half_points: u64 = (0..).zip(self.counts).map(|(score, n)| score * n).sum();
        half_points as f64 / 2.0
    }

    /// Points per game, 0 to 1; `None` without pairs.
    pub fn score(self) -> Option<f64> {
        (self.pairs() > 0).then(|| self.points() / self.games() as f64)
    }

    /// Share of the pairs that gave both players one point, 0 to 1; `None` without pairs.
    ///
    /// This is what fastchess prints as `DrawRatio` when it reports pairs.
    pub fn drawn_pair_ratio(self) -> Option<f64> {
        (self.pairs() > 0).then(|| self.counts[2] as f64 / self.pairs() as f64)
    }

    /// Pairs won (1½ or 2 points) for each pair lost (½ or 0 points), fastchess's `PairsRatio`.
    ///
    /// Infinite if pairs were won but none lost, `None` if neither.
    pub fn pairs_ratio(self) -> Option<f64> {
        let [lost, half_lost, _, half_won, won] = self.counts;
        let (won, lost) = (won + half_won, lost + half_lost);
        (won + lost > 0).then(|| won as f64 / lost as f64)
    }

    /// The same pairs as the other player sees them.
    #[must_use]
    pub fn reversed(self) -> Pentanomial {
        let mut counts = self.counts;
        counts.reverse();
        Pentanomial { counts }
    }

    /// The player's strength, estimated from these pairs; `None` without pairs.
    pub fn estimate(self) -> Option<MatchEstimate> {
        MatchEstimate::of(&self.score_counts())
    }

    pub(super) fn score_counts(self) -> ScoreCounts<5> {
        ScoreCounts::new(self.counts)
    }
}

impl AddAssign for Pentanomial {
    fn add_assign(&mut self, other: Pentanomial) {
        for (count, more) in self.counts.iter_mut().zip(other.counts) {
            *count += more;
        }
    }
}

impl Add for Pentanomial {
    type Output = Pentanomial;

    fn add(mut self, other: Pentanomial) -> Pentanomial {
        self += other;
        self
    }
}

impl Sum for Pentanomial {
    fn sum<I: Iterator<Item = Pentanomial>>(parts: I) -> Pentanomial {
        parts.fold(Pentanomial::default(), Add::add)
    }
}

/// `[34, 54, 63, 64, 75]`
impl fmt::Display for Pentanomial {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.counts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_pairs_there_is_nothing_to_say() {
        let none = Pentanomial::default();
        assert_eq!(none.score(), None);
        assert_eq!(none.drawn_pair_ratio(), None);
        assert_eq!(none.pairs_ratio(), None);
        assert_eq!(none.estimate(), None);
    }

    #[test]
    fn ratios_of_pairs() {
        let pairs = Pentanomial::new([1, 2, 4, 6, 3]);
        assert_eq!(pairs.drawn_pair_ratio(), Some(0.25));
        assert_eq!(pairs.pairs_ratio(), Some(3.0));
        assert_eq!(pairs.score(), Some(20.0 / 32.0));
        let unbeaten = Pentanomial::new([0, 0, 4, 6, 3]);
        assert_eq!(unbeaten.pairs_ratio(), Some(f64::INFINITY));
        assert_eq!(unbeaten.reversed().pairs_ratio(), Some(0.0));
        assert_eq!(Pentanomial::new([0, 0, 4, 0, 0]).pairs_ratio(), None);
    }
}
