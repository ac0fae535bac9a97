//! Monte Carlo tree search without playouts.
//!
//! Each iteration descends by PUCT from the root to a leaf, expands it, evaluates its children, and
//! backs up the best of their values. Exact results are backed up as well (MCTS-Solver)
//! and end the search once the root is proven.
//!
//! - [`MctsPlayer`]: the player, which selects the smallest board for the hive
//! - `on_board`: the search on the board of a frame
//! - `tree_search`: the search of a tree by one or more threads
//! - `iteration`: selection, expansion, backup
//! - `tree`, `node`, `free_list`: the arena of nodes, kept from move to move
//! - `short_wins`: exhaustive searches for short wins
//! - `repetition`: draws by repetition below the root
//! - `branches`: the upper part of a tree
//! - `params`: the tunable parameters

mod branches;
mod free_list;
mod iteration;
mod node;
mod on_board;
mod params;
mod repetition;
mod short_wins;
#[cfg(test)]
mod tests;
mod tree;
mod tree_search;

use std::fmt;
use std::sync::Arc;

use super::choice::{Choice, RootMove};
use super::control::SearchControl;
use super::player::Player;
use crate::Playable;
use crate::evaluation::{Evaluator, Network, NetworkEvaluator};
use crate::frame::{FullBoard, SearchBoard};
use wabe_hive::Move;
use wabe_hive::game::Record;

pub use branches::{Branch, Branches};
use on_board::{OnBoard, SearchOnBoard};
pub use params::{ParamChanges, Params};
use tree_search::TreeSearch;

/// Default memory of the search tree, in MiB.
pub const DEFAULT_MEMORY_MIB: usize = 1024;

/// Maximum number of threads of a search.
pub const MAX_THREADS: usize = 256;

/// [`Params::root_share`] of analysis.
const ANALYSIS_ROOT_SHARE: f32 = 0.2;

/// The options of an [`MctsPlayer`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MctsOptions {
    /// Number of threads that share the tree, from 1 to [`MAX_THREADS`]. With one thread, the same
    /// seed and node limit repeat a search exactly.
    pub threads: usize,
    /// Memory for the tree, in MiB, at least 1.
    pub memory_mib: usize,
    /// Seed of the noise on priors, which decides between nearly equal moves.
    pub seed: u64,
    /// The parameters of the search.
    pub params: Params,
}

impl MctsOptions {
    /// The default options for `G`.
    pub fn for_game<G: Playable>() -> MctsOptions {
        MctsOptions {
            threads: 1,
            memory_mib: DEFAULT_MEMORY_MIB,
            seed: 0,
            params: Params::for_game::<G>(),
        }
    }

    /// The default options for analysis, where overlooking a move is worse than searching more
    /// slowly.
    pub fn for_analysis<G: Playable>() -> MctsOptions {
        let mut options = MctsOptions::for_game::<G>();
        options.params.root_share = ANALYSIS_ROOT_SHARE;
        options
    }
}

/// The search on the board of a frame.
type SearchIn<F, G> = OnBoard<F, G, NetworkEvaluator<<F as SearchBoard<G>>::Rules>>;

/// The search, on the smallest board for the hive.
enum Search<G: Playable> {
    Narrow(SearchIn<G::Frame, G>),
    Full(SearchIn<FullBoard, G>),
    /// With an evaluator other than a network, always on the full board.
    Custom(Box<dyn SearchOnBoard<G>>),
}

impl<G: Playable> Search<G> {
    fn on_board(&self) -> &dyn SearchOnBoard<G> {
        match self {
            Search::Narrow(narrow) => narrow,
            Search::Full(full) => full,
            Search::Custom(custom) => &**custom,
        }
    }

    fn on_board_mut(&mut self) -> &mut dyn SearchOnBoard<G> {
        match self {
            Search::Narrow(narrow) => narrow,
            Search::Full(full) => full,
            Search::Custom(custom) => &mut **custom,
        }
    }
}

/// The searching player.
pub struct MctsPlayer<G: Playable> {
    /// `None` for a player with another evaluator.
    network: Option<Arc<Network>>,
    options: MctsOptions,
    /// The search and its tree; `None` if the network is for another game.
    search: Option<Search<G>>,
    /// The game that was searched last.
    last: Option<Record<G>>,
    /// See [`MctsPlayer::exclude`].
    excluded: Vec<Move<G>>,
}

impl<G: Playable> MctsPlayer<G> {
    /// Evaluates with a network. Allocates the memory for the tree.
    pub fn new(evaluator: &NetworkEvaluator<G>, options: MctsOptions) -> MctsPlayer<G> {
        let mut player = MctsPlayer {
            network: Some(Arc::clone(evaluator.network())),
            options,
            search: None,
            last: None,
            excluded: Vec::new(),
        };
        // Allocates the memory now, not during the first move.
        player.search = start_frame::<G>()
            .and_then(|frame| player.empty_search(frame))
            .map(Search::Narrow);
        player
    }

