//! Counts games and pairs of games by score.

use std::fmt;
use std::ops::AddAssign;

use serde::Serialize;

use super::MatchEstimate;

/// The result of a game for one of its players.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum GameScore {
    /// 0 points.
    Loss,
    /// ½ point.
    Draw,
    /// 1 point.
    Win,
}

impl GameScore {
    /// Points times two: 0, 1 or 2.
    pub const fn half_points(self) -> u8 {
        self as u8
    }

    /// Points: 0, ½ or 1.
    pub fn points(self) -> f64 {
        f64::from(self.half_points()) / 2.0
    }
}

/// Numbers of games won, drawn and lost by a player.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize)]
pub struct WinDrawLoss {
    /// Games won.
    pub wins: u64,
    /// Games drawn.
    pub draws: u64,
    /// Games lost.
    pub losses: u64,
}

impl WinDrawLoss {
    /// Counts a game.
    pub fn record(&mut self, game: GameScore) {
        match game {
            GameScore::Loss => self.losses += 1,
            GameScore::Draw => self.draws += 1,
            GameScore::Win => self.wins += 1,
        }
    }

    /// The same games from the opponent's view.
    #[must_use]
    pub fn reversed(self) -> WinDrawLoss {
        WinDrawLoss {
            wins: self.losses,
            draws: self.draws,
            losses: self.wins,
        }
    }

    /// Number of games.
    pub fn games(self) -> u64 {
        self.wins + self.draws + self.losses
    }

    /// Share of drawn games, 0 to 1; `None` without games.
    pub fn draw_ratio(self) -> Option<f64> {
        (self.games() > 0).then(|| self.draws as f64 / self.games() as f64)
    }
}

impl AddAssign for WinDrawLoss {
    fn add_assign(&mut self, other: WinDrawLoss) {
        self.wins += other.wins;
        self.draws += other.draws;
        self.losses += other.losses;
    }
}

/// `+136 =111 -96`
impl fmt::Display for WinDrawLoss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "+{} ={} -{}", self.wins, self.draws, self.losses)
    }
}

/// Numbers of pairs with 0, ½, 1, 1½ and 2 points: fastchess's `Ptnml(0-2)`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Pentanomial {
    counts: [u64; 5],
}

impl Pentanomial {
    /// Takes the numbers of pairs with 0, ½, 1, 1½ and 2 points.
    pub const fn new(counts: [u64; 5]) -> Pentanomial {
        Pentanomial { counts }
    }

    /// Numbers of pairs with 0, ½, 1, 1½ and 2 points.
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

    /// Number of games, two per pair.
    pub fn games(self) -> u64 {
        2 * self.pairs()
    }

    /// Total points: 1 per win, ½ per draw.
    pub fn points(self) -> f64 {
        let half_points: u64 = (0..).zip(self.counts).map(|(score, n)| score * n).sum();
        half_points as f64 / 2.0
    }

    /// Points per game, 0 to 1; `None` without pairs.
    pub fn score(self) -> Option<f64> {
        (self.pairs() > 0).then(|| self.points() / self.games() as f64)
    }

    /// The same pairs from the opponent's view.
    #[must_use]
    pub fn reversed(self) -> Pentanomial {
        let mut counts = self.counts;
        counts.reverse();
        Pentanomial { counts }
    }

    /// Estimates the player's strength; `None` without pairs.
    pub fn estimate(self) -> Option<MatchEstimate> {
        (self.pairs() > 0).then(|| MatchEstimate::new(self))
    }

    /// The counts, with `pseudo_count` instead of zeros.
    pub(super) fn without_zeros(self, pseudo_count: f64) -> [f64; 5] {
        let counts = self.counts.map(|count| count as f64);
        counts.map(|count| if count > 0.0 { count } else { pseudo_count })
    }

    /// Points per game, if all pairs have the same score.
    pub(super) fn only_score(self) -> Option<f64> {
        let mut observed = (0..5).filter(|&i| self.counts[i] > 0);
        let only = observed.next()?;
        observed.next().is_none().then(|| PAIR_SCORES[only])
    }

    /// Mean points per game. Requires at least one pair.
    pub(super) fn mean(self) -> f64 {
        self.average(|score| score)
    }

    /// Central moment of the points per game. Requires at least one pair.
    pub(super) fn central_moment(self, order: i32) -> f64 {
        let mean = self.mean();
        self.average(|score| (score - mean).powi(order))
    }

    fn average(self, value: impl Fn(f64) -> f64) -> f64 {
        let weighted = self.counts.iter().zip(PAIR_SCORES);
        let sum: f64 = weighted.map(|(&n, score)| n as f64 * value(score)).sum();
        sum / self.pairs() as f64
    }
}

/// Points per game for each of the [counts](Pentanomial::counts).
pub(super) const PAIR_SCORES: [f64; 5] = [0.0, 0.25, 0.5, 0.75, 1.0];

impl AddAssign for Pentanomial {
    fn add_assign(&mut self, other: Pentanomial) {
        for (count, more) in self.counts.iter_mut().zip(other.counts) {
            *count += more;
        }
    }
}

/// `[34, 54, 63, 64, 75]`
impl fmt::Display for Pentanomial {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.counts)
    }
}

/// Counts of pairs and of their games, from the view of one player.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct MatchTally {
    pairs: Pentanomial,
    games: WinDrawLoss,
}

impl MatchTally {
    /// Counts a pair.
    pub fn record(&mut self, games: [GameScore; 2]) {
        self.pairs.record(games);
        for game in games {
            self.games.record(game);
        }
    }

    /// Pairs by score.
    pub fn pairs(self) -> Pentanomial {
        self.pairs
    }

    /// Games by result.
    pub fn games(self) -> WinDrawLoss {
        self.games
    }
}

#[cfg(test)]
mod tests {
    use super::GameScore::{Draw, Loss, Win};
    use super::*;

    const PAIRS: [[GameScore; 2]; 7] = [
        [Win, Win],
        [Win, Draw],
        [Draw, Win],
        [Win, Loss],
        [Draw, Draw],
        [Loss, Draw],
        [Loss, Loss],
    ];

    #[test]
    fn pair_counts_match_game_counts() {
        let mut tally = MatchTally::default();
        assert_eq!(tally.pairs().estimate(), None);
        PAIRS.into_iter().for_each(|pair| tally.record(pair));
        assert_eq!(tally.pairs(), Pentanomial::new([1, 1, 2, 2, 1]));
        let games = WinDrawLoss {
            wins: 5,
            draws: 5,
            losses: 4,
        };
        assert_eq!(tally.games(), games);
        assert_eq!(tally.games().games(), tally.pairs().games());
        assert_eq!(tally.games().to_string(), "+5 =5 -4");
    }
}
