//! Runs engines of the Universal Hive Protocol as child processes.

use std::convert::Infallible;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::{ChildStdin, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender};
use std::thread;
use std::time::{Duration, Instant};

use super::error::GameError;
use super::game::{GameSettings, GameTask, HANG_TIMEOUT};
use super::process::Process;
use super::program::ProgramSpec;
use super::record::GameEnd;
use super::seat::{Failure, ProgramOutput, Reply, STOP_CHECK_INTERVAL, Seat, lateness};
use super::transcript::{Speaker, Transcript};
use crate::ArenaGame;
use wabe_contest::room::TimeLimits;
use wabe_engine::clock;
use wabe_files::{Line, read_line};
use wabe_hive::Color;
use wabe_hive::game::Record;
use wabe_hive::standard::is_plain;

/// Maximum length of a line, in bytes.
const MAX_LINE: u64 = 1 << 16;

/// Stands for a longer line in transcripts.
const TOO_LONG: &str = "(a line that is too long)";

/// Maximum number of queued lines. Reading pauses while the queue is full.
const MAX_QUEUED_LINES: usize = 64;

/// Timeout for an engine to exit after the command `exit`.
const EXIT_TIMEOUT: Duration = Duration::from_secs(2);

/// The line that ends every answer.
const END_OF_ANSWER: &str = "ok";

/// A move request with its time limits.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Request {
    /// Command such as `bestmove depth 3`.
    command: String,
    /// An answer after this time loses the game.
    time_limit: Duration,
    /// The referee stops waiting after this time.
    timeout: Duration,
}

impl Request {
    fn new(program: &ProgramSpec, settings: &GameSettings) -> Request {
        if let Some(depth) = program.number("depth") {
            return Request {
                command: format!("bestmove depth {depth}"),
                time_limit: HANG_TIMEOUT,
                timeout: HANG_TIMEOUT,
            };
        }
        let time = program.move_time().unwrap_or(settings.move_time);
        let time_limit = time.saturating_add(settings.margin);
        Request {
            command: format!("bestmove time {}", format_time(time)),
            time_limit,
            timeout: TimeLimits::from_soft(time_limit).hard,
        }
    }
}

/// Formats `hh:mm:ss`, with `.mmm` appended for fractions. The protocol defines whole seconds only.
fn format_time(time: Duration) -> String {
    let (seconds, milliseconds) = (time.as_secs(), time.subsec_millis());
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    let whole = format!("{hours:02}:{minutes:02}:{seconds:02}");
    match milliseconds {
        0 => whole,
        _ => format!("{whole}.{milliseconds:03}"),
    }
}

/// A line of an engine's output.
#[derive(Debug)]
struct OutputLine {
    /// `None` if the line is longer than [`MAX_LINE`].
    text: Option<String>,
    arrived_at: Instant,
}

/// The first and last lines of an answer before its `ok`; both empty for an answer of only `ok`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Answer {
    first: String,
    last: String,
    /// Time from the command to `ok`.
    elapsed: Duration,
}

impl Answer {
    /// The error message if the engine rejected the command.
    fn error(&self) -> Option<&str> {
        let is_error = self.first.starts_with("err") || self.first.starts_with("invalidmove");
        is_error.then_some(&self.first)
    }

    /// The best move. Engines that report progress write several lines, each beginning with a move.
    fn mv(&self) -> &str {
        self.last.split(';').next().unwrap_or_default().trim()
    }

    /// Checks the game string that an engine returned for an unfinished game.
    fn check<G: ArenaGame>(&self, record: &Record<G>) -> Result<(), Failure> {
        if let Some(error) = self.error() {
            return Err(Failure::fault(GameEnd::Refusal, error));
        }
        // The fields are type, state, turn and moves.
        match self.last.split(';').nth(1) {
            Some("Draw") if record.repeats_by_pieces() => Err(Failure::Disputed),
            Some(state @ ("Draw" | "WhiteWins" | "BlackWins")) => {
                Err(Failure::fault(GameEnd::FalseEnd, state))
            }
            _ => Ok(()),
        }
    }
}

/// A running engine. Dropping it sends `exit`, then kills the engine and its descendants.
#[derive(Debug)]
pub(super) struct UhpEngine {
    child: Process,
    input: Option<ChildStdin>,
    lines: Receiver<OutputLine>,
    /// Disconnected once standard error has been read to its end.
    stderr_end: Receiver<Infallible>,
    transcript: Transcript,
    has_ended: bool,
    program: ProgramSpec,
    request: Request,
    /// Timeout for all commands except `bestmove`.
    timeout: Duration,
    /// When the engine was started; `None` once its startup is complete.
    starting_since: Option<Instant>,
}

impl UhpEngine {
    /// Starts an engine.
    pub(super) fn start<G: ArenaGame>(
        program: &ProgramSpec,
        task: &GameTask<'_, G>,
        color: Color,
    ) -> Result<UhpEngine, GameError> {
        let engine = UhpEngine::spawn(program, task.settings);
        engine.map_err(|source| task.cannot_start(color, source))
    }

