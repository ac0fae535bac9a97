//! Monte Carlo tree search without playouts.
//!
//! Each iteration descends by PUCT from the root to a leaf, expands it, evaluates its children, and backs the best of their values up
//! the path. Exact results are backed up as well (MCTS-Solver) and end the search once the root's is known.
//!
//! - [`MctsPlayer`]: the player, on the smallest board that the hive fits on
//! - `tree_search`: the search of a tree by one thread or by several
//! - `iteration`: selection, expansion, backup
//! - `tree`, `node`, `free_list`: the arena of nodes, kept from move to move
//! - `shortest`: the shortest win
//! - [`OwnEvaluation`]: the player with any other evaluation
//! - `repetition`: draws by repetition below the root
//! - `branches`: the upper part of a tree
//! - `params`: the tunable parameters

mod branches;
mod free_list;
mod iteration;
mod node;
mod own;
mod params;
mod repetition;
mod shortest;
#[cfg(test)]
mod tests;
mod tree;
mod tree_search;

use std::sync::Arc;

use super::choice::{Choice, Line};
use super::control::{Progress, SearchControl, Watch};
use super::player::Player;
use crate::evaluation::{Features, Network, NetworkEvaluator};
use crate::game::{Frame, Game, Ply, Record, Repetition};
use crate::hive::{Move, Position};

pub use branches::{Branch, Branches};
pub use own::OwnEvaluation;
pub use params::{ParamChanges, ParamError, ParamInfo, Params};
use tree_search::TreeSearch;

/// Default memory of the search tree, in MiB.
pub const DEFAULT_MEMORY_MIB: usize = 1024;

/// Largest number of threads of a search.
pub const MOST_THREADS: usize = 256;

/// The options of an [`MctsPlayer`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MctsOptions {
    /// Number of threads, which share one tree, at least 1 and at most [`MOST_THREADS`]. One thread repeats a search exactly, given its
    /// seed and a limit on iterations.
    pub threads: usize,
    /// Memory for the tree, in MiB, at least 1.
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

/// The search on a board of `R`.
type SearchOn<R> = TreeSearch<R, NetworkEvaluator<R>>;

/// The search, on the board that the hive fits on.
#[derive(Debug)]
enum Search<G: Game> {
    Narrow(G::Frame, SearchOn<Narrow<G>>),
    Full(SearchOn<G>),
}

/// The searching player.
#[derive(Debug)]
pub struct MctsPlayer<G: Game> {
    network: Arc<Network>,
    options: MctsOptions,
    /// The search and its tree; `None` before the first one.
    search: Option<Search<G>>,
    /// The game that was searched last.
    last: Option<Record<G>>,
}

impl<G: Game> MctsPlayer<G> {
    /// A player with this evaluation. Allocates the memory for its tree.
    pub fn new(evaluator: &NetworkEvaluator<G>, options: MctsOptions) -> MctsPlayer<G> {
        let mut player = MctsPlayer {
            network: Arc::clone(evaluator.network()),
            options,
            search: None,
            last: None,
        };
        // Memory is allocated now rather than when a move is due.
        player.search =
            start_frame::<G>().and_then(|frame| Some(Search::Narrow(frame, player.empty_tree()?)));
        player
    }

    /// A search with an empty tree; `None` if the network is for another game.
    fn empty_tree<R: Features>(&self) -> Option<SearchOn<R>> {
        let MctsOptions {
            threads,
            memory_mib,
            seed,
            params,
        } = self.options;
        let evaluator = NetworkEvaluator::new(Arc::clone(&self.network)).ok()?;
        let threads = threads.clamp(1, MOST_THREADS);
        Some(TreeSearch::new(
            &evaluator, threads, memory_mib, seed, params,
        ))
    }

