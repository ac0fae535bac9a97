//! Monte Carlo tree search without playouts.
//!
//! Each iteration descends by PUCT from the root to a leaf, expands it, evaluates its children, and backs the best of their values up
//! the path. Exact results are backed up as well (MCTS-Solver) and end the search once the root's is known.
//!
//! - [`MctsPlayer`]: the player, with one tree for each thread, on the smallest board that the hive fits on
//! - `tree_search`: the search of one tree
//! - `iteration`: selection, expansion, backup
//! - `tree`, `free_list`: the arena of nodes, kept from move to move
//! - `shortest`: the shortest win
//! - `repetition`: draws by repetition below the root
//! - `branches`: the upper part of a tree
//! - `params`: the tunable parameters

mod branches;
mod free_list;
mod iteration;
mod params;
mod repetition;
mod shortest;
#[cfg(test)]
mod tests;
mod tree;
mod tree_search;

use std::collections::HashMap;
use std::sync::Arc;
use std::thread;

use super::choice::{Choice, Line, Proof};
use super::control::{Progress, SearchControl, Watch};
use super::player::Player;
use crate::evaluation::{Evaluator, Features, Network, NetworkEvaluator};
use crate::game::{Frame, Game, Ply, Record, Repetition};
use crate::hive::{Move, Position, RuleBook};

pub use branches::{Branch, Branches};
pub use params::{ParamChanges, ParamError, ParamInfo, Params};
use tree_search::TreeSearch;

/// Default memory of the search trees, in MiB.
pub const DEFAULT_MEMORY_MIB: usize = 1024;

/// The options of an [`MctsPlayer`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MctsOptions {
    /// Number of threads, each with its own tree; 0 counts as 1.
    pub threads: usize,
    /// Memory for all trees together, in MiB; each gets at least 1.
    pub memory_mib: usize,
    /// Seed of the priors' noise, which decides between nearly equal moves.
    pub seed: u64,
    /// The parameters of the search.
    pub params: Params,
}

impl MctsOptions {
    /// The default options for `G`.
    pub fn of<G: Game>() -> MctsOptions {
        MctsOptions {
            threads: 1,
            memory_mib: DEFAULT_MEMORY_MIB,
            seed: 0,
            params: Params::of::<G>(),
        }
    }
}

type Narrow<G> = <<G as Game>::Frame as Frame<G>>::Rules;

/// The trees, on the board that the hive fits on.
#[derive(Debug)]
enum Searches<G: Game> {
    Narrow(
        G::Frame,
        Vec<TreeSearch<Narrow<G>, NetworkEvaluator<Narrow<G>>>>,
    ),
    Full(Vec<TreeSearch<G, NetworkEvaluator<G>>>),
}

/// The searching player.
#[derive(Debug)]
pub struct MctsPlayer<G: Game> {
    network: Arc<Network>,
    options: MctsOptions,
    /// The trees; `None` before the first search.
    searches: Option<Searches<G>>,
    /// The game that was searched last.
    last: Option<Record<G>>,
}

impl<G: Game> MctsPlayer<G> {
    /// A player with this evaluation. Allocates the memory for its trees.
    pub fn new(evaluator: &NetworkEvaluator<G>, options: MctsOptions) -> MctsPlayer<G> {
        let mut player = MctsPlayer {
            network: Arc::clone(evaluator.network()),
            options,
            searches: None,
            last: None,
        };
        // Memory is allocated now rather than when a move is due.
        player.searches = G::Frame::around(&G::plain_start(G::Variant::default()), None)
            .map(|frame| Searches::Narrow(frame, player.trees()));
        player
    }

    fn trees<R: Features>(&self) -> Vec<TreeSearch<R, NetworkEvaluator<R>>> {
        let threads = self.options.threads.max(1);
        let memory_mib = self.options.memory_mib / threads;
        let evaluators =
            (0..threads).filter_map(|_| NetworkEvaluator::new(Arc::clone(&self.network)).ok());
        (0..)
            .zip(evaluators)
            .map(|(thread, evaluator)| {
                let seed = self.options.seed.wrapping_add(thread);
                TreeSearch::new(evaluator, memory_mib, seed, self.options.params)
            })
            .collect()
    }

    /// Puts the trees on the board that the present position fits on, and empties them if they belong to another game.
    fn prepare(&mut self, record: &Record<G>) {
        let continues = match &self.last {
            // Without repetition the position alone decides.
            _ if G::OCCURRENCES.is_none() => true,
            Some(last) => record.continues(last),
            None => false,
        };
        if !continues {
            self.new_game();
        }
        let before = match &self.searches {
            Some(Searches::Narrow(frame, _)) => Some(*frame),
            _ => None,
        };
        let frame = G::Frame::around(record.position(), before);
        let frame = frame.filter(|frame| frame.narrow(record.position()).is_some());
        self.searches = Some(match (frame, self.searches.take()) {
            (Some(frame), Some(Searches::Narrow(before, mut trees))) => {
                if frame != before {
                    // The cells of the trees have moved.
                    trees.iter_mut().for_each(TreeSearch::forget);
                }
                Searches::Narrow(frame, trees)
            }
            (Some(frame), _) => Searches::Narrow(frame, self.trees()),
            (None, Some(Searches::Full(trees))) => Searches::Full(trees),
            (None, _) => Searches::Full(self.trees()),
        });
        if G::OCCURRENCES.is_some() {
            self.last = Some(record.clone());
        }
    }