    fn spawn(program: &ProgramSpec, settings: &GameSettings) -> io::Result<UhpEngine> {
        let mut child = Process::start(program, &program.arguments, |child| {
            let child = child.stdin(Stdio::piped());
            child.stdout(Stdio::piped()).stderr(Stdio::piped());
        })?;
        let (sender, lines) = mpsc::sync_channel(MAX_QUEUED_LINES);
        let (all_read, stderr_end) = mpsc::sync_channel(0);
        let (input, output, errors) = child.take_pipes();
        let engine = UhpEngine {
            child,
            input,
            lines,
            stderr_end,
            transcript: Transcript::default(),
            has_ended: false,
            program: program.clone(),
            request: Request::new(program, settings),
            timeout: settings.join_timeout,
            starting_since: Some(clock::now()),
        };
        let transcript = engine.transcript.clone();
        let add_line = move |text: Option<String>| {
            let arrived_at = clock::now();
            transcript.add(Speaker::Engine, text.as_deref().unwrap_or(TOO_LONG));
            sender.send(OutputLine { text, arrived_at }).is_ok()
        };
        let transcript = engine.transcript.clone();
        let add_error = move |text: Option<String>| {
            transcript.add(Speaker::Stderr, text.as_deref().unwrap_or(TOO_LONG));
            true
        };
        if let Some(output) = output {
            thread::Builder::new().spawn(move || for_each_line(output, add_line))?;
        }
        if let Some(errors) = errors {
            thread::Builder::new().spawn(move || {
                for_each_line(errors, add_error);
                drop::<SyncSender<Infallible>>(all_read);
            })?;
        }
        Ok(engine)
    }

    /// Waits for the engine's `info`, then sets its options.
    fn set_up<G: ArenaGame>(
        &mut self,
        task: &GameTask<'_, G>,
        color: Color,
    ) -> Result<(), Failure> {
        let Some(started) = self.starting_since.take() else {
            return Ok(());
        };
        let info = self.read_answer(started, self.timeout, task.stop);
        let info = info.map_err(|failure| {
            let Failure::Fault { end, .. } = failure else {
                return failure;
            };
            if let Some(error) = self.start_error() {
                return Failure::Error(task.cannot_start(color, error));
            }
            match end {
                GameEnd::Hang => {
                    let timeout = self.timeout.as_secs_f64();
                    let detail = format!("did not send its info within {timeout} s");
                    Failure::fault(GameEnd::NeverJoined, detail)
                }
                _ => failure,
            }
        })?;
        let unusable = |problem: String| {
            let name = &task.engines[color].1.name;
            Err(Failure::Error(GameError::unusable(name, problem)))
        };
        let extensions: Vec<&str> = info.last.split(';').map(str::trim).collect();
        let variant = task.opening.variant();
        if !info.last.is_empty() && !G::is_supported_with(variant, &extensions) {
            return unusable(format!("does not play {variant}"));
        }
        let program = self.program.clone();
        for (setting, value) in program.settings() {
            let command = format!("options set {setting} {value}");
            let answer = self.ask(&command, self.timeout, task.stop)?;
            if let Some(error) = answer.error() {
                let option = format!("{setting} {value}");
                return unusable(format!("rejected the option `{option}`: {error}"));
            }
        }
        Ok(())
    }

    /// Kills the engine. Returns an error if it could not be executed.
    fn start_error(&mut self) -> Option<io::Error> {
        self.end();
        let last = self.transcript.last_line().unwrap_or_default();
        self.child.start_error(last.trim_start_matches("! "))
    }

    /// Kills the engine and its descendants. Afterwards the transcript is complete.
    fn end(&mut self) {
        if !self.has_ended {
            self.has_ended = true;
            self.child.kill();
            // A surviving descendant may still hold standard error open.
            let _ = self.stderr_end.recv_timeout(EXIT_TIMEOUT);
        }
    }

    /// Sends a command and waits for the answer.
    fn ask(
        &mut self,
        command: &str,
        timeout: Duration,
        stop: &AtomicBool,
    ) -> Result<Answer, Failure> {
        let request_sent_at = clock::now();
        self.send(command);
        self.read_answer(request_sent_at, timeout, stop)
    }

    /// Sends a command. Errors are ignored: if the engine has exited, its output ends too, which is
    /// noticed after its last lines have been read.
    fn send(&mut self, command: &str) {
        self.transcript.add(Speaker::Referee, command);
        if let Some(input) = &mut self.input {
            let _ = input.write_all(format!("{command}\n").as_bytes());
        }
    }

