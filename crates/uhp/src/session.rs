//! The dialogue with a viewer.

use std::collections::VecDeque;
use std::io::{self, Write};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Instant;

use super::interpreter::{Interpreter, Reply};
use super::options::Options;
use wabe_engine::search::{Limits, PlayerSpec, Progress, REPORT_INTERVAL, RootMove, SystemClock};
use wabe_engine::thread::{Engine, MoveSearch, PlayerFactory, Pondering};
use wabe_engine::{Playable, SearchBoard};
use wabe_hive::perft::perft_bulk;
use wabe_hive::standard::StandardRecord;
use wabe_hive::standard::{self, Move, Standard};
use wabe_hive::{Position, RuleBook};

/// An event for a session, from its caller or from its own threads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// A line of input.
    Line(String),
    /// A line that exceeds the length limit.
    TooLong,
    /// Input was closed.
    EndOfInput,
    /// Ends the search, or the engine if it is idle, like Ctrl-C at a terminal.
    Interrupt,
    /// Ends only the search. A viewer's interrupt may arrive just after a search, when
    /// [`Interrupt`](Event::Interrupt) would end the engine.
    Stop,
    /// A search or a perft run is done.
    Done,
}

/// Why a session ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// `exit`, or the end of input.
    Exit,
    /// An interrupt while idle.
    Interrupted,
}

/// A dialogue with one viewer.
pub struct Session<O, L> {
    events: Receiver<Event>,
    sender: Sender<Event>,
    /// Contains one item per queued line if the number of queued lines is limited.
    queued: Option<Receiver<()>>,
    out: O,
    log: Option<L>,
    interpreter: Interpreter,
    /// Creates the player; `None` for wabe's own, which depends on the options.
    make_player: Option<Box<dyn Fn() -> PlayerFactory<Standard>>>,
    /// The engine and its player; `None` before the first search. Rebuilt when the options change.
    engine: Option<(PlayerSpec, Engine<Standard>)>,
    pondering: Option<Pondering>,
    /// Input received during a search or a perft run.
    waiting: VecDeque<Event>,
}

/// Sends [`Event::Done`] at the end of a task, even if it panics.
struct DoneOnDrop(Sender<Event>);

impl Drop for DoneOnDrop {
    fn drop(&mut self) {
        // Fails only if the session has ended.
        let _ = self.0.send(Event::Done);
    }
}

impl<O: Write, L: Write> Session<O, L> {
    /// Creates a session that reads `events`, writes answers to `out`, and logs the dialogue to
    /// `log`. `sender` is the other end of `events`, for the session's threads.
    pub fn new(
        events: Receiver<Event>,
        sender: Sender<Event>,
        options: Options,
        out: O,
        log: Option<L>,
    ) -> Session<O, L> {
        Session {
            events,
            sender,
            queued: None,
            out,
            log,
            interpreter: Interpreter {
                name: None,
                game: None,
                options,
            },
            make_player: None,
            engine: None,
            pondering: None,
            waiting: VecDeque::new(),
        }
    }

    /// Limits the number of lines that wait for an answer to the capacity of a bounded channel. The
    /// reader of the input must send an item before each line; the session receives one for each
    /// line that it starts to answer.
    pub fn with_queue_limit(self, queued: Receiver<()>) -> Session<O, L> {
        Session {
            queued: Some(queued),
            ..self
        }
    }

    /// Replaces wabe's name and player by others. The options for threads, memory, strength and
    /// evaluation then have no effect.
    pub fn with_player(
        mut self,
        name: String,
        make_player: impl Fn() -> PlayerFactory<Standard> + 'static,
    ) -> Session<O, L> {
        self.interpreter.name = Some(name);
        self.make_player = Some(Box::new(make_player));
        self
    }

    /// Processes events until the session ends.
    ///
    /// # Errors
    /// When writing an answer fails.
    pub fn run(mut self) -> io::Result<Ending> {
        self.answer(&self.interpreter.info())?;
        loop {
            let event = match self.waiting.pop_front() {
                Some(event) => event,
                None => self.events.recv().unwrap_or(Event::EndOfInput),
            };
            if let (Event::Line(_) | Event::TooLong, Some(queued)) = (&event, &self.queued) {
                // Cannot fail: there is one item per line.
                let _ = queued.try_recv();
            }
            match event {
                Event::TooLong => self.answer(&["err The line is too long.".to_owned()])?,
                Event::Line(line) => {
                    if self.handle_line(&line)?.is_break() {
                        return Ok(Ending::Exit);
                    }
                }
                Event::EndOfInput => return Ok(Ending::Exit),
                Event::Interrupt => return Ok(Ending::Interrupted),
                // For a search that has already been answered.
                Event::Stop | Event::Done => {}
            }
        }
    }

