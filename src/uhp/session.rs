//! The dialogue: lines in, answers out, a search in between.

use std::collections::VecDeque;
use std::io::{self, Write};
use std::mem;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::time::Duration;

use super::command;
use super::engine::{Engine, Reply, info};
use super::options::Options;
use super::perft::Counting;
use super::searcher::Running;
use crate::search::{Limits, StandardEvaluator, StandardSearcher};

/// Time between two looks at what a search thinks best.
const BETWEEN_REPORTS: Duration = Duration::from_millis(100);

/// How long an interrupt of an idle engine waits for the line that it may have overtaken: signals and input come on ways of
/// their own.
const LINE_ON_ITS_WAY: Duration = Duration::from_millis(100);

/// What reaches the engine from outside, and from its own threads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// A line of input.
    Line(String),
    /// There is no more input.
    EndOfInput,
    /// Ctrl-C: ends a search, or, when there is none, the engine.
    Interrupt,
    /// A search or a count is done.
    Done,
}

/// What an interrupt does when there is nothing to interrupt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IdleInterrupt {
    /// It ends the engine: who types at a terminal expects that.
    Ends,
    /// Nothing: a viewer's interrupt may come just after the search that it is meant for has ended.
    Ignored,
}

/// How a session ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// By `exit`, or with the input.
    Exit,
    /// By an interrupt while nothing was going on.
    Interrupted,
}

/// A dialogue with one viewer.
pub struct Session<O, L> {
    events: Receiver<Event>,
    sender: Sender<Event>,
    out: O,
    log: Option<L>,
    engine: Engine,
    evaluator: StandardEvaluator,
    searcher: StandardSearcher,
    ponder: Option<Running>,
    /// Input that came while a search was going on.
    waiting: VecDeque<Event>,
    /// Whether the next line is that of a search which is interrupted already.
    overtaken: bool,
    idle_interrupt: IdleInterrupt,
}

/// Whether more follows.
enum Next {
    Continue,
    End(Ending),
}

impl<O: Write, L: Write> Session<O, L> {
    /// A session that hears `events`, of which `sender` is the other end, begins with `options`, does with interrupts while it is
    /// idle as `idle_interrupt` says, answers to `out` and keeps the dialogue in `log`.
    pub fn new(
        events: Receiver<Event>,
        sender: Sender<Event>,
        options: Options,
        idle_interrupt: IdleInterrupt,
        out: O,
        log: Option<L>,
    ) -> Session<O, L> {
        Session {
            events,
            sender,
            out,
            log,
            evaluator: options.evaluation.evaluator(),
            engine: Engine::new(options),
            searcher: StandardSearcher::default(),
            ponder: None,
            waiting: VecDeque::new(),
            overtaken: false,
            idle_interrupt,
        }
    }

    /// Answers until the end.
    ///
    /// # Errors
    /// When an answer cannot be written.
    pub fn run(mut self) -> io::Result<Ending> {
        self.answer(&info())?;
        loop {
            let event = match self.waiting.pop_front() {
                Some(event) => event,
                None => self.events.recv().unwrap_or(Event::EndOfInput),
            };
            match event {
                Event::Line(line) => {
                    if let Next::End(ending) = self.line(&line)? {
                        return Ok(ending);
                    }
                }
                Event::EndOfInput => return Ok(Ending::Exit),
                Event::Interrupt => {
                    let soon = || self.events.recv_timeout(LINE_ON_ITS_WAY).ok();
                    let Some(event) = self.waiting.pop_front().or_else(soon) else {
                        match self.idle_interrupt {
                            IdleInterrupt::Ends => return Ok(Ending::Interrupted),
                            IdleInterrupt::Ignored => continue,
                        }
                    };
                    // It overtook the line of the search that it is meant for.
                    self.overtaken = event != Event::Interrupt;
                    self.waiting.push_front(event);
                }
                // What was pondered is over.
                Event::Done => {}
            }
        }
    }

    fn line(&mut self, line: &str) -> io::Result<Next> {
        self.keep("> ", line)?;
        if line.trim().is_empty() {
            return Ok(Next::Continue);
        }
        self.stop_pondering();
        let overtaken = mem::take(&mut self.overtaken);
        let reply = match command::parse(line) {
            Ok(command) => {
                let begins = matches!(command, command::Command::NewGame(_));
                let judged_by = self.engine.options.evaluation.clone();
                let reply = self.engine.execute(command);
                if self.engine.options.evaluation != judged_by {
                    self.evaluator = self.engine.options.evaluation.evaluator();
                    // The trees hold what the other one said.
                    self.searcher = StandardSearcher::default();
                }
                if begins {
                    self.searcher.new_game();
                }
                reply
            }
            Err(error) => Reply::error(error),
        };
        match reply {
            Reply::Lines(lines) => self.answer(&lines)?,
            Reply::Search(limits) => self.search(limits, overtaken)?,
            Reply::Perft(depth) => self.perft(depth)?,
            Reply::Exit => {
                self.answer(&[])?;
                return Ok(Next::End(Ending::Exit));
            }
        }
        self.start_pondering();
        Ok(Next::Continue)
    }

    fn search(&mut self, limits: Limits, is_interrupted: bool) -> io::Result<()> {
        let Some(running) = self.start(limits) else {
            return self.answer(&["err The search could not be started.".to_owned()]);
        };
        if is_interrupted {
            running.stop();
        }
        self.wait_for(&running, limits == Limits::Infinite)?;
        let (searcher, findings) = running.finish();
        self.searcher = searcher;
        let lines = self.engine.answer(&findings);
        self.answer(&lines)
    }

