//! The outcome of a game and its reason.

use std::fmt;

use super::Color;

/// The end of a game by the rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// This side wins: the other side's bee is surrounded.
    Surrounded(Color),
    /// This side wins: after the last round its bee has more free fields around it.
    MoreFreeFields(Color),
    /// A draw: both bees are surrounded.
    BothSurrounded,
    /// A draw: after the last round both bees have the same number of free fields around them.
    EqualFreeFields,
}

impl Outcome {
    /// The side that won, if one did.
    pub const fn winner(self) -> Option<Color> {
        match self {
            Outcome::Surrounded(winner) | Outcome::MoreFreeFields(winner) => Some(winner),
            Outcome::BothSurrounded | Outcome::EqualFreeFields => None,
        }
    }
}

/// The game-theoretic value of a position for one side, ordered from bad to good.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Solved {
    /// A loss under best play.
    Loss,
    /// A draw under best play.
    Draw,
    /// A win under best play.
    Win,
}

impl Solved {
    /// The value of a finished game for `side`. A `winner` of `None` means a draw.
    pub fn from_winner(winner: Option<Color>, side: Color) -> Solved {
        match winner {
            None => Solved::Draw,
            Some(winner) if winner == side => Solved::Win,
            Some(_) => Solved::Loss,
        }
    }

    /// The value for the other side.
    #[must_use]
    pub const fn reversed(self) -> Solved {
        match self {
            Solved::Loss => Solved::Win,
            Solved::Draw => Solved::Draw,
            Solved::Win => Solved::Loss,
        }
    }

    /// The expected score: 0, 0.5 or 1.
    pub const fn score(self) -> f32 {
        match self {
            Solved::Loss => 0.0,
            Solved::Draw => 0.5,
            Solved::Win => 1.0,
        }
    }
}

impl fmt::Display for Solved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Solved::Loss => "loss",
            Solved::Draw => "draw",
            Solved::Win => "win",
        })
    }
}
