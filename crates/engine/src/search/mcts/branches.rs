//! The upper part of the search tree, for display and tests.

use std::cmp::Reverse;

use super::iteration::{RootOrder, expected_score, final_choice};
use super::node::NodeId;
use super::tree_search::TreeSearch;
use crate::search::choice::Solved;
use wabe_hive::{Move, RuleBook};

/// The best moves of a position.
#[derive(Clone, Debug, PartialEq)]
pub struct Branches<R: RuleBook> {
    /// The moves, best first.
    pub shown: Vec<Branch<R>>,
    /// Number of iterations through all moves.
    pub visits: u64,
}

/// A move in the search tree. All values are for the side that makes it.
#[derive(Clone, Debug, PartialEq)]
pub struct Branch<R: RuleBook> {
    /// The move, legal in the parent's position.
    pub mv: Move<R>,
    /// Number of iterations through the move.
    pub visits: u64,
    /// The prior; those of all siblings sum to 1.
    pub prior: f64,
    /// Expected score, in `0..=1`.
    pub score: f64,
    /// The exact result, if proven.
    pub proof: Option<Solved>,
    /// The best replies.
    pub replies: Branches<R>,
}

impl<R: RuleBook, E> TreeSearch<R, E> {
    /// The upper part of the tree below a node: `widths` contains the maximum number of moves per
    /// position for each ply. Leaves out moves without visits. `widen` maps moves to the game's
    /// board.
    pub(super) fn branches<S: RuleBook>(
        &self,
        parent: NodeId,
        widths: &[usize],
        widen: &impl Fn(Move<R>) -> Move<S>,
    ) -> Branches<S> {
        let ids = self.best_first(parent);
        let (width, below) = widths.split_first().unwrap_or((&0, &[]));
        let visited = ids.iter().filter(|&&id| self.tree[id].visits() > 0);
        let branch = |&id: &NodeId| {
            let node = &self.tree[id];
            Branch {
                mv: widen(node.mv()),
                visits: u64::from(node.visits()),
                prior: f64::from(node.prior()),
                score: f64::from(expected_score(node, &self.params)),
                proof: node.proof(),
                replies: self.branches(id, below, widen),
            }
        };
        let shown: Vec<Branch<S>> = visited.take(*width).map(branch).collect();
        let visits = ids.iter().map(|&id| u64::from(self.tree[id].visits()));
        Branches {
            visits: visits.sum(),
            shown,
        }
    }

    /// The children of a node: the final choice first, the others by proof and by visits.
    pub(super) fn best_first(&self, parent: NodeId) -> Vec<NodeId> {
        let mut ids: Vec<NodeId> = self.tree.child_ids(parent).collect();
        // Keys are cached, because other threads may still be searching.
        ids.sort_by_cached_key(|&id| Reverse(RootOrder::from_node(&self.tree[id])));
        let chosen = final_choice(&self.tree, parent);
        if let Some(place) = ids.iter().position(|&id| Some(id) == chosen) {
            ids[..=place].rotate_right(1);
        }
        ids
    }
}
