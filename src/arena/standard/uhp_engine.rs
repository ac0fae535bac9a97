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
    /// When it was started, as long as it has not said who it is.
    greeting: Option<Instant>,
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

    /// Begins a game. A new engine says before who it is, and gets its options.
    pub(super) fn begin(
        &mut self,
        engine: &EngineSpec,
        spec: &UhpSpec,
        game: &Game,
        stop: &AtomicBool,
    ) -> Result<(), Failure> {
        if let Some(started) = self.greeting.take() {
            let info = self.process.answer(started, self.patience, stop);
            let info = self.heard(info, GameEnd::NeverJoined)?;
            if !plays(&info, game.game_type()) {
                return Err(Failure::Error(GameError::GameType {
                    engine: engine.name.clone(),
                    game_type: game.game_type(),
                }));
            }
            self.set_options(engine, spec, stop)?;
        }
        let answer = self.ask(&format!("newgame {game}"), stop)?;
        self.agree_on_going_on(&answer)
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

    /// Tells a move after which the game goes on.
    pub(super) fn play(&mut self, text: &str, stop: &AtomicBool) -> Result<(), Failure> {
        let answer = self.ask(&format!("play {text}"), stop)?;
        self.agree_on_going_on(&answer)
    }

    /// Asks for a move.
    pub(super) fn best_move(&mut self, stop: &AtomicBool) -> Result<AnsweredMove, Failure> {
        let Request {
            command, patience, ..
        } = &self.request;
        let answer = self.process.ask(command, *patience, stop);
        let answer = self.heard(answer, GameEnd::Hang)?;
        if answer.error().is_some() {
            return Err(self.spoilt_by(GameEnd::Refusal));
        }
        Ok(answered_move(&answer, &self.request))
    }

    /// What was said since this was asked last.
    pub(super) fn take_transcript(&self) -> String {
        self.process.take_transcript()
    }

    /// Ends the program at once, without asking.
    pub(super) fn kill(&mut self) {
        self.process.kill();
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
                self.kill();
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
        self.kill();
        Failure::Fault(end)
    }
}

/// The move in an answer. Engines that think aloud write several lines, the move first in each.
fn answered_move(answer: &Answer, request: &Request) -> AnsweredMove {
    let text = answer.last.split(';').next().unwrap_or_default().trim();
    AnsweredMove {
        text: text.to_owned(),
        took: answer.took,
        is_late: answer.took > request.allowed,
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

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(first: &str, last: &str, took_ms: u64) -> Answer {
        Answer {
            first: first.to_owned(),
            last: last.to_owned(),
            took: Duration::from_millis(took_ms),
        }
    }

    #[test]
    fn the_last_line_has_the_move_and_may_come_too_late() {
        let request = Request {
            command: "bestmove depth 1".to_owned(),
            allowed: Duration::from_millis(100),
            patience: Duration::from_millis(500),
        };
        let moved = |took| answered_move(&answer("wS1", "wA1 -bQ;3;0.5;bA1 wA1-", took), &request);
        assert_eq!(moved(100).text, "wA1 -bQ");
        assert_eq!([100, 101].map(|took| moved(took).is_late), [false, true]);
    }

    #[test]
    fn an_engine_says_which_expansions_it_knows() {
        let plays = |last: &str, game_type: &str| {
            plays(&answer("id x 1.0", last, 0), game_type.parse().unwrap())
        };
        assert!(plays("Mosquito;Ladybug;Pillbug", "Base+MLP"));
        assert!(plays("Mosquito", "Base+M") && plays("id x 1.0", "Base"));
        assert!(!plays("Mosquito", "Base+ML") && !plays("id x 1.0", "Base+P"));
    }
}
