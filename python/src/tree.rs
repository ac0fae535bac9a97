//! The search tree of one game, whose leaves are evaluated elsewhere.
//!
//! One simulation descends by PUCT to a leaf. A leaf that ends the game is backed up immediately.
//! Any other waits for its evaluation: until then it counts as a loss on its path, so that further
//! simulations look elsewhere. [`Tree::discard`] takes that back if the evaluation fails.

use rand::{Rng, RngExt};
use rand_xoshiro::Xoshiro256PlusPlus;

use wabe_hive::game::{Game, Notation};
use wabe_hive::{Move, Position};

use crate::action::Actions;
use crate::game::result_for;
use crate::history::History;
use crate::observation::{Observed, View};

/// A move of a node.
struct Edge<G: Game> {
    mv: Move<G>,
    action: u32,
    prior: f32,
    /// The prior mixed with noise, at the root.
    noisy: f32,
    /// The node after the move; `None` before its first visit.
    child: Option<usize>,
}

struct Node<G: Game> {
    /// Empty until the node is expanded.
    edges: Vec<Edge<G>>,
    is_expanded: bool,
    /// The value of an ended game for the side to move.
    end: Option<f32>,
    /// Completed simulations.
    visits: u32,
    /// Simulations that wait for an evaluation.
    waiting: u32,
    /// Sum of the simulations' values for the side to move, each -1 to 1.
    total: f64,
}

impl<G: Game> Node<G> {
    fn new(end: Option<f32>) -> Node<G> {
        Node {
            edges: Vec::new(),
            is_expanded: false,
            end,
            visits: 0,
            waiting: 0,
            total: 0.0,
        }
    }

    /// The mean value for the side to move. Waiting simulations count as wins, because they are
    /// losses for the side that moved here.
    fn mean(&self) -> Option<f64> {
        let count = self.visits + self.waiting;
        (count > 0).then(|| (self.total + f64::from(self.waiting)) / f64::from(count))
    }
}

/// A position of a simulation.
#[derive(Clone)]
struct State<G: Game> {
    position: Position<G>,
    notation: G::Notation,
}

impl<G: Game> State<G> {
    fn play(&mut self, mv: Move<G>) {
        self.notation.follow(mv, &self.position);
        self.position.play(mv);
    }
}

/// A leaf that waits for its evaluation.
pub(crate) struct Leaf<G: Game> {
    /// The nodes from the root to the leaf.
    path: Vec<usize>,
    state: State<G>,
    /// How often the position has occurred, this time included.
    occurrences: usize,
}

impl<G: Observed> Leaf<G> {
    pub(crate) fn view(&self) -> View<'_, G> {
        let State { position, notation } = &self.state;
        View {
            position,
            notation,
            viewer: position.side_to_move(),
            occurrences: self.occurrences,
        }
    }
}

/// The outcome of a simulation's descent.
pub(crate) enum Descent<G: Game> {
    /// The simulation is complete.
    Done,
    /// The leaf must be evaluated.
    Leaf(Leaf<G>),
    /// The leaf already waits for its evaluation.
    Busy,
}

/// The constants of PUCT.
#[derive(Clone, Copy)]
pub(crate) struct Exploration {
    pub(crate) weight: f32,
    pub(crate) noise_alpha: f32,
    pub(crate) noise_share: f32,
}

/// The search tree of a game.
pub(crate) struct Tree<G: Actions> {
    history: History<G>,
    /// The position of `history`.
    state: State<G>,
    /// The repetition hashes of its positions, the current one included.
    hashes: Vec<u64>,
    nodes: Vec<Node<G>>,
}

const ROOT: usize = 0;

impl<G: Actions> Tree<G> {
    pub(crate) fn new(history: History<G>) -> Tree<G> {
        let start = history.start;
        let start_hash = history.repetition_limit.map(|_| G::repetition_hash(&start));
        let mut tree = Tree {
            state: State {
                position: start,
                notation: G::Notation::from_start(&start),
            },
            hashes: Vec::from_iter(start_hash),
            nodes: Vec::new(),
            history,
        };
        for mv in tree.history.moves.clone() {
            tree.play(mv);
        }
        tree.nodes.push(tree.new_root());
        tree
    }

    fn play(&mut self, mv: Move<G>) {
        self.state.play(mv);
        if self.history.repetition_limit.is_some() {
            self.hashes.push(G::repetition_hash(&self.state.position));
        }
    }

    fn new_root(&self) -> Node<G> {
        let side = self.state.position.side_to_move();
        let ending = self.history.ending;
        Node::new(ending.map(|ending| result_for(side, ending.winner()).into()))
    }

