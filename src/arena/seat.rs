//! A side of a game.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use super::error::GameError;
use super::game::GameTask;
use super::record::GameEnd;
use crate::clock::{self, SearchClock};
use crate::engine::Engine;
use crate::game::{Game, Record};
use crate::hive::{Color, Move};
use crate::protocol::Hint;
use crate::search::{Limits, PlayerSpec};

/// The reason why a side cannot continue a game.
#[derive(Debug)]
pub(super) enum Failure {
    /// The side committed a fault.
    Fault {
        end: GameEnd,
        /// Details of the fault; may be empty.
        detail: String,
    },
    /// The side claims an end that exists only under other rules. Neither side is at fault.
    Disputed,
    /// The game was broken off on purpose. Neither side is at fault.
    BrokenOff,
    /// The run was stopped.
    Stopped,
    /// An error that is no fault of the side.
    Error(GameError),
}

impl Failure {
    pub(super) fn fault(end: GameEnd, detail: impl Into<String>) -> Failure {
        let detail = detail.into();
        Failure::Fault { end, detail }
    }
}

/// A move that a side wants to make.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Reply<G: Game> {
    pub(super) mv: Answer<G>,
    pub(super) took: Duration,
    /// How late the move came; `None` if in time.
    pub(super) late_by: Option<Duration>,
    /// The side's opinion of the move.
    pub(super) hint: Hint,
    /// A comment that is not a hint.
    pub(super) words: Option<String>,
}

impl<G: Game> Reply<G> {
    /// A move without a comment.
    pub(super) fn silent(mv: Move<G>) -> Reply<G> {
        Reply {
            mv: Answer::Move(mv),
            took: Duration::ZERO,
            late_by: None,
            hint: Hint::default(),
            words: None,
        }
    }

    /// The side's comment on the move in its text form.
    pub(super) fn comment(&self) -> Option<String> {
        let hint = (self.hint != Hint::default()).then(|| self.hint.to_string());
        self.words.clone().or(hint)
    }
}

/// The remains of a player after a game: its output and its exit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Closing {
    /// The output of a program during the game, or the dialogue with it.
    pub(super) output: String,
    /// The dialogue with a program, where it is not its output.
    pub(super) dialogue: String,
    /// True if a program was killed because it did not exit.
    pub(super) was_killed: bool,
}

/// The time by which a move exceeded its limit, if it did.
pub(super) fn too_late(took: Duration, allowed: Duration) -> Option<Duration> {
    took.checked_sub(allowed).filter(|late| !late.is_zero())
}

/// A late move in words.
pub(super) fn lateness(took: Duration, late_by: Duration) -> String {
    let (took, late_by) = (took.as_secs_f64(), late_by.as_secs_f64());
    format!("after {took:.3} s, {late_by:.3} s too late")
}

/// A missing move in words.
pub(super) fn silence(patience: Duration) -> String {
    format!("nothing within {} s", patience.as_secs_f64())
}

/// A move as a side answers it.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Answer<G: Game> {
    Move(Move<G>),
    /// In the game's notation, not yet read.
    Text(String),
}

/// A player of one side, in this process or another.
pub(super) trait Seat<G: Game> {
    /// Waits until the player is ready for a game as `color`.
    fn begin(&mut self, _task: &GameTask<'_, G>, _color: Color) -> Result<(), Failure> {
        Ok(())
    }

    /// Tells the player that both sides are ready.
    fn start(&mut self) {}

    /// Asks for a move.
    fn choose(&mut self, task: &GameTask<'_, G>, record: &Record<G>) -> Result<Reply<G>, Failure>;

    /// Tells the last move of a game that continues, and the comment on it.
    fn hear(
        &mut self,
        _task: &GameTask<'_, G>,
        _record: &Record<G>,
        _reply: &Reply<G>,
    ) -> Result<(), Failure> {
        Ok(())
    }

    /// Tells the end of the game. A fault counts only if the game ended by the rules.
    fn finish(&mut self, _record: &Record<G>, _winner: Option<Color>) -> Result<(), Failure> {
        Ok(())
    }

    /// Dismisses the player after the game. A stopped run does not wait for it.
    fn close(&mut self, _stop: &AtomicBool) -> Closing {
        Closing::default()
    }

    /// True if the player may play further games after [`close`](Seat::close).
    fn is_reusable(&self) -> bool {
        false
    }

    /// Ends at once a player that will not play again.
    fn kill(&mut self) {}
}

/// How often the stop flag is checked during a search.
const STOP_CHECK_INTERVAL: Duration = Duration::from_millis(50);

/// A built-in player, on a thread of its own.
pub(super) struct BuiltIn<G: Game> {
    engine: Engine<G>,
    limits: Limits,
}

impl<G: Game> BuiltIn<G> {
    /// The player of `color` that `spec` describes.
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
            engine: engine.map_err(GameError::Engine)?,
        })
    }
}

impl<G: Game> Seat<G> for BuiltIn<G> {
    fn choose(&mut self, task: &GameTask<'_, G>, record: &Record<G>) -> Result<Reply<G>, Failure> {
        let (sender, answers) = channel();
        let on_answer = move |answer| {
            // The receiver is gone if the run was stopped.
            let _ = sender.send(answer);
        };
        let clock = SearchClock {
            started: clock::now(),
        };
        let thinking = (self.engine).think_by(clock, record.clone(), self.limits, 0, on_answer);
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
        let took = answer.ended_after;
        // In an arena a panic is a lost game; the engine's fallback is for the contest.
        let choice = answer.choice;
        let choice = choice.ok_or_else(|| Failure::fault(GameEnd::Crash, ""))?;
        let allowed = self.limits.time();
        let allowed = allowed.map(|time| time.saturating_add(task.settings.margin));
        let variation = record.write_line(choice.best.variation());
        Ok(Reply {
            mv: Answer::Move(choice.best.mv),
            took,
            late_by: allowed.and_then(|allowed| too_late(took, allowed)),
            hint: Hint::of(&choice, variation),
            words: None,
        })
    }
}
