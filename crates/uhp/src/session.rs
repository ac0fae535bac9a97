//! The dialogue with a viewer.

use std::collections::VecDeque;
use std::io::{self, Write};
use std::mem;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::command;
use super::interpreter::{Interpreter, Reply, info};
use super::options::Options;
use wabe_engine::search::{Limits, Line, PlayerSpec, Progress};
use wabe_engine::thread::{Answer, Engine, Pondering, Thinking};
use wabe_engine::{Frame, Playable};
use wabe_hive::perft::perft_bulk;
use wabe_hive::standard::StandardRecord;
use wabe_hive::standard::{self, Move, Wide};
use wabe_hive::{MoveList, Position, RuleBook};

/// Time between two reports of the best move so far.
const BETWEEN_REPORTS: Duration = Duration::from_millis(100);

/// Time that an interrupt of an idle engine waits for the line that it may have overtaken: signals and input arrive on different
/// threads.
const LINE_ON_ITS_WAY: Duration = Duration::from_millis(100);

/// An event for a session, from outside or from its own threads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// A line of input.
    Line(String),
    /// A line that is longer than any command.
    TooLong,
    /// The end of the input.
    EndOfInput,
    /// Ctrl-C: ends the search, or else the engine.
    Interrupt,
    /// A search or a count is done.
    Done,
}

/// Largest number of lines that may wait to be answered.
const MAX_WAITING: usize = 256;

/// The number of lines that wait to be answered. Clones share one number.
#[derive(Clone, Debug, Default)]
pub struct Backlog(Arc<(Mutex<usize>, Condvar)>);

impl Backlog {
    /// Waits while too many lines wait, then counts another line of input.
    pub fn add(&self) {
        let (waiting, is_less) = &*self.0;
        let waiting = waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let has_room = is_less.wait_while(waiting, |waiting| *waiting >= MAX_WAITING);
        *has_room.unwrap_or_else(PoisonError::into_inner) += 1;
    }

    fn take(&self) {
        let (waiting, is_less) = &*self.0;
        let mut waiting = waiting.lock().unwrap_or_else(PoisonError::into_inner);
        *waiting = waiting.saturating_sub(1);
        is_less.notify_one();
    }
}

/// The effect of an interrupt while nothing runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IdleInterrupt {
    /// It ends the engine, as expected at a terminal.
    Ends,
    /// It is ignored: a viewer's interrupt may arrive just after the end of its search.
    Ignored,
}

/// The end of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// `exit` or the end of the input ended the session.
    Exit,
    /// An interrupt ended the session while nothing ran.
    Interrupted,
}

/// A dialogue with one viewer.
pub struct Session<O, L> {
    events: Receiver<Event>,
    sender: Sender<Event>,
    out: O,
    log: Option<L>,
    interpreter: Interpreter,
    /// The engine and its player, which is rebuilt when the options change; `None` before the first search.
    engine: Option<(PlayerSpec, Engine<Wide>)>,
    pondering: Option<Pondering>,
    /// Input that arrived during a search or a count.
    waiting: VecDeque<Event>,
    /// Input that waits, on its way or in `waiting`.
    backlog: Backlog,
    /// True if an interrupt has overtaken the next line.
    overtaken: bool,
    idle_interrupt: IdleInterrupt,
}

/// The input that ends a search or a count early. An interrupt always does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum EndedBy {
    /// Any line, and the end of the input: nothing else would end the search.
    Input,
    /// No input: bot runners close the pipe once they have sent their last command.
    Nothing,
}

impl EndedBy {
    fn of(limits: Limits) -> EndedBy {
        match limits {
            Limits::Infinite => EndedBy::Input,
            _ => EndedBy::Nothing,
        }
    }
}

/// A search whose end is an [`Event::Done`].
struct Search {
    thinking: Thinking<Wide>,
    answer: Receiver<Answer<Wide>>,
}

/// Sends [`Event::Done`] at the end of a task, however it ends.
struct DoneWhenDropped(Sender<Event>);

