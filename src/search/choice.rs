//! The answers of players.

use std::fmt;

use crate::hive::{Color, Move, Outcome, RuleBook};

/// The exact result of a position under best play, for one side. Ordered from bad to good.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Proof {
    /// The side loses.
    Loss,
    /// Neither side can win.
    Draw,
    /// The side wins.
    Win,
}

impl Proof {
    /// The result of a finished game for `side`.
    pub fn of(outcome: Outcome, side: Color) -> Proof {
        match outcome.winner() {
            None => Proof::Draw,
            Some(winner) if winner == side => Proof::Win,
            Some(_) => Proof::Loss,
        }
    }

    /// The same result as the other side sees it.
    #[must_use]
    pub const fn reversed(self) -> Proof {
        match self {
            Proof::Loss => Proof::Win,
            Proof::Draw => Proof::Draw,
            Proof::Win => Proof::Loss,
        }
    }

    /// The expected score: 0, one half or 1.
    pub const fn score(self) -> f32 {
        match self {
            Proof::Loss => 0.0,
            Proof::Draw => 0.5,
            Proof::Win => 1.0,
        }
    }
}

impl fmt::Display for Proof {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Proof::Loss => "loss",
            Proof::Draw => "draw",
            Proof::Win => "win",
        })
    }
}

/// A root move and its evaluation.
#[derive(Clone, Debug, PartialEq)]
pub struct Line<R: RuleBook> {
    /// The move.
    pub mv: Move<R>,
    /// The rest of the principal variation.
    pub continuation: Vec<Move<R>>,
    /// Expected score of the side that makes the move, in `0..=1`; `None` from a player without an evaluation.
    pub score: Option<f64>,
    /// The exact result for the side that makes the move, if the search found it.
    pub proof: Option<Proof>,
    /// Where a win or a loss is proven, the plies until the game is over, this move among them: those of the shortest win found, or
    /// of the longest defence.
    pub plies: Option<u16>,
    /// Number of iterations through the move.
    pub visits: u64,
}

impl<R: RuleBook> Line<R> {
    /// A move without an evaluation.
    pub fn unjudged(mv: Move<R>) -> Line<R> {
        Line {
            mv,
            continuation: Vec::new(),
            score: None,
            proof: None,
            plies: None,
            visits: 0,
        }
    }

    /// The principal variation: the move and its continuation.
    pub fn variation(&self) -> impl Iterator<Item = Move<R>> {
        std::iter::once(self.mv).chain(self.continuation.iter().copied())
    }
}

/// A player's answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice<R: RuleBook> {
    /// The chosen move.
    pub best: Line<R>,
    /// Number of iterations for this choice; 0 without a search.
    pub nodes: u64,
}
