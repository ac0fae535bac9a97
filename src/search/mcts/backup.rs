//! Values and exact results on their way from the end of a path to the root.

use super::super::Proof;
use super::tree::{Node, NodeId, Tree};
use crate::hive::RuleBook;

/// Counts a visit for every node of `path`, which leads from the root to the node that was visited last, and carries that
/// node's value up.
pub(super) fn backup<R: RuleBook>(tree: &mut Tree<R>, path: &[NodeId]) {
    let mut path = path.iter().rev();
    let Some(&last) = path.next() else {
        return;
    };
    refresh(tree, last);
    let node = &mut tree[last];
    let mut value = match node.proof {
        Some(proof) => proof.score(),
        None => node.minimax,
    };
    count_visit(node, value);
    for &id in path {
        refresh(tree, id);
        let node = &mut tree[id];
        value = match node.proof {
            Some(proof) => proof.score(),
            None => 1.0 - value,
        };
        count_visit(node, value);
    }
}

fn count_visit<R: RuleBook>(node: &mut Node<R>, value: f32) {
    node.visits = node.visits.saturating_add(1);
    node.mean += (value - node.mean) / node.visits as f32;
}

/// Recomputes what follows from a node's children alone: its minimax value and, where they decide it, its exact result.
fn refresh<R: RuleBook>(tree: &mut Tree<R>, id: NodeId) {
    let children = tree.children(id);
    if children.is_empty() {
        return;
    }
    let mut best = f32::NEG_INFINITY;
    let mut best_proof = Proof::Loss;
    let mut all_proven = true;
    for child in children {
        match child.proof {
            Some(proof) => {
                best = best.max(proof.score());
                best_proof = best_proof.max(proof);
            }
            None => {
                best = best.max(child.minimax);
                all_proven = false;
            }
        }
    }
    let node = &mut tree[id];
    node.minimax = 1.0 - best;
    if best_proof == Proof::Win || all_proven {
        node.proof = Some(best_proof.reversed());
    }
}
