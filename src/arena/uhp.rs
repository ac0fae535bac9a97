//! Engines of the Universal Hive Protocol.

use std::io;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use super::engine::{EngineError, EnginePlayer, EngineSpec};
use super::error::GameError;
use super::game::{GameSettings, GameTask, HARD_LIMIT_FACTOR};
use super::program::ProgramSpec;
use super::record::GameEnd;
use super::referee::{self, PlayedGame, RunningEngines};
use super::seat::{Answer as MoveAnswer, Closing, Failure, Reply, Seat, too_late};
use super::uhp_process::{Answer, EngineProcess};
use crate::clock;
use crate::game::{Game, Record};
use crate::hive::{ByColor, Color};
use crate::protocol::Hint;

/// The options of engines of the protocol besides those of every program.
pub(super) const OPTIONS: &[&str] = &["time", "depth", "set"];

/// Checks that an engine has only one limit.
pub(super) fn check(program: &ProgramSpec) -> Result<(), EngineError> {
    if program.text("time").is_some() && program.text("depth").is_some() {
        return Err(EngineError(
            "a UHP engine takes only one of time= and depth=".to_owned(),
        ));
    }
    Ok(())
}

/// Starts an engine.
pub(super) fn start<G: Game>(
    program: &ProgramSpec,
    task: &GameTask<'_, G>,
    color: Color,
) -> Result<Box<dyn Seat<G>>, GameError> {
    let process = EngineProcess::start(program);
    let process = process.map_err(|source| task.cannot_start(color, source))?;
    Ok(Box::new(UhpEngine::new(process, program, task.settings)))
}

/// Plays a game between two engines that have already written all their answers, whatever they are asked, for a fuzzer. `None` if one of
/// them does not play the game.
///
/// # Errors
/// When there is no thread to read the answers.
pub fn play_answers<G: Game>(
    answers: ByColor<Vec<u8>>,
    opening: &Record<G>,
) -> io::Result<Option<PlayedGame>> {
    let engine = "uhp:answers"
        .parse::<EngineSpec>()
        .map_err(io::Error::other)?;
    let EnginePlayer::Program(program) = &engine.player else {
        return Ok(None);
    };
    let (settings, stop) = (GameSettings::default(), AtomicBool::new(false));
    let engines = ByColor::from_fn(|_| &engine);
    let task = GameTask::alone(engines, opening, &settings, G::MAX_PLIES, &stop);
    let mut running = RunningEngines::<G>::default();
    for (index, answers) in [answers.red, answers.blue].into_iter().enumerate() {
        let process = EngineProcess::of_answers(answers)?;
        running.insert(index, Box::new(UhpEngine::new(process, program, &settings)));
    }
    // An unusable engine would end a run.
    Ok(referee::play(&task, &mut running, |_, _| {}).unwrap_or(None))
}

/// The request for a move, and the patience for its answer.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Request {
    /// The protocol's command.
    command: String,
    /// Time after which an answer loses the game.
    allowed: Duration,
    /// Time after which the referee stops waiting.
    patience: Duration,
}

impl Request {
    fn new(program: &ProgramSpec, settings: &GameSettings) -> Request {
        if let Some(depth) = program.number("depth") {
            let patience = settings.programs.hang_patience;
            return Request {
                command: format!("bestmove depth {depth}"),
                allowed: patience,
                patience,
            };
        }
        let time = program.move_time().unwrap_or(settings.move_time);
        let allowed = time.saturating_add(settings.margin);
        Request {
            command: format!("bestmove time {}", time_text(time)),
            allowed,
            patience: allowed.saturating_mul(HARD_LIMIT_FACTOR),
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
    /// Patience for every answer except one with a move.
    patience: Duration,
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
            patience: settings.programs.join_patience,
            greeting: Some(clock::now()),
        }
    }

    /// Waits until a new engine has greeted, and sets its options.
    fn greet<G: Game>(&mut self, task: &GameTask<'_, G>, color: Color) -> Result<(), Failure> {
        let Some(started) = self.greeting.take() else {
            return Ok(());
        };
        let info = self.process.answer(started, self.patience, task.stop);
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
        self.process.ask(command, self.patience, stop)
    }
}

