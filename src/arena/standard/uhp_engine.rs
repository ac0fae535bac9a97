//! An engine of the Universal Hive Protocol as the referee talks to it.

use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use super::process::{Answer, EngineProcess, Silence};
use super::uhp_spec::{Request, UhpSpec};
use crate::arena::{EngineSpec, GameEnd, GameError, GameSettings};
use crate::hive::standard::notation::Game;
use crate::hive::standard::{GameType, Kind};

/// Why an engine cannot go on with a game.
#[derive(Debug)]
pub(super) enum Failure {
    /// Its own fault.
    Fault(GameEnd),
    /// The run was stopped.
    Stopped,
    /// Not its fault.
    Error(GameError),
}

/// A running engine.
#[derive(Debug)]
pub(super) struct UhpEngine {
    process: EngineProcess,
    request: Request,
    /// For every answer but that with a move.
    patience: Duration,
}

/// A move as an engine answered it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct AnsweredMove {
    /// As it was written, not yet looked at.
    pub(super) text: String,
    pub(super) took: Duration,
    pub(super) is_late: bool,
}

impl UhpEngine {
    /// Starts the program of `engine`, hears who it is, and sets its options.
    pub(super) fn start(
        engine: &EngineSpec,
        spec: &UhpSpec,
        game_type: GameType,
        settings: &GameSettings,
        stop: &AtomicBool,
    ) -> Result<UhpEngine, Failure> {
        let asked = Instant::now();
        let process = EngineProcess::start(&spec.command).map_err(|source| {
            // It may be missing or busy, or the machine has no more processes: that says nothing about how it plays.
            Failure::Error(GameError::Program {
                engine: engine.name.clone(),
                program: spec.command.program.clone(),
                source,
            })
        })?;
        let mut running = UhpEngine {
            process,
            request: spec.request(settings),
            patience: settings.programs.join_patience,
        };
        let patience = running.patience;
        let info = running.process.answer(asked, patience, stop);
        let info = running.heard(info, GameEnd::NeverJoined)?;
        if !plays(&info, game_type) {
            return Err(Failure::Error(GameError::GameType {
                engine: engine.name.clone(),
                game_type,
            }));
        }
        for (name, value) in &spec.options {
            let command = format!("options set {name} {value}");
            let answer = running.ask(&command, stop)?;
            if let Some(error) = answer.error() {
                return Err(Failure::Error(GameError::Setting {
                    engine: engine.name.clone(),
                    setting: format!("{name} {value}"),
                    answer: error.to_owned(),
                }));
            }
        }
        Ok(running)
    }

    /// Begins a game.
    pub(super) fn begin(&mut self, game: &Game, stop: &AtomicBool) -> Result<(), Failure> {
        let answer = self.ask(&format!("newgame {game}"), stop)?;
        self.agree_on_going_on(&answer)
    }

    /// Tells a move after which the game goes on.
    pub(super) fn play(&mut self, text: &str, stop: &AtomicBool) -> Result<(), Failure> {
        let answer = self.ask(&format!("play {text}"), stop)?;
        self.agree_on_going_on(&answer)
    }

    /// Asks for a move.
    pub(super) fn best_move(&mut self, stop: &AtomicBool) -> Result<AnsweredMove, Failure> {
        let Request {
            command,
            allowed,
            patience,
        } = &self.request;
        let answer = self.process.ask(command, *patience, stop);
        let is_late = matches!(&answer, Ok(answer) if answer.took > *allowed);
        let answer = self.heard(answer, GameEnd::Hang)?;
        if answer.error().is_some() {
            return Err(self.spoilt_by(GameEnd::Refusal));
        }
        // Engines that think aloud write several lines, the move first in each.
        let text = answer.last.split(';').next().unwrap_or_default().trim();
        Ok(AnsweredMove {
            text: text.to_owned(),
            took: answer.took,
            is_late,
        })
    }

    /// What was said since this was asked last.
    pub(super) fn take_transcript(&self) -> String {
        self.process.take_transcript()
    }

    /// Kills the program, without asking, when this is dropped.
    pub(super) fn condemn(&mut self) {
        self.process.condemn();
    }

    fn ask(&mut self, command: &str, stop: &AtomicBool) -> Result<Answer, Failure> {
        let answer = self.process.ask(command, self.patience, stop);
        self.heard(answer, GameEnd::Hang)
    }

    fn heard(
        &mut self,
        answer: Result<Answer, Silence>,
        after_waiting: GameEnd,
    ) -> Result<Answer, Failure> {
        answer.map_err(|silence| match silence {
            Silence::TooLong => self.spoilt_by(after_waiting),
            Silence::Ended => self.spoilt_by(GameEnd::Crash),
            Silence::Stopped => {
                self.condemn();
                Failure::Stopped
            }
        })
    }

    /// Looks at the answer to a game that goes on.
    fn agree_on_going_on(&mut self, answer: &Answer) -> Result<(), Failure> {
        if answer.error().is_some() {
            return Err(self.spoilt_by(GameEnd::Refusal));
        }
        // Of a game string: type, state, turn, moves.
        match answer.last.split(';').nth(1) {
            Some("Draw" | "WhiteWins" | "BlackWins") => Err(self.spoilt_by(GameEnd::FalseEnd)),
            _ => Ok(()),
        }
    }

    fn spoilt_by(&mut self, end: GameEnd) -> Failure {
        self.condemn();
        Failure::Fault(end)
    }
}

/// Whether an engine with this answer to `info` knows the game type. One that says nothing about it is believed to.
fn plays(info: &Answer, game_type: GameType) -> bool {
    let expansions = [
        (Kind::Mosquito, "Mosquito"),
        (Kind::Ladybug, "Ladybug"),
        (Kind::Pillbug, "Pillbug"),
    ];
    let needed = expansions
        .into_iter()
        .filter(|&(kind, _)| game_type.has(kind));
    let known: Vec<&str> = info.last.split(';').map(str::trim).collect();
    info.last.is_empty() || needed.into_iter().all(|(_, name)| known.contains(&name))
}
