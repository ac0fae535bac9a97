//! The results of a search or player.

use wabe_hive::{Move, RuleBook};

pub use wabe_hive::Solved;

/// A root move and its evaluation.
#[derive(Clone, Debug, PartialEq)]
pub struct RootMove<R: RuleBook> {
    /// The move, legal at the root.
    pub mv: Move<R>,
    /// The PV after the move.
    pub continuation: Vec<Move<R>>,
    /// Expected score of the side that makes the move, in `0..=1`; `None` without an evaluation.
    pub score: Option<f64>,
    /// The exact result for the side that makes the move, if proven.
    pub proof: Option<Solved>,
    /// For a proven win or loss, the number of plies to the end of the game, including this move:
    /// the shortest win found or the longest defence.
    pub plies: Option<u16>,
    /// Number of iterations through the move.
    pub visits: u64,
}

impl<R: RuleBook> RootMove<R> {
    /// A move without an evaluation.
    pub fn without_evaluation(mv: Move<R>) -> RootMove<R> {
        RootMove {
            mv,
            continuation: Vec::new(),
            score: None,
            proof: None,
            plies: None,
            visits: 0,
        }
    }

    /// The PV: the move and its continuation.
    pub fn pv(&self) -> impl Iterator<Item = Move<R>> {
        std::iter::once(self.mv).chain(self.continuation.iter().copied())
    }
}

/// The choice of a player.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice<R: RuleBook> {
    /// The chosen move.
    pub best: RootMove<R>,
    /// Number of iterations for this choice; 0 without a search.
    pub nodes: u64,
}
