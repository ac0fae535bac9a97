//! The steps of an iteration: selection, expansion, backup; and the final choice.

use std::cmp::Ordering;

use rand::{RngExt, SeedableRng};
use rand_xoshiro::SplitMix64;

use super::params::Params;
use super::repetition::Repetitions;
use super::tree::{Node, NodeId, Tree};
use crate::evaluation::{Evaluator, exp};
use crate::hive::{MoveList, Position, RuleBook};
use crate::search::choice::Proof;

/// The node's expected score for the side that makes its move.
#[inline]
pub(super) fn expected_score<R: RuleBook>(node: &Node<R>, params: &Params) -> f32 {
    match node.proof {
        Some(proof) => proof.score(),
        None => node.mean + params.minimax_share * (node.minimax - node.mean),
    }
}

/// Selects by PUCT (Rosin 2011, in AlphaZero's form) the child with the largest sum of expected score and exploration bonus. Proven
/// losses are selected only if there is nothing else. `None` without children.
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

/// Orders two children of a node for the final choice: by proof, the shorter win and the longer defence first, then visits, then
/// value.
pub(super) fn final_order<R: RuleBook>(a: &Node<R>, b: &Node<R>) -> Ordering {
    let class = |node: &Node<R>| match node.proof {
        Some(Proof::Win) => 2,
        Some(Proof::Draw) | None => 1,
        Some(Proof::Loss) => 0,
    };
    let plies = |node: &Node<R>| match node.proof {
        Some(Proof::Win) => -i16::from(node.plies),
        Some(Proof::Loss) => i16::from(node.plies),
        Some(Proof::Draw) | None => 0,
    };
    class(a)
        .cmp(&class(b))
        .then_with(|| plies(a).cmp(&plies(b)))
        .then_with(|| a.visits.cmp(&b.visits))
        .then_with(|| a.minimax.total_cmp(&b.minimax))
}

/// The child to play; `None` without children.
pub(super) fn final_choice<R: RuleBook>(tree: &Tree<R>, parent: NodeId) -> Option<NodeId> {
    let children = tree.children(parent);
    let best = (0..children.len()).max_by(|&a, &b| {
        // Of equals the first; `max_by` returns the last.
        final_order(&children[a], &children[b]).then(b.cmp(&a))
    })?;
    // A proven draw is better than a move with a worse expected score.
    let certain_draw = || children.iter().position(|c| c.proof == Some(Proof::Draw));
    let chosen = match children[best].proof {
        None if children[best].mean < 0.5 && children[best].minimax < 0.5 => {
            certain_draw().unwrap_or(best)
        }
        _ => best,
    };
    tree.child_id(parent, chosen)
}

/// Expands `node`, whose position is not over. Does nothing when the arena is full. `repetitions` has followed the path
/// to `position`.
pub(super) fn expand<R: RuleBook, E: Evaluator<R>>(
    tree: &mut Tree<R>,
    node: NodeId,
    position: &Position<R>,
    repetitions: &Repetitions<R>,
    evaluator: &E,
    params: &Params,
    seed: u64,
) {
    let mut moves = MoveList::new();
    position.legal_moves(&mut moves);
    if !tree.has_room_for(moves.len()) {
        return;
    }
    let side = position.side_to_move();
    let judge = evaluator.successors(position);
    tree.add_children(
        node,
        moves.iter().map(|&mv| {
            let next = position.after(mv);
            match repetitions.proof_of(mv, &next, side) {
                Some(proof) => Node::new(mv, proof.score(), Some(proof)),
                None => Node::new(mv, 1.0 - judge(mv, &next), None),
            }
        }),
    );
    set_priors(
        tree.children_mut(node),
        params,
        &mut SplitMix64::seed_from_u64(seed ^ position.hash()),
    );
}

/// Sets the priors by a softmax of the values, with a little noise.
fn set_priors<R: RuleBook>(children: &mut [Node<R>], params: &Params, rng: &mut SplitMix64) {
    let highest = children.iter().map(|c| c.mean).fold(0.0, f32::max);
    let mut sum = 0.0;
    for child in children.iter_mut() {
        let jitter = 1.0 + params.prior_jitter * rng.random::<f32>();
        child.prior = jitter * exp((child.mean - highest) / params.prior_temperature);
        sum += child.prior;
    }
    for child in children {
        child.prior /= sum;
    }
}

/// Counts a visit for every node of `path`, which leads from the root to the leaf of the iteration, and backs the leaf's value up.
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

/// Recomputes a node's minimax value and, if its children decide it, its exact result.
fn refresh<R: RuleBook>(tree: &mut Tree<R>, id: NodeId) {
    let children = tree.children(id);
    if children.is_empty() {
        return;
    }
    let mut best = f32::NEG_INFINITY;
    let mut best_proof = Proof::Loss;
    let mut all_proven = true;
    let (mut shortest_win, mut longest_loss) = (u8::MAX, 0);
    for child in children {
        match child.proof {
            Some(proof) => {
                best = best.max(proof.score());
                best_proof = best_proof.max(proof);
                match proof {
                    Proof::Win => shortest_win = shortest_win.min(child.plies),
                    Proof::Loss => longest_loss = longest_loss.max(child.plies),
                    Proof::Draw => {}
                }
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
        let plies = match best_proof {
            Proof::Win => shortest_win,
            Proof::Loss => longest_loss,
            Proof::Draw => 0,
        };
        node.plies = plies.saturating_add(1);
    }
}
