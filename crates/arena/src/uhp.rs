//! Engines of the Universal Hive Protocol.

use crate::ArenaGame;
use std::io;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use super::error::GameError;
use super::game::{GameSettings, GameTask, HARD_LIMIT_FACTOR};
use super::program::ProgramSpec;
use super::record::GameEnd;
use super::seat::{Answer as MoveAnswer, Failure, ProgramOutput, Reply, Seat, too_late};
use super::uhp_process::{Answer, EngineProcess};
use wabe_contest::protocol::Hint;
use wabe_engine::clock;
use wabe_hive::Color;
use wabe_hive::game::Record;

/// Starts an engine.
pub(super) fn start<G: ArenaGame>(
    program: &ProgramSpec,
    task: &GameTask<'_, G>,
    color: Color,
) -> Result<Box<dyn Seat<G>>, GameError> {
    let process = EngineProcess::start(program);
    let process = process.map_err(|source| task.cannot_start(color, source))?;
    Ok(Box::new(UhpEngine::new(process, program, task.settings)))
}

/// An engine that has already written all its answers, whatever it will be asked.
///
/// # Errors
/// When there is no thread to read them.
pub(super) fn answering<G: ArenaGame>(
    answers: Vec<u8>,
    program: &ProgramSpec,
    settings: &GameSettings,
) -> io::Result<Box<dyn Seat<G>>> {
    let process = EngineProcess::of_answers(answers)?;
    Ok(Box::new(UhpEngine::new(process, program, settings)))
}

/// The request for a move, and the time for its answer.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Request {
    /// The protocol's command.
    command: String,
    /// Time after which an answer loses the game.
    allowed: Duration,
    /// Time after which the referee stops waiting.
    timeout: Duration,
}

impl Request {
    fn new(program: &ProgramSpec, settings: &GameSettings) -> Request {
        if let Some(depth) = program.number("depth") {
            let timeout = settings.programs.hang_timeout;
            return Request {
                command: format!("bestmove depth {depth}"),
                allowed: timeout,
                timeout,
            };
        }
        let time = program.move_time().unwrap_or(settings.move_time);
        let allowed = time.saturating_add(settings.margin);
        Request {
            command: format!("bestmove time {}", time_text(time)),
            allowed,
            timeout: allowed.saturating_mul(HARD_LIMIT_FACTOR),
        }
    }
}

/// `hh:mm:ss`, with milliseconds only if there are some: the protocol has only whole seconds.
fn time_text(time: Duration) -> String {
    let (seconds, milliseconds) = (time.as_secs(), time.subsec_millis());
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    let whole = format!("{hours:02}:{minutes:02}:{seconds:02}");
    match milliseconds {
        0 => whole,
        _ => format!("{whole}.{milliseconds:03}"),
    }
}

/// A running engine.
#[derive(Debug)]
struct UhpEngine {
    process: EngineProcess,
    program: ProgramSpec,
    request: Request,
    /// Time for every answer except one with a move.
    timeout: Duration,
    /// When the engine was started; `None` once its greeting has been awaited.
    greeting: Option<Instant>,
}

impl UhpEngine {
    /// An engine that has just been started.
    fn new(process: EngineProcess, program: &ProgramSpec, settings: &GameSettings) -> UhpEngine {
        UhpEngine {
            process,
            program: program.clone(),
            request: Request::new(program, settings),
            timeout: settings.programs.join_timeout,
            greeting: Some(clock::now()),
        }
    }

    /// Waits until a new engine has greeted, and sets its options.
    fn greet<G: ArenaGame>(&mut self, task: &GameTask<'_, G>, color: Color) -> Result<(), Failure> {
        let Some(started) = self.greeting.take() else {
            return Ok(());
        };
        let info = self.process.answer(started, self.timeout, task.stop);
        let info = info.map_err(|failure| {
            let problem = match failure {
                Failure::Fault {
                    end: GameEnd::Hang, ..
                } => "it has not greeted in time",
                Failure::Fault { .. } => "it ended before it greeted",
                failure => return failure,
            };
            let error = self.process.start_error();
            let error = error.unwrap_or_else(|| io::Error::other(problem));
            Failure::Error(task.cannot_start(color, error))
        })?;
        let name = &task.engines[color].1.name;
        let known: Vec<&str> = info.last.split(';').map(str::trim).collect();
        let variant = task.opening.variant();
        if !info.last.is_empty() && !G::is_known_by(variant, &known) {
            let problem = format!("does not play {variant}");
            return Err(Failure::Error(GameError::unusable(name, &problem)));
        }
        let program = self.program.clone();
        for (setting, value) in program.settings() {
            let answer = self.ask(&format!("options set {setting} {value}"), task.stop)?;
            if let Some(error) = answer.error() {
                let problem = format!("does not take the option `{setting} {value}`: {error}");
                return Err(Failure::Error(GameError::unusable(name, &problem)));
            }
        }
        Ok(())
    }