    /// Makes the current position of a game the root. Keeps the part of the tree below it if the
    /// game continues the one searched before.
    pub(crate) fn set_game(&mut self, history: History<G>) {
        let Some(moves) = history.moves_after(&self.history) else {
            *self = Tree::new(history);
            return;
        };
        let kept = moves.iter().try_fold(ROOT, |node, mv| {
            let edges = &self.nodes.get(node)?.edges;
            edges.iter().find(|edge| edge.mv == *mv)?.child
        });
        if kept == Some(ROOT) {
            return;
        }
        moves.iter().for_each(|&mv| self.play(mv));
        self.history = history;
        let root = self.new_root();
        // An ended game has no tree, also if the search did not see its end.
        self.nodes = match kept.filter(|_| root.end.is_none()) {
            Some(kept) => self.take_below(kept),
            None => vec![root],
        };
        if let (Some(root), None) = (self.nodes.first_mut(), self.history.ending) {
            // The search compares hashes only, so it may see repetitions too early.
            root.end = None;
        }
    }

    /// The nodes below `root`, renumbered.
    fn take_below(&mut self, root: usize) -> Vec<Node<G>> {
        let mut taken = Vec::new();
        // New numbers are assigned in the order of the queue.
        let mut queue = vec![root];
        let mut next = 0;
        while let Some(&number) = queue.get(next) {
            next += 1;
            let Some(node) = self.nodes.get_mut(number) else {
                continue;
            };
            let mut node = std::mem::replace(node, Node::new(None));
            for edge in &mut node.edges {
                edge.noisy = edge.prior;
                if let Some(child) = &mut edge.child {
                    queue.push(*child);
                    *child = queue.len() - 1;
                }
            }
            taken.push(node);
        }
        taken
    }

    /// True if the game is over.
    pub(crate) fn is_over(&self) -> bool {
        self.nodes.first().is_some_and(|root| root.end.is_some())
    }

    /// Mean value of the root for the side to move, -1 to 1.
    pub(crate) fn value(&self) -> f32 {
        let root = self.nodes.first();
        let end = root.and_then(|root| root.end);
        end.unwrap_or_else(|| root.and_then(Node::mean).unwrap_or(0.0) as f32)
    }

    /// The actions of the root with their visits.
    pub(crate) fn visits(&self) -> Vec<(u32, u32)> {
        let edges = self.nodes.first().map_or(&[][..], |root| &root.edges);
        let visits = |edge: &Edge<G>| {
            let child = edge.child.and_then(|child| self.nodes.get(child));
            child.map_or(0, |child| child.visits)
        };
        edges
            .iter()
            .map(|edge| (edge.action, visits(edge)))
            .collect()
    }

    /// Draws new noise for the priors of the root.
    pub(crate) fn draw_noise(&mut self, exploration: Exploration, rng: &mut Xoshiro256PlusPlus) {
        let Exploration {
            noise_alpha,
            noise_share,
            ..
        } = exploration;
        let Some(root) = self.nodes.first_mut() else {
            return;
        };
        let drawn: Vec<f32> = (root.edges.iter())
            .map(|_| {
                if noise_share > 0.0 {
                    gamma(noise_alpha, rng)
                } else {
                    0.0
                }
            })
            .collect();
        let sum: f32 = drawn.iter().sum();
        for (edge, noise) in root.edges.iter_mut().zip(drawn) {
            edge.noisy = if sum > 0.0 {
                edge.prior * (1.0 - noise_share) + noise_share * noise / sum
            } else {
                edge.prior
            };
        }
    }

    /// True once the root has moves.
    pub(crate) fn is_expanded(&self) -> bool {
        self.nodes.first().is_some_and(|root| root.is_expanded)
    }

    /// Starts a simulation.
    pub(crate) fn descend(&mut self, weight: f32) -> Descent<G> {
        let (mut state, mut path, mut node) = (self.state.clone(), vec![ROOT], ROOT);
        let mut seen = Vec::new();
        loop {
            let Some(current) = self.nodes.get(node) else {
                return Descent::Busy;
            };
            if let Some(end) = current.end {
                self.back_up(&path, end);
                return Descent::Done;
            }
            if !current.is_expanded {
                break;
            }
            let Some(chosen) = self.select(node, weight) else {
                return Descent::Busy;
            };
            let edge = current.edges.get(chosen);
            let Some((mv, child)) = edge.map(|edge| (edge.mv, edge.child)) else {
                return Descent::Busy;
            };
            state.play(mv);
            if self.history.repetition_limit.is_some() {
                seen.push(G::repetition_hash(&state.position));
            }
            node = match child {
                Some(child) => child,
                None => {
                    let end = self.end(&state.position, &seen);
                    self.nodes.push(Node::new(end));
                    let child = self.nodes.len() - 1;
                    let edges = self.nodes.get_mut(node).map(|node| &mut node.edges);
                    if let Some(edge) = edges.and_then(|edges| edges.get_mut(chosen)) {
                        edge.child = Some(child);
                    }
                    child
                }
            };
            path.push(node);
        }
        if self.nodes.get(node).is_some_and(|leaf| leaf.waiting > 0) {
            return Descent::Busy;
        }
        for &node in &path {
            if let Some(node) = self.nodes.get_mut(node) {
                node.waiting += 1;
            }
        }
        let occurrences = if path.len() == 1 {
            let last = self.hashes.last();
            self.hashes
                .iter()
                .filter(|&hash| Some(hash) == last)
                .count()
        } else {
            self.occurrences(&seen)
        };
        Descent::Leaf(Leaf {
            path,
            state,
            occurrences: occurrences.max(1),
        })
    }

