//! The answers of players.

use wabe_hive::{Move, RuleBook};

pub use wabe_hive::Solved;

/// A root move and its evaluation.
#[derive(Clone, Debug, PartialEq)]
pub struct RootMove<R: RuleBook> {
    /// The move.
    pub mv: Move<R>,
    /// The rest of the principal variation.
    pub continuation: Vec<Move<R>>,
    /// Expected score of the side that makes the move, in `0..=1`; `None` from a player without an
    /// evaluation.
    pub score: Option<f64>,
    /// The exact result for the side that makes the move, if the search found it.
    pub proof: Option<Solved>,
    /// Where a win or a loss is proven, the plies until the game is over, this move among them:
    /// those of the shortest win found, or of the longest defence.
    pub plies: Option<u16>,
    /// Number of iterations through the move.
    pub visits: u64,
}

impl<R: RuleBook> RootMove<R> {
    /// A move without an evaluation.
    pub fn unjudged(mv: Move<R>) -> RootMove<R> {
        RootMove {
            mv,
            continuation: Vec::new(),
            score: None,
            proof: None,
            plies: None,
            visits: 0,
        }
    }

    /// The principal variation: the move and its continuation.
    pub fn pv(&self) -> impl Iterator<Item = Move<R>> {
        std::iter::once(self.mv).chain(self.continuation.iter().copied())
    }
}

/// A player's answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice<R: RuleBook> {
    /// The chosen move.
    pub best: RootMove<R>,
    /// Number of iterations for this choice; 0 without a search.
    pub nodes: u64,
}
