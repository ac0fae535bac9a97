//! The steps of an iteration: selection, expansion, backup; and the final choice.

use arrayvec::ArrayVec;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::SplitMix64;

use super::node::{Node, NodeId};
use super::params::Params;
use super::repetition::Repetitions;
use super::tree::Tree;
use crate::evaluation::{Evaluator, MoveEval, exp};
use crate::search::choice::Solved;
use wabe_hive::{MAX_MOVES, MoveList, Position, RuleBook};

/// The node's expected score for the side that makes its move.
#[inline]
pub(super) fn expected_score(node: &Node, params: &Params) -> f32 {
    match node.proof() {
        Some(proof) => proof.score(),
        None => node.mean() + params.minimax_share * (node.minimax() - node.mean()),
    }
}

/// Selects by PUCT (Rosin 2011, in AlphaZero's form) the child with the largest sum of expected
/// score and exploration bonus, among those that are not proven losses and that `is_allowed`
/// accepts. The current visit of `parent` is already counted.
#[inline]
pub(super) fn best_child(
    tree: &Tree,
    parent: NodeId,
    params: &Params,
    is_allowed: impl Fn(&Node) -> bool,
) -> Option<NodeId> {
    let family = tree[parent].family()?;
    let bonus = params.exploration * (tree[parent].visits() as f32).sqrt();
    let mut best = None;
    let mut best_score = f32::NEG_INFINITY;
    for (i, child) in tree.nodes(family).iter().enumerate() {
        if child.proof() == Some(Solved::Loss) || !is_allowed(child) {
            continue;
        }
        let score =
            expected_score(child, params) + bonus * child.prior() / (1.0 + child.visits() as f32);
        if score > best_score {
            best = Some(i);
            best_score = score;
        }
    }
    family.ids().nth(best?)
}

/// The child of `parent` to descend to: the best one, or the first if all children are proven
/// losses. If another thread is expanding that child, the best sibling that no thread is expanding.
#[inline]
pub(super) fn next_child(tree: &Tree, parent: NodeId, params: &Params) -> Option<NodeId> {
    let best = best_child(tree, parent, params, |_| true);
    let best = best.or_else(|| tree.child_ids(parent).next())?;
    if !tree[best].is_claimed() {
        return Some(best);
    }
    let other = best_child(tree, parent, params, |child| !child.is_claimed());
    Some(other.unwrap_or(best))
}

/// The child of the root that lacks most visits for its rank; `None` if none does, or if this visit
/// is not for such children. The current visit of the root is already counted.
///
/// PUCT hardly ever visits a move with a small prior and a bad first value, even if that is wrong.
/// So [`root_share`](Params::root_share) of the visits is divided equally among the ranks 1, 2, 3
/// to 4, 5 to 8 and so on, by expected score, and then among the moves of these ranks. What PUCT
/// has not given to a move by itself, it gets here.
#[inline]
pub(super) fn due_child(tree: &Tree, root: NodeId, params: &Params) -> Option<NodeId> {
    let share = f64::from(params.root_share);
    let quota = |visits: u32| (share * f64::from(visits)) as u32;
    let visits = tree[root].visits();
    if quota(visits) == quota(visits.saturating_sub(1)) {
        return None;
    }
    let family = tree[root].family()?;
    let mut ranked = ArrayVec::<(f32, NodeId), MAX_MOVES>::new();
    let mut all_visits = 0;
    for (child, id) in tree.nodes(family).iter().zip(family.ids()) {
        match child.proof() {
            // The next backup proves the root.
            Some(Solved::Win) => return None,
            Some(_) => {}
            None => ranked.push((expected_score(child, params), id)),
        }
        all_visits += child.visits();
    }
    ranked.sort_unstable_by(|(a, _), (b, _)| b.total_cmp(a));
    let groups = 1 + ranked.len().next_power_of_two().trailing_zeros();
    let per_group = quota(all_visits) as f32 / groups as f32;
    let mut due = None;
    let mut largest_lack = 0.0;
    for (rank, &(_, id)) in (1usize..).zip(&ranked) {
        let size = rank.next_power_of_two().div_ceil(2);
        let lack = per_group / size as f32 - tree[id].visits() as f32;
        if lack > largest_lack && !tree[id].is_claimed() {
            due = Some(id);
            largest_lack = lack;
        }
    }
    due
}

/// The order of children for the final choice: by proof, with the shortest win and the longest
/// defence first, then by visits, then by value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct RootOrder {
    class: u8,
    plies: i16,
    visits: u32,
    /// The bits of a non-negative float, which sort like its value.
    value: u32,
}

