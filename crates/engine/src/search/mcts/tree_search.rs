//! The search of one tree on one board.

use std::mem;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;

use super::iteration::{backup, due_child, expand, expected_score, final_choice, next_child};
use super::node::NodeId;
use super::params::Params;
use super::repetition::Repetitions;
use super::short_wins::{WinSearches, shorter_win};
use super::tree::Tree;
use super::{MAX_THREADS, MctsOptions};
use crate::evaluation::Evaluator;
use crate::search::choice::{Choice, RootMove, Solved};
use crate::search::control::{Progress, SearchControl};
use wabe_hive::{MAX_MOVES, Move, Position, RuleBook};

/// Iterations of a thread between two clock checks, at most a few hundred microseconds.
pub(super) const ITERATIONS_PER_CLOCK_CHECK: u64 = 8;

/// Iterations of the first thread between two reports of the best move.
const ITERATIONS_PER_REPORT: u64 = 512;

/// Maximum length of a reported PV after its first move, in plies.
const MAX_CONTINUATION: usize = 12;

/// Maximum number of times that a thread yields its core while another thread expands its leaf.
/// That takes tens of microseconds, about as long as an expansion.
const MAX_YIELDS: usize = 32;

/// A tree and its search. The tree is kept from one search to the next.
#[derive(Debug)]
pub(super) struct TreeSearch<R: RuleBook, E> {
    /// One per thread; the first one is the caller's.
    workers: Vec<Mutex<Worker<R, E>>>,
    pub(super) params: Params,
    seed: u64,
    pub(super) tree: Tree,
    /// The position at the root; `None` before the first search.
    pub(super) root: Option<Position<R>>,
    win_searches: WinSearches<R>,
    /// A win that is shorter than any in the tree, if the last search found one.
    shortest: Option<RootMove<R>>,
    /// Moves at the root that are not searched, while the tree is not empty always the same.
    pub(super) excluded: Vec<Move<R>>,
}

/// The state of one thread. Only that thread locks it during a search.
#[derive(Debug)]
struct Worker<R: RuleBook, E> {
    evaluator: E,
    path: Vec<NodeId>,
    repetitions: Repetitions<R>,
}

/// The shared state of the threads of a search.
struct Run {
    /// Maximum number of iterations.
    max_nodes: u64,
    /// Number of iterations started, which may exceed `max_nodes`.
    started: AtomicU64,
    is_over: AtomicBool,
}

impl Run {
    /// Counts another iteration; returns `false` if it exceeds the maximum.
    fn begin_iteration(&self) -> bool {
        self.started.fetch_add(1, Ordering::Relaxed) < self.max_nodes
    }

    /// Number of iterations so far.
    fn nodes(&self) -> u64 {
        self.started.load(Ordering::Relaxed).min(self.max_nodes)
    }
}

/// Ends a run when it is dropped, even by a panic, so that the helper threads stop.
struct EndOnDrop<'a>(&'a Run);