    /// Waits for the end of a search; tells meanwhile, if wanted, what looks best.
    fn wait_for(&mut self, running: &Running, has_no_end: bool) -> io::Result<()> {
        if !self.engine.options.report_intermediate {
            self.wait(has_no_end, || running.stop());
            return Ok(());
        }
        let mut told = None;
        loop {
            match self.events.recv_timeout(BETWEEN_REPORTS) {
                Ok(Event::Done) | Err(RecvTimeoutError::Disconnected) => return Ok(()),
                Ok(event) => self.meanwhile(event, has_no_end, || running.stop()),
                Err(RecvTimeoutError::Timeout) => {}
            }
            let best = running.best_so_far();
            if best != told
                && let (Some(mv), Some(game)) = (best, &self.engine.game)
                && game.position().check(mv).is_ok()
            {
                let line = game.write(mv);
                writeln!(self.out, "{line}")?;
                self.out.flush()?;
                self.keep("< ", &line)?;
            }
            told = best;
        }
    }

    fn start(&mut self, limits: Limits) -> Option<Running> {
        let game = self.engine.game.as_ref()?;
        let (searcher, sender) = (mem::take(&mut self.searcher), self.sender.clone());
        let at_end = move || {
            let _ = sender.send(Event::Done);
        };
        let options = &self.engine.options;
        Running::start(searcher, game, options, &self.evaluator, limits, at_end)
            .inspect_err(|error| log::error!("no thread for the search: {error}"))
            .ok()
    }

    /// Waits until what is going on is done. An interrupt ends it, and where nothing else will, any input does.
    fn wait(&mut self, has_no_end: bool, stop: impl Fn()) {
        loop {
            match self.events.recv() {
                Ok(Event::Done) | Err(_) => return,
                Ok(event) => self.meanwhile(event, has_no_end, &stop),
            }
        }
    }

    /// Takes what comes in while something is going on.
    fn meanwhile(&mut self, event: Event, has_no_end: bool, stop: impl Fn()) {
        if event == Event::Interrupt {
            stop();
            return;
        }
        if has_no_end {
            stop();
        }
        self.waiting.push_back(event);
    }

    fn start_pondering(&mut self) {
        let options = &self.engine.options;
        let has_choice = self
            .engine
            .game
            .as_ref()
            .is_some_and(|game| game.legal_moves().len() > 1);
        if options.pondering && has_choice && options.most_nodes().is_none() {
            self.ponder = self.start(Limits::Infinite);
        }
    }

    fn stop_pondering(&mut self) {
        if let Some(running) = self.ponder.take() {
            running.stop();
            (self.searcher, _) = running.finish();
            // It tells of its end; nobody must take that for the end of another search.
            while let Ok(event) = self.events.recv() {
                if event == Event::Done {
                    break;
                }
                self.waiting.push_back(event);
            }
        }
    }

    fn perft(&mut self, depth: u32) -> io::Result<()> {
        let Some(game) = &self.engine.game else {
            return self.answer(&[]);
        };
        let sender = self.sender.clone();
        let at_end = move || {
            let _ = sender.send(Event::Done);
        };
        let Ok(counting) = Counting::start(game.position(), depth, at_end) else {
            return self.answer(&["err The count could not be started.".to_owned()]);
        };
        self.wait(false, || counting.stop());
        let lines = counting.finish();
        self.answer(&lines)
    }

    /// The lines, and `ok`.
    fn answer(&mut self, lines: &[String]) -> io::Result<()> {
        for line in lines.iter().map(String::as_str).chain(["ok"]) {
            writeln!(self.out, "{line}")?;
            self.keep("< ", line)?;
        }
        self.out.flush()
    }

    fn keep(&mut self, mark: &str, line: &str) -> io::Result<()> {
        match &mut self.log {
            Some(log) => {
                writeln!(log, "{mark}{line}")?;
                log.flush()
            }
            None => Ok(()),
        }
    }
}

impl<O, L> Drop for Session<O, L> {
    fn drop(&mut self) {
        if let Some(running) = self.ponder.take() {
            running.stop();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use super::*;

    /// How a session ends that hears these events, and what it answers.
    fn dialogue(
        idle_interrupt: IdleInterrupt,
        events: impl IntoIterator<Item = Event>,
    ) -> (Ending, String) {
        let (sender, receiver) = channel();
        for event in events {
            sender.send(event).unwrap();
        }
        let mut out = Vec::new();
        let log: Option<Vec<u8>> = None;
        let options = Options::default();
        let session = Session::new(receiver, sender, options, idle_interrupt, &mut out, log);
        let ending = session.run().unwrap();
        (ending, String::from_utf8(out).unwrap())
    }

    fn line(text: &str) -> Event {
        Event::Line(text.to_owned())
    }

    #[test]
    fn an_interrupt_that_overtakes_its_search_ends_that_and_not_the_engine() {
        let (ending, out) = dialogue(
            IdleInterrupt::Ends,
            [
                line("newgame Base"),
                line("play wS1"),
                Event::Interrupt,
                line("bestmove"),
                line("exit"),
            ],
        );
        assert_eq!(ending, Ending::Exit);
        let last: Vec<&str> = out.lines().rev().take(3).collect();
        assert!(
            matches!(last[..], ["ok", "ok", mv] if mv.starts_with('b')),
            "{out}"
        );
    }

    #[test]
    fn an_interrupt_without_anything_to_interrupt_ends_the_engine_or_does_nothing() {
        let interrupts = || [line("newgame Base"), Event::Interrupt, Event::Interrupt];
        let (ending, _) = dialogue(IdleInterrupt::Ends, interrupts());
        assert_eq!(ending, Ending::Interrupted);
        let then_exit = interrupts().into_iter().chain([line("exit")]);
        let (ending, _) = dialogue(IdleInterrupt::Ignored, then_exit);
        assert_eq!(ending, Ending::Exit);
    }
}