impl RootOrder {
    pub(super) fn from_node(node: &Node) -> RootOrder {
        let (proof, plies) = node.proof_and_plies();
        let (class, plies) = match proof {
            Some(Solved::Win) => (2, -i16::from(plies)),
            Some(Solved::Draw) | None => (1, 0),
            Some(Solved::Loss) => (0, i16::from(plies)),
        };
        RootOrder {
            class,
            plies,
            visits: node.visits(),
            value: node.minimax().to_bits(),
        }
    }
}

/// The child to play; `None` without children.
pub(super) fn final_choice(tree: &Tree, parent: NodeId) -> Option<NodeId> {
    let family = tree[parent].family()?;
    let children = tree.nodes(family).iter().zip(family.ids());
    // The first of equal children is chosen; `max_by_key` returns the last.
    let backwards = children.clone().rev();
    let (best, id) = backwards.max_by_key(|(child, _)| RootOrder::from_node(child))?;
    // If the best child is more likely to lose than to win, by its mean and by its minimax value, a
    // proven draw is better.
    if best.proof().is_none() && best.mean() < 0.5 && best.minimax() < 0.5 {
        let mut draws = children.filter(|(child, _)| child.proof() == Some(Solved::Draw));
        return Some(draws.next().map_or(id, |(_, draw)| draw));
    }
    Some(id)
}

/// Expands `node`, in whose position the game must not be over. Does nothing if the tree has no
/// free nodes or another thread is expanding the node. `repetitions` must have followed the path to
/// `position`. Returns the mean expected score of `node` if its children were already in the tree.
pub(super) fn expand<R: RuleBook, E: Evaluator<R>>(
    tree: &Tree,
    node: NodeId,
    position: &Position<R>,
    repetitions: &Repetitions<R>,
    evaluator: &E,
    params: &Params,
    seed: u64,
) -> Option<f32> {
    let claim = tree[node].claim()?;
    // Draws by repetition depend on the path.
    let key = R::REPETITION_LIMIT.is_none().then(|| position.hash());
    if let Some(family) = key.and_then(|key| tree.acquire(key)) {
        claim.publish(family);
        return mean_of(tree.nodes(family));
    }
    let side = position.side_to_move();
    let evaluate = evaluator.successors(position);
    let has_policy = evaluator.has_policy();
    let mut moves = MoveList::new();
    let mut proofs = ArrayVec::<Option<Solved>, MAX_MOVES>::new();
    let mut values = ArrayVec::<f32, MAX_MOVES>::new();
    let mut policies = ArrayVec::<f32, MAX_MOVES>::new();
    position.for_each_successor(|mv, next| {
        let proof = repetitions.proof_of(mv, next, side);
        moves.push(mv);
        proofs.push(proof);
        let eval = match proof {
            Some(_) => MoveEval::default(),
            None => evaluate(mv, next),
        };
        values.push(eval.value);
        if has_policy {
            policies.push(eval.policy);
        }
    });
    let family = tree.allocate(moves.len())?;
    let children = tree.nodes(family);
    // Scores and priors of all children in one loop, for vector instructions.
    for value in &mut values {
        *value = 1.0 - E::score(*value);
    }
    let evaluated = moves.iter().zip(&proofs).zip(&mut values);
    for (child, ((&mv, &proof), value)) in children.iter().zip(evaluated) {
        if let Some(proof) = proof {
            *value = proof.score();
        }
        child.begin(mv, *value, proof);
    }
    set_proven_to_mean(&mut policies, &proofs);
    let mut rng = SplitMix64::seed_from_u64(seed ^ position.hash());
    replace_with_priors(&mut values, &policies, params, &mut rng);
    for (child, &prior) in children.iter().zip(&values) {
        child.set_prior(prior);
    }
    if let Some(key) = key {
        tree.share(family, key);
    }
    claim.publish(family);
    None
}

/// The mean expected score for the parent over the visits of these children; `None` without visits.
fn mean_of(children: &[Node]) -> Option<f32> {
    let (mut sum, mut visits) = (0.0, 0.0);
    for child in children {
        let share = child.visits() as f32;
        sum += share * (1.0 - child.mean());
        visits += share;
    }
    (visits > 0.0).then(|| sum / visits)
}