impl Drop for EndOnDrop<'_> {
    fn drop(&mut self) {
        self.0.is_over.store(true, Ordering::Relaxed);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<R: RuleBook, E: Evaluator<R>> TreeSearch<R, E> {
    /// Allocates an empty tree.
    pub(super) fn new(evaluator: &E, options: MctsOptions) -> TreeSearch<R, E> {
        let worker = |_| {
            Mutex::new(Worker {
                evaluator: evaluator.clone(),
                path: Vec::with_capacity(256),
                repetitions: Repetitions::default(),
            })
        };
        let tree = Tree::new(options.memory_mib, MAX_MOVES);
        TreeSearch {
            workers: (0..options.threads.clamp(1, MAX_THREADS))
                .map(worker)
                .collect(),
            params: options.params,
            seed: options.seed,
            // See the key in `expand`.
            tree: if R::REPETITION_LIMIT.is_none() {
                tree.with_sharing()
            } else {
                tree
            },
            root: None,
            win_searches: WinSearches::default(),
            shortest: None,
            excluded: Vec::new(),
        }
    }

    /// Makes `position` the root. Keeps its subtree if the tree contains it, otherwise empties the
    /// tree. Reports the best move that is already known.
    fn set_root(&mut self, position: &Position<R>, control: &SearchControl<'_, R>) {
        self.shortest = None;
        match self.root.and_then(|root| self.find(&root, position)) {
            Some(node) => {
                if let Some(best) = final_choice(&self.tree, node) {
                    control.observer.best(self.tree[best].mv());
                }
                self.tree.reroot(node);
                self.make_room_at_root(position);
            }
            None => self.tree.reset(),
        }
        if self.root.replace(*position) != Some(*position) {
            self.win_searches = WinSearches::default();
        }
        if !self.excluded.is_empty() {
            self.exclude_moves(position);
        }
    }

    /// Marks the excluded moves as lost, so that the search avoids them.
    fn exclude_moves(&self, root: &Position<R>) {
        if let Some(worker) = self.workers.first()
            && !self.tree[NodeId::ROOT].is_expanded()
        {
            self.iterate(&mut lock(worker), root);
        }
        for id in self.tree.child_ids(NodeId::ROOT) {
            let child = &self.tree[id];
            if self.excluded.contains(&child.mv()) {
                child.set_proof_and_plies(Some(Solved::Loss), 0);
            }
        }
    }

    /// Empties the tree if the moves of the root do not fit.
    fn make_room_at_root(&mut self, position: &Position<R>) {
        if self.tree[NodeId::ROOT].is_expanded() {
            return;
        }
        let moves = position.legal_moves();
        if !self.tree.has_room_for(moves.len()) {
            self.tree.reset();
        }
    }

    /// Finds the node of `wanted` at most two plies below the root: after a move and a reply.
    fn find(&self, root: &Position<R>, wanted: &Position<R>) -> Option<NodeId> {
        let plies = wanted.turn().checked_sub(root.turn()).filter(|&p| p <= 2)?;
        self.find_below(NodeId::ROOT, root, wanted, plies)
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
        self.tree.child_ids(node).find_map(|id| {
            let child = &self.tree[id];
            if plies > 1 && !child.is_expanded() {
                return None;
            }
            self.find_below(id, &position.after(child.mv()), wanted, plies - 1)
        })
    }

    fn iterate(&self, worker: &mut Worker<R, E>, root: &Position<R>) {
        let tree = &self.tree;
        let mut position = *root;
        let mut node = NodeId::ROOT;
        worker.path.clear();
        worker.path.push(node);
        worker.repetitions.restart();
        tree[node].count_visit();
        let mut due = due_child(tree, node, &self.params);
        while tree[node].proof().is_none()
            && let Some(child) = due.take().or_else(|| next_child(tree, node, &self.params))
        {
            let mv = tree[child].mv();
            position.play(mv);
            worker.repetitions.follow(mv, &position);
            worker.path.push(child);
            node = child;
            tree[node].count_visit();
            for _ in 0..MAX_YIELDS {
                if !tree[node].is_claimed() {
                    break;
                }
                thread::yield_now();
            }
        }
        let mut found = None;
        if tree[node].proof().is_none() && !tree[node].is_expanded() {
            found = expand(
                tree,
                node,
                &position,
                &worker.repetitions,
                &worker.evaluator,
                &self.params,
                self.seed,
            );
        }
        backup(tree, &worker.path, found);
    }

    fn is_proven(&self) -> bool {
        self.tree[NodeId::ROOT].proof().is_some()
    }

    /// Iterates on all threads, at most `max_nodes` times and until the root is proven. After each
    /// of its iterations, the first thread calls `keep_going` with its own number of iterations and
    /// the number of all threads. The search ends when that returns `false`. Returns the number of
    /// iterations.
    fn iterate_while(
        &self,
        root: &Position<R>,
        max_nodes: u64,
        mut keep_going: impl FnMut(u64, u64) -> bool,
    ) -> u64 {
        let run = Run {
            max_nodes,
            started: AtomicU64::new(0),
            is_over: AtomicBool::new(false),
        };
        let [first, helpers @ ..] = &self.workers[..] else {
            return 0;
        };
        let may_iterate = || !self.is_proven() && run.begin_iteration();
        let help = |worker: &Mutex<Worker<R, E>>| {
            let worker = &mut *lock(worker);
            while !run.is_over.load(Ordering::Relaxed) && may_iterate() {
                self.iterate(worker, root);
            }
        };
        thread::scope(|scope| {
            let end = EndOnDrop(&run);
            let worker = &mut *lock(first);
            let mut threads = Vec::new();
            let mut own = 0;
            while may_iterate() {
                self.iterate(worker, root);
                own += 1;
                if !keep_going(own, run.nodes()) {
                    break;
                }
                // Helpers start after the first iteration, because a root without children has no
                // work to share.
                if own == 1 {
                    threads.extend(helpers.iter().filter_map(|helper| {
                        let thread = thread::Builder::new().name("search helper".to_owned());
                        let thread = thread.spawn_scoped(scope, || help(helper));
                        thread
                            .inspect_err(|error| {
                                log::warn!("cannot start a search thread: {error}")
                            })
                            .ok()
                    }));
                }
            }
            drop(end);
            for thread in threads {
                if thread.join().is_err() {
                    log::error!("a search thread panicked at {root}");
                }
            }
        });
        run.nodes()
    }

    /// Iterates until a limit is reached or the root is proven; prunes the tree when it is full.
    /// Returns the number of iterations.
    fn search(&mut self, root: &Position<R>, control: &SearchControl<'_, R>) -> u64 {
        let max_nodes = control.limits.nodes().unwrap_or(u64::MAX);
        let may_draw = self.with_repetitions(Repetitions::may_draw_soon) != Some(false);
        let mut win_searches = mem::take(&mut self.win_searches);
        let mut done = 0;
        let mut can_prune = true;
        loop {
            let mut is_full = false;
            done += self.iterate_while(root, max_nodes - done, |own, all| {
                if own % ITERATIONS_PER_REPORT == 1 {
                    self.report(done + all, control);
                }
                if !may_draw && done + all < max_nodes {
                    win_searches.run(&self.tree, root, &|| control.is_time_up());
                }
                is_full = can_prune && self.tree.is_full();
                let is_check_due = own.is_multiple_of(ITERATIONS_PER_CLOCK_CHECK);
                !(is_full || is_check_due && control.is_time_up())
            });
            if !is_full || done == max_nodes {
                self.win_searches = win_searches;
                return done;
            }
            can_prune = self.tree.prune(|| control.is_time_up());
        }
    }

    fn report(&self, nodes: u64, control: &SearchControl<'_, R>) {
        if let Some(best) = final_choice(&self.tree, NodeId::ROOT) {
            control.observer.best(self.tree[best].mv());
        }
        let max_lines = control.observer.lines_wanted();
        if max_lines > 0 {
            let lines = self.lines(max_lines);
            control.observer.progress(Progress { lines, nodes });
        }
    }

    /// The root move of child `id`.
    fn line(&self, id: NodeId) -> RootMove<R> {
        let node = &self.tree[id];
        let (proof, plies) = node.proof_and_plies();
        let mut continuation = Vec::new();
        let mut last = id;
        while continuation.len() < MAX_CONTINUATION {
            match final_choice(&self.tree, last) {
                Some(next) if self.tree[next].visits() > 0 || self.tree[next].proof().is_some() => {
                    continuation.push(self.tree[next].mv());
                    last = next;
                }
                _ => break,
            }
        }
        RootMove {
            mv: node.mv(),
            continuation,
            score: Some(f64::from(expected_score(node, &self.params))),
            proof,
            plies: matches!(proof, Some(Solved::Win | Solved::Loss)).then(|| u16::from(plies) + 1),
            visits: u64::from(node.visits()),
        }
    }

    /// The root moves after a search, at most `max_lines`: the chosen one, then the others by proof
    /// and visits.
    pub(super) fn lines(&self, max_lines: usize) -> Vec<RootMove<R>> {
        let first = self.shortest.as_ref();
        let ids = self.best_first(NodeId::ROOT).into_iter();
        let others = ids
            .map(|id| self.line(id))
            .filter(|line| !self.excluded.contains(&line.mv))
            .filter(|line| first.is_none_or(|first| line.mv != first.mv));
        first
            .cloned()
            .into_iter()
            .chain(others)
            .take(max_lines)
            .collect()
    }

    /// Passes the positions of the game that can occur again to all threads.
    fn set_history(&mut self, history: Option<&[Position<R>]>, position: &Position<R>) {
        for worker in &mut self.workers {
            let worker = worker.get_mut().unwrap_or_else(PoisonError::into_inner);
            worker.repetitions.begin(history, position);
        }
    }

    /// Calls `query` with the repetitions of the first thread.
    fn with_repetitions<T>(&self, query: impl FnOnce(&Repetitions<R>) -> T) -> Option<T> {
        (self.workers.first()).map(|worker| query(&lock(worker).repetitions))
    }

    /// Chooses a legal move of `position`; `None` when the game is over. `history` contains the
    /// positions before it that can occur again; `None` if the game ignores repetition.
    pub(super) fn choose(
        &mut self,
        position: &Position<R>,
        history: Option<&[Position<R>]>,
        control: &SearchControl<'_, R>,
    ) -> Option<Choice<R>> {
        let moves = position.legal_moves();
        self.set_history(history, position);
        if let [only] = moves[..] {
            // Keeps the subtree for the next search.
            self.set_root(position, control);
            return Some(Choice {
                best: self.only_move(position, only),
                nodes: 0,
            });
        }
        control.observer.best(*moves.first()?);
        self.set_root(position, control);
        let nodes = self.search(position, control);
        // The search for a shorter win may take until the deadline.
        if let Some(best) = final_choice(&self.tree, NodeId::ROOT) {
            control.observer.best(self.tree[best].mv());
        }
        self.find_shorter_win(position, control);
        let best = self.lines(1).into_iter().next();
        Some(Choice {
            best: best.unwrap_or(RootMove::without_evaluation(*moves.first()?)),
            nodes,
        })
    }

    /// If the tree has proven a win, searches for a shorter one, or for its PV if that is incomplete.
    fn find_shorter_win(&mut self, root: &Position<R>, control: &SearchControl<'_, R>) {
        let Some(best) = final_choice(&self.tree, NodeId::ROOT) else {
            return;
        };
        let best = self.line(best);
        let (Some(Solved::Win), Some(plies)) = (best.proof, best.plies) else {
            return;
        };
        let may_draw = self.with_repetitions(Repetitions::may_draw_soon) != Some(false);
        if may_draw || !self.excluded.is_empty() {
            return;
        }
        let end = best.pv().fold(*root, |position, mv| position.after(mv));
        let is_complete = end.outcome().is_some() && best.pv().count() == usize::from(plies);
        let too_long = if is_complete { plies } else { plies + 1 };
        let found = shorter_win(root, too_long, &|| control.is_time_up()).or_else(|| {
            let known = self.win_searches.win.clone();
            known.filter(|win| win.len() < usize::from(too_long))
        });
        if let Some([mv, continuation @ ..]) = found.as_deref() {
            self.shortest = Some(RootMove {
                mv: *mv,
                continuation: continuation.to_vec(),
                plies: u16::try_from(continuation.len() + 1).ok(),
                ..best
            });
        }
    }

    /// Searches until `control` ends it. The next search keeps the subtree of the move played.
    pub(super) fn ponder(
        &mut self,
        position: &Position<R>,
        history: Option<&[Position<R>]>,
        control: &SearchControl<'_, R>,
    ) {
        if position.outcome().is_some() || control.is_time_up() {
            return;
        }
        self.set_history(history, position);
        self.set_root(position, control);
        let mut done = 0;
        loop {
            done += self.iterate_while(position, u64::MAX, |own, _| {
                // On a machine with one core, this lets the thread run that receives the other
                // side's move.
                let is_check_due = own.is_multiple_of(ITERATIONS_PER_CLOCK_CHECK);
                if is_check_due {
                    thread::yield_now();
                }
                !(self.tree.is_full() || is_check_due && control.is_time_up())
            });
            if !self.tree.is_full() || !self.tree.prune(|| control.is_time_up()) {
                break;
            }
        }
        log::debug!("pondered for {done} iterations at {position}");
    }

    /// True if no position was searched since the tree was emptied.
    pub(super) fn is_empty(&self) -> bool {
        self.root.is_none()
    }

    pub(super) fn forget(&mut self) {
        self.tree.reset();
        self.root = None;
        self.shortest = None;
    }

    /// The root move for the only legal move, evaluated only if it ends the game.
    fn only_move(&self, position: &Position<R>, mv: Move<R>) -> RootMove<R> {
        let next = position.after(mv);
        let side = position.side_to_move();
        let proof = self
            .with_repetitions(|repetitions| repetitions.proof_of(mv, &next, side))
            .flatten();
        RootMove {
            proof,
            plies: matches!(proof, Some(Solved::Win | Solved::Loss)).then_some(1),
            score: proof.map(|proof| f64::from(proof.score())),
            ..RootMove::without_evaluation(mv)
        }
    }
}