    /// The root's moves after a search, at most `most`: the chosen one, the others by proof and by visits.
    pub fn lines(&self, most: usize) -> Vec<Line<G>> {
        match &self.searches {
            Some(Searches::Narrow(frame, trees)) => merged(trees.iter().map(|tree| {
                let lines = tree.lines(most).into_iter();
                lines.filter_map(|line| widen(*frame, line)).collect()
            })),
            Some(Searches::Full(trees)) => merged(trees.iter().map(|tree| tree.lines(most))),
            None => Vec::new(),
        }
    }

    /// The upper part of the first tree after a search: for each ply, the number of `widths` is the largest number of moves shown in a
    /// position. Moves without visits are left out.
    pub fn branches(&self, widths: &[usize]) -> Branches<G> {
        let found = match &self.searches {
            Some(Searches::Narrow(frame, trees)) => trees
                .first()
                .map(|tree| tree.branches(widths).mapped(&|mv| frame.widen(mv))),
            Some(Searches::Full(trees)) => trees.first().map(|tree| tree.branches(widths)),
            None => None,
        };
        found.unwrap_or_else(|| Branches {
            shown: Vec::new(),
            omitted: 0,
            visits: 0,
        })
    }
}

/// The positions since the last placement, without the present one: only they can occur again.
fn history<G: Game>(record: &Record<G>) -> Vec<Position<G>> {
    if G::OCCURRENCES.is_none() || record.repetition() == Repetition::Ignore {
        return Vec::new();
    }
    let plies = record.plies();
    let is_placement = |ply: &Ply<G>| matches!(ply.mv, Move::Place { .. });
    let from = plies.iter().rposition(is_placement).map_or(0, |i| i + 1);
    record.positions().take(plies.len()).skip(from).collect()
}

/// Translates the reports of a search on the narrow board.
struct Widening<'a, G: Game> {
    frame: G::Frame,
    watch: &'a dyn Watch<G>,
}

impl<G: Game> Watch<Narrow<G>> for Widening<'_, G> {
    fn best(&self, mv: Move<Narrow<G>>) {
        if let Some(mv) = self.frame.widen(mv) {
            self.watch.best(mv);
        }
    }

    fn lines_wanted(&self) -> usize {
        self.watch.lines_wanted()
    }

    fn progress(&self, progress: Progress<Narrow<G>>) {
        let lines = progress.lines.into_iter();
        self.watch.progress(Progress {
            lines: lines.filter_map(|line| widen(self.frame, line)).collect(),
            nodes: progress.nodes,
        });
    }
}

/// Translates a line to the full board. The continuation ends where it leaves the frame.
fn widen<G: Game>(frame: G::Frame, line: Line<Narrow<G>>) -> Option<Line<G>> {
    Some(Line {
        mv: frame.widen(line.mv)?,
        continuation: line
            .continuation
            .iter()
            .map_while(|&mv| frame.widen(mv))
            .collect(),
        score: line.score,
        proof: line.proof,
        plies: line.plies,
        visits: line.visits,
    })
}