/// Sets the policy of proven moves, which are not evaluated, to the mean of the others. Only
/// differences between policies matter, so 0 would not be neutral.
fn set_proven_to_mean(policies: &mut [f32], proofs: &[Option<Solved>]) {
    let proven = proofs.iter().flatten().count();
    if policies.is_empty() || proven == 0 || proven == policies.len() {
        return;
    }
    let mean = policies.iter().sum::<f32>() / (policies.len() - proven) as f32;
    for (policy, proof) in policies.iter_mut().zip(proofs) {
        if proof.is_some() {
            *policy = mean;
        }
    }
}

/// Replaces values with priors: a softmax of values and policies, with a little noise. `policies`
/// may be empty.
fn replace_with_priors(
    values: &mut [f32],
    policies: &[f32],
    params: &Params,
    rng: &mut SplitMix64,
) {
    let max = |numbers: &[f32]| numbers.iter().copied().fold(0.0, f32::max);
    let best = max(values);
    for value in &mut *values {
        *value = (*value - best) / params.prior_temperature;
    }
    let best = max(policies);
    for (value, policy) in values.iter_mut().zip(policies) {
        *value += params.policy * (policy - best);
    }
    for value in &mut *values {
        *value = exp(*value);
    }
    let mut sum = 0.0;
    for prior in &mut *values {
        *prior *= 1.0 + params.prior_jitter * rng.random::<f32>();
        sum += *prior;
    }
    for prior in values {
        *prior /= sum;
    }
}

/// One visit in this many recomputes a node's minimax value from all children, because another
/// thread may have overwritten it.
const VISITS_PER_REFRESH: u32 = 16;

/// The node below the current one on the path, after its backup.
struct BackedUp<'t> {
    node: &'t Node,
    /// The minimax value before the backup.
    minimax_before: f32,
    /// The value that was backed up to the node.
    value: f32,
}

/// Backs up the value of the last node of `path` to the root, which is the first. The value is the
/// node's exact result, otherwise `found`, otherwise its minimax value. Proven nodes on the path
/// back up their exact results instead. Visits are already counted.
pub(super) fn backup(tree: &Tree, path: &[NodeId], found: Option<f32>) {
    let mut below: Option<BackedUp<'_>> = None;
    for &id in path.iter().rev() {
        let node = &tree[id];
        let minimax_before = node.minimax();
        let is_refresh_due = node.visits().is_multiple_of(VISITS_PER_REFRESH);
        if is_refresh_due
            || !below
                .as_ref()
                .is_some_and(|below| follow_child(node, below))
        {
            refresh(tree, id);
        }
        let value = match (node.proof(), below) {
            (Some(proof), _) => proof.score(),
            (None, Some(below)) => 1.0 - below.value,
            (None, None) => found.unwrap_or(node.minimax()),
        };
        node.add_value(value);
        below = Some(BackedUp {
            node,
            minimax_before,
            value,
        });
    }
}

/// Updates a node's minimax value after one child's has changed. Returns `false` if the new value
/// depends on the other children, or if the child is proven, which may also prove the node.
#[inline]
fn follow_child(node: &Node, child: &BackedUp<'_>) -> bool {
    if child.node.proof().is_some() {
        return false;
    }
    let (old, new) = (1.0 - child.minimax_before, 1.0 - child.node.minimax());
    if new <= node.minimax() {
        node.set_minimax(new);
        return true;
    }
    old > node.minimax()
}

/// Recomputes a node's minimax value and, if its children prove it, its exact result.
fn refresh(tree: &Tree, id: NodeId) {
    let children = tree.children(id);
    if children.is_empty() {
        return;
    }
    let mut best = f32::NEG_INFINITY;
    let mut best_proof = Solved::Loss;
    let mut all_proven = true;
    let (mut shortest_win, mut longest_loss) = (u8::MAX, 0);
    for child in children {
        match child.proof_and_plies() {
            (Some(proof), plies) => {
                best = best.max(proof.score());
                best_proof = best_proof.max(proof);
                match proof {
                    Solved::Win => shortest_win = shortest_win.min(plies),
                    Solved::Loss => longest_loss = longest_loss.max(plies),
                    Solved::Draw => {}
                }
            }
            (None, _) => {
                best = best.max(child.minimax());
                all_proven = false;
            }
        }
    }
    let node = &tree[id];
    node.set_minimax(1.0 - best);
    if best_proof == Solved::Win || all_proven {
        let plies = match best_proof {
            Solved::Win => shortest_win,
            Solved::Loss => longest_loss,
            Solved::Draw => 0,
        };
        node.set_proof_and_plies(Some(best_proof.reversed()), plies.saturating_add(1));
    }
}
