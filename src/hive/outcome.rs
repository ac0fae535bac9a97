//! How a game ended, and why.

use std::fmt;

use super::Color;

/// The end of a game by the rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// One side has won.
    Win {
        /// The side that won.
        winner: Color,
        /// Why.
        reason: WinReason,
    },
    /// Nobody has won.
    Draw {
        /// Why.
        reason: DrawReason,
    },
}

/// Why a side won.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WinReason {
    /// The other side's bee has no free field around it.
    Surrounded,
    /// The last round is over and the winner's bee has more free fields around it.
    MoreFreeFields,
}

/// Why nobody won.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DrawReason {
    /// Neither bee has a free field around it.
    BothSurrounded,
    /// The last round is over and both bees have equally many free fields.
    EqualFreeFields,
}

impl Outcome {
    /// The side that won, if one did.
    pub const fn winner(self) -> Option<Color> {
        match self {
            Outcome::Win { winner, .. } => Some(winner),
            Outcome::Draw { .. } => None,
        }
    }

    /// Why the game is over, without who has won.
    pub fn reason(self) -> impl fmt::Display {
        Reason(self)
    }
}

/// Why a game is over, in words.
struct Reason(Outcome);

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Outcome::Win { winner, reason } => match reason {
                WinReason::Surrounded => write!(f, "{}'s bee is surrounded", winner.opponent()),
                WinReason::MoreFreeFields => write!(
                    f,
                    "more free fields around {winner}'s bee after the last round"
                ),
            },
            Outcome::Draw { reason } => f.write_str(match reason {
                DrawReason::BothSurrounded => "both bees are surrounded",
                DrawReason::EqualFreeFields => {
                    "equally many free fields around the bees after the last round"
                }
            }),
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.winner() {
            Some(winner) => write!(f, "{winner} wins: {}", self.reason()),
            None => write!(f, "draw: {}", self.reason()),
        }
    }
}