impl Drop for DoneWhenDropped {
    fn drop(&mut self) {
        // The session may be over.
        let _ = self.0.send(Event::Done);
    }
}

/// Continues or ends the session.
enum Next {
    Continue,
    End(Ending),
}

impl<O: Write, L: Write> Session<O, L> {
    /// A session that reads `events`, writes its answers to `out`, and logs the dialogue to `log`. `sender` is the other end of
    /// `events`, for the session's own threads.
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
            interpreter: Interpreter {
                game: None,
                options,
            },
            engine: None,
            pondering: None,
            waiting: VecDeque::new(),
            backlog: Backlog::default(),
            overtaken: false,
            idle_interrupt,
        }
    }

    /// The number of lines that wait, for the reader of the input.
    pub fn backlog(&self) -> Backlog {
        self.backlog.clone()
    }

    /// Answers until the session ends.
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
                Event::TooLong => {
                    self.backlog.take();
                    self.overtaken = false;
                    self.answer(&["err The line is too long.".to_owned()])?;
                }
                Event::Line(line) => {
                    self.backlog.take();
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
                    // The interrupt overtook the line of its search.
                    self.overtaken = event != Event::Interrupt;
                    self.waiting.push_front(event);
                }
                // Belongs to a search that is already answered.
                Event::Done => {}
            }
        }
    }

    fn line(&mut self, line: &str) -> io::Result<Next> {
        self.keep("> ", line);
        let overtaken = mem::take(&mut self.overtaken);
        if line.trim().is_empty() {
            return Ok(Next::Continue);
        }
        self.pondering = None;
        let reply = match command::parse(line) {
            Ok(command) => {
                if let (command::Command::NewGame(_), Some((_, engine))) = (&command, &self.engine)
                {
                    engine.new_game();
                }
                self.interpreter.execute(command)
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
        let Some(search) = self.start(limits) else {
            return self.answer(&["err The search could not be started.".to_owned()]);
        };
        let ended_by = EndedBy::of(limits);
        if is_interrupted || (ended_by == EndedBy::Input && !self.waiting.is_empty()) {
            search.thinking.stop();
        }
        self.wait_for(&search.thinking, ended_by)?;
        let chosen = search
            .answer
            .try_recv()
            .ok()
            .and_then(|answer| answer.choice);
        let best = chosen.map(|choice| choice.best.mv);
        let lines: Vec<String> = match &self.interpreter.game {
            Some(game) => {
                let best = best.filter(|&mv| game.position().check(mv).is_ok());
                let mv = best.or_else(|| search.thinking.fallback());
                vec![game.write(mv.unwrap_or(Move::Pass))]
            }
            None => Vec::new(),
        };
        self.answer(&lines)
    }

    /// Waits for the end of a search. If the options say so, reports each new best move or exact result, and the
    /// same one again after twice the iterations.
    fn wait_for(&mut self, thinking: &Thinking<Wide>, ended_by: EndedBy) -> io::Result<()> {
        if !self.interpreter.options.report_intermediate {
            self.wait(ended_by, || thinking.stop());
            return Ok(());
        }
        let mut told = None;
        let mut next_at = 0;
        let mut is_over = false;
        while !is_over {
            match self.events.recv_timeout(BETWEEN_REPORTS) {
                Ok(Event::Done) | Err(RecvTimeoutError::Disconnected) => is_over = true,
                Ok(event) => self.meanwhile(event, ended_by, || thinking.stop()),
                Err(RecvTimeoutError::Timeout) => {}
            }
            let Some(Progress { lines, nodes }) = thinking.progress() else {
                continue;
            };
            if let ([best, ..], Some(game)) = (&lines[..], &self.interpreter.game)
                // An only move is not searched.
                && best.score.is_some()
                && (told != Some((best.mv, best.proof, best.plies)) || nodes >= next_at)
            {
                let line = report(game, best);
                self.write(&line)?;
                told = Some((best.mv, best.proof, best.plies));
                next_at = nodes.saturating_mul(2);
            }
        }
        Ok(())
    }

    /// The engine with the present options. It is replaced when they have changed.
    fn engine(&mut self) -> Option<&Engine<Wide>> {
        let player = self.interpreter.options.player();
        if (self.engine.as_ref()).is_none_or(|(made_with, _)| *made_with != player) {
            // Frees the old trees first.
            self.engine = None;
            // The highest level plays the same game again.
            let is_varied = self.interpreter.options.most_nodes().is_some();
            let seed = if is_varied { rand::random() } else { 0 };
            let prepared = player.prepare::<Wide>(seed);
            let engine = prepared
                .map_err(io::Error::other)
                .and_then(|prepared| Engine::start(Box::new(prepared)));
            let engine = engine
                .inspect_err(|error| log::error!("cannot start the search: {error}"))
                .ok()?;
            self.engine = Some((player, engine));
        }
        self.engine.as_ref().map(|(_, engine)| engine)
    }

    fn start(&mut self, limits: Limits) -> Option<Search> {
        let arrived = Instant::now();
        let game = self.interpreter.game.clone()?;
        let lines = usize::from(self.interpreter.options.report_intermediate);
        let events = self.sender.clone();
        let engine = self.engine()?;
        let done = DoneWhenDropped(events);
        let (sender, answer) = channel();
        let thinking = engine.think(game, limits, arrived, lines, move |answer| {
            let _ = sender.send(answer);
            drop(done);
        });
        Some(Search { thinking, answer })
    }

    /// Waits for the end of a search or a count.
    fn wait(&mut self, ended_by: EndedBy, stop: impl Fn()) {
        loop {
            match self.events.recv() {
                Ok(Event::Done) | Err(_) => return,
                Ok(event) => self.meanwhile(event, ended_by, &stop),
            }
        }
    }

    /// Handles an event during a search or a count.
    fn meanwhile(&mut self, event: Event, ended_by: EndedBy, stop: impl Fn()) {
        if event == Event::Interrupt {
            stop();
            return;
        }
        if ended_by == EndedBy::Input {
            stop();
        }
        self.waiting.push_back(event);
    }

    fn start_pondering(&mut self) {
        let options = &self.interpreter.options;
        if !options.pondering || options.most_nodes().is_some() {
            return;
        }
        let game = self.interpreter.game.clone();
        let with_choice = game.filter(|game| game.legal_moves().len() > 1);
        self.pondering = with_choice.and_then(|game| Some(self.engine()?.ponder(game)));
    }

    fn perft(&mut self, depth: u32) -> io::Result<()> {
        let Some(&position) = self.interpreter.game.as_ref().map(StandardRecord::position) else {
            return self.answer(&[]);
        };
        let stop = AtomicBool::new(false);
        for length in 0..=depth {
            let done = DoneWhenDropped(self.sender.clone());
            let nodes = thread::scope(|scope| {
                let counting = scope.spawn(|| {
                    let _done = done;
                    count_narrow(&position, length, &stop)
                });
                self.wait(EndedBy::Nothing, || stop.store(true, Ordering::Relaxed));
                counting.join().unwrap_or_default()
            });
            let Some(nodes) = nodes else { break };
            // On a closed output, the count ends here.
            self.write(&format!("{length}: {nodes}"))?;
        }
        self.answer(&[])
    }

    /// Writes the lines, and `ok`.
    fn answer(&mut self, lines: &[String]) -> io::Result<()> {
        for line in lines.iter().map(String::as_str).chain(["ok"]) {
            self.write(line)?;
        }
        Ok(())
    }

    /// Writes a line and flushes it.
    fn write(&mut self, line: &str) -> io::Result<()> {
        writeln!(self.out, "{line}")?;
        self.keep("< ", line);
        self.out.flush()
    }

    /// Keeps a line of the dialogue. If the log cannot be written, it ends, and the game continues.
    fn keep(&mut self, mark: &str, line: &str) {
        if let Some(log) = &mut self.log
            && let Err(error) = writeln!(log, "{mark}{line}").and_then(|()| log.flush())
        {
            log::error!("the log of the dialogue ends: it cannot be written: {error}");
            self.log = None;
        }
    }
}

/// Depth up to which a count does not check the stop signal.
const UNINTERRUPTED: u32 = 3;

/// The number of sequences; `None` when stopped. Counts on the narrow board if all of them stay on it.
fn count_narrow(position: &standard::Position, depth: u32, stop: &AtomicBool) -> Option<u64> {
    let frame = <Wide as Playable>::Frame::for_plies(position, depth);
    match frame.and_then(|frame| frame.narrow(position)) {
        Some(narrow) => count(&narrow, depth, stop),
        None => count(position, depth, stop),
    }
}

fn count<R: RuleBook>(position: &Position<R>, depth: u32, stop: &AtomicBool) -> Option<u64> {
    if depth <= UNINTERRUPTED {
        return (!stop.load(Ordering::Relaxed)).then(|| perft_bulk(position, depth));
    }
    let mut moves = MoveList::new();
    position.legal_moves(&mut moves);
    moves.iter().try_fold(0u64, |nodes, &mv| {
        Some(nodes.saturating_add(count(&position.after(mv), depth - 1, stop)?))
    })
}

/// A report in Mzinga's form, `move;depth;score;variation…`: the depth is the variation's length in plies, the score 100 times what
/// the side to move expects between a loss (−1) and a win (1).
fn report(game: &StandardRecord, best: &Line<Wide>) -> String {
    let expected = best
        .proof
        .map(|proof| f64::from(proof.score()))
        .or(best.score);
    let variation = game.write_line(best.variation());
    format!(
        "{};{};{:.2};{}",
        game.write(best.mv),
        best.plies.map_or(variation.len(), usize::from),
        200.0 * expected.unwrap_or(0.5) - 100.0,
        variation.join(";")
    )
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::mpsc::channel;

    use super::*;
    use wabe_hive::game::Game;
    use wabe_hive::standard::StandardRecord;

    #[test]
    fn input_that_came_during_a_search_or_a_count_ends_the_next_one() {
        for commands in [
            &["bestmove", "bestmove"][..],
            &["bestmove", "bestmove depth 1", "bestmove"],
            &["bestmove", "bestmove", "info", "bestmove"],
            &["perft 2", "bestmove"],
            &["bestmove depth 1", "bestmove"],
        ] {
            let commands = ["newgame"].into_iter().chain(commands.iter().copied());
            let lines = commands.map(|line| Event::Line(line.to_owned()));
            let events: Vec<Event> = lines.chain([Event::EndOfInput]).collect();
            let answers = events.len();
            let (ending, out) = dialogue(IdleInterrupt::Ends, events);
            assert_eq!(ending, Ending::Exit);
            // The greeting, and one for each line.
            assert_eq!(out.matches("ok\n").count(), answers, "{out}");
        }
    }

    /// Options that do not depend on the machine, so that a search with a limit plays the same move again.
    fn small() -> Options {
        Options {
            threads: 1,
            memory_mib: 16,
            ..Options::default()
        }
    }

    /// The ending and the output of a session with these events.
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
        let options = small();
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

    /// A game whose positions after plies 26, 30 and 34 are the same but for the piece that moved last, whose rest changes no move.
    const REPEATED: &str = r"wP;bL wP-;wM -wP;bM bL-;wA1 \wP;bQ bM/;wQ wM\;bA1 bL\;wM bQ\;bB1 \bM;wA1 bQ/;bM wM;wA2 wA1-;bA1 wA2/;wB1 \wA1;bB2 bB1\;wB1 \bQ;bB1 wB1;wA3 wA2\;bA2 bM\;wA3 wA1\;bA3 bB2\;wG1 wA2\;bA3 wG1-;wL \wP;bA2 \wL;wQ \bL;bB1 wQ/;wQ /wP;bB1 wB1;wQ \bL;bB1 wQ/;wQ /wP;bB1 wB1";

    #[test]
    fn a_third_occurrence_is_a_draw_whichever_piece_rests_if_it_changes_no_move() {
        let record: StandardRecord = format!("Base+MLP;;;{REPEATED}").parse().unwrap();
        assert_eq!(record.plies().len(), 34);
        assert_eq!(record.ending(), Some(wabe_hive::game::Ending::Repetition));
        let occurrence = |plies| Wide::occurrence(record.after(plies).unwrap().position());
        assert_eq!(occurrence(26), occurrence(30));
        assert_eq!(occurrence(30), occurrence(34));

        let (before, last) = REPEATED.rsplit_once(';').unwrap();
        let (_, out) = dialogue(
            IdleInterrupt::Ignored,
            [
                line(&format!("newgame Base+MLP;;;{before}")),
                line(&format!("play {last}")),
                line("bestmove depth 0"),
                line("options set DrawByRepetition False"),
                line(&format!("newgame Base+MLP;;;{before}")),
                line(&format!("play {last}")),
                line("exit"),
            ],
        );
        let answers = out.lines().filter(|line| *line != "ok").skip(2);
        let states: Vec<&str> = answers.filter_map(|line| line.split(';').nth(1)).collect();
        // `bool` is of the option's line; the search was refused.
        let expected = ["InProgress", "Draw", "bool", "InProgress", "InProgress"];
        assert_eq!(states, expected);
        assert!(out.contains("\nerr The game is over."), "{out}");
    }

    /// A bot runner writes its commands and closes the pipe.
    #[test]
    fn limited_searches_ignore_the_end_of_input() {
        for search in ["bestmove depth 4", "bestmove depthorseconds 4 3600"] {
            let answers = |end: Event| {
                let game = line("newgame Base+MLP;;;wS1;bS1 wS1-");
                dialogue(IdleInterrupt::Ignored, [game, line(search), end])
            };
            let (ending, closed) = answers(Event::EndOfInput);
            assert_eq!(ending, Ending::Exit);
            let (_, open) = answers(line("exit"));
            assert_eq!(closed + "ok\n", open, "{search}");
        }
    }

    #[test]
    fn the_end_of_input_ends_unlimited_searches() {
        let events = [line("newgame Base"), line("bestmove"), Event::EndOfInput];
        let (ending, out) = dialogue(IdleInterrupt::Ignored, events);
        assert_eq!(ending, Ending::Exit);
        assert!(out.ends_with("\nok\n"), "{out}");
    }

    /// Fails once that many lines are written.
    struct ClosesAfter(usize);

    impl Write for ClosesAfter {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let lines = bytes.iter().filter(|&&byte| byte == b'\n').count();
            self.0 = (self.0.checked_sub(lines)).ok_or(io::ErrorKind::BrokenPipe)?;
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_count_ends_when_its_output_is_closed() {
        let (sender, receiver) = channel();
        for text in ["newgame", "perft 30"] {
            sender.send(line(text)).unwrap();
        }
        // The greeting has three lines, the new game two.
        let (out, log) = (ClosesAfter(7), None::<Vec<u8>>);
        let options = small();
        let session = Session::new(receiver, sender, options, IdleInterrupt::Ends, out, log);
        let error = session.run().unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::BrokenPipe);
    }

    #[test]
    fn lines_that_nobody_answers_wait_to_be_read() {
        let (backlog, added) = (Backlog::default(), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            scope.spawn(|| {
                for _ in 0..2 * MAX_WAITING {
                    backlog.add();
                    added.fetch_add(1, Ordering::SeqCst);
                }
            });
            for taken in 0..MAX_WAITING {
                while added.load(Ordering::SeqCst) < taken + MAX_WAITING {
                    std::thread::yield_now();
                }
                assert_eq!(added.load(Ordering::SeqCst), taken + MAX_WAITING);
                backlog.take();
            }
        });
        assert_eq!(added.into_inner(), 2 * MAX_WAITING);
    }
}
