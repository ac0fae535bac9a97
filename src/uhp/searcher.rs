//! The search behind `bestmove`: one player a thread, on a thread of its own, stopped through a flag.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread::{self, JoinHandle};
use std::time::Instant;

use super::options::Options;
use crate::hive::RuleBook;
use crate::hive::standard::notation::Game;
use crate::hive::standard::{Compact, Move, Position, Wide, Window};
use crate::search::{
    BestKnown, Evaluator, Limits, Line, MctsOptions, MctsPlayer, Params, Player, Proof,
    SearchControl, StandardEvaluator, SystemClock,
};

/// What a search found out about the moves of a position; the chosen one comes first.
#[derive(Debug, Default)]
pub(super) struct Findings {
    pub(super) lines: Vec<Line<Wide>>,
}

/// The players, kept from search to search with their trees.
#[derive(Debug, Default)]
pub(super) struct Searcher {
    players: Vec<AnyPlayer>,
    window: Option<Window>,
    settings: Settings,
}

/// What decides how the players are made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Settings {
    threads: i64,
    memory_mib: i64,
}

/// The search's weight of priors: with this evaluation more than in the contest.
const EXPLORATION: f32 = 0.9;

/// A player on the board that the hive fits on.
#[derive(Debug)]
enum AnyPlayer {
    Compact(Box<MctsPlayer<Compact, StandardEvaluator>>),
    Wide(Box<MctsPlayer<Wide, StandardEvaluator>>),
}

/// What a search and whoever waits for it tell each other.
#[derive(Debug)]
struct Signals {
    stop: AtomicBool,
    window: OnceLock<Window>,
    best_compact: BestKnown<Compact>,
    best_wide: BestKnown<Wide>,
}

/// A search that goes on.
pub(super) struct Running {
    signals: Arc<Signals>,
    thread: JoinHandle<(Searcher, Findings)>,
}

impl Running {
    /// Asks the search to end at once.
    pub(super) fn stop(&self) {
        self.signals.stop.store(true, Ordering::Relaxed);
    }

    /// What looks best so far.
    pub(super) fn best_so_far(&self) -> Option<Move> {
        match self.signals.window.get() {
            Some(window) => window.wide(self.signals.best_compact.get()?),
            None => self.signals.best_wide.get(),
        }
    }

    /// Waits for the end of the search. After a panic in it, there are new players and no findings.
    pub(super) fn finish(self) -> (Searcher, Findings) {
        self.thread.join().unwrap_or_else(|_| {
            log::error!("the search panicked");
            (Searcher::default(), Findings::default())
        })
    }
}

/// Tells that a search is over, however it ended.
struct AtTheEnd<F: Fn()>(F);

impl<F: Fn()> Drop for AtTheEnd<F> {
    fn drop(&mut self) {
        (self.0)();
    }
}

impl Searcher {
    /// Starts to search the position of `game`, which is not over and has several moves; calls `at_end` when it is done.
    ///
    /// # Errors
    /// When there can be no further thread.
    pub(super) fn start(
        mut self,
        game: &Game,
        options: &Options,
        evaluator: &StandardEvaluator,
        limits: Limits,
        at_end: impl Fn() + Send + 'static,
    ) -> std::io::Result<Running> {
        let started = Instant::now();
        let signals = Arc::new(Signals {
            stop: AtomicBool::new(false),
            window: OnceLock::new(),
            best_compact: BestKnown::new(),
            best_wide: BestKnown::new(),
        });
        let (shared, position) = (Arc::clone(&signals), *game.position());
        let evaluator = evaluator.clone();
        let settings = Settings {
            threads: options.threads,
            memory_mib: options.memory_mib,
        };
        let thread = thread::Builder::new()
            .name("search".to_owned())
            .spawn(move || {
                let _at_the_end = AtTheEnd(at_end);
                let clock = SystemClock::since(started);
                let findings =
                    self.search(&position, settings, &evaluator, limits, &clock, &shared);
                (self, findings)
            })?;
        Ok(Running { signals, thread })
    }

