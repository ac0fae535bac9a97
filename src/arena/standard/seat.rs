//! A side of a game.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use super::uhp_engine::{Failure, UhpEngine};
use crate::arena::game::GameTask;
use crate::arena::{EnginePlayer, GameEnd};
use crate::hive::Color;
use crate::hive::standard::notation::Game;
use crate::search::{Limits, OtherGameError, StandardPlayer, SystemClock};

/// Engines that have been started and wait for their next game, by their index.
#[derive(Debug, Default)]
pub(in crate::arena) struct RunningEngines(HashMap<usize, UhpEngine>);

/// Who plays a side.
#[derive(Debug)]
pub(super) enum Seat {
    BuiltIn(Box<BuiltIn>),
    Uhp(Box<UhpEngine>),
}

/// A built-in player in a game.
#[derive(Debug)]
pub(super) struct BuiltIn {
    player: StandardPlayer,
    limits: Limits,
    /// After this time, the game is lost.
    allowed: Option<Duration>,
}

/// A move that a side wants to make.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Reply {
    /// As the side writes it, not yet looked at.
    pub(super) text: String,
    pub(super) took: Duration,
    /// Whether it came too late.
    pub(super) is_late: bool,
    /// Expected score of the side.
    pub(super) score: Option<f64>,
    pub(super) nodes: u64,
}

impl Seat {
    /// The side's engine: from those that are running, or started.
    pub(super) fn take(
        task: &GameTask<'_, Game>,
        color: Color,
        running: &mut RunningEngines,
    ) -> Result<Seat, Failure> {
        let (index, engine) = task.engine(color);
        let EnginePlayer::Uhp(spec) = &engine.player else {
            let player = BuiltIn::new(task, color).map_err(|error| Failure::Error(error.into()))?;
            return Ok(Seat::BuiltIn(Box::new(player)));
        };
        if let Some(engine) = running.0.remove(&index) {
            return Ok(Seat::Uhp(Box::new(engine)));
        }
        let engine = UhpEngine::start(engine, spec, task.settings).map_err(Failure::Error)?;
        Ok(Seat::Uhp(Box::new(engine)))
    }

    /// Keeps the engine for its next game.
    pub(super) fn put_back(
        self,
        task: &GameTask<'_, Game>,
        color: Color,
        running: &mut RunningEngines,
    ) {
        if let Seat::Uhp(engine) = self {
            running.0.insert(task.engine(color).0, *engine);
        }
    }

    /// Begins a game.
    pub(super) fn begin(&mut self, task: &GameTask<'_, Game>, color: Color) -> Result<(), Failure> {
        let (_, spec) = task.engine(color);
        match (self, &spec.player) {
            (Seat::Uhp(engine), EnginePlayer::Uhp(uhp)) => {
                engine.begin(spec, uhp, task.opening, task.stop)
            }
            _ => Ok(()),
        }
    }

    /// Asks for a move.
    pub(super) fn choose(
        &mut self,
        task: &GameTask<'_, Game>,
        game: &Game,
    ) -> Result<Reply, Failure> {
        match self {
            Seat::BuiltIn(player) => player.choose(task, game),
            Seat::Uhp(engine) => {
                let answered = engine.best_move(task.stop)?;
                Ok(Reply {
                    text: answered.text,
                    took: answered.took,
                    is_late: answered.is_late,
                    score: None,
                    nodes: 0,
                })
            }
        }
    }

    /// Tells a move after which the game goes on.
    pub(super) fn hear(&mut self, task: &GameTask<'_, Game>, text: &str) -> Result<(), Failure> {
        match self {
            Seat::BuiltIn(_) => Ok(()),
            Seat::Uhp(engine) => engine.play(text, task.stop),
        }
    }

    /// What was said since this was asked last.
    pub(super) fn take_transcript(&self) -> String {
        match self {
            Seat::BuiltIn(_) => String::new(),
            Seat::Uhp(engine) => engine.take_transcript(),
        }
    }

    /// Ends the engine at once, without asking.
    pub(super) fn kill(&mut self) {
        if let Seat::Uhp(engine) = self {
            engine.kill();
        }
    }
}

impl BuiltIn {
    fn new(task: &GameTask<'_, Game>, color: Color) -> Result<BuiltIn, OtherGameError> {
        let spec = task.built_in(color);
        let limits = spec.limits(task.settings.move_time);
        let allowed = limits
            .time()
            .map(|time| time.saturating_add(task.settings.margin));
        Ok(BuiltIn {
            player: StandardPlayer::new(&spec, task.player_seed(color))?,
            limits,
            allowed,
        })
    }

    fn choose(&mut self, task: &GameTask<'_, Game>, game: &Game) -> Result<Reply, Failure> {
        let started = Instant::now();
        let clock = SystemClock::since(started);
        // A player that panicked is never asked again: the game ends here.
        let choice = catch_unwind(AssertUnwindSafe(|| {
            self.player.choose(game, self.limits, &clock, task.stop)
        }));
        let took = started.elapsed();
        let choice = choice.ok().flatten();
        let choice = choice.ok_or(Failure::Fault(GameEnd::Crash))?;
        Ok(Reply {
            text: game.write(choice.best.mv),
            took,
            is_late: self.allowed.is_some_and(|allowed| took > allowed),
            score: choice.best.score,
            nodes: choice.nodes,
        })
    }
}
