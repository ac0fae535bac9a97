//! Plays the pairs of a run on several threads and returns them ordered by number.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::io;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;

use super::engine::EngineSpec;
use super::error::GameError;
use super::game::{GameNumber, GameSettings, GameTask};
use super::opening::Games;
use super::record::{GameRecord, PairRecord};
use super::referee::{self, GameRun, PlayedGame, RunningEngines, WatchedPly};
use super::schedule::{Pairing, Schedule, Shard};
use super::seat::STOP_CHECK_INTERVAL;
use crate::{ArenaGame, Protocol};
use wabe_files::text::printable_end;
use wabe_hive::game::Record;
use wabe_hive::{ByColor, Color};

/// Maximum number of characters of a program's output in the log.
const MAX_OUTPUT: usize = 400;

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunEnd {
    /// Every pair was played.
    Complete,
    /// The receiver of results stopped the run.
    Decided,
    /// The stop flag was set.
    Interrupted,
}

/// Watches the games of a run, on the threads that play them.
pub trait Spectator<G: ArenaGame>: Debug + Sync {
    /// A game begins. The result receives its events.
    fn begins(
        &self,
        game: GameNumber,
        names: ByColor<&str>,
        opening: &Record<G>,
    ) -> Box<dyn GameSpectator<G>>;
}

/// Receives the events of a running game. Dropped if the run is stopped.
pub trait GameSpectator<G: ArenaGame> {
    /// A ply was played.
    fn ply(&mut self, ply: &WatchedPly<'_, G>);

    /// The game has ended.
    fn ends(self: Box<Self>, game: &GameRecord);
}

/// Engines, pairs and settings of a run.
#[derive(Clone, Copy, Debug)]
pub struct Plan<'a, G: ArenaGame> {
    /// Engines, in the order of their indices.
    pub engines: &'a [EngineSpec],
    /// All pairs, including those of other shards.
    pub schedule: &'a Schedule,
    /// The shard of the schedule to play.
    pub shard: Shard,
    /// Number of pairs of the shard that have already been played.
    pub done: u64,
    /// Variant and openings.
    pub games: &'a Games<G>,
    /// Settings shared by all games.
    pub settings: &'a GameSettings,
    /// Number of pairs to play in parallel; 0 counts as 1.
    pub concurrency: usize,
    /// Receives the events of running games.
    pub spectator: Option<&'a dyn Spectator<G>>,
}

/// A pair, with its index among the remaining pairs.
type Played = (u64, Result<PairRecord, GameError>);

/// Plays the plan's remaining pairs and passes them to `receive`, ordered by number. `receive` may
/// end the run. Setting `stop` ends it immediately; pairs after an unfinished one are lost.
///
/// # Errors
/// When a thread panics or a game cannot be played.
pub fn run<G: ArenaGame>(
    plan: &Plan<'_, G>,
    stop: &AtomicBool,
    mut receive: impl FnMut(PairRecord) -> ControlFlow<()>,
) -> Result<RunEnd, GameError> {
    let remaining = plan.schedule.pairs_of(plan.shard).saturating_sub(plan.done);
    let next = AtomicU64::new(0);
    // Bounded, so that threads wait for `receive` instead of running ahead of it.
    let (sender, receiver) = mpsc::sync_channel(1);
    // Stops running games when the run ends early.
    let halt = AtomicBool::new(false);
    thread::scope(|scope| {
        let (next, halt) = (&next, &halt);
        let mut workers = Vec::new();
        for running in 0..(plan.concurrency.max(1) as u64).min(remaining) {
            let sender = sender.clone();
            let worker = move || play_pairs(plan, next, halt, &sender);
            match thread::Builder::new().spawn_scoped(scope, worker) {
                Ok(worker) => workers.push(worker),
                Err(error) if running == 0 => {
                    return Err(GameError::system("cannot start a thread")(error));
                }
                Err(error) => {
                    log::warn!("only {running} games in parallel: {error}");
                    break;
                }
            }
        }
        drop(sender);
        let end = receive_in_order(receiver, remaining, stop, halt, &mut receive);
        halt.store(true, Ordering::Relaxed);
        // A panic is already reported by `end`.
        workers.into_iter().for_each(|worker| drop(worker.join()));
        end
    })
}

/// Stops the other threads if this one panics, because no pair after the missing one is recorded.
struct HaltOnPanic<'a>(&'a AtomicBool);

impl Drop for HaltOnPanic<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.store(true, Ordering::Relaxed);
        }
    }
}

