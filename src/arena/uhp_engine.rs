//! A UHP engine as a side of games.

use std::io;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use super::engine::{EnginePlayer, EngineSpec};
use super::error::GameError;
use super::game::{GameSettings, GameTask};
use super::record::GameEnd;
use super::seat::{Answer as MoveAnswer, Failure, Reply, Seat};
use super::uhp_process::{Answer, EngineProcess, Silence};
use super::uhp_spec::{Request, UhpSpec};
use crate::game::{Game, Record};
use crate::hive::Color;

/// A running engine.
#[derive(Debug)]
pub(super) struct UhpEngine {
    process: EngineProcess,
    request: Request,
    /// For every answer but that with a move.
    patience: Duration,
    /// When it was started, as long as it has not said who it is.
    greeting: Option<Instant>,
}

impl UhpEngine {
    /// Starts the program of `engine`.
    ///
    /// # Errors
    /// When it cannot be started.
    pub(super) fn start(
        engine: &EngineSpec,
        spec: &UhpSpec,
        settings: &GameSettings,
    ) -> Result<UhpEngine, GameError> {
        let started = Instant::now();
        let process = EngineProcess::start(&spec.command).map_err(|source| {
            // It may be missing or busy, or the machine has no more processes: that says nothing about how it plays.
            GameError::Program {
                engine: engine.name.clone(),
                program: spec.command.program.clone(),
                source,
            }
        })?;
        Ok(UhpEngine {
            process,
            request: spec.request(settings),
            patience: settings.programs.join_patience,
            greeting: Some(started),
        })
    }

    /// Waits until a new engine has said who it is, and sets its options.
    fn greet<G: Game>(&mut self, task: &GameTask<'_, G>, color: Color) -> Result<(), Failure> {
        let Some(started) = self.greeting.take() else {
            return Ok(());
        };
        let (_, engine) = task.engine(color);
        let EnginePlayer::Uhp(spec) = &engine.player else {
            return Ok(());
        };
        let info = self.process.answer(started, self.patience, task.stop);
        let info = info.map_err(|silence| {
            self.process.kill();
            let problem = match silence {
                Silence::Stopped => return Failure::Stopped,
                Silence::TooLong => "it has not greeted in time",
                Silence::Ended => "it ended before it greeted",
            };
            Failure::Error(GameError::Program {
                engine: engine.name.clone(),
                program: spec.command.program.clone(),
                source: io::Error::other(problem),
            })
        })?;
        let known: Vec<&str> = info.last.split(';').map(str::trim).collect();
        if !info.last.is_empty() && !G::is_known_by(task.opening.variant(), &known) {
            return Err(Failure::Error(GameError::Variant {
                engine: engine.name.clone(),
                variant: task.opening.variant().to_string(),
            }));
        }
        self.set_options(engine, spec, task.stop)
    }

    fn set_options(
        &mut self,
        engine: &EngineSpec,
        spec: &UhpSpec,
        stop: &AtomicBool,
    ) -> Result<(), Failure> {
        for (name, value) in &spec.options {
            let answer = self.ask(&format!("options set {name} {value}"), stop)?;
            if let Some(error) = answer.error() {
                return Err(Failure::Error(GameError::Setting {
                    engine: engine.name.clone(),
                    setting: format!("{name} {value}"),
                    answer: error.to_owned(),
                }));
            }
        }
        Ok(())
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
                self.process.kill();
                Failure::Stopped
            }
        })
    }

    /// Checks the answer to a game that continues.
    fn agrees<G: Game>(&mut self, answer: &Answer, record: &Record<G>) -> Result<(), Failure> {
        if answer.error().is_some() {
            return Err(self.spoilt_by(GameEnd::Refusal));
        }
        // The fields of a game string: type, state, turn, moves.
        match answer.last.split(';').nth(1) {
            Some("Draw") if record.repeats_by_pieces() => {
                self.process.kill();
                Err(Failure::Disputed)
            }
            Some("Draw" | "WhiteWins" | "BlackWins") => Err(self.spoilt_by(GameEnd::FalseEnd)),
            _ => Ok(()),
        }
    }

    fn spoilt_by(&mut self, end: GameEnd) -> Failure {
        self.process.kill();
        Failure::Fault(end)
    }
}

impl<G: Game> Seat<G> for UhpEngine {
    fn begin(&mut self, task: &GameTask<'_, G>, color: Color) -> Result<(), Failure> {
        self.greet(task, color)?;
        let answer = self.ask(&format!("newgame {}", task.opening), task.stop)?;
        self.agrees(&answer, task.opening)
    }

    fn choose(&mut self, task: &GameTask<'_, G>, _record: &Record<G>) -> Result<Reply<G>, Failure> {
        let Request {
            command, patience, ..
        } = &self.request;
        let answer = self.process.ask(command, *patience, task.stop);
        let answer = self.heard(answer, GameEnd::Hang)?;
        if answer.error().is_some() {
            return Err(self.spoilt_by(GameEnd::Refusal));
        }
        Ok(Reply {
            mv: MoveAnswer::Text(move_in(&answer).to_owned()),
            took: answer.took,
            is_late: answer.took > self.request.allowed,
            score: None,
            nodes: 0,
        })
    }

    fn hear(&mut self, task: &GameTask<'_, G>, record: &Record<G>) -> Result<(), Failure> {
        let Some(ply) = record.plies().last() else {
            return Ok(());
        };
        let answer = self.ask(&format!("play {}", ply.text), task.stop)?;
        self.agrees(&answer, record)
    }

    fn take_transcript(&self) -> String {
        self.process.take_transcript()
    }

    fn kill(&mut self) {
        self.process.kill();
    }
}

/// The move in an answer. Engines that think aloud write several lines, the move first in each.
fn move_in(answer: &Answer) -> &str {
    answer.last.split(';').next().unwrap_or_default().trim()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_line_has_the_move() {
        let answer = Answer {
            first: "wS1".to_owned(),
            last: "wA1 -bQ;3;0.5;bA1 wA1-".to_owned(),
            took: Duration::from_millis(100),
        };
        assert_eq!(move_in(&answer), "wA1 -bQ");
    }
}