    /// Evaluates with any evaluator, always on the game's full board. Allocates the memory for the
    /// tree.
    pub fn with_evaluation<E: Evaluator<G> + 'static>(
        evaluator: &E,
        options: MctsOptions,
    ) -> MctsPlayer<G> {
        let board: OnBoard<FullBoard, G, E> = OnBoard {
            frame: FullBoard,
            search: TreeSearch::new(evaluator, options),
        };
        MctsPlayer {
            network: None,
            options,
            search: Some(Search::Custom(Box::new(board))),
            last: None,
            excluded: Vec::new(),
        }
    }

    /// Excludes moves from the following searches, until the next call. They find the best of the
    /// other moves, of which at least one must be legal. Empties the tree.
    pub fn exclude(&mut self, moves: Vec<Move<G>>) {
        self.forget();
        self.excluded = moves;
    }

    /// A search with an empty tree; `None` if the network is for another game.
    fn empty_search<F: SearchBoard<G>>(&self, frame: F) -> Option<SearchIn<F, G>> {
        let evaluator = NetworkEvaluator::new(self.network.clone()?).ok()?;
        let search = TreeSearch::new(&evaluator, self.options);
        Some(OnBoard { frame, search })
    }

    /// Selects the board for the current position. Empties the tree if it belongs to another game.
    fn prepare(&mut self, record: &Record<G>) -> Option<&mut Search<G>> {
        if begins_another(&mut self.last, record) {
            self.forget();
        }
        if self.network.is_none() {
            return self.search.as_mut();
        }
        let before = match &self.search {
            Some(Search::Narrow(narrow)) => Some(narrow.frame),
            // As in a new player: see `forget`.
            Some(Search::Full(full)) if full.search.is_empty() => start_frame::<G>(),
            _ => None,
        };
        let frame = G::Frame::around(record.position(), before);
        let frame = frame.filter(|frame| frame.narrow(record.position()).is_some());
        self.search = match (frame, self.search.take()) {
            (Some(frame), Some(Search::Narrow(mut narrow))) => {
                if frame != narrow.frame {
                    // The moves in the tree refer to cells of the old frame.
                    narrow.search.forget();
                    narrow.frame = frame;
                }
                Some(Search::Narrow(narrow))
            }
            (None, Some(Search::Full(full))) => Some(Search::Full(full)),
            (frame, other) => {
                // Frees the old tree first, so that memory never holds two trees.
                drop(other);
                match frame {
                    Some(frame) => self.empty_search(frame).map(Search::Narrow),
                    None => self.empty_search(FullBoard).map(Search::Full),
                }
            }
        };
        self.search.as_mut()
    }

    /// Empties the tree and moves the frame to where it is in a new player, because the hive's
    /// location in the frame affects the noise on priors.
    fn forget(&mut self) {
        match &mut self.search {
            Some(Search::Narrow(narrow)) => {
                narrow.search.forget();
                narrow.frame = start_frame::<G>().unwrap_or(narrow.frame);
            }
            // `prepare` selects the frame of a new player.
            Some(Search::Full(full)) => full.search.forget(),
            Some(Search::Custom(custom)) => custom.new_game(),
            None => {}
        }
    }

    /// The upper part of the tree after a search. `widths` contains the maximum number of moves per
    /// position for each ply. Leaves out moves without visits.
    pub fn branches(&self, widths: &[usize]) -> Branches<G> {
        match &self.search {
            Some(search) => search.on_board().branches(widths),
            None => Branches {
                shown: Vec::new(),
                visits: 0,
            },
        }
    }
}

impl<G: Playable> fmt::Debug for MctsPlayer<G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("MctsPlayer")
    }
}

/// The frame of a new player.
fn start_frame<G: Playable>() -> Option<G::Frame> {
    G::Frame::around(&G::plain_start(G::Variant::default()), None)
}

/// True if `record` does not continue the game that was searched last, so that the tree cannot be
/// reused. Stores the game if it has a repetition rule.
fn begins_another<G: Playable>(last: &mut Option<Record<G>>, record: &Record<G>) -> bool {
    if G::REPETITION_LIMIT.is_none() {
        // Without a repetition rule the tree depends only on the position.
        return false;
    }
    let last = last.replace(record.clone());
    !last.is_some_and(|last| record.continues(&last))
}

impl<G: Playable> Player<G> for MctsPlayer<G> {
    fn choose(&mut self, record: &Record<G>, control: &SearchControl<'_, G>) -> Option<Choice<G>> {
        if record.is_over() {
            return None;
        }
        let excluded = self.excluded.clone();
        let search = self.prepare(record)?.on_board_mut();
        search.exclude(record.position(), &excluded);
        search.choose(record, control)
    }

    fn ponder(&mut self, record: &Record<G>, control: &SearchControl<'_, G>) {
        if record.is_over() {
            return;
        }
        if let Some(search) = self.prepare(record) {
            search.on_board_mut().ponder(record, control);
        }
    }

    fn lines(&self, max_lines: usize) -> Vec<RootMove<G>> {
        let search = self.search.as_ref();
        search.map_or_else(Vec::new, |search| search.on_board().lines(max_lines))
    }

    fn memory_bytes(&self) -> usize {
        let search = self.search.as_ref();
        search.map_or(0, |search| search.on_board().memory_bytes())
    }

    fn new_game(&mut self) {
        self.last = None;
        self.forget();
    }
}