    /// How often the last of these hashes has occurred in the game and since.
    fn occurrences(&self, seen: &[u64]) -> usize {
        let last = seen.last();
        let all = self.hashes.iter().chain(seen);
        all.filter(|&hash| Some(hash) == last).count()
    }

    /// The value of an ended game for the side to move.
    fn end(&self, position: &Position<G>, seen: &[u64]) -> Option<f32> {
        if let Some(outcome) = position.outcome() {
            return Some(result_for(position.side_to_move(), outcome.winner()).into());
        }
        let limit = self.history.repetition_limit?;
        (self.occurrences(seen) >= limit).then_some(0.0)
    }

    /// The edge with the highest upper bound.
    fn select(&self, node: usize, weight: f32) -> Option<usize> {
        let node = self.nodes.get(node)?;
        let parent = node.mean().unwrap_or(0.0);
        let factor = f64::from(weight) * f64::from(node.visits + node.waiting).max(1.0).sqrt();
        let bound = |edge: &Edge<G>| {
            let child = edge.child.and_then(|child| self.nodes.get(child));
            let count = child.map_or(0, |child| child.visits + child.waiting);
            // A move without visits has the value of its parent.
            let mean = child.and_then(Node::mean).map_or(parent, |mean| -mean);
            mean + factor * f64::from(edge.noisy) / (1.0 + f64::from(count))
        };
        let bounds = node.edges.iter().map(bound).enumerate();
        bounds
            .max_by(|(_, a), (_, b)| a.total_cmp(b))
            .map(|(index, _)| index)
    }

    /// Adds the value of a leaf for its side to move.
    fn back_up(&mut self, path: &[usize], leaf: f32) {
        let mut value = f64::from(leaf);
        for &node in path.iter().rev() {
            if let Some(node) = self.nodes.get_mut(node) {
                node.visits += 1;
                node.total += value;
            }
            value = -value;
        }
    }

    /// The legal moves of a leaf and their actions.
    pub(crate) fn leaf_moves(leaf: &Leaf<G>) -> Vec<(Move<G>, u32)> {
        let State { position, notation } = &leaf.state;
        let numbering = G::numbering(position, notation);
        let moves = position.legal_moves();
        let action = |mv| u32::try_from(G::action(&numbering, mv)?).ok();
        let moves = moves.iter();
        moves.filter_map(|&mv| Some((mv, action(mv)?))).collect()
    }

    /// Completes a simulation: `priors` of the moves sum to 1, `value` is for the side to move.
    pub(crate) fn expand(&mut self, leaf: &Leaf<G>, moves: Vec<(Move<G>, u32, f32)>, value: f32) {
        self.discard(leaf);
        if let Some(node) = leaf.path.last().and_then(|&node| self.nodes.get_mut(node)) {
            node.is_expanded = true;
            node.edges = moves
                .into_iter()
                .map(|(mv, action, prior)| Edge {
                    mv,
                    action,
                    prior,
                    noisy: prior,
                    child: None,
                })
                .collect();
        }
        self.back_up(&leaf.path, value);
    }

    /// Takes back a simulation that waits for its evaluation.
    pub(crate) fn discard(&mut self, leaf: &Leaf<G>) {
        for &node in &leaf.path {
            if let Some(node) = self.nodes.get_mut(node) {
                node.waiting = node.waiting.saturating_sub(1);
            }
        }
    }
}

