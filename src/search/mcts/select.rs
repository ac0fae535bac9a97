//! Which child to walk to, and which move to play in the end.

use std::cmp::Ordering;

use super::super::Proof;
use super::params::Params;
use super::tree::{Node, NodeId, Tree};
use crate::hive::RuleBook;

/// What the side that makes the node's move can expect.
#[inline]
pub(super) fn expected_score<R: RuleBook>(node: &Node<R>, params: &Params) -> f32 {
    match node.proof {
        Some(proof) => proof.score(),
        None => node.mean + params.minimax_share * (node.minimax - node.mean),
    }
}

/// PUCT (Rosin 2011, in AlphaZero's form): the child with the largest sum of expected score and exploration bonus. Proven
/// losses are left out as long as anything else is there; `None` without children.
#[inline]
pub(super) fn best_child<R: RuleBook>(
    tree: &Tree<R>,
    parent: NodeId,
    params: &Params,
) -> Option<NodeId> {
    let bonus = params.exploration * (tree[parent].visits as f32 + 1.0).sqrt();
    let mut best = 0;
    let mut best_score = f32::NEG_INFINITY;
    for (i, child) in tree.children(parent).iter().enumerate() {
        if child.proof == Some(Proof::Loss) {
            continue;
        }
        let score =
            expected_score(child, params) + bonus * child.prior / (1.0 + child.visits as f32);
        if score > best_score {
            best = i;
            best_score = score;
        }
    }
    tree.child_id(parent, best)
}

/// Orders two children of a node by how good a choice they are: exact results first, then visits, then value.
pub(super) fn final_order<R: RuleBook>(a: &Node<R>, b: &Node<R>) -> Ordering {
    let class = |node: &Node<R>| match node.proof {
        Some(Proof::Win) => 2,
        Some(Proof::Draw) | None => 1,
        Some(Proof::Loss) => 0,
    };
    class(a)
        .cmp(&class(b))
        .then_with(|| a.visits.cmp(&b.visits))
        .then_with(|| a.minimax.total_cmp(&b.minimax))
}

/// The child to play; `None` without children.
pub(super) fn final_choice<R: RuleBook>(tree: &Tree<R>, parent: NodeId) -> Option<NodeId> {
    let children = tree.children(parent);
    let best = (0..children.len()).max_by(|&a, &b| {
        // Of equals the first, which `max_by` would not take.
        final_order(&children[a], &children[b]).then(b.cmp(&a))
    })?;
    // A draw that is certain is better than anything that looks worse.
    let certain_draw = || children.iter().position(|c| c.proof == Some(Proof::Draw));
    let chosen = match children[best].proof {
        None if children[best].mean < 0.5 && children[best].minimax < 0.5 => {
            certain_draw().unwrap_or(best)
        }
        _ => best,
    };
    tree.child_id(parent, chosen)
}
