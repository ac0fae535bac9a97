//! What one game gave a player.

/// The result of a game as one of its players sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum GameScore {
    /// No point.
    Loss,
    /// Half a point.
    Draw,
    /// A point.
    Win,
}

impl GameScore {
    /// From half points: 0, 1 or 2; `None` for more.
    pub const fn from_half_points(half_points: u8) -> Option<GameScore> {
        match half_points {
            0 => Some(GameScore::Loss),
            1 => Some(GameScore::Draw),
            2 => Some(GameScore::Win),
            _ => None,
        }
    }

    /// Half points: 0, 1 or 2.
    pub const fn half_points(self) -> u8 {
        match self {
            GameScore::Loss => 0,
            GameScore::Draw => 1,
            GameScore::Win => 2,
        }
    }

    /// The same game as the other player sees it.
    #[must_use]
    pub const fn reversed(self) -> GameScore {
        match self {
            GameScore::Loss => GameScore::Win,
            GameScore::Draw => GameScore::Draw,
            GameScore::Win => GameScore::Loss,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_points_round_trip_and_both_players_share_two() {
        for half_points in 0..=2 {
            let score = GameScore::from_half_points(half_points).unwrap();
            assert_eq!(score.half_points(), half_points);
            assert_eq!(score.reversed().half_points(), 2 - half_points);
        }
        assert_eq!(GameScore::from_half_points(3), None);
    }
}