    /// Waits for the answer to a request sent at `request_sent_at`.
    fn read_answer(
        &mut self,
        request_sent_at: Instant,
        timeout: Duration,
        stop: &AtomicBool,
    ) -> Result<Answer, Failure> {
        let mut answer = Answer::default();
        loop {
            if stop.load(Ordering::Relaxed) {
                return Err(Failure::Stopped);
            }
            let left = timeout.saturating_sub(clock::since(request_sent_at));
            let line = match self.lines.recv_timeout(left.min(STOP_CHECK_INTERVAL)) {
                Ok(line) => line,
                Err(RecvTimeoutError::Timeout) if left.is_zero() => {
                    return Err(Failure::hang(timeout));
                }
                Err(RecvTimeoutError::Timeout) => continue,
                Err(RecvTimeoutError::Disconnected) => return Err(self.child.exit_fault()),
            };
            // Measured by the arrival of the line, not by its removal from the queue.
            let elapsed = line.arrived_at.saturating_duration_since(request_sent_at);
            if elapsed > timeout {
                return Err(Failure::hang(timeout));
            }
            let Some(text) = line.text else {
                let detail = format!("a line of more than {MAX_LINE} bytes");
                return Err(Failure::fault(GameEnd::Malformed, detail));
            };
            if text == END_OF_ANSWER {
                return Ok(Answer { elapsed, ..answer });
            }
            if answer.first.is_empty() {
                answer.first.clone_from(&text);
            }
            if !text.is_empty() {
                answer.last = text;
            }
        }
    }
}

impl<G: ArenaGame> Seat<G> for UhpEngine {
    fn begin(&mut self, task: &GameTask<'_, G>, color: Color) -> Result<(), Failure> {
        self.set_up(task, color)?;
        let answer = self.ask(
            &format!("newgame {}", task.opening),
            self.timeout,
            task.stop,
        )?;
        // UHP has no format for other start positions, so an engine may reject them.
        if let Some(error) = answer.error()
            && is_plain(&task.opening.to_string())
        {
            let name = &task.engines[color].1.name;
            let problem = format!("cannot start from this position: {error}");
            return Err(Failure::Error(GameError::unusable(name, problem)));
        }
        answer.check(task.opening)
    }

    fn choose(&mut self, task: &GameTask<'_, G>, _record: &Record<G>) -> Result<Reply, Failure> {
        let Request {
            command,
            time_limit,
            timeout,
        } = self.request.clone();
        let answer = self.ask(&command, timeout, task.stop)?;
        if let Some(error) = answer.error() {
            return Err(Failure::fault(GameEnd::Refusal, error));
        }
        if answer.mv().is_empty() {
            let detail = "answered without a move";
            return Err(Failure::fault(GameEnd::IllegalMove, detail));
        }
        // Engines use different units for scores, so they are not passed on as a hint.
        Ok(Reply {
            mv: answer.mv().to_owned(),
            elapsed: answer.elapsed,
            late_by: lateness(answer.elapsed, time_limit),
            ..Reply::default()
        })
    }

    fn opponent_moved(
        &mut self,
        task: &GameTask<'_, G>,
        record: &Record<G>,
        _comment: Option<String>,
    ) -> Result<(), Failure> {
        let Some(ply) = record.plies().last() else {
            return Ok(());
        };
        let answer = self.ask(&format!("play {}", ply.text), self.timeout, task.stop)?;
        answer.check(record)
    }

    fn close(&mut self, _stop: &AtomicBool) -> ProgramOutput {
        ProgramOutput {
            output: self.transcript.take(),
            ..ProgramOutput::default()
        }
    }

    fn is_reusable(&self) -> bool {
        true
    }

    fn kill(&mut self) {
        self.end();
    }
}

impl Drop for UhpEngine {
    fn drop(&mut self) {
        if !self.has_ended {
            self.send("exit");
            self.input = None;
            self.child.exits_within(EXIT_TIMEOUT, None);
            self.end();
        }
    }
}

/// Calls `receive` for each line, without trailing white space, until it returns false. Passes
/// `None` for lines longer than [`MAX_LINE`].
fn for_each_line(input: impl Read, mut receive: impl FnMut(Option<String>) -> bool) {
    let mut input = BufReader::new(input);
    loop {
        let line = match read_line(&mut input, MAX_LINE) {
            Ok(Line::Complete(line)) => Some(String::from_utf8_lossy(&line).trim_end().to_owned()),
            Ok(Line::TooLong) => None,
            Ok(Line::End) | Err(_) => return,
        };
        let is_too_long = line.is_none();
        if !receive(line) || (is_too_long && input.skip_until(b'\n').is_err()) {
            return;
        }
    }
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
            elapsed: Duration::ZERO,
        };
        assert_eq!(answer.mv(), "wA1 -bQ");
    }

    #[test]
    fn requests_follow_the_options() {
        let settings = GameSettings {
            move_time: Duration::from_millis(100),
            margin: Duration::from_millis(50),
            ..GameSettings::default()
        };
        for (options, command, time_limit, timeout) in [
            ("time=2000", "time 00:00:02", 2_050, 10_250),
            ("time=3723000", "time 01:02:03", 3_723_050, 18_615_250),
            ("", "time 00:00:00.100", 150, 750),
            ("depth=4", "depth 4", 60_000, 60_000),
        ] {
            let engine: EngineSpec = format!("uhp:x {options}").parse().unwrap();
            let EnginePlayer::Program(program) = engine.player else {
                panic!("{options}");
            };
            let expected = Request {
                command: format!("bestmove {command}"),
                time_limit: Duration::from_millis(time_limit),
                timeout: Duration::from_millis(timeout),
            };
            assert_eq!(Request::new(&program, &settings), expected);
        }
    }
}