    /// Puts the tree on the board that the present position fits on, and empties it if it belongs to another game.
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
        let before = match &self.search {
            Some(Search::Narrow(frame, _)) => Some(*frame),
            _ => None,
        };
        let frame = G::Frame::around(record.position(), before);
        let frame = frame.filter(|frame| frame.narrow(record.position()).is_some());
        self.search = match (frame, self.search.take()) {
            (Some(frame), Some(Search::Narrow(before, mut search))) => {
                if frame != before {
                    // The cells of the tree have moved.
                    search.forget();
                }
                Some(Search::Narrow(frame, search))
            }
            (None, Some(Search::Full(search))) => Some(Search::Full(search)),
            (frame, other) => {
                // Not two trees at once.
                drop(other);
                match frame {
                    Some(frame) => self
                        .empty_tree()
                        .map(|search| Search::Narrow(frame, search)),
                    None => self.empty_tree().map(Search::Full),
                }
            }
        };
        if G::OCCURRENCES.is_some() {
            self.last = Some(record.clone());
        }
    }

    /// The root's moves after a search, at most `most`: the chosen one, the others by proof and by visits.
    pub fn lines(&self, most: usize) -> Vec<Line<G>> {
        match &self.search {
            Some(Search::Narrow(frame, search)) => {
                let lines = search.lines(most).into_iter();
                lines.filter_map(|line| widen(*frame, line)).collect()
            }
            Some(Search::Full(search)) => search.lines(most),
            None => Vec::new(),
        }
    }

    /// The upper part of the tree after a search: for each ply, the number of `widths` is the largest number of moves shown in a
    /// position. Moves without visits are left out.
    pub fn branches(&self, widths: &[usize]) -> Branches<G> {
        match &self.search {
            Some(Search::Narrow(frame, search)) => {
                search.branches(widths).mapped(&|mv| frame.widen(mv))
            }
            Some(Search::Full(search)) => search.branches(widths),
            None => Branches {
                shown: Vec::new(),
                omitted: 0,
                visits: 0,
            },
        }
    }
}

/// The frame of a new player.
fn start_frame<G: Game>() -> Option<G::Frame> {
    G::Frame::around(&G::plain_start(G::Variant::default()), None)
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

impl<G: Game> MctsPlayer<G> {
    /// Prepares for `record` and calls `narrow` or `full` with the search on its board.
    fn search<T>(
        &mut self,
        record: &Record<G>,
        control: &SearchControl<'_, G>,
        narrow: impl FnOnce(
            &mut SearchOn<Narrow<G>>,
            &Position<Narrow<G>>,
            &[Position<Narrow<G>>],
            &SearchControl<'_, Narrow<G>>,
            G::Frame,
        ) -> T,
        full: impl FnOnce(&mut SearchOn<G>, &Position<G>, &[Position<G>], &SearchControl<'_, G>) -> T,
    ) -> Option<T> {
        self.prepare(record);
        let history = history(record);
        match self.search.as_mut()? {
            Search::Narrow(frame, search) => {
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
                Some(narrow(search, &position, &history, &control, *frame))
            }
            Search::Full(search) => Some(full(search, record.position(), &history, control)),
        }
    }
}

impl<G: Game> Player<G> for MctsPlayer<G> {
    fn choose(&mut self, record: &Record<G>, control: &SearchControl<'_, G>) -> Option<Choice<G>> {
        if record.is_over() {
            return None;
        }
        self.search(
            record,
            control,
            |search, position, history, control, frame| {
                let choice = search.choose(position, history, control)?;
                Some(Choice {
                    best: widen(frame, choice.best)?,
                    nodes: choice.nodes,
                })
            },
            SearchOn::choose,
        )?
    }

    fn ponder(&mut self, record: &Record<G>, control: &SearchControl<'_, G>) {
        if record.is_over() {
            return;
        }
        self.search(
            record,
            control,
            |search, position, history, control, _| search.ponder(position, history, control),
            SearchOn::ponder,
        );
    }

    fn lines(&self, most: usize) -> Vec<Line<G>> {
        MctsPlayer::lines(self, most)
    }

    fn new_game(&mut self) {
        self.last = None;
        match &mut self.search {
            Some(Search::Narrow(frame, search)) => {
                // As in a new player: where the hive lies in the frame decides the noise of the priors.
                *frame = start_frame::<G>().unwrap_or(*frame);
                search.forget();
            }
            Some(Search::Full(search)) => search.forget(),
            None => {}
        }
    }
}
