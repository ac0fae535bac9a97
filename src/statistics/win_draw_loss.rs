//! Games by their result.

use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign};

use super::score_counts::ScoreCounts;
use super::{GameScore, MatchEstimate};

/// How many games a player has won, drawn and lost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
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

    /// Number of games.
    pub fn games(self) -> u64 {
        self.wins + self.draws + self.losses
    }

    /// Points: a win counts 1, a draw ½.
    pub fn points(self) -> f64 {
        self.wins as f64 + self.draws as f64 / 2.0
    }

    /// Points per game, 0 to 1; `None` without games.
    pub fn score(self) -> Option<f64> {
        (self.games() > 0).then(|| self.points() / self.games() as f64)
    }

    /// Share of the games that were drawn, 0 to 1; `None` without games.
    pub fn draw_ratio(self) -> Option<f64> {
        (self.games() > 0).then(|| self.draws as f64 / self.games() as f64)
    }

    /// The same games as the other player sees them.
    #[must_use]
    pub fn reversed(self) -> WinDrawLoss {
        WinDrawLoss {
            wins: self.losses,
            draws: self.draws,
            losses: self.wins,
        }
    }

    /// The player's strength, estimated from these games as if they were independent; `None` without games.
    ///
    /// Games with the same opening are not: for them the intervals are wrong, mostly too wide, and
    /// [`Pentanomial::estimate`](super::Pentanomial::estimate) is the one to use.
    pub fn estimate(self) -> Option<MatchEstimate> {
        MatchEstimate::of(&self.score_counts())
    }

    pub(super) fn score_counts(self) -> ScoreCounts<3> {
        ScoreCounts::new([self.losses, self.draws, self.wins])
    }
}

impl AddAssign for WinDrawLoss {
    fn add_assign(&mut self, other: WinDrawLoss) {
        self.wins += other.wins;
        self.draws += other.draws;
        self.losses += other.losses;
    }
}

impl Add for WinDrawLoss {
    type Output = WinDrawLoss;

    fn add(mut self, other: WinDrawLoss) -> WinDrawLoss {
        self += other;
        self
    }
}

impl Sum for WinDrawLoss {
    fn sum<I: Iterator<Item = WinDrawLoss>>(parts: I) -> WinDrawLoss {
        parts.fold(WinDrawLoss::default(), Add::add)
    }
}

/// `+136 =111 -96`
impl fmt::Display for WinDrawLoss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "+{} ={} -{}", self.wins, self.draws, self.losses)
    }
}
