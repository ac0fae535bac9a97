//! The search of one tree on one board.

use super::iteration::{backup, best_child, expand, expected_score, final_choice};
use super::params::Params;
use super::repetition::Repetitions;
use super::shortest::shorter_win;
use super::tree::{NodeId, Tree};
use crate::evaluation::Evaluator;
use crate::hive::{Move, MoveList, Position, RuleBook};
use crate::search::choice::{Choice, Line, Proof};
use crate::search::control::{Progress, SearchControl};

/// Iterations between two clock checks: some hundred microseconds at most.
pub(super) const ITERATIONS_PER_CLOCK_CHECK: u64 = 8;

/// Iterations between two reports of the best move.
const ITERATIONS_PER_REPORT: u64 = 512;

/// Longest principal variation reported, in plies.
const MAX_VARIATION: usize = 12;

/// A tree and its search. The tree is kept from search to search.
#[derive(Debug)]
pub(super) struct TreeSearch<R: RuleBook, E> {
    evaluator: E,
    pub(super) params: Params,
    seed: u64,
    pub(super) tree: Tree<R>,
    /// The position at the root; `None` before the first search.
    root: Option<Position<R>>,
    path: Vec<NodeId>,
    /// A win that is shorter than any in the tree, if the last search found one.
    shortest: Option<Line<R>>,
    repetitions: Repetitions<R>,
}

impl<R: RuleBook, E: Evaluator<R>> TreeSearch<R, E> {
    /// Allocates an empty tree of `memory_mib` MiB.
    pub(super) fn new(
        evaluator: E,
        memory_mib: usize,
        seed: u64,
        params: Params,
    ) -> TreeSearch<R, E> {
        TreeSearch {
            evaluator,
            params,
            seed,
            tree: Tree::new(memory_mib),
            root: None,
            path: Vec::with_capacity(256),
            shortest: None,
            repetitions: Repetitions::default(),
        }
    }

    /// Makes `position` the root: keeps its subtree if the tree has it, and empties the tree otherwise. Reports the best move that is
    /// already known.
    fn set_root(&mut self, position: &Position<R>, control: &SearchControl<'_, R>) {
        self.shortest = None;
        match self.root.and_then(|root| self.find(&root, position)) {
            Some(node) => {
                if let Some(best) = final_choice(&self.tree, node) {
                    control.watch.best(self.tree[best].mv);
                }
                self.tree.reroot(node);
                self.make_room_at_root(position);
            }
            None => self.tree.reset(),
        }
        self.root = Some(*position);
    }

    /// Empties a tree that is too full for the moves of its root.
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

    /// The node of `wanted` at most two plies below the root: after a move and a reply.
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

    /// Runs one iteration.
    fn iterate(&mut self, root: &Position<R>) {
        let mut position = *root;
        let mut node = self.tree.root();
        self.path.clear();
        self.path.push(node);
        self.repetitions.restart();
        while self.tree[node].proof.is_none() && self.tree[node].is_expanded() {
            let Some(child) = best_child(&self.tree, node, &self.params) else {
                break;
            };
            let mv = self.tree[child].mv;
            position.play(mv);
            self.repetitions.follow(mv, &position);
            self.path.push(child);
            node = child;
        }
        if self.tree[node].proof.is_none() && !self.tree[node].is_expanded() {
            expand(
                &mut self.tree,
                node,
                &position,
                &self.repetitions,
                &self.evaluator,
                &self.params,
                self.seed,
            );
        }
        backup(&mut self.tree, &self.path);
    }