/// Checks the answer to a game that continues.
fn agrees<G: Game>(answer: &Answer, record: &Record<G>) -> Result<(), Failure> {
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

impl<G: Game> Seat<G> for UhpEngine {
    fn begin(&mut self, task: &GameTask<'_, G>, color: Color) -> Result<(), Failure> {
        self.greet(task, color)?;
        let answer = self.ask(&format!("newgame {}", task.opening), task.stop)?;
        agrees(&answer, task.opening)
    }

    fn choose(&mut self, task: &GameTask<'_, G>, _record: &Record<G>) -> Result<Reply<G>, Failure> {
        let Request {
            command,
            allowed,
            patience,
        } = &self.request;
        let answer = self.process.ask(command, *patience, task.stop)?;
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

    fn hear(
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

    fn close(&mut self, _stop: &AtomicBool) -> Closing {
        Closing {
            output: self.process.take_transcript(),
            ..Closing::default()
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
    use crate::arena::record::GameResult;
    use crate::game::Game;
    use crate::hive::standard::{GameType, Wide};

    #[test]
    fn the_last_line_has_the_move() {
        let answer = Answer {
            first: "wS1".to_owned(),
            last: "wA1 -bQ;3;0.5;bA1 wA1-".to_owned(),
            took: Duration::from_millis(100),
        };
        assert_eq!(move_in(&answer), "wA1 -bQ");
    }

    #[test]
    fn the_answers_of_two_engines_decide_their_game() {
        let played = |red: &[&str], blue: &[&str]| {
            let stream = |answers: &[&str]| {
                let greeting = ["id x\nBase;Base+MLP", "Base;NotStarted;White[1]"];
                let answers = greeting.iter().chain(answers);
                let lines: Vec<String> = answers.map(|text| format!("{text}\nok\n")).collect();
                lines.concat().into_bytes()
            };
            let opening = Record::new(GameType::default(), Wide::plain_start(GameType::default()));
            let answers = ByColor {
                red: stream(red),
                blue: stream(blue),
            };
            let played = play_answers::<Wide>(answers, &opening);
            let record = played.unwrap().unwrap().record;
            (record.result, record.end, record.moves)
        };
        let one = || "wS1".to_owned();
        assert_eq!(
            played(&["wS1", "Base;InProgress"], &["Base;InProgress", "bS9"]),
            (GameResult::Red, GameEnd::IllegalMove, one())
        );
        assert_eq!(
            played(&["wS1", "Base;BlackWins"], &[]),
            (GameResult::Blue, GameEnd::FalseEnd, one())
        );
        assert_eq!(
            played(&["wS1", "Base;InProgress"], &["err"]),
            (GameResult::Red, GameEnd::Refusal, one())
        );
        for nothing in ["", "  ", ";"] {
            assert_eq!(
                played(&["wS1", "Base;InProgress"], &["Base;InProgress", nothing]),
                (GameResult::Red, GameEnd::IllegalMove, one())
            );
        }
        assert_eq!(
            played(&[], &[]),
            (GameResult::Blue, GameEnd::Left, String::new())
        );
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
        let (allowed, patience) = (request.allowed.as_millis(), request.patience.as_millis());
        (request, allowed, patience)
    }

    #[test]
    fn whole_seconds_are_asked_for_without_a_fraction() {
        let command = |text| request(text).0.command;
        assert_eq!(command("uhp:x time=2000"), "bestmove time 00:00:02");
        assert_eq!(command("uhp:x time=3723000"), "bestmove time 01:02:03");
        assert_eq!(command("uhp:x"), "bestmove time 00:00:00.100");
        assert_eq!(command("uhp:x depth=4"), "bestmove depth 4");
    }

    #[test]
    fn the_referee_waits_as_long_as_the_engine_was_told_to_take() {
        let waits = |text| {
            let (_, allowed, patience) = request(text);
            (allowed, patience)
        };
        assert_eq!(waits("uhp:x time=2000"), (2_050, 10_250));
        assert_eq!(waits("uhp:x"), (150, 750));
        assert_eq!(waits("uhp:x depth=4"), (60_000, 60_000));
    }
}