    fn ask(&mut self, command: &str, stop: &AtomicBool) -> Result<Answer, Failure> {
        self.process.ask(command, self.timeout, stop)
    }
}

/// Checks the answer to a game that continues.
fn agrees<G: ArenaGame>(answer: &Answer, record: &Record<G>) -> Result<(), Failure> {
    if let Some(error) = answer.error() {
        return Err(Failure::fault(GameEnd::Refusal, error));
    }
    // The fields of a game string: type, state, turn, moves.
    match answer.last.split(';').nth(1) {
        Some("Draw") if record.repeats_by_pieces() => Err(Failure::Disputed),
        Some(state @ ("Draw" | "WhiteWins" | "BlackWins")) => {
            Err(Failure::fault(GameEnd::FalseEnd, state))
        }
        _ => Ok(()),
    }
}

impl<G: ArenaGame> Seat<G> for UhpEngine {
    fn begin(&mut self, task: &GameTask<'_, G>, color: Color) -> Result<(), Failure> {
        self.greet(task, color)?;
        let answer = self.ask(&format!("newgame {}", task.opening), task.stop)?;
        agrees(&answer, task.opening)
    }

    fn choose(&mut self, task: &GameTask<'_, G>, _record: &Record<G>) -> Result<Reply<G>, Failure> {
        let Request {
            command,
            allowed,
            timeout,
        } = &self.request;
        let answer = self.process.ask(command, *timeout, task.stop)?;
        if let Some(error) = answer.error() {
            return Err(Failure::fault(GameEnd::Refusal, error));
        }
        let mv = move_in(&answer);
        if mv.is_empty() {
            return Err(Failure::fault(
                GameEnd::IllegalMove,
                "answered without a move",
            ));
        }
        Ok(Reply {
            mv: MoveAnswer::Text(mv.to_owned()),
            took: answer.took,
            late_by: too_late(answer.took, *allowed),
            // The protocol has no scores. Those that engines add to their answers have units of their own.
            hint: Hint::default(),
            words: None,
        })
    }

    fn opponent_moved(
        &mut self,
        task: &GameTask<'_, G>,
        record: &Record<G>,
        _reply: &Reply<G>,
    ) -> Result<(), Failure> {
        let Some(ply) = record.plies().last() else {
            return Ok(());
        };
        let answer = self.ask(&format!("play {}", ply.text), task.stop)?;
        agrees(&answer, record)
    }

    fn close(&mut self, _stop: &AtomicBool) -> ProgramOutput {
        ProgramOutput {
            output: self.process.take_transcript(),
            ..ProgramOutput::default()
        }
    }

    fn is_reusable(&self) -> bool {
        true
    }

    fn kill(&mut self) {
        self.process.kill();
    }
}

/// The move in an answer. Engines that report while they think write several lines, each with the move first.
fn move_in(answer: &Answer) -> &str {
    answer.last.split(';').next().unwrap_or_default().trim()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{EnginePlayer, EngineSpec};

    #[test]
    fn move_is_in_the_last_line() {
        let answer = Answer {
            first: "wS1".to_owned(),
            last: "wA1 -bQ;3;0.5;bA1 wA1-".to_owned(),
            took: Duration::from_millis(100),
        };
        assert_eq!(move_in(&answer), "wA1 -bQ");
    }

    fn request(text: &str) -> (Request, u128, u128) {
        let program = text.parse::<EngineSpec>().unwrap().player;
        let EnginePlayer::Program(program) = program else {
            panic!("{text} is built in");
        };
        let settings = GameSettings {
            move_time: Duration::from_millis(100),
            margin: Duration::from_millis(50),
            ..GameSettings::default()
        };
        let request = Request::new(&program, &settings);
        let (allowed, timeout) = (request.allowed.as_millis(), request.timeout.as_millis());
        (request, allowed, timeout)
    }

    #[test]
    fn commands_have_whole_seconds_if_possible() {
        let command = |text| request(text).0.command;
        assert_eq!(command("uhp:x time=2000"), "bestmove time 00:00:02");
        assert_eq!(command("uhp:x time=3723000"), "bestmove time 01:02:03");
        assert_eq!(command("uhp:x"), "bestmove time 00:00:00.100");
        assert_eq!(command("uhp:x depth=4"), "bestmove depth 4");
    }

    #[test]
    fn timeouts_follow_the_options() {
        let waits = |text| {
            let (_, allowed, timeout) = request(text);
            (allowed, timeout)
        };
        assert_eq!(waits("uhp:x time=2000"), (2_050, 10_250));
        assert_eq!(waits("uhp:x"), (150, 750));
        assert_eq!(waits("uhp:x depth=4"), (60_000, 60_000));
    }
}
