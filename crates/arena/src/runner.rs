//! A run: pairs played on several threads, handed on in the order of their numbers.

use crate::ArenaGame;
use std::collections::BTreeMap;
use std::io;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use thiserror::Error;

use super::engine::EngineSpec;
use super::error::{EngineError, GameError};
use super::game::{GameNumber, GameSettings, GameTask};
use super::opening::Games;
use super::record::PairRecord;
use super::referee::RunningEngines;
use super::schedule::{Pairing, Schedule, Shard};
use super::single_game::{Spectator, play_task};
use wabe_hive::ByColor;
use wabe_hive::game::Record;

/// How often the stop flag is checked while games are played.
const STOP_CHECK_INTERVAL: Duration = Duration::from_millis(50);

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunEnd {
    /// Every pair was played.
    Complete,
    /// The receiver of the pairs ended the run.
    Decided,
    /// The stop flag was set from outside.
    Interrupted,
}

/// The reason why a run broke off.
#[derive(Debug, Error)]
pub enum RunError {
    /// A thread that plays pairs broke down.
    #[error("a thread of the run broke down")]
    Worker,
    /// No thread could be started.
    #[error("cannot start a thread")]
    Thread(#[source] io::Error),
    /// A game could not be played, through no fault of its players.
    #[error(transparent)]
    Game(#[from] GameError),
    /// An engine does not play the game.
    #[error(transparent)]
    WrongGame(#[from] EngineError),
}

/// The task of a run.
#[derive(Clone, Copy, Debug)]
pub struct Plan<'a, G: ArenaGame> {
    /// The engines.
    pub engines: &'a [EngineSpec],
    /// The pairs of the whole run.
    pub schedule: &'a Schedule,
    /// The share of them to play.
    pub shard: Shard,
    /// Pairs of that share that were played before.
    pub done: u64,
    /// The games and their openings.
    pub games: &'a Games<G>,
    /// The settings of every game.
    pub settings: &'a GameSettings,
    /// Pairs played at the same time; at least 1, and no more than are left.
    pub concurrency: usize,
    /// Follows the games while they are played.
    pub spectator: Option<&'a dyn Spectator<G>>,
}

/// Plays all pairs of the plan that are left, and hands each to `receive` in the order of their numbers, whatever order they
/// finish in. `receive` may end the run; setting `stop` ends it too, at once.
///
/// # Errors
/// When a thread broke down, an engine does not play the game, or a game cannot be played.
pub fn run<G: ArenaGame>(
    plan: &Plan<'_, G>,
    stop: &AtomicBool,
    mut receive: impl FnMut(PairRecord) -> ControlFlow<()>,
) -> Result<RunEnd, RunError> {
    for engine in plan.engines {
        engine.check_plays::<G>()?;
    }
    let left = plan.schedule.pairs_of(plan.shard).saturating_sub(plan.done);
    let next = AtomicU64::new(0);
    let (sender, receiver) = mpsc::channel();
    // Ends the running games once the run was stopped, is decided or has failed.
    let halt = AtomicBool::new(false);
    thread::scope(|scope| {
        let (next, halt) = (&next, &halt);
        let mut workers = Vec::new();
        for running in 0..(plan.concurrency.max(1) as u64).min(left) {
            let sender = sender.clone();
            let worker = move || work(plan, next, halt, &sender);
            match thread::Builder::new().spawn_scoped(scope, worker) {
                Ok(worker) => workers.push(worker),
                Err(error) if running == 0 => return Err(RunError::Thread(error)),
                Err(error) => {
                    log::warn!("only {running} games at the same time: {error}");
                    break;
                }
            }
        }
        drop(sender);
        let end = hand_on(&receiver, left, stop, &mut receive);
        halt.store(true, Ordering::Relaxed);
        // A panic is reported by `end`.
        workers.into_iter().for_each(|worker| drop(worker.join()));
        end
    })
}

fn work<G: ArenaGame>(
    plan: &Plan<'_, G>,
    next: &AtomicU64,
    halt: &AtomicBool,
    sender: &mpsc::Sender<(u64, Result<PairRecord, GameError>)>,
) {
    let mut running = RunningEngines::default();
    while !halt.load(Ordering::Relaxed) {
        let index = next.fetch_add(1, Ordering::Relaxed);
        let number = plan
            .done
            .checked_add(index)
            .and_then(|index| plan.shard.pair(index));
        let Some((number, (pairing, opening))) =
            number.and_then(|number| Some((number, plan.schedule.pair(number)?)))
        else {
            return;
        };
        let opening = plan.games.opening(opening);
        let record = play_pair(plan, number, pairing, &opening, &mut running, halt);
        let handed_over = record
            .transpose()
            .is_some_and(|record| sender.send((index, record)).is_ok());
        if !handed_over {
            return;
        }
    }
}

/// Plays an opening twice with colours swapped; `None` if that was stopped.
fn play_pair<G: ArenaGame>(
    plan: &Plan<'_, G>,
    pair: u64,
    pairing: Pairing,
    opening: &Record<G>,
    running: &mut RunningEngines<G>,
    stop: &AtomicBool,
) -> Result<Option<PairRecord>, GameError> {
    let Pairing { first, second } = pairing;
    let mut play = |red, blue, game| {
        let engine = |index: usize| Some((index, plan.engines.get(index)?));
        let (Some(red), Some(blue)) = (engine(red), engine(blue)) else {
            return Ok(None);
        };
        let seed = plan
            .settings
            .seed
            .wrapping_add(pair.wrapping_mul(2))
            .wrapping_add(game);
        let seed = seed.wrapping_mul(2);
        let task = GameTask {
            number: GameNumber { pair, game },
            engines: ByColor { red, blue },
            opening,
            settings: plan.settings,
            max_plies: plan.games.most_plies_after(opening.start()),
            seeds: ByColor {
                red: seed,
                blue: seed.wrapping_add(1),
            },
            stop,
        };
        play_task(&task, running, plan.spectator)
    };
    let Some(first_game) = play(first, second, 0)? else {
        return Ok(None);
    };
    Ok(play(second, first, 1)?.map(|second_game| PairRecord {
        pair,
        opening: opening.to_string(),
        games: [first_game, second_game],
    }))
}

/// Hands on the pairs in order.
fn hand_on(
    receiver: &mpsc::Receiver<(u64, Result<PairRecord, GameError>)>,
    total: u64,
    stop: &AtomicBool,
    receive: &mut impl FnMut(PairRecord) -> ControlFlow<()>,
) -> Result<RunEnd, RunError> {
    let mut waiting = BTreeMap::new();
    let mut due = 0;
    while due < total {
        if stop.load(Ordering::Relaxed) {
            return Ok(RunEnd::Interrupted);
        }
        match receiver.recv_timeout(STOP_CHECK_INTERVAL) {
            Ok((index, record)) => waiting.insert(index, record?),
            Err(RecvTimeoutError::Timeout) => continue,
            Err(RecvTimeoutError::Disconnected) => return Err(RunError::Worker),
        };
        while let Some(record) = waiting.remove(&due) {
            due += 1;
            if receive(record).is_break() {
                return Ok(RunEnd::Decided);
            }
        }
    }
    Ok(RunEnd::Complete)
}