    /// Answers a line; `Break` after `exit`.
    fn handle_line(&mut self, line: &str) -> io::Result<ControlFlow<()>> {
        self.log_line("> ", line);
        if line.trim().is_empty() {
            return Ok(ControlFlow::Continue(()));
        }
        self.pondering = None;
        match self.interpreter.execute(line) {
            Reply::Lines(lines) => self.answer(&lines)?,
            Reply::NewGame(line) => {
                if let Some((_, engine)) = &self.engine {
                    engine.new_game();
                }
                self.answer(&[line])?;
            }
            Reply::Search(game, limits) => self.search(&game, limits)?,
            Reply::Perft(position, depth) => self.perft(&position, depth)?,
            Reply::Exit => {
                self.answer(&[])?;
                return Ok(ControlFlow::Break(()));
            }
        }
        self.start_pondering();
        Ok(ControlFlow::Continue(()))
    }

    /// Searches a game and answers with the best move.
    fn search(&mut self, game: &StandardRecord, limits: Limits) -> io::Result<()> {
        let clock = SystemClock::since(Instant::now());
        let lines = usize::from(self.interpreter.options.report_intermediate);
        let (sender, answer) = channel();
        let to_self = self.sender.clone();
        let Some(engine) = self.engine() else {
            return self.answer(&["err Cannot start the search.".to_owned()]);
        };
        // Created only when a search starts, because a stale event would end the next search.
        let done = DoneOnDrop(to_self);
        let thinking = engine.think(clock, game.clone(), limits, lines, move |answer| {
            let _ = sender.send(answer);
            drop(done);
        });
        // Input ends only unlimited searches: bot runners close the pipe after their last command.
        let stop_on_input = limits == Limits::Infinite;
        if stop_on_input && !self.waiting.is_empty() {
            thinking.stop();
        }
        self.wait_for_search(game, &thinking, stop_on_input)?;
        let choice = answer.try_recv().ok().and_then(|answer| answer.choice);
        let best = choice.map(|choice| choice.best.mv);
        let best = best.filter(|&mv| game.position().check(mv).is_ok());
        let best = best.or_else(|| thinking.fallback());
        self.answer(&[game.write(best.unwrap_or(Move::Pass))])
    }

    /// Waits for the end of a search. With `ReportIntermediateBestMoves`, reports each new best
    /// move or proven result, and repeats the report when the number of iterations has doubled.
    fn wait_for_search(
        &mut self,
        game: &StandardRecord,
        thinking: &MoveSearch<Standard>,
        stop_on_input: bool,
    ) -> io::Result<()> {
        if !self.interpreter.options.report_intermediate {
            self.wait(stop_on_input, || thinking.stop());
            return Ok(());
        }
        let mut reported = None;
        let mut next_at = 0;
        let mut is_over = false;
        while !is_over {
            match self.events.recv_timeout(REPORT_INTERVAL) {
                Ok(Event::Done) | Err(RecvTimeoutError::Disconnected) => is_over = true,
                Ok(event) => self.handle_input(event, stop_on_input, || thinking.stop()),
                Err(RecvTimeoutError::Timeout) => {}
            }
            let Some(Progress { lines, nodes }) = thinking.progress() else {
                continue;
            };
            if let [best, ..] = &lines[..]
                // A single root move has no score, because it is not searched.
                && best.score.is_some()
                && (reported != Some((best.mv, best.proof, best.plies)) || nodes >= next_at)
            {
                self.write(&report(game, best))?;
                reported = Some((best.mv, best.proof, best.plies));
                next_at = nodes.saturating_mul(2);
            }
        }
        Ok(())
    }

    /// The engine with the current options, rebuilt if they have changed. `None` on an error, which
    /// is logged.
    fn engine(&mut self) -> Option<&Engine<Standard>> {
        let player = self.interpreter.options.player();
        if (self.engine.as_ref()).is_none_or(|(current, _)| *current != player) {
            // Ends the old engine, whose thread frees its tree while the new one starts.
            self.engine = None;
            let engine = self.player_factory(&player).and_then(Engine::start);
            let engine = engine
                .inspect_err(|error| log::error!("cannot start the search: {error}"))
                .ok()?;
            self.engine = Some((player, engine));
        }
        self.engine.as_ref().map(|(_, engine)| engine)
    }

    fn player_factory(&self, player: &PlayerSpec) -> io::Result<PlayerFactory<Standard>> {
        if let Some(make_player) = &self.make_player {
            return Ok(make_player());
        }
        // Only limited strengths vary their moves.
        let is_varied = self.interpreter.max_nodes().is_some();
        let seed = if is_varied { rand::random() } else { 0 };
        let prepared = player.prepare(seed).map_err(io::Error::other)?;
        Ok(Box::new(prepared))
    }

