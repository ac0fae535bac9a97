//! Runs built-in players.

use std::sync::atomic::Ordering;
use std::sync::mpsc::{RecvTimeoutError, channel};

use super::error::GameError;
use super::game::GameTask;
use super::record::GameEnd;
use super::seat::{Failure, Reply, STOP_CHECK_INTERVAL, Seat, lateness};
use crate::ArenaGame;
use wabe_contest::protocol::Hint;
use wabe_engine::clock::{self, SearchClock};
use wabe_engine::search::{Limits, PlayerSpec};
use wabe_engine::thread::Engine;
use wabe_hive::Color;
use wabe_hive::game::Record;

/// A built-in player with a thread for its search.
pub(super) struct BuiltIn<G: ArenaGame> {
    engine: Engine<G>,
    limits: Limits,
}

impl<G: ArenaGame> BuiltIn<G> {
    /// Starts the player of `spec`, which plays `color`.
    pub(super) fn new(
        task: &GameTask<'_, G>,
        color: Color,
        spec: &PlayerSpec,
    ) -> Result<BuiltIn<G>, GameError> {
        let spec = PlayerSpec {
            memory_mib: spec.memory_mib.or(Some(task.settings.memory_mib)),
            ..spec.clone()
        };
        let engine = Engine::start(Box::new(spec.prepare::<G>(task.seeds[color])?));
        Ok(BuiltIn {
            limits: spec.limits(task.settings.move_time),
            engine: engine.map_err(GameError::system("cannot start a search"))?,
        })
    }
}

impl<G: ArenaGame> Seat<G> for BuiltIn<G> {
    fn choose(&mut self, task: &GameTask<'_, G>, record: &Record<G>) -> Result<Reply, Failure> {
        let (sender, answers) = channel();
        let on_answer = move |answer| {
            // The receiver is dropped when the run is stopped.
            let _ = sender.send(answer);
        };
        let clock = SearchClock {
            started: clock::now(),
        };
        let thinking = (self.engine).think(clock, record.clone(), self.limits, 0, on_answer);
        let answer = loop {
            match answers.recv_timeout(STOP_CHECK_INTERVAL) {
                Ok(answer) => break answer,
                Err(RecvTimeoutError::Timeout) if !task.stop.load(Ordering::Relaxed) => {}
                Err(RecvTimeoutError::Timeout) => return Err(Failure::Stopped),
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(Failure::fault(GameEnd::Crash, ""));
                }
            }
        };
        drop(thinking);
        let elapsed = answer.ended_after;
        // In the arena a panic loses the game. The engine's fallback move is for the contest only.
        let choice = (answer.choice).ok_or_else(|| Failure::fault(GameEnd::Crash, ""))?;
        let time_limit = self.limits.time();
        let time_limit = time_limit.map(|time| time.saturating_add(task.settings.margin));
        let pv = record.write_line(choice.best.pv());
        Ok(Reply {
            mv: record.write(choice.best.mv),
            elapsed,
            late_by: time_limit.and_then(|time_limit| lateness(elapsed, time_limit)),
            hint: Hint::from_choice(&choice, pv),
            remark: None,
        })
    }
}
