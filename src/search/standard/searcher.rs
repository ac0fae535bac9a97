//! The search of standard Hive, with one or several trees, on the smallest board that the hive fits on.

use std::sync::OnceLock;
use std::sync::atomic::AtomicBool;
use std::thread;

use super::merging::merged;
use crate::hive::standard::{Compact, Move, Position, Wide, Window};
use crate::hive::{self, MoveList, RuleBook};
use crate::search::{
    BestKnown, Clock, Evaluator, Limits, Line, MctsOptions, MctsPlayer, Params, Player,
    SearchControl, StandardEvaluator,
};

/// The weight of priors that this game's evaluation needs: more than the contest's.
const EXPLORATION: f32 = 0.9;

/// The search's parameters for standard Hive if nothing else is said.
pub fn standard_params() -> Params {
    Params {
        exploration: EXPLORATION,
        ..Params::default()
    }
}

/// How a [`StandardSearcher`] searches.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SearcherSettings {
    /// Threads, each with a tree of its own; at least 1 is taken.
    pub threads: usize,
    /// Most memory for all trees together, in MiB.
    pub memory_mib: usize,
    /// Decides between moves that look nearly alike; each tree has another.
    pub seed: u64,
    /// The numbers that shape the search.
    pub params: Params,
}

/// When a search ends, and where it says meanwhile what looks best.
#[derive(Clone, Copy)]
pub struct StandardControl<'a> {
    /// When to end; iterations are those of each tree.
    pub limits: Limits,
    /// The time since the request.
    pub clock: &'a dyn Clock,
    /// Set by another thread to end the search at once.
    pub stop: &'a AtomicBool,
    /// Where the search leaves its best move from time to time; of this search alone.
    pub best_so_far: &'a BestSoFar,
}

/// The best move that a running search knows.
#[derive(Debug, Default)]
pub struct BestSoFar {
    window: OnceLock<Window>,
    compact: BestKnown<Compact>,
    wide: BestKnown<Wide>,
}

impl BestSoFar {
    /// The move, if there is one.
    pub fn get(&self) -> Option<Move> {
        match self.window.get() {
            Some(window) => window.wide(self.compact.get()?),
            None => self.wide.get(),
        }
    }
}

/// What a search found out about the moves of a position.
#[derive(Debug, Default)]
pub struct Findings {
    /// The moves; the search's choice comes first.
    pub lines: Vec<Line<Wide>>,
    /// Search iterations of all trees.
    pub nodes: u64,
}

/// The players, kept from search to search with their trees.
#[derive(Debug, Default)]
pub struct StandardSearcher {
    players: Vec<AnyPlayer>,
    window: Option<Window>,
    settings: Option<SearcherSettings>,
}

/// A player on the board that the hive fits on.
#[derive(Debug)]
enum AnyPlayer {
    Compact(Box<MctsPlayer<Compact, StandardEvaluator>>),
    Wide(Box<MctsPlayer<Wide, StandardEvaluator>>),
}

impl StandardSearcher {
    /// Searches a position in which somebody can move. `evaluator` and `settings` hold for new trees; with other settings than
    /// before, all are.
    pub fn search(
        &mut self,
        position: &Position,
        settings: SearcherSettings,
        evaluator: &StandardEvaluator,
        control: StandardControl<'_>,
    ) -> Findings {
        let window = Window::on(position, self.window);
        let compact = window.and_then(|window| Some((window, window.compact(position)?)));
        if let Some((window, _)) = compact {
            let _ = control.best_so_far.window.set(window);
        }
        if self.settings != Some(settings) {
            self.players.clear();
            self.settings = Some(settings);
        }
        if self.window != window {
            // Nothing in the trees is where it was.
            self.new_game();
            self.window = window;
        }
        self.make_players(settings, evaluator, compact.is_some());
        let think = |player: &mut AnyPlayer| match (player, &compact) {
            (AnyPlayer::Compact(player), Some((window, position))) => {
                let best_known = &control.best_so_far.compact;
                let found = think(&mut **player, position, control, best_known);
                let lines = found.lines.into_iter();
                Findings {
                    lines: lines.filter_map(|line| widen(line, *window)).collect(),
                    nodes: found.nodes,
                }
            }
            (AnyPlayer::Wide(player), _) => {
                let best_known = &control.best_so_far.wide;
                let found = think(&mut **player, position, control, best_known);
                Findings {
                    lines: found.lines,
                    nodes: found.nodes,
                }
            }
            (AnyPlayer::Compact(_), None) => Findings::default(),
        };
        let found: Vec<Findings> = match &mut self.players[..] {
            [alone] => vec![think(alone)],
            several => thread::scope(|scope| {
                let threads: Vec<_> = several
                    .iter_mut()
                    .map(|player| scope.spawn(|| think(player)))
                    .collect();
                threads
                    .into_iter()
                    .filter_map(|thread| thread.join().ok())
                    .collect()
            }),
        };
        Findings {
            nodes: found.iter().map(|found| found.nodes).sum(),
            lines: merged(found.into_iter().map(|found| found.lines).collect()),
        }
    }

    fn make_players(
        &mut self,
        settings: SearcherSettings,
        evaluator: &StandardEvaluator,
        is_compact: bool,
    ) {
        let fits = |player: &AnyPlayer| matches!(player, AnyPlayer::Compact(_)) == is_compact;
        if !self.players.iter().all(fits) {
            self.players.clear();
        }
        let threads = settings.threads.max(1);
        while self.players.len() < threads {
            let options = MctsOptions {
                memory_mib: settings.memory_mib / threads,
                seed: settings.seed.wrapping_add(self.players.len() as u64),
                params: settings.params,
            };
            self.players.push(if is_compact {
                AnyPlayer::Compact(Box::new(MctsPlayer::new(evaluator.clone(), options)))
            } else {
                AnyPlayer::Wide(Box::new(MctsPlayer::new(evaluator.clone(), options)))
            });
        }
    }

    /// Forgets all trees.
    pub fn new_game(&mut self) {
        self.window = None;
        for player in &mut self.players {
            match player {
                AnyPlayer::Compact(player) => player.new_game(),
                AnyPlayer::Wide(player) => player.new_game(),
            }
        }
    }
}

/// What one player found.
struct Found<R: RuleBook> {
    lines: Vec<Line<R>>,
    nodes: u64,
}

fn think<R: RuleBook>(
    player: &mut MctsPlayer<R, StandardEvaluator>,
    position: &hive::Position<R>,
    control: StandardControl<'_>,
    best_known: &BestKnown<R>,
) -> Found<R>
where
    StandardEvaluator: Evaluator<R>,
{
    let choice = player.choose(
        position,
        &SearchControl {
            limits: control.limits,
            clock: control.clock,
            stop: control.stop,
            best_known,
        },
    );
    let Some(choice) = choice else {
        return Found {
            lines: Vec::new(),
            nodes: 0,
        };
    };
    let mut moves = MoveList::<R>::new();
    position.legal_moves(&mut moves);
    Found {
        lines: match moves[..] {
            // The tree is still that of an earlier position: nothing was searched.
            [_] => vec![choice.best],
            _ => player.lines(usize::MAX),
        },
        nodes: choice.nodes,
    }
}

/// A line of the compact board on the wide one, its continuation as far as it can be told.
fn widen(line: Line<Compact>, window: Window) -> Option<Line<Wide>> {
    Some(Line {
        mv: window.wide(line.mv)?,
        continuation: line
            .continuation
            .iter()
            .map_while(|&mv| window.wide(mv))
            .collect(),
        score: line.score,
        proof: line.proof,
        visits: line.visits,
    })
}
