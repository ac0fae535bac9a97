//! A side of a game.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use super::error::GameError;
use super::game::GameTask;
use super::record::GameEnd;
use crate::ArenaGame;
use wabe_contest::protocol::Hint;
use wabe_hive::Color;
use wabe_hive::game::Record;

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

    /// A move after its time limit.
    pub(super) fn late(took: Duration, late_by: Duration) -> Failure {
        let (took, late_by) = (took.as_secs_f64(), late_by.as_secs_f64());
        let detail = format!("after {took:.3} s, {late_by:.3} s too late");
        Failure::fault(GameEnd::Time, detail)
    }

    /// A missing move.
    pub(super) fn hang(timeout: Duration) -> Failure {
        let detail = format!("nothing within {} s", timeout.as_secs_f64());
        Failure::fault(GameEnd::Hang, detail)
    }
}

/// A move that a side wants to make.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Reply {
    /// The move in the game's notation.
    pub(super) mv: String,
    pub(super) took: Duration,
    /// How late the move came; `None` if in time.
    pub(super) late_by: Option<Duration>,
    /// The side's opinion of the move.
    pub(super) hint: Hint,
    /// A comment that is not a hint.
    pub(super) words: Option<String>,
}

impl Reply {
    /// The side's comment on the move in its text form.
    pub(super) fn comment(&self) -> Option<String> {
        let hint = (self.hint != Hint::default()).then(|| self.hint.to_string());
        self.words.clone().or(hint)
    }
}

/// The output of a player during a game, and its exit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProgramOutput {
    /// The output of a program during the game, or the dialogue with a UHP engine.
    pub output: String,
    /// The dialogue with a client, if dialogues are kept.
    pub dialogue: String,
    /// True if a program was killed because it did not exit after the game.
    pub was_killed: bool,
}

/// The time by which a move exceeded its limit, if it did.
pub(super) fn too_late(took: Duration, allowed: Duration) -> Option<Duration> {
    took.checked_sub(allowed).filter(|late| !late.is_zero())
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
    fn choose(&mut self, task: &GameTask<'_, G>, record: &Record<G>) -> Result<Reply, Failure>;

    /// Passes on the last move of a game that continues, and the comment on it.
    fn opponent_moved(
        &mut self,
        _task: &GameTask<'_, G>,
        _record: &Record<G>,
        _comment: Option<String>,
    ) -> Result<(), Failure> {
        Ok(())
    }

    /// Passes on the end of the game.
    fn finish(&mut self, _record: &Record<G>, _winner: Option<Color>) {}

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