    fn search(
        &mut self,
        position: &Position,
        settings: Settings,
        evaluator: &StandardEvaluator,
        limits: Limits,
        clock: &SystemClock,
        signals: &Signals,
    ) -> Findings {
        let window = Window::on(position, self.window);
        let compact = window.and_then(|window| Some((window, window.compact(position)?)));
        if let Some((window, _)) = compact {
            let _ = signals.window.set(window);
        }
        if self.settings != settings {
            self.players.clear();
            self.settings = settings;
        }
        if self.window != window {
            // Nothing in the trees is where it was.
            self.new_game();
            self.window = window;
        }
        let threads = usize::try_from(settings.threads).unwrap_or(1).max(1);
        let memory_mib = usize::try_from(settings.memory_mib).unwrap_or(1) / threads;
        let is_compact = |player: &AnyPlayer| matches!(player, AnyPlayer::Compact(_));
        if self
            .players
            .iter()
            .any(|player| is_compact(player) != compact.is_some())
        {
            self.players.clear();
        }
        while self.players.len() < threads {
            let options = MctsOptions {
                memory_mib,
                seed: self.players.len() as u64,
                params: Params {
                    exploration: EXPLORATION,
                    ..Params::default()
                },
            };
            self.players.push(if compact.is_some() {
                AnyPlayer::Compact(Box::new(MctsPlayer::new(evaluator.clone(), options)))
            } else {
                AnyPlayer::Wide(Box::new(MctsPlayer::new(evaluator.clone(), options)))
            });
        }
        let think = |player: &mut AnyPlayer| match (player, &compact) {
            (AnyPlayer::Compact(player), Some((window, position))) => {
                let control = SearchControl {
                    limits,
                    clock,
                    stop: &signals.stop,
                    best_known: &signals.best_compact,
                };
                let lines = think(&mut **player, position, &control);
                lines
                    .into_iter()
                    .filter_map(|line| widen(line, *window))
                    .collect()
            }
            (AnyPlayer::Wide(player), _) => {
                let control = SearchControl {
                    limits,
                    clock,
                    stop: &signals.stop,
                    best_known: &signals.best_wide,
                };
                think(&mut **player, position, &control)
            }
            (AnyPlayer::Compact(_), None) => Vec::new(),
        };
        let found: Vec<Vec<Line<Wide>>> = match &mut self.players[..] {
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
            lines: merged(found),
        }
    }

    /// Forgets all trees.
    pub(super) fn new_game(&mut self) {
        self.window = None;
        for player in &mut self.players {
            match player {
                AnyPlayer::Compact(player) => player.new_game(),
                AnyPlayer::Wide(player) => player.new_game(),
            }
        }
    }
}

fn think<R: RuleBook>(
    player: &mut MctsPlayer<R, StandardEvaluator>,
    position: &crate::hive::Position<R>,
    control: &SearchControl<'_, R>,
) -> Vec<Line<R>>
where
    StandardEvaluator: Evaluator<R>,
{
    player.choose(position, control);
    player.lines(usize::MAX)
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

/// What several players found, put together: the first move is the one that all of them together like best.
fn merged(found: Vec<Vec<Line<Wide>>>) -> Vec<Line<Wide>> {
    let mut found = found.into_iter();
    let mut lines = found.next().unwrap_or_default();
    let others: Vec<_> = found.flatten().collect();
    if others.is_empty() {
        return lines;
    }
    let mut places: HashMap<Move, usize> = lines
        .iter()
        .enumerate()
        .map(|(i, line)| (line.mv, i))
        .collect();
    for other in others {
        let place = *places.entry(other.mv).or_insert_with(|| {
            lines.push(Line::unjudged(other.mv));
            lines.len() - 1
        });
        if let Some(line) = lines.get_mut(place) {
            add(line, other);
        }
    }
    // A stable sort: of equals, the first player's order.
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

fn add(line: &mut Line<Wide>, other: Line<Wide>) {
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
    line.proof = line.proof.or(other.proof);
    line.visits = visits;
}
