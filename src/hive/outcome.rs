//! The outcome of a game and its reason.

use std::fmt;

use super::{ByColor, Color};

/// The end of a game by the rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// One side has won.
    Win {
        /// The side that won.
        winner: Color,
        /// The reason.
        reason: WinReason,
    },
    /// Neither side has won.
    Draw {
        /// The reason.
        reason: DrawReason,
    },
}

/// The reason for a win.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WinReason {
    /// The other side's bee has no free field around it.
    Surrounded,
    /// The last round is over and the winner's bee has more free fields around it.
    MoreFreeFields,
}

/// The reason for a draw.
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

    /// The reason for the end, without the winner: `sides` names the sides, `bee` the piece that has to be surrounded.
    pub fn reason(self, sides: ByColor<&str>, bee: &str) -> String {
        match self {
            Outcome::Win { winner, reason } => match reason {
                WinReason::Surrounded => {
                    format!("{}'s {bee} is surrounded", sides[winner.opponent()])
                }
                WinReason::MoreFreeFields => format!(
                    "more free fields around {}'s {bee} after the last round",
                    sides[winner]
                ),
            },
            Outcome::Draw { reason } => match reason {
                DrawReason::BothSurrounded => format!("both {bee}s are surrounded"),
                DrawReason::EqualFreeFields => {
                    format!("equally many free fields around the {bee}s after the last round")
                }
            },
        }
    }
}

/// In the contest's words.
impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let reason = self.reason(
            ByColor {
                red: "red",
                blue: "blue",
            },
            "bee",
        );
        match self.winner() {
            Some(winner) => write!(f, "{winner} wins: {reason}"),
            None => write!(f, "draw: {reason}"),
        }
    }
}
