//! An engine as a child process that is asked line by line.

use std::convert::Infallible;
use std::io::{self, BufRead, BufReader, Cursor, Read, Write};
use std::process::{ChildStdin, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender};
use std::thread;
use std::time::{Duration, Instant};

use super::process::Process;
use super::program::ProgramSpec;
use super::record::GameEnd;
use super::seat::{Failure, silence};
use super::transcript::{Transcript, Voice};
use wabe_engine::clock;

/// Maximum length of a line in bytes; the rest of a longer one is read as the next.
const MAX_LINE: u64 = 1 << 16;

/// Maximum number of lines that wait to be read. An engine that writes more has to wait.
const WAITING_LINES: usize = 64;

/// How often the stop flag is checked while an engine thinks.
const STOP_CHECK_INTERVAL: Duration = Duration::from_millis(50);

/// How long an engine may take to exit on request.
const EXIT_TIMEOUT: Duration = Duration::from_secs(2);

/// The line that ends every answer.
const END_OF_ANSWER: &str = "ok";

/// A started engine. Dropping this asks it to exit, and then kills it with everything that it has started.
#[derive(Debug)]
pub(super) struct EngineProcess {
    /// `None` if the answers were written in advance.
    child: Option<Process>,
    input: Option<ChildStdin>,
    lines: Receiver<Line>,
    /// Disconnects once everything written to standard error has been read.
    asides: Receiver<Infallible>,
    transcript: Transcript,
    has_ended: bool,
}

/// A line of an engine's output.
#[derive(Debug)]
struct Line {
    text: String,
    at: Instant,
}

/// The first and the last line of an answer, `ok` left out; empty for an answer without lines.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Answer {
    pub(super) first: String,
    pub(super) last: String,
    /// From the question to the end of the answer.
    pub(super) took: Duration,
}

impl Answer {
    /// The answer as an error, if it is one.
    pub(super) fn error(&self) -> Option<&str> {
        let is_error = |line: &&str| line.starts_with("err") || line.starts_with("invalidmove");
        Some(self.first.as_str()).filter(is_error)
    }
}

impl EngineProcess {
    /// Starts an engine.
    ///
    /// # Errors
    /// When it cannot be started.
    pub(super) fn start(program: &ProgramSpec) -> io::Result<EngineProcess> {
        let mut child = Process::start(program, &program.arguments, |child| {
            let child = child.stdin(Stdio::piped());
            child.stdout(Stdio::piped()).stderr(Stdio::piped());
        })?;
        let transcript = Transcript::default();
        let (sender, lines) = mpsc::sync_channel(WAITING_LINES);
        let (all_read, asides) = mpsc::sync_channel(0);
        let (input, output, errors) = child.take_pipes();
        let process = EngineProcess {
            child: Some(child),
            input,
            lines,
            asides,
            transcript: transcript.clone(),
            has_ended: false,
        };
        if let Some(output) = output {
            let transcript = transcript.clone();
            let read = move || read_lines(BufReader::new(output), &transcript, &sender);
            thread::Builder::new().spawn(read)?;
        }
        if let Some(errors) = errors {
            let read = move || {
                for_each_line(BufReader::new(errors), |text| {
                    transcript.add(Voice::Aside, &text);
                    true
                });
                drop::<SyncSender<Infallible>>(all_read);
            };
            thread::Builder::new().spawn(read)?;
        }
        Ok(process)
    }

    /// An engine that has already written all its answers, whatever it will be asked.
    ///
    /// # Errors
    /// When there is no thread to read them.
    pub(super) fn of_answers(answers: Vec<u8>) -> io::Result<EngineProcess> {
        let transcript = Transcript::default();
        let (sender, lines) = mpsc::sync_channel(WAITING_LINES);
        let (_, asides) = mpsc::sync_channel(0);
        let process = EngineProcess {
            child: None,
            input: None,
            lines,
            asides,
            transcript: transcript.clone(),
            has_ended: false,
        };
        let read = move || read_lines(Cursor::new(answers), &transcript, &sender);
        thread::Builder::new().spawn(read)?;
        Ok(process)
    }

