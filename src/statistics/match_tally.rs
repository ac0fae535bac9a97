//! Everything counted in a match of two players.

use std::iter::Sum;
use std::ops::{Add, AddAssign};

use super::{GameScore, Pentanomial, WinDrawLoss};

/// Pairs and the games in them, as one of the two players sees them. Both counts always agree.
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

    /// The pairs by their score.
    pub fn pairs(self) -> Pentanomial {
        self.pairs
    }

    /// The games by their result.
    pub fn games(self) -> WinDrawLoss {
        self.games
    }

    /// Pairs of two draws. The other pairs of one point each are a win and a loss; fastchess prints their ratio as
    /// `WL/DD`.
    pub fn double_draws(self) -> u64 {
        let [_, half_lost, _, half_won, _] = self.pairs.counts();
        (self.games.draws - half_lost - half_won) / 2
    }

    /// The same match as the other player sees it.
    #[must_use]
    pub fn reversed(self) -> MatchTally {
        MatchTally {
            pairs: self.pairs.reversed(),
            games: self.games.reversed(),
        }
    }
}

impl AddAssign for MatchTally {
    fn add_assign(&mut self, other: MatchTally) {
        self.pairs += other.pairs;
        self.games += other.games;
    }
}

impl Add for MatchTally {
    type Output = MatchTally;

    fn add(mut self, other: MatchTally) -> MatchTally {
        self += other;
        self
    }
}

impl Sum for MatchTally {
    fn sum<I: Iterator<Item = MatchTally>>(parts: I) -> MatchTally {
        parts.fold(MatchTally::default(), Add::add)
    }
}

impl FromIterator<[GameScore; 2]> for MatchTally {
    fn from_iter<I: IntoIterator<Item = [GameScore; 2]>>(pairs: I) -> MatchTally {
        let mut tally = MatchTally::default();
        for pair in pairs {
            tally.record(pair);
        }
        tally
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
    fn pairs_and_games_are_counted_together() {
        let tally: MatchTally = PAIRS.into_iter().collect();
        assert_eq!(tally.pairs(), Pentanomial::new([1, 1, 2, 2, 1]));
        let games = WinDrawLoss {
            wins: 5,
            draws: 5,
            losses: 4,
        };
        assert_eq!(tally.games(), games);
        assert_eq!(tally.games().points(), tally.pairs().points());
        assert_eq!(tally.games().games(), tally.pairs().games());
        assert_eq!(tally.double_draws(), 1);
        assert_eq!(tally.games().to_string(), "+5 =5 -4");
    }

    #[test]
    fn parts_of_a_match_add_up_to_the_whole() {
        let (left, right) = PAIRS.split_at(3);
        let parts = [left, right].map(|part| part.iter().copied().collect::<MatchTally>());
        let whole: MatchTally = PAIRS.into_iter().collect();
        assert_eq!(parts.into_iter().sum::<MatchTally>(), whole);
    }

    #[test]
    fn the_other_player_sees_the_reverse() {
        let tally: MatchTally = PAIRS.into_iter().collect();
        let other: MatchTally = PAIRS
            .into_iter()
            .map(|pair| pair.map(GameScore::reversed))
            .collect();
        assert_eq!(tally.reversed(), other);
        assert_eq!(other.double_draws(), 1);
    }
}