    /// Waits for the end of a search or a perft run.
    fn wait(&mut self, stop_on_input: bool, stop: impl Fn()) {
        loop {
            match self.events.recv() {
                Ok(Event::Done) | Err(_) => return,
                Ok(event) => self.handle_input(event, stop_on_input, &stop),
            }
        }
    }

    /// Handles an event during a search or a perft run.
    fn handle_input(&mut self, event: Event, stop_on_input: bool, stop: impl Fn()) {
        let is_interrupt = matches!(event, Event::Interrupt | Event::Stop);
        if is_interrupt || stop_on_input {
            stop();
        }
        if !is_interrupt {
            self.waiting.push_back(event);
        }
    }

    fn start_pondering(&mut self) {
        if !self.interpreter.options.pondering || self.interpreter.max_nodes().is_some() {
            return;
        }
        let game = self.interpreter.game.clone();
        let with_choice = game.filter(|game| game.legal_moves().len() > 1);
        self.pondering = with_choice.and_then(|game| Some(self.engine()?.ponder(game)));
    }

    fn perft(&mut self, position: &standard::Position, depth: u32) -> io::Result<()> {
        let stop = AtomicBool::new(false);
        for length in 0..=depth {
            let done = DoneOnDrop(self.sender.clone());
            let nodes = thread::scope(|scope| {
                let counting = scope.spawn(|| {
                    let _done = done;
                    count_sequences(position, length, &stop)
                });
                self.wait(false, || stop.store(true, Ordering::Relaxed));
                counting.join().unwrap_or_default()
            });
            let Some(nodes) = nodes else { break };
            // Ends the run if stdout is closed.
            self.write(&format!("{length}: {nodes}"))?;
        }
        self.answer(&[])
    }

    /// Writes lines and `ok`.
    fn answer(&mut self, lines: &[String]) -> io::Result<()> {
        for line in lines.iter().map(String::as_str).chain(["ok"]) {
            self.write(line)?;
        }
        Ok(())
    }

    /// Writes a line and flushes it.
    fn write(&mut self, line: &str) -> io::Result<()> {
        writeln!(self.out, "{line}")?;
        self.log_line("< ", line);
        self.out.flush()
    }

    /// Logs a line of the dialogue. Logging stops at the first error.
    fn log_line(&mut self, mark: &str, line: &str) {
        if let Some(log) = &mut self.log
            && let Err(error) = writeln!(log, "{mark}{line}").and_then(|()| log.flush())
        {
            log::error!("cannot write the protocol log, logging stops: {error}");
            self.log = None;
        }
    }
}

/// Maximum depth of subtrees that are counted without checking the stop flag.
const UNINTERRUPTED_DEPTH: u32 = 3;

/// Number of move sequences; `None` if stopped. Uses the narrow board if all sequences fit on it.
fn count_sequences(position: &standard::Position, depth: u32, stop: &AtomicBool) -> Option<u64> {
    let frame = <Standard as Playable>::Frame::for_plies(position, depth);
    match frame.and_then(|frame| frame.narrow(position)) {
        Some(narrow) => count(&narrow, depth, stop),
        None => count(position, depth, stop),
    }
}

fn count<R: RuleBook>(position: &Position<R>, depth: u32, stop: &AtomicBool) -> Option<u64> {
    if stop.load(Ordering::Relaxed) {
        return None;
    }
    if depth <= UNINTERRUPTED_DEPTH {
        return Some(perft_bulk(position, depth));
    }
    let moves = position.legal_moves();
    moves.iter().try_fold(0u64, |nodes, &mv| {
        Some(nodes.saturating_add(count(&position.after(mv), depth - 1, stop)?))
    })
}