/// A number of the gamma distribution with this shape and scale 1. Marsaglia and Tsang, *A simple
/// method for generating gamma variables*, ACM Transactions on Mathematical Software 26 (2000).
fn gamma(shape: f32, rng: &mut impl Rng) -> f32 {
    if shape < 1.0 {
        let uniform: f32 = rng.random();
        return gamma(shape + 1.0, rng) * uniform.powf(1.0 / shape);
    }
    let d = shape - 1.0 / 3.0;
    let c = 1.0 / (9.0 * d).sqrt();
    loop {
        // Box and Muller's normal distribution; 1 - u avoids the logarithm of 0.
        let (u, angle): (f32, f32) = (rng.random(), rng.random());
        let normal = (-2.0 * (1.0 - u).ln()).sqrt() * (std::f32::consts::TAU * angle).cos();
        let v = (1.0 + c * normal).powi(3);
        let uniform: f32 = rng.random();
        if v > 0.0 && (1.0 - uniform).ln() < 0.5 * normal * normal + d * (1.0 - v + v.ln()) {
            return d * v;
        }
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;

    use super::*;
    use wabe_hive::contest::Contest;
    use wabe_hive::game::Record;
    use wabe_hive::standard::Standard;

    /// Runs simulations with even priors and values of 0.
    fn simulate<G: Actions>(tree: &mut Tree<G>, count: usize) {
        for _ in 0..count {
            if let Descent::Leaf(leaf) = tree.descend(1.0) {
                let moves = Tree::leaf_moves(&leaf);
                let prior = 1.0 / moves.len() as f32;
                let moves = moves.into_iter().map(|(mv, action)| (mv, action, prior));
                tree.expand(&leaf, moves.collect(), 0.0);
            }
        }
    }

    #[test]
    fn discarded_leaves_leave_no_trace() {
        let mut tree = Tree::<Contest>::new(History::from(&Record::default()));
        simulate(&mut tree, 30);
        let before = (tree.visits(), tree.value());
        let mut leaves = Vec::new();
        for _ in 0..5 {
            if let Descent::Leaf(leaf) = tree.descend(1.0) {
                leaves.push(leaf);
            }
        }
        assert!(leaves.len() > 1);
        for leaf in &leaves {
            tree.discard(leaf);
        }
        assert_eq!((tree.visits(), tree.value()), before);
        assert!(tree.nodes.iter().all(|node| node.waiting == 0));
    }

    #[test]
    fn tree_is_kept_below_the_moves_played() {
        let mut record = Record::<Standard>::default();
        let mut tree = Tree::new(History::from(&record));
        simulate(&mut tree, 200);
        let best = tree.visits().into_iter().max_by_key(|&(_, visits)| visits);
        let (action, visits) = best.unwrap();
        let numbering = crate::action::numbering_of(&record);
        record
            .play(Standard::move_of(&numbering, action as usize).unwrap())
            .unwrap();
        tree.set_game(History::from(&record));
        let below: u32 = tree.visits().iter().map(|&(_, visits)| visits).sum();
        assert_eq!(below, visits - 1);
        assert!(tree.nodes.len() < 200);
        simulate(&mut tree, 50);
        tree.set_game(History::from(&Record::default()));
        assert_eq!(tree.nodes.len(), 1);
    }

    /// Plays a random game and follows it with one tree.
    fn follow_a_game<G: Actions>(seed: u64) {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut record = Record::<G>::default();
        let mut tree = Tree::new(History::from(&record));
        while let Some(mv) = record.position().random_move(&mut rng)
            && record.plies().len() < 200
            && record.play(mv).is_ok()
        {
            if record.plies().len() % 3 == 0 {
                continue;
            }
            simulate(&mut tree, 3);
            tree.set_game(History::from(&record));
            let replayed = Tree::new(History::from(&record));
            assert_eq!(tree.state.position, replayed.state.position);
            assert_eq!(tree.state.position, *record.position());
            assert_eq!(tree.hashes, replayed.hashes);
            assert_eq!(tree.is_over(), record.is_over());
            let moves = record.legal_moves();
            let texts = moves.iter().map(|&mv| record.write(mv));
            let State { position, notation } = &tree.state;
            let followed = moves.iter().map(|&mv| notation.write(mv, position));
            assert!(texts.eq(followed));
        }
    }

    #[test]
    fn followed_games_equal_replayed_ones() {
        for seed in 0..5 {
            follow_a_game::<Contest>(seed);
            follow_a_game::<Standard>(seed);
        }
    }

    #[test]
    fn noise_sums_to_one() {
        let mut tree = Tree::<Contest>::new(History::from(&Record::default()));
        simulate(&mut tree, 1);
        let exploration = Exploration {
            weight: 1.0,
            noise_alpha: 0.3,
            noise_share: 0.25,
        };
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
        tree.draw_noise(exploration, &mut rng);
        let edges = &tree.nodes[ROOT].edges;
        let sum: f32 = edges.iter().map(|edge| edge.noisy).sum();
        assert!((sum - 1.0).abs() < 1e-3, "{sum}");
        assert!(edges.iter().any(|edge| edge.noisy != edge.prior));
    }

    #[test]
    fn gamma_has_the_mean_of_its_shape() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
        for shape in [0.3_f32, 1.0, 4.0] {
            let sum: f32 = (0..20_000).map(|_| gamma(shape, &mut rng)).sum();
            let mean = sum / 20_000.0;
            assert!(
                (mean - shape).abs() < 0.05 * (1.0 + shape),
                "{shape}: {mean}"
            );
        }
    }
}
