//! The outcome of a game and its reason.

use std::fmt;

use super::Color;

/// The end of a game by the rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// This side has won: the other one's bee has no free field around it.
    Surrounded(Color),
    /// This side has won: the last round is over and its bee has more free fields around it.
    MoreFreeFields(Color),
    /// A draw: neither bee has a free field around it.
    BothSurrounded,
    /// A draw: the last round is over and both bees have equally many free fields.
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

/// The exact result of a position under best play, for one side. Ordered from bad to good.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Solved {
    /// The side loses.
    Loss,
    /// Neither side can win.
    Draw,
    /// The side wins.
    Win,
}

impl Solved {
    /// The result for `side` of a finished game with that winner; `None` for a draw.
    pub fn from_winner(winner: Option<Color>, side: Color) -> Solved {
        match winner {
            None => Solved::Draw,
            Some(winner) if winner == side => Solved::Win,
            Some(_) => Solved::Loss,
        }
    }

    /// The same result as the other side sees it.
    #[must_use]
    pub const fn reversed(self) -> Solved {
        match self {
            Solved::Loss => Solved::Win,
            Solved::Draw => Solved::Draw,
            Solved::Win => Solved::Loss,
        }
    }

    /// The expected score: 0, one half or 1.
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
