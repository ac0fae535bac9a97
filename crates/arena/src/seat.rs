//! A side of a game.

use crate::ArenaGame;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use super::error::GameError;
use super::game::GameTask;
use super::record::GameEnd;
use wabe_contest::protocol::Hint;
use wabe_hive::game::Record;
use wabe_hive::{Color, Move};

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
pub(super) struct Reply<G: ArenaGame> {
    pub(super) mv: Answer<G>,
    pub(super) took: Duration,
    /// How late the move came; `None` if in time.
    pub(super) late_by: Option<Duration>,
    /// The side's opinion of the move.
    pub(super) hint: Hint,
    /// A comment that is not a hint.
    pub(super) words: Option<String>,
}

impl<G: ArenaGame> Reply<G> {
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

/// The output of a player during a game, and its exit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ProgramOutput {
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

/// Describes a late move.
pub(super) fn lateness(took: Duration, late_by: Duration) -> String {
    let (took, late_by) = (took.as_secs_f64(), late_by.as_secs_f64());
    format!("after {took:.3} s, {late_by:.3} s too late")
}

/// Describes a missing move.
pub(super) fn silence(timeout: Duration) -> String {
    format!("nothing within {} s", timeout.as_secs_f64())
}

/// A move as a side answers it.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Answer<G: ArenaGame> {
    Move(Move<G>),
    /// In the game's notation, not yet read.
    Text(String),
}

/// A player of one side, in this process or another.
pub(super) trait Seat<G: ArenaGame> {
    /// Waits until the player is ready for a game as `color`.
    fn begin(&mut self, _task: &GameTask<'_, G>, _color: Color) -> Result<(), Failure> {
        Ok(())
    }

    /// Called once both sides are ready.
    fn start(&mut self) {}

    /// Asks for a move.
    fn choose(&mut self, task: &GameTask<'_, G>, record: &Record<G>) -> Result<Reply<G>, Failure>;

    /// Passes on the last move of a game that continues, and the comment on it.
    fn opponent_moved(
        &mut self,
        _task: &GameTask<'_, G>,
        _record: &Record<G>,
        _reply: &Reply<G>,
    ) -> Result<(), Failure> {
        Ok(())
    }

    /// Passes on the end of the game. A fault counts only if the game ended by the rules.
    fn finish(&mut self, _record: &Record<G>, _winner: Option<Color>) -> Result<(), Failure> {
        Ok(())
    }

    /// Ends the player after the game. A stopped run does not wait for it.
    fn close(&mut self, _stop: &AtomicBool) -> ProgramOutput {
        ProgramOutput::default()
    }

    /// True if the player may play further games after [`close`](Seat::close).
    fn is_reusable(&self) -> bool {
        false
    }

    /// Kills a player that will not play again.
    fn kill(&mut self) {}
}