    /// Iterates until a limit is reached or the result is known. Returns the number of iterations.
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
                self.report(done, control);
            }
        }
        done
    }

    fn report(&self, nodes: u64, control: &SearchControl<'_, R>) {
        if let Some(best) = final_choice(&self.tree, self.tree.root()) {
            control.watch.best(self.tree[best].mv);
        }
        let most = control.watch.lines_wanted();
        if most > 0 {
            let lines = self.lines(most);
            control.watch.progress(Progress { lines, nodes });
        }
    }

    /// The line that begins with the root's child `id`.
    fn line(&self, id: NodeId) -> Line<R> {
        let node = &self.tree[id];
        let mut continuation = Vec::new();
        let mut last = id;
        while continuation.len() < MAX_VARIATION {
            match final_choice(&self.tree, last) {
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
            score: Some(f64::from(expected_score(node, &self.params))),
            proof: node.proof,
            plies: matches!(node.proof, Some(Proof::Win | Proof::Loss))
                .then(|| u16::from(node.plies) + 1),
            visits: u64::from(node.visits),
        }
    }

    /// The root's moves after a search, at most `most`: the chosen one, the others by proof and by visits.
    pub(super) fn lines(&self, most: usize) -> Vec<Line<R>> {
        let ids = self.best_first(self.tree.root());
        let lines = ids.into_iter().map(|id| self.line(id));
        match &self.shortest {
            Some(first) => {
                let others = lines.filter(|line| line.mv != first.mv);
                [first.clone()]
                    .into_iter()
                    .chain(others)
                    .take(most)
                    .collect()
            }
            None => lines.take(most).collect(),
        }
    }

    /// Chooses a legal move of `position`; `None` when the game is over. `history` has the positions before it that can occur again.
    pub(super) fn choose(
        &mut self,
        position: &Position<R>,
        history: &[Position<R>],
        control: &SearchControl<'_, R>,
    ) -> Option<Choice<R>> {
        let mut moves = MoveList::new();
        position.legal_moves(&mut moves);
        self.repetitions.begin(history, position);
        if let [only] = moves[..] {
            return Some(Choice {
                best: self.forced(position, only),
                nodes: 0,
            });
        }
        control.watch.best(*moves.first()?);
        self.set_root(position, control);
        let nodes = self.search(position, control);
        self.find_shorter_win(position, control);
        let best = self.lines(1).into_iter().next();
        Some(Choice {
            best: best.unwrap_or(Line::unjudged(*moves.first()?)),
            nodes,
        })
    }

    /// Looks for a shorter win than the tree has, if it has one.
    fn find_shorter_win(&mut self, root: &Position<R>, control: &SearchControl<'_, R>) {
        let Some(best) = final_choice(&self.tree, self.tree.root()) else {
            return;
        };
        let best = self.line(best);
        let Some(plies) = best.plies.filter(|_| best.proof == Some(Proof::Win)) else {
            return;
        };
        if self.repetitions.may_draw_soon() {
            return;
        }
        let found = shorter_win(root, plies, &|| control.is_time_up());
        if let Some([mv, continuation @ ..]) = found.as_deref() {
            self.shortest = Some(Line {
                mv: *mv,
                continuation: continuation.to_vec(),
                plies: u16::try_from(continuation.len() + 1).ok(),
                ..best
            });
        }
    }

    /// Searches while the tree can grow. The subtree of the move that is played will be kept.
    pub(super) fn ponder(
        &mut self,
        position: &Position<R>,
        history: &[Position<R>],
        control: &SearchControl<'_, R>,
    ) {
        if position.outcome().is_some() || control.is_time_up() {
            return;
        }
        self.repetitions.begin(history, position);
        self.set_root(position, control);
        let mut done: u64 = 0;
        while self.tree[self.tree.root()].proof.is_none() && self.tree.can_grow() {
            if done.is_multiple_of(ITERATIONS_PER_CLOCK_CHECK) {
                if control.is_time_up() {
                    break;
                }
                // On a machine with one core, the thread that receives the other side's move must not wait.
                std::thread::yield_now();
            }
            self.iterate(position);
            done += 1;
        }
        log::debug!("pondered for {done} iterations at {position}");
    }

    /// Empties the tree.
    pub(super) fn forget(&mut self) {
        self.tree.reset();
        self.root = None;
        self.shortest = None;
    }

    /// The line of the only legal move, evaluated only if it ends the game.
    fn forced(&self, position: &Position<R>, mv: Move<R>) -> Line<R> {
        let next = position.after(mv);
        let proof = self
            .repetitions
            .proof_of(mv, &next, position.side_to_move());
        Line {
            proof,
            plies: matches!(proof, Some(Proof::Win | Proof::Loss)).then_some(1),
            score: proof.map(|proof| f64::from(proof.score())),
            ..Line::unjudged(mv)
        }
    }
}
