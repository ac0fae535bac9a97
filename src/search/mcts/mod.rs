//! Monte Carlo tree search without playouts.
//!
//! Each iteration walks from the root to a position without children, choosing by PUCT among the children of each node;
//! gives that position its children, each judged by the evaluation; and carries the best of those judgements back up the
//! path. Exact results (MCTS-Solver) are carried up as well and end the search once the root's is known. The parts:
//!
//! - `tree`: the nodes' arena, kept from move to move
//! - `room`: where in the arena there is room
//! - `select`: which child to walk to
//! - `expand`: children, their values and priors
//! - `backup`: values and exact results on their way up
//! - `branches`: a part of the tree to look at
//! - `params`: the numbers that shape all this

mod backup;
mod branches;
mod expand;
mod params;
mod room;
mod select;
#[cfg(test)]
mod tests;
mod tree;

use super::{Choice, Evaluator, Line, Player, Proof, SearchControl};
use crate::hive::{Move, MoveList, Position, RuleBook};
use tree::{NodeId, Tree};

pub use branches::{Branch, Branches};
pub use params::{ParamChanges, ParamError, ParamInfo, Params};

/// Memory that a search tree may take if nothing else is said, in MiB.
pub const DEFAULT_MEMORY_MIB: usize = 1024;

/// Iterations between two looks at the clock: some hundred microseconds at most.
const ITERATIONS_PER_CLOCK_CHECK: u64 = 8;

/// Iterations between two reports of the best move.
const ITERATIONS_PER_REPORT: u64 = 512;

/// Longest principal variation reported, in plies.
const MAX_VARIATION: usize = 12;

/// How to set up an [`MctsPlayer`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MctsOptions {
    /// Most memory for the search tree, in MiB; at least 1 is taken.
    pub memory_mib: usize,
    /// Decides between moves that look nearly alike.
    pub seed: u64,
    /// The numbers that shape the search.
    pub params: Params,
}

impl Default for MctsOptions {
    fn default() -> MctsOptions {
        MctsOptions {
            memory_mib: DEFAULT_MEMORY_MIB,
            seed: 0,
            params: Params::default(),
        }
    }
}

/// The searching player.
#[derive(Debug)]
pub struct MctsPlayer<R: RuleBook, E> {
    evaluator: E,
    params: Params,
    seed: u64,
    tree: Tree<R>,
    /// The position at the root, once there was a search.
    root: Option<Position<R>>,
    path: Vec<NodeId>,
}

impl<R: RuleBook, E: Evaluator<R>> MctsPlayer<R, E> {
    /// A player that judges positions with `evaluator`. Sets the memory for its tree aside.
    pub fn new(evaluator: E, options: MctsOptions) -> MctsPlayer<R, E> {
        MctsPlayer {
            evaluator,
            params: options.params,
            seed: options.seed,
            tree: Tree::new(options.memory_mib),
            root: None,
            path: Vec::with_capacity(256),
        }
    }

    /// Makes `position` the root: by walking down the tree if it is there, with an empty tree otherwise. Reports the best
    /// move that is known already.
    fn set_root(&mut self, position: &Position<R>, control: &SearchControl<'_, R>) {
        match self.root.and_then(|root| self.find(&root, position)) {
            Some(node) => {
                if let Some(best) = select::final_choice(&self.tree, node) {
                    control.best_known.set(Some(self.tree[best].mv));
                }
                self.tree.reroot(node);
                self.make_room_at_root(position);
            }
            None => self.tree.reset(),
        }
        self.root = Some(*position);
    }

    /// Forgets a tree that is too full for the moves of its own root: without them nothing would be judged.
    fn make_room_at_root(&mut self, position: &Position<R>) {
        if self.tree[self.tree.root()].is_expanded() {
            return;
        }
        let mut moves = MoveList::new();
        position.legal_moves(&mut moves);
        if !self.tree.has_room_for(moves.len()) {
            self.tree.reset();
        }
    }

    /// The node of `wanted` at the root or one or two plies below: where it is after an own move and a reply.
    fn find(&self, root: &Position<R>, wanted: &Position<R>) -> Option<NodeId> {
        let plies = wanted.turn().checked_sub(root.turn()).filter(|&p| p <= 2)?;
        self.find_below(self.tree.root(), root, wanted, plies)
    }

    fn find_below(
        &self,
        node: NodeId,
        position: &Position<R>,
        wanted: &Position<R>,
        plies: u16,
    ) -> Option<NodeId> {
        if plies == 0 {
            return (position == wanted).then_some(node);
        }
        let children = self.tree.children(node);
        (0..children.len()).find_map(|i| {
            let child = &children[i];
            if plies > 1 && !child.is_expanded() {
                return None;
            }
            let id = self.tree.child_id(node, i)?;
            self.find_below(id, &position.after(child.mv), wanted, plies - 1)
        })
    }

