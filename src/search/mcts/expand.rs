//! Children of a node: their values and priors.

use rand::{RngExt, SeedableRng};
use rand_xoshiro::SplitMix64;

use super::super::{Evaluator, Proof};
use super::params::Params;
use super::tree::{Node, NodeId, Tree};
use crate::hive::{MoveList, Position, RuleBook};

/// Gives `node`, whose position is not over, its children. Does nothing when the arena is full.
pub(super) fn expand<R: RuleBook, E: Evaluator<R>>(
    tree: &mut Tree<R>,
    node: NodeId,
    position: &Position<R>,
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
    evaluator.with_successors(position, |judge| {
        tree.add_children(
            node,
            moves.iter().map(|&mv| {
                let next = position.after(mv);
                match next.outcome() {
                    Some(outcome) => {
                        let proof = Proof::of(outcome, side);
                        Node::new(mv, proof.score(), Some(proof))
                    }
                    None => Node::new(mv, 1.0 - judge(mv, &next), None),
                }
            }),
        );
    });
    set_priors(
        tree.children_mut(node),
        params,
        &mut SplitMix64::seed_from_u64(seed ^ position.hash()),
    );
}

/// Priors from values by a softmax, slightly shaken.
fn set_priors<R: RuleBook>(children: &mut [Node<R>], params: &Params, rng: &mut SplitMix64) {
    let highest = children.iter().map(|c| c.mean).fold(0.0, f32::max);
    let mut sum = 0.0;
    for child in children.iter_mut() {
        let shaken = 1.0 + params.prior_jitter * rng.random::<f32>();
        child.prior = shaken * ((child.mean - highest) / params.prior_temperature).exp();
        sum += child.prior;
    }
    for child in children {
        child.prior /= sum;
    }
}