/// Runs `search` on every tree, each on its own thread, and collects the answers. Only the first tree's search is watched.
fn on_all<R: RuleBook, E: Evaluator<R>, T: Send>(
    trees: &mut [TreeSearch<R, E>],
    control: &SearchControl<'_, R>,
    search: impl Fn(&mut TreeSearch<R, E>, &SearchControl<'_, R>) -> T + Sync,
) -> Vec<T> {
    let [first, others @ ..] = trees else {
        return Vec::new();
    };
    if others.is_empty() {
        return vec![search(first, control)];
    }
    let silent = super::control::BestKnown::default();
    thread::scope(|scope| {
        let (search, silent) = (&search, &silent);
        let threads: Vec<_> = others
            .iter_mut()
            .map(|tree| {
                let control = SearchControl {
                    watch: silent,
                    ..*control
                };
                scope.spawn(move || search(tree, &control))
            })
            .collect();
        let mut answers = vec![search(first, control)];
        answers.extend(threads.into_iter().filter_map(|thread| thread.join().ok()));
        answers
    })
}

impl<G: Game> MctsPlayer<G> {
    /// Prepares for `record` and calls `narrow` or `full` with the trees on its board.
    fn search<T>(
        &mut self,
        record: &Record<G>,
        control: &SearchControl<'_, G>,
        narrow: impl FnOnce(
            &mut [TreeSearch<Narrow<G>, NetworkEvaluator<Narrow<G>>>],
            &Position<Narrow<G>>,
            &[Position<Narrow<G>>],
            &SearchControl<'_, Narrow<G>>,
            G::Frame,
        ) -> T,
        full: impl FnOnce(
            &mut [TreeSearch<G, NetworkEvaluator<G>>],
            &Position<G>,
            &[Position<G>],
            &SearchControl<'_, G>,
        ) -> T,
    ) -> Option<T> {
        self.prepare(record);
        let history = history(record);
        match self.searches.as_mut()? {
            Searches::Narrow(frame, trees) => {
                let position = frame.narrow(record.position())?;
                let history: Vec<_> = history.iter().filter_map(|p| frame.narrow(p)).collect();
                let watch = Widening::<G> {
                    frame: *frame,
                    watch: control.watch,
                };
                let control = SearchControl {
                    limits: control.limits,
                    clock: control.clock,
                    stop: control.stop,
                    watch: &watch,
                };
                Some(narrow(trees, &position, &history, &control, *frame))
            }
            Searches::Full(trees) => Some(full(trees, record.position(), &history, control)),
        }
    }
}

impl<G: Game> Player<G> for MctsPlayer<G> {
    fn choose(&mut self, record: &Record<G>, control: &SearchControl<'_, G>) -> Option<Choice<G>> {
        if record.is_over() {
            return None;
        }
        let (choices, is_single) = self.search(
            record,
            control,
            |trees, position, history, control, frame| {
                let choices = on_all(trees, control, |tree, control| {
                    tree.choose(position, history, control)
                });
                let choices = choices.into_iter().flatten();
                let widened = choices.filter_map(|choice| {
                    Some(Choice {
                        best: widen(frame, choice.best)?,
                        nodes: choice.nodes,
                    })
                });
                (widened.collect::<Vec<_>>(), trees.len() == 1)
            },
            |trees, position, history, control| {
                let choices = on_all(trees, control, |tree, control| {
                    tree.choose(position, history, control)
                });
                (choices.into_iter().flatten().collect(), trees.len() == 1)
            },
        )?;
        let nodes = choices.iter().map(|choice| choice.nodes).sum();
        let mut best = choices.into_iter().next()?.best;
        // After a forced move there was no search, and the trees are those of an earlier position.
        if !is_single && nodes > 0 {
            best = self.lines(usize::MAX).into_iter().next().unwrap_or(best);
        }
        Some(Choice { best, nodes })
    }

    fn ponder(&mut self, record: &Record<G>, control: &SearchControl<'_, G>) {
        if record.is_over() {
            return;
        }
        self.search(
            record,
            control,
            |trees, position, history, control, _| {
                on_all(trees, control, |tree, control| {
                    tree.ponder(position, history, control);
                });
            },
            |trees, position, history, control| {
                on_all(trees, control, |tree, control| {
                    tree.ponder(position, history, control);
                });
            },
        );
    }

    fn lines(&self, most: usize) -> Vec<Line<G>> {
        MctsPlayer::lines(self, most)
    }

    fn new_game(&mut self) {
        self.last = None;
        match &mut self.searches {
            Some(Searches::Narrow(_, trees)) => trees.iter_mut().for_each(TreeSearch::forget),
            Some(Searches::Full(trees)) => trees.iter_mut().for_each(TreeSearch::forget),
            None => {}
        }
    }
}

/// Merges the lines of several trees; the first move is the best of all trees together.
fn merged<R: RuleBook>(found: impl Iterator<Item = Vec<Line<R>>>) -> Vec<Line<R>> {
    let mut found = found.into_iter();
    let mut lines = found.next().unwrap_or_default();
    let others: Vec<Line<R>> = found.flatten().collect();
    if others.is_empty() {
        return lines;
    }
    let places = lines.iter().enumerate();
    let mut places: HashMap<Move<R>, usize> = places.map(|(i, line)| (line.mv, i)).collect();
    for other in others {
        let place = *places.entry(other.mv).or_insert_with(|| {
            lines.push(Line::unjudged(other.mv));
            lines.len() - 1
        });
        if let Some(line) = lines.get_mut(place) {
            add(line, other);
        }
    }
    // A stable sort: of equals, the first tree's order.
    lines.sort_by_key(|line| {
        let certainty = match line.proof {
            Some(Proof::Win) => 2,
            Some(Proof::Loss) => 0,
            Some(Proof::Draw) | None => 1,
        };
        std::cmp::Reverse((certainty, line.visits))
    });
    lines
}

fn add<R: RuleBook>(line: &mut Line<R>, other: Line<R>) {
    let visits = line.visits + other.visits;
    if let (Some(score), Some(more)) = (line.score, other.score) {
        let share = (other.visits as f64 + 1.0) / (visits as f64 + 2.0);
        line.score = Some(score + (more - score) * share);
    } else {
        line.score = line.score.or(other.score);
    }
    if other.visits > line.visits {
        line.continuation = other.continuation;
    }
    if line.proof.is_none() {
        (line.proof, line.plies) = (other.proof, other.plies);
    }
    line.visits = visits;
}
