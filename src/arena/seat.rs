//! A side of a game.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use super::error::GameError;
use super::game::GameTask;
use super::record::GameEnd;
use crate::evaluation::NetworkFileError;
use crate::game::{Game, Record};
use crate::hive::{Color, Move};
use crate::search::{BestKnown, Limits, Player, PlayerSpec, SearchControl, SystemClock};

/// Why a side cannot continue a game.
#[derive(Debug)]
pub(super) enum Failure {
    /// Its own fault.
    Fault(GameEnd),
    /// Nobody's fault: it claims an end that other rule sets see.
    Disputed,
    /// The run was stopped.
    Stopped,
    /// Not its fault.
    Error(GameError),
}

/// A move that a side wants to make.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Reply<G: Game> {
    pub(super) mv: Answer<G>,
    pub(super) took: Duration,
    /// Whether it came too late.
    pub(super) is_late: bool,
    /// Expected score of the side.
    pub(super) score: Option<f64>,
    pub(super) nodes: u64,
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
    /// Begins a game as `color`.
    fn begin(&mut self, task: &GameTask<'_, G>, color: Color) -> Result<(), Failure>;

    /// Asks for a move.
    fn choose(&mut self, task: &GameTask<'_, G>, record: &Record<G>) -> Result<Reply<G>, Failure>;

    /// Tells the last move of a game that continues.
    fn hear(&mut self, task: &GameTask<'_, G>, record: &Record<G>) -> Result<(), Failure>;

    /// The dialogue since this was asked last.
    fn take_transcript(&self) -> String {
        String::new()
    }

    /// Ends the player at once, without asking.
    fn kill(&mut self) {}
}

/// A built-in player.
pub(super) struct BuiltIn<G: Game> {
    player: Box<dyn Player<G>>,
    limits: Limits,
}

impl<G: Game> BuiltIn<G> {
    /// The player of `color` that `spec` describes.
    pub(super) fn new(
        task: &GameTask<'_, G>,
        color: Color,
        spec: &PlayerSpec,
    ) -> Result<BuiltIn<G>, NetworkFileError> {
        let spec = task.built_in(color, spec);
        Ok(BuiltIn {
            limits: spec.limits(task.settings.move_time),
            player: spec.prepare::<G>(task.player_seed(color))?.build(),
        })
    }
}

impl<G: Game> Seat<G> for BuiltIn<G> {
    fn begin(&mut self, _task: &GameTask<'_, G>, _color: Color) -> Result<(), Failure> {
        Ok(())
    }

    fn choose(&mut self, task: &GameTask<'_, G>, record: &Record<G>) -> Result<Reply<G>, Failure> {
        let started = Instant::now();
        let control = SearchControl {
            limits: self.limits,
            clock: &SystemClock::since(started),
            stop: task.stop,
            watch: &BestKnown::default(),
        };
        // A player that panicked is never asked again: the game ends here.
        let choice = catch_unwind(AssertUnwindSafe(|| self.player.choose(record, &control)));
        let took = started.elapsed();
        let choice = choice.ok().flatten();
        let choice = choice.ok_or(Failure::Fault(GameEnd::Crash))?;
        let allowed = self.limits.time();
        let allowed = allowed.map(|time| time.saturating_add(task.settings.margin));
        Ok(Reply {
            mv: Answer::Move(choice.best.mv),
            took,
            is_late: allowed.is_some_and(|allowed| took > allowed),
            score: choice.best.score,
            nodes: choice.nodes,
        })
    }

    fn hear(&mut self, _task: &GameTask<'_, G>, _record: &Record<G>) -> Result<(), Failure> {
        Ok(())
    }
}
