//! The interface between referee and players.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use super::error::GameError;
use super::game::GameTask;
use super::record::GameEnd;
use crate::ArenaGame;
use wabe_contest::protocol::Hint;
use wabe_hive::Color;
use wabe_hive::game::Record;

/// How often the stop flag is checked while waiting.
pub(super) const STOP_CHECK_INTERVAL: Duration = Duration::from_millis(50);

/// Why a side cannot continue a game.
#[derive(Debug)]
pub(super) enum Failure {
    /// The side committed a fault.
    Fault {
        end: GameEnd,
        /// Details of the fault; may be empty.
        detail: String,
    },
    /// The side claims a draw by a repetition rule that we do not use. Neither side is at fault.
    Disputed,
    /// The run was stopped.
    Stopped,
    /// An error outside the game. Neither side is at fault.
    Error(GameError),
}

impl Failure {
    pub(super) fn fault(end: GameEnd, detail: impl Into<String>) -> Failure {
        let detail = detail.into();
        Failure::Fault { end, detail }
    }

    /// The failure of a move that exceeded its time limit.
    pub(super) fn late(elapsed: Duration, late_by: Duration) -> Failure {
        let (elapsed, late_by) = (elapsed.as_secs_f64(), late_by.as_secs_f64());
        let detail = format!("after {elapsed:.3} s, {late_by:.3} s too late");
        Failure::fault(GameEnd::Time, detail)
    }

    /// The failure of a player that did not answer before the timeout.
    pub(super) fn hang(timeout: Duration) -> Failure {
        let detail = format!("no answer within {} s", timeout.as_secs_f64());
        Failure::fault(GameEnd::Hang, detail)
    }
}

/// A player's answer to a move request.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Reply {
    /// The move in the game's notation.
    pub(super) mv: String,
    pub(super) elapsed: Duration,
    /// How much the move exceeded its time limit, if at all.
    pub(super) late_by: Option<Duration>,
    /// The player's score, nodes and pv; may be empty.
    pub(super) hint: Hint,
    /// A comment that is not a hint.
    pub(super) remark: Option<String>,
}

impl Reply {
    /// The remark if there is one, otherwise the text form of the hint.
    pub(super) fn comment(&self) -> Option<String> {
        let hint = (self.hint != Hint::default()).then(|| self.hint.to_string());
        self.remark.clone().or(hint)
    }
}

/// A program's output during a game, and how it exited.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProgramOutput {
    /// Standard output and standard error of a contest client, or the dialogue with a UHP engine.
    pub output: String,
    /// The dialogue with a contest client, if dialogues are recorded.
    pub dialogue: String,
    /// True if the program was killed because it did not exit after the game.
    pub was_killed: bool,
}

/// How much a move exceeded its time limit, if at all.
pub(super) fn lateness(elapsed: Duration, time_limit: Duration) -> Option<Duration> {
    elapsed
        .checked_sub(time_limit)
        .filter(|late| !late.is_zero())
}

/// A player of one side, in this or another process.
pub(super) trait Seat<G: ArenaGame> {
    /// Waits until the player is ready for a game as `color`.
    fn begin(&mut self, _task: &GameTask<'_, G>, _color: Color) -> Result<(), Failure> {
        Ok(())
    }

    /// Starts the game. Called once both sides are ready.
    fn start(&mut self) {}

    /// Requests a move.
    fn choose(&mut self, task: &GameTask<'_, G>, record: &Record<G>) -> Result<Reply, Failure>;

    /// Passes the opponent's last move and its comment to the player, if the game continues.
    fn opponent_moved(
        &mut self,
        _task: &GameTask<'_, G>,
        _record: &Record<G>,
        _comment: Option<String>,
    ) -> Result<(), Failure> {
        Ok(())
    }

    /// Notifies the player of the end of the game.
    fn finish(&mut self, _record: &Record<G>, _winner: Option<Color>) {}

    /// Ends the game for the player. If `stop` is set, does not wait for its program to exit.
    fn close(&mut self, _stop: &AtomicBool) -> ProgramOutput {
        ProgramOutput::default()
    }

    /// True if the player can play another game after [`close`](Seat::close).
    fn is_reusable(&self) -> bool {
        false
    }

    /// Kills the player's program before it is discarded.
    fn kill(&mut self) {}
}