    /// The lines since the last call.
    pub(super) fn take_transcript(&self) -> String {
        self.transcript.take()
    }

    /// The error of an engine that ended because it could not be executed. Kills what is left of it.
    pub(super) fn start_error(&mut self) -> Option<io::Error> {
        self.kill();
        let output = self.transcript.take();
        let last = output.lines().last().unwrap_or_default();
        let child = self.child.as_mut()?;
        child.start_error(last.trim_start_matches("! "))
    }

    /// Kills the engine and everything that it has started. What it wrote before that is in the transcript.
    pub(super) fn kill(&mut self) {
        if self.has_ended {
            return;
        }
        self.has_ended = true;
        if let Some(child) = &mut self.child {
            child.kill();
        }
        // A process that has escaped from the engine may still hold standard error open.
        let _ = self.asides.recv_timeout(EXIT_TIMEOUT);
    }

    /// Sends a command and waits for the answer.
    pub(super) fn ask(
        &mut self,
        command: &str,
        timeout: Duration,
        stop: &AtomicBool,
    ) -> Result<Answer, Failure> {
        let request_sent_at = clock::now();
        self.transcript.add(Voice::Referee, command);
        // A dead engine is noticed by the end of its output, after everything that it still wrote.
        let _ = self.send(command);
        self.answer(request_sent_at, timeout, stop)
    }

    /// Waits for the answer to the request sent at `request_sent_at`.
    pub(super) fn answer(
        &mut self,
        request_sent_at: Instant,
        timeout: Duration,
        stop: &AtomicBool,
    ) -> Result<Answer, Failure> {
        let hang = || Failure::fault(GameEnd::Hang, silence(timeout));
        let mut answer = Answer::default();
        loop {
            if stop.load(Ordering::Relaxed) {
                return Err(Failure::Stopped);
            }
            let left = timeout.saturating_sub(clock::since(request_sent_at));
            match self.lines.recv_timeout(left.min(STOP_CHECK_INTERVAL)) {
                // The arrival of the line counts, not the time at which it is taken from the queue.
                Ok(line) if line.at.saturating_duration_since(request_sent_at) > timeout => {
                    return Err(hang());
                }
                Ok(line) if line.text == END_OF_ANSWER => {
                    answer.took = line.at.saturating_duration_since(request_sent_at);
                    return Ok(answer);
                }
                Ok(line) if line.text.is_empty() => {}
                Ok(line) => {
                    if answer.first.is_empty() {
                        answer.first.clone_from(&line.text);
                    }
                    answer.last = line.text;
                }
                Err(RecvTimeoutError::Timeout) if left.is_zero() => return Err(hang()),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    let child = self.child.as_mut();
                    return Err(child.map_or(Failure::fault(GameEnd::Left, ""), Process::departure));
                }
            }
        }
    }

    fn send(&mut self, command: &str) -> io::Result<()> {
        match &mut self.input {
            Some(input) => {
                input.write_all(format!("{command}\n").as_bytes())?;
                input.flush()
            }
            None => Ok(()),
        }
    }
}

impl Drop for EngineProcess {
    fn drop(&mut self) {
        if !self.has_ended {
            let _ = self.send("exit");
            self.input = None;
            if let Some(child) = &mut self.child {
                child.exits_within(EXIT_TIMEOUT, None);
            }
        }
        self.kill();
    }
}

/// Passes on what an engine writes, with the time of each line.
fn read_lines(output: impl BufRead, transcript: &Transcript, lines: &SyncSender<Line>) {
    for_each_line(output, |text| {
        let at = clock::now();
        transcript.add(Voice::Engine, &text);
        lines.send(Line { text, at }).is_ok()
    });
}

/// Calls `receive` with every line, without white space at its end, until it returns false.
fn for_each_line(mut input: impl BufRead, mut receive: impl FnMut(String) -> bool) {
    loop {
        let mut line = Vec::new();
        let read = input.by_ref().take(MAX_LINE).read_until(b'\n', &mut line);
        match read {
            Ok(0) | Err(_) => return,
            Ok(_) => {
                let text = String::from_utf8_lossy(&line).trim_end().to_owned();
                if !receive(text) {
                    return;
                }
            }
        }
    }
}