/// A report in Mzinga's format, `move;depth;score;variation…`. The depth is the number of plies to
/// a proven result, otherwise the length of the PV. The score ranges from −100 (the side to move
/// loses) to 100.
fn report(game: &StandardRecord, best: &RootMove<Standard>) -> String {
    let expected = best
        .proof
        .map(|proof| f64::from(proof.score()))
        .or(best.score);
    let variation = game.write_line(best.pv());
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
    use super::*;
    use wabe_hive::game::Game;

    #[test]
    fn waiting_input_ends_unlimited_searches() {
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
            let (ending, out) = run_session(events);
            assert_eq!(ending, Ending::Exit);
            // One for the initial `info` and one per line.
            assert_eq!(out.matches("ok\n").count(), answers, "{out}");
        }
    }

    /// Options independent of the machine, for reproducible searches.
    fn fixed_options() -> Options {
        Options {
            threads: 1,
            memory_mib: 16,
            ..Options::default()
        }
    }

    /// Runs a session with these events. Returns its ending and output.
    fn run_session(events: impl IntoIterator<Item = Event>) -> (Ending, String) {
        let (sender, receiver) = channel();
        for event in events {
            sender.send(event).unwrap();
        }
        let mut out = Vec::new();
        let session = Session::new(receiver, sender, fixed_options(), &mut out, None::<Vec<u8>>);
        let ending = session.run().unwrap();
        (ending, String::from_utf8(out).unwrap())
    }

    fn line(text: &str) -> Event {
        Event::Line(text.to_owned())
    }

    #[test]
    fn only_interrupt_ends_idle_sessions() {
        let (ending, _) = run_session([line("newgame Base"), Event::Interrupt, line("exit")]);
        assert_eq!(ending, Ending::Interrupted);
        let (ending, _) = run_session([line("newgame Base"), Event::Stop, line("exit")]);
        assert_eq!(ending, Ending::Exit);
    }

    /// A game with the same position after plies 26, 30 and 34. The resting pieces differ, but do
    /// not affect the legal moves.
    const REPEATED: &str = r"wP;bL wP-;wM -wP;bM bL-;wA1 \wP;bQ bM/;wQ wM\;bA1 bL\;wM bQ\;bB1 \bM;wA1 bQ/;bM wM;wA2 wA1-;bA1 wA2/;wB1 \wA1;bB2 bB1\;wB1 \bQ;bB1 wB1;wA3 wA2\;bA2 bM\;wA3 wA1\;bA3 bB2\;wG1 wA2\;bA3 wG1-;wL \wP;bA2 \wL;wQ \bL;bB1 wQ/;wQ /wP;bB1 wB1;wQ \bL;bB1 wQ/;wQ /wP;bB1 wB1";

    #[test]
    fn repetitions_ignore_irrelevant_rest() {
        let record: StandardRecord = format!("Base+MLP;;;{REPEATED}").parse().unwrap();
        assert_eq!(record.plies().len(), 34);
        assert_eq!(record.ending(), Some(wabe_hive::game::Ending::Repetition));
        let occurrence = |plies| Standard::repetition_key(record.after(plies).unwrap().position());
        assert_eq!(occurrence(26), occurrence(30));
        assert_eq!(occurrence(30), occurrence(34));

        let (before, last) = REPEATED.rsplit_once(';').unwrap();
        let (_, out) = run_session([
            line(&format!("newgame Base+MLP;;;{before}")),
            line(&format!("play {last}")),
            line("bestmove depth 0"),
            line("options set DrawByRepetition False"),
            line(&format!("newgame Base+MLP;;;{before}")),
            line(&format!("play {last}")),
            line("exit"),
        ]);
        let answers = out.lines().filter(|line| *line != "ok").skip(2);
        let states: Vec<&str> = answers.filter_map(|line| line.split(';').nth(1)).collect();
        // `bool` comes from the option's line. The search was rejected.
        let expected = ["InProgress", "Draw", "bool", "InProgress", "InProgress"];
        assert_eq!(states, expected);
        assert!(out.contains("\nerr The game is over."), "{out}");
    }

    /// Bot runners write their commands and close the pipe.
    #[test]
    fn limited_searches_ignore_the_end_of_input() {
        for search in ["bestmove depth 4", "bestmove depthorseconds 4 3600"] {
            let answers = |end: Event| {
                let game = line("newgame Base+MLP;;;wS1;bS1 wS1-");
                run_session([game, line(search), end])
            };
            let (ending, closed) = answers(Event::EndOfInput);
            assert_eq!(ending, Ending::Exit);
            let (_, open) = answers(line("exit"));
            assert_eq!(closed + "ok\n", open, "{search}");
        }
    }

    #[test]
    fn end_of_input_ends_unlimited_searches() {
        let events = [line("newgame Base"), line("bestmove"), Event::EndOfInput];
        let (ending, out) = run_session(events);
        assert_eq!(ending, Ending::Exit);
        assert!(out.ends_with("\nok\n"), "{out}");
    }

    #[test]
    fn perft_of_a_finished_game_can_be_stopped() {
        let stacks = "0,0:rQ;1,0:bQ;0,1:bA;-1,1:bA;-1,0:bA;0,-1:bG;1,-1:bG";
        let position: standard::Position = format!("12 - {stacks} -/-").parse().unwrap();
        assert!(position.outcome().is_some());
        for (stop, nodes) in [(false, Some(0)), (true, None)] {
            assert_eq!(count_sequences(&position, 9, &AtomicBool::new(stop)), nodes);
        }
    }

    /// Fails after this many lines.
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
    fn closed_output_ends_perft() {
        let (sender, receiver) = channel();
        for text in ["newgame", "perft 30"] {
            sender.send(line(text)).unwrap();
        }
        // `info` prints three lines and `newgame` two.
        let session = Session::new(
            receiver,
            sender,
            fixed_options(),
            ClosesAfter(7),
            None::<Vec<u8>>,
        );
        let error = session.run().unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::BrokenPipe);
    }
}
