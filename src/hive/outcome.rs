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
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Outcome::Win { winner, reason } => {
                let loser = winner.opponent();
                match reason {
                    WinReason::Surrounded => {
                        write!(f, "{winner} wins: {loser}'s bee is surrounded")
                    }
                    WinReason::MoreFreeFields => write!(
                        f,
                        "{winner} wins: more free fields around its bee after the last round"
                    ),
                }
            }
            Outcome::Draw { reason } => f.write_str(match reason {
                DrawReason::BothSurrounded => "draw: both bees are surrounded",
                DrawReason::EqualFreeFields => {
                    "draw: equally many free fields around the bees after the last round"
                }
            }),
        }
    }
}