fn play_pairs<G: ArenaGame>(
    plan: &Plan<'_, G>,
    next: &AtomicU64,
    halt: &AtomicBool,
    sender: &mpsc::SyncSender<Played>,
) {
    let mut running = RunningEngines::default();
    let _guard = HaltOnPanic(halt);
    while !halt.load(Ordering::Relaxed) {
        let index = next.fetch_add(1, Ordering::Relaxed);
        let number = plan.done.checked_add(index);
        let Some(number) = number.and_then(|index| plan.shard.pair(index)) else {
            return;
        };
        let Some((pairing, opening)) = plan.schedule.pair(number) else {
            return;
        };
        let opening = plan.games.opening(opening);
        let pair = play_pair(plan, number, pairing, &opening, &mut running, halt);
        let Some(pair) = pair.transpose() else {
            return;
        };
        if sender.send((index, pair)).is_err() {
            return;
        }
    }
}

/// Plays an opening twice with colours swapped. Returns `None` if `stop` is set.
fn play_pair<G: ArenaGame>(
    plan: &Plan<'_, G>,
    pair: u64,
    (first, second): Pairing,
    opening: &Record<G>,
    running: &mut RunningEngines<G>,
    stop: &AtomicBool,
) -> Result<Option<PairRecord>, GameError> {
    let mut play = |red: usize, blue: usize, game| {
        let number = (plan.settings.seed)
            .wrapping_add(pair.wrapping_mul(2))
            .wrapping_add(game);
        let seed = number.wrapping_mul(2);
        let task = GameTask {
            number: GameNumber { pair, game },
            engines: ByColor { red, blue }.map(|index| (index, &plan.engines[index])),
            opening,
            settings: plan.settings,
            max_plies: plan.games.max_plies_after(opening.start()),
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

/// Plays a game and reports it to the spectator. Returns `None` if `stop` is set.
fn play_task<G: ArenaGame>(
    task: &GameTask<'_, G>,
    running: &mut RunningEngines<G>,
    spectator: Option<&dyn Spectator<G>>,
) -> Result<Option<GameRecord>, GameError> {
    let names = ByColor::from_fn(|color| task.engines[color].1.name.as_str());
    let mut spectator =
        spectator.map(|spectator| spectator.begins(task.number, names, task.opening));
    let played = referee::play(task, running, |ply| {
        if let Some(spectator) = &mut spectator {
            spectator.ply(&ply);
        }
    });
    let GameRun::Finished(played) = played? else {
        return Ok(None);
    };
    log_fault(task, &played);
    if task.settings.log_output {
        log_output(task, &played);
    }
    if let Some(spectator) = spectator {
        spectator.ends(&played.record);
    }
    Ok(Some(played.record))
}

/// Logs the fault that ended a game, with details and the end of the program's output.
fn log_fault<G: ArenaGame>(task: &GameTask<'_, G>, played: &PlayedGame) {
    let record = &played.record;
    let (Some(fault), Some(winner)) = (record.fault(), record.result.winner()) else {
        return;
    };
    let loser = winner.opponent();
    let (name, side) = (&task.engines[loser].1.name, G::SIDES[loser]);
    let mut text = format!("{}: {name} ({side}) {fault}", task.number);
    let output = end_of_output(&played.outputs[loser].output);
    if !output.is_empty() {
        text += &format!("; its output: {output}");
    }
    log::warn!("{text}");
}

/// Logs the end of the programs' output, unless [`log_fault`] has logged it. Of a dialogue with a
/// UHP engine, only the lines that the engine wrote to standard error.
fn log_output<G: ArenaGame>(task: &GameTask<'_, G>, played: &PlayedGame) {
    let record = &played.record;
    let winner = record.end.fault().and(record.result.winner());
    let is_error = |line: &&str| G::PROTOCOL != Protocol::Uhp || line.starts_with("! ");
    for color in Color::ALL {
        let lines = played.outputs[color].output.lines().filter(is_error);
        let output = end_of_output(&lines.collect::<Vec<_>>().join("\n"));
        if !output.is_empty() && winner != Some(color.opponent()) {
            let (name, side) = (&task.engines[color].1.name, G::SIDES[color]);
            log::warn!("{}: output of {name} ({side}): {output}", task.number);
        }
    }
}

/// The end of a program's output in one line.
fn end_of_output(output: &str) -> String {
    printable_end(output, MAX_OUTPUT).replace('\n', " / ")
}

/// Plays a single game outside a run, and calls `on_ply` after each ply.
///
/// # Errors
/// When an engine cannot be started or does not support the game.
pub fn play_game<G: ArenaGame>(
    engines: &ByColor<EngineSpec>,
    opening: &Record<G>,
    settings: &GameSettings,
    stop: &AtomicBool,
    on_ply: impl FnMut(WatchedPly<'_, G>),
) -> Result<GameRun, GameError> {
    let engines = ByColor::from_fn(|color| &engines[color]);
    let task = GameTask::single(engines, opening, settings, G::MAX_PLIES, stop);
    referee::play(&task, &mut RunningEngines::default(), on_ply)
}

/// Passes results to `receive`, ordered by index. After a stop, sets `halt` and receives the pairs
/// that were already finished, up to the first unfinished one.
fn receive_in_order(
    receiver: mpsc::Receiver<Played>,
    total: u64,
    stop: &AtomicBool,
    halt: &AtomicBool,
    receive: &mut impl FnMut(PairRecord) -> ControlFlow<()>,
) -> Result<RunEnd, GameError> {
    let mut waiting = BTreeMap::new();
    let mut next = 0;
    let is_stopped = || stop.load(Ordering::Relaxed);
    while next < total {
        if is_stopped() {
            halt.store(true, Ordering::Relaxed);
        }
        match receiver.recv_timeout(STOP_CHECK_INTERVAL) {
            Ok((_, Err(_))) if is_stopped() => return Ok(RunEnd::Interrupted),
            Ok((index, pair)) => waiting.insert(index, pair?),
            Err(RecvTimeoutError::Timeout) => continue,
            Err(RecvTimeoutError::Disconnected) if is_stopped() => return Ok(RunEnd::Interrupted),
            Err(RecvTimeoutError::Disconnected) => {
                let panicked = io::Error::other("a thread panicked");
                return Err(GameError::system("cannot continue the run")(panicked));
            }
        };
        while let Some(pair) = waiting.remove(&next) {
            // Whoever stops the run may have stopped its programs, too.
            if is_stopped() && pair.games.iter().any(|game| game.end.fault().is_some()) {
                return Ok(RunEnd::Interrupted);
            }
            next += 1;
            if receive(pair).is_break() {
                return Ok(RunEnd::Decided);
            }
        }
    }
    Ok(RunEnd::Complete)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::engine::EnginePlayer;
    use crate::function::MoveFunction;
    use crate::opening::Openings;
    use crate::record::{GameEnd, GameResult};
    use crate::schedule::Format;
    use wabe_hive::contest::{Contest, Deal};

    fn pair(number: u64, end: GameEnd) -> (u64, Result<PairRecord, GameError>) {
        let game = |red, blue| GameRecord {
            result: GameResult::Red,
            end,
            ..GameRecord::new(ByColor { red, blue })
        };
        let pair = PairRecord {
            pair: number,
            opening: String::new(),
            games: [game(0, 1), game(1, 0)],
        };
        (number, Ok(pair))
    }

    #[test]
    fn stopped_runs_keep_finished_pairs() {
        for (second, kept) in [(GameEnd::Surrounded, 2), (GameEnd::Crash, 1)] {
            let (sender, receiver) = mpsc::sync_channel(3);
            for played in [
                pair(1, second),
                pair(3, GameEnd::Surrounded),
                pair(0, GameEnd::Surrounded),
            ] {
                sender.send(played).unwrap();
            }
            drop(sender);
            let (stop, halt) = (AtomicBool::new(true), AtomicBool::new(false));
            let mut received = Vec::new();
            let end = receive_in_order(receiver, 4, &stop, &halt, &mut |pair| {
                received.push(pair.pair);
                ControlFlow::Continue(())
            });
            assert!(matches!(end, Ok(RunEnd::Interrupted)));
            assert!(halt.load(Ordering::Relaxed));
            assert_eq!(received, (0..kept).collect::<Vec<_>>());
        }
    }

    #[test]
    fn panic_stops_the_other_games() {
        // Would take minutes if the panic did not stop them.
        const PAIRS: u64 = 10_000_000;
        let requests = Arc::new(AtomicU64::new(0));
        let count = Arc::clone(&requests);
        // Panics in the first game and forfeits all others.
        let function = MoveFunction::new(None, move |_| {
            assert!(count.fetch_add(1, Ordering::Relaxed) > 0, "expected panic");
            None
        });
        let engines = ["a", "b"].map(|name| EngineSpec {
            name: name.to_owned(),
            player: EnginePlayer::Function(function.clone()),
        });
        let plan = Plan::<Contest> {
            engines: &engines,
            schedule: &Schedule::new(Format::RoundRobin, 2, PAIRS),
            shard: Shard::WHOLE,
            done: 0,
            games: &Games {
                variant: Deal::default(),
                openings: Openings::Listed(Vec::new()),
                max_plies: None,
            },
            settings: &GameSettings::default(),
            concurrency: 2,
            spectator: None,
        };
        let end = run(
            &plan,
            &AtomicBool::new(false),
            |_| ControlFlow::Continue(()),
        );
        assert!(end.is_err());
        assert!(requests.load(Ordering::Relaxed) < PAIRS);
    }
}