    /// One walk down and up the tree.
    fn iterate(&mut self, root: &Position<R>) {
        let mut position = *root;
        let mut node = self.tree.root();
        self.path.clear();
        self.path.push(node);
        while self.tree[node].proof.is_none() && self.tree[node].is_expanded() {
            let Some(child) = select::best_child(&self.tree, node, &self.params) else {
                break;
            };
            position.play(self.tree[child].mv);
            self.path.push(child);
            node = child;
        }
        if self.tree[node].proof.is_none() && !self.tree[node].is_expanded() {
            expand::expand(
                &mut self.tree,
                node,
                &position,
                &self.evaluator,
                &self.params,
                self.seed,
            );
        }
        backup::backup(&mut self.tree, &self.path);
    }

    /// Iterates until a limit is reached or the result is known; the number of iterations.
    fn search(&mut self, root: &Position<R>, control: &SearchControl<'_, R>) -> u64 {
        let most = control.limits.nodes().unwrap_or(u64::MAX);
        let mut done = 0;
        while done < most && self.tree[self.tree.root()].proof.is_none() {
            if done % ITERATIONS_PER_CLOCK_CHECK == 0 && done > 0 && control.is_time_up() {
                break;
            }
            self.iterate(root);
            done += 1;
            if done % ITERATIONS_PER_REPORT == 1 {
                control.best_known.set(self.best_move());
            }
        }
        done
    }

    fn best_move(&self) -> Option<Move<R>> {
        select::final_choice(&self.tree, self.tree.root()).map(|id| self.tree[id].mv)
    }

    /// The line that begins with the root's child `id`.
    fn line(&self, id: NodeId) -> Line<R> {
        let node = &self.tree[id];
        let mut continuation = Vec::new();
        let mut last = id;
        while continuation.len() < MAX_VARIATION {
            match select::final_choice(&self.tree, last) {
                Some(next) if self.tree[next].visits > 0 || self.tree[next].proof.is_some() => {
                    continuation.push(self.tree[next].mv);
                    last = next;
                }
                _ => break,
            }
        }
        Line {
            mv: node.mv,
            continuation,
            score: Some(f64::from(select::expected_score(node, &self.params))),
            proof: node.proof,
            visits: u64::from(node.visits),
        }
    }

    /// The root's moves after a search, at most `most`: the chosen one, then by what is proven and by visits.
    pub fn lines(&self, most: usize) -> Vec<Line<R>> {
        let ids = self.best_first(self.tree.root());
        ids.into_iter().take(most).map(|id| self.line(id)).collect()
    }
}

impl<R: RuleBook, E: Evaluator<R>> Player<R> for MctsPlayer<R, E> {
    fn choose(
        &mut self,
        position: &Position<R>,
        control: &SearchControl<'_, R>,
    ) -> Option<Choice<R>> {
        let mut moves = MoveList::new();
        position.legal_moves(&mut moves);
        if let [only] = moves[..] {
            return Some(Choice {
                best: forced(position, only),
                nodes: 0,
            });
        }
        control.best_known.set(moves.first().copied());
        self.set_root(position, control);
        let nodes = self.search(position, control);
        let best = match select::final_choice(&self.tree, self.tree.root()) {
            Some(id) => self.line(id),
            None => Line::unjudged(*moves.first()?),
        };
        Some(Choice { best, nodes })
    }

    /// Searches on as long as the tree can grow: whatever is played, what has grown below it stays.
    fn ponder(&mut self, position: &Position<R>, control: &SearchControl<'_, R>) {
        if position.outcome().is_some() || control.is_time_up() {
            return;
        }
        self.set_root(position, control);
        let mut done: u64 = 0;
        while self.tree[self.tree.root()].proof.is_none() && self.tree.can_grow() {
            if done.is_multiple_of(ITERATIONS_PER_CLOCK_CHECK) {
                if control.is_time_up() {
                    break;
                }
                // On a machine with one core, whoever listens for the other side's move must not have to wait for it.
                std::thread::yield_now();
            }
            self.iterate(position);
            done += 1;
        }
        log::debug!("thought ahead for {done} iterations at {position}");
    }

    fn new_game(&mut self) {
        self.tree.reset();
        self.root = None;
    }
}

/// The only move there is, judged only as far as it ends the game.
fn forced<R: RuleBook>(position: &Position<R>, mv: Move<R>) -> Line<R> {
    let proof = position
        .after(mv)
        .outcome()
        .map(|outcome| Proof::of(outcome, position.side_to_move()));
    Line {
        proof,
        score: proof.map(|proof| f64::from(proof.score())),
        ..Line::unjudged(mv)
    }
}
