//! The server's side of a page: its session on a worker thread, its subscriptions to live games,
//! and its programs.

use std::cell::Cell;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use std::thread;
use std::time::{Duration, Instant};

use super::answer::{answer, parse_game, record_of};
use super::budget::Budget;
use super::live::LiveGames;
use super::protocol::{
    ConsultRequest, GameLine, Problem, Reply, ReplyMessage, Request, RequestMessage,
};
use super::search::{SearchResources, check_is_running};
use super::session::Session;
use super::view::findings;
use wabe_arena::ArenaGame;
use wabe_arena::{EngineSpec, GameEnd, GameError, GameSettings, Opponent, OpponentError};
use wabe_engine::search::{REPORT_INTERVAL, RootMove, SystemClock};
use wabe_hive::Color;
use wabe_records::diagram::DrawnGame;
use wabe_records::with_game;

/// Sends answers to a page, from any thread. Discards them once the page is closed.
pub type ReplySink = Arc<dyn Fn(ReplyMessage) + Send + Sync>;

/// The engine's side of a page on the server. Runs at most one search or review. Dropping the
/// session ends it.
pub struct PageSession {
    budget: Arc<Budget>,
    sink: ReplySink,
    live: Arc<LiveGames>,
    /// The thread for searches and reviews, started on demand.
    worker: Option<Sender<Job>>,
    /// Ends the current slice of the last search, or the program's turn.
    stop: Arc<AtomicBool>,
    /// At most one program per side.
    programs: Vec<RunningProgram>,
    /// Subscription to the list of live games: request id and last version sent.
    watching: Option<(Option<u32>, Option<u64>)>,
    /// Subscription to a live game: request id, number of the game, and last version sent.
    following: Option<(Option<u32>, u64, Option<u64>)>,
}

/// A request for the worker, and the flag that ends its current slice.
type Job = (RequestMessage, Arc<AtomicBool>);

impl Drop for PageSession {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}

impl PageSession {
    /// Creates a session. Searches take threads and memory from `budget`, and answers go to
    /// `sink`.
    pub fn new(budget: Arc<Budget>, live: Arc<LiveGames>, sink: ReplySink) -> PageSession {
        PageSession {
            budget,
            sink,
            live,
            worker: None,
            stop: Arc::default(),
            programs: Vec::new(),
            watching: None,
            following: None,
        }
    }

    /// Handles a request. Answers immediately unless it needs a search or a program.
    pub fn take(&mut self, RequestMessage { id, request }: RequestMessage) {
        if let Err(problem) = self.begin(id, request) {
            (self.sink)(ReplyMessage::problem(id, problem));
        }
    }

    fn begin(&mut self, id: Option<u32>, request: Request) -> Result<(), Problem> {
        match request {
            Request::Search(_) | Request::Review(_) | Request::Stop {} => {
                self.send_job(RequestMessage { id, request })?;
            }
            Request::Consult(consult) => {
                let request = Request::Stop {};
                self.send_job(RequestMessage { id: None, request })?;
                let game = parse_game(&consult.line.game)?;
                with_game!(game, |G, variant| self.consult::<G>(id, consult, variant))?;
            }
            Request::Watch {} => {
                self.watching = Some((id, None));
                self.report_live();
            }
            Request::Follow { number } => {
                if number.is_some_and(|number| !self.live.has(number)) {
                    self.following = None;
                    return Err(Problem::GameGone);
                }
                self.following = number.map(|number| (id, number, None));
                self.report_live();
            }
            request => {
                let reply = answer(request, rand::random())?;
                (self.sink)(ReplyMessage { id, reply });
            }
        }
        Ok(())
    }

    /// Ends the running search or the program's turn, then sends a request to the worker.
    fn send_job(&mut self, message: RequestMessage) -> Result<(), Problem> {
        self.stop.store(true, Ordering::Relaxed);
        self.stop = Arc::default();
        let worker = match &self.worker {
            Some(worker) => worker,
            None if message.request == (Request::Stop {}) => return Ok(()),
            None => {
                let (sender, jobs) = channel();
                let (budget, sink) = (Arc::clone(&self.budget), Arc::clone(&self.sink));
                thread::Builder::new()
                    .name("search".to_owned())
                    .spawn(move || run_jobs(&jobs, &budget, &sink))
                    .map_err(no_resources)?;
                self.worker.insert(sender)
            }
        };
        let job = (message, Arc::clone(&self.stop));
        worker.send(job).map_err(|_| Problem::EngineFailed)
    }

    /// Requests a move from a program. Starts the program if necessary.
    fn consult<G: ArenaGame>(
        &mut self,
        id: Option<u32>,
        request: ConsultRequest,
        variant: G::Variant,
    ) -> Result<(), Problem> {
        let ConsultRequest {
            line,
            program,
            time_ms,
        } = request;
        let time = Duration::from_millis(time_ms);
        let record = record_of::<G>(&line, variant)?;
        check_is_running(&record)?;
        let side = record.position().side_to_move();
        let role = (line.game.clone(), side, program);
        // On a clock, the time varies with each move. Restart the program only if it was started
        // with more than twice the requested time.
        let mut programs = self.programs.iter();
        let running = programs
            .find(|program| program.role == role && time.saturating_mul(2) >= program.time)
            .map(|program| program.turns.clone());
        let turns = match running {
            Some(turns) => turns,
            None => {
                let turns = spawn_program::<G>(&role.2, time, variant, self)?;
                // Ends this side's previous program, and programs for other games.
                self.programs
                    .retain(|other| other.role.0 == role.0 && other.role.1 != side);
                self.programs.push(RunningProgram {
                    role,
                    time,
                    turns: turns.clone(),
                });
                turns
            }
        };
        let stop = Arc::clone(&self.stop);
        turns.send(Turn { id, line, stop }).map_err(|_| {
            // The program's thread panicked in an earlier turn.
            self.programs.clear();
            Problem::EngineFailed
        })
    }

    /// Sends changes to subscribed live games since the last call.
    pub fn report_live(&mut self) {
        if let Some((id, sent)) = &mut self.watching
            && let Some(reply) = self.live.list(sent)
        {
            (self.sink)(ReplyMessage { id: *id, reply });
        }
        if let Some((id, number, sent)) = &mut self.following
            && let Some(reply) = self.live.game(*number, sent)
        {
            (self.sink)(ReplyMessage { id: *id, reply });
        }
    }
}

/// Runs the page's searches and reviews until it is closed. A panic only fails the current one.
fn run_jobs(jobs: &Receiver<Job>, budget: &Arc<Budget>, sink: &ReplySink) {
    let id = Cell::new(None);
    let search = || {
        let budget = Arc::clone(budget);
        let allocate = move |threads, memory_mib, seed, stop| {
            // The time limit includes allocating the tree.
            let clock = SystemClock::since(Instant::now());
            let share = budget.take(threads, memory_mib);
            let share = share.ok_or(Problem::TooManySearches)?;
            Ok(SearchResources {
                threads: share.threads,
                memory_mib: share.memory_mib,
                seed,
                clock: Box::new(clock),
                slice: REPORT_INTERVAL,
                stop,
                share: Box::new(share),
            })
        };
        let mut session = Session::with_allocator(Box::new(allocate), rand::random());
        loop {
            let job = if session.is_running() {
                jobs.try_recv()
            } else {
                jobs.recv().map_err(|_| TryRecvError::Disconnected)
            };
            let answers = match job {
                Ok((message, stop)) => {
                    id.set(message.id);
                    session.take(message, stop)
                }
                Err(TryRecvError::Empty) => session.step(),
                Err(TryRecvError::Disconnected) => break session.stop(),
            };
            answers.into_iter().for_each(&**sink);
        }
    };
    loop {
        match catch_unwind(AssertUnwindSafe(search)) {
            Ok(last) => return last.into_iter().for_each(&**sink),
            Err(_) => sink(ReplyMessage::problem(id.get(), Problem::EngineFailed)),
        }
    }
}

/// A program that plays one side on its own thread. Dropping this makes it exit.
struct RunningProgram {
    /// Game, side and command line.
    role: (String, Color, String),
    /// The time per move with which it was started.
    time: Duration,
    turns: Sender<Turn>,
}

/// A request for a program's move in the last position of a game.
struct Turn {
    id: Option<u32>,
    line: GameLine,
    stop: Arc<AtomicBool>,
}

/// Starts a program on a new thread. Both end when the returned sender is dropped.
fn spawn_program<G: ArenaGame>(
    program: &str,
    time: Duration,
    variant: G::Variant,
    session: &PageSession,
) -> Result<Sender<Turn>, Problem> {
    let engine = EngineSpec::from_command_line::<G>(program, &[]);
    let engine = engine.map_err(|error| Problem::InvalidCommand {
        detail: error.to_string(),
    })?;
    let plays = engine.check_plays::<G>();
    plays.map_err(|_| Problem::OtherGameProgram)?;
    let settings = GameSettings {
        move_time: time,
        margin: time.max(MIN_PROGRAM_MARGIN),
        ..GameSettings::default()
    };
    let (sender, turns) = channel::<Turn>();
    let (running, sink) = (session.budget.add_program(), Arc::clone(&session.sink));
    let work = move || {
        // Dropped last, after the program has exited.
        let _running = running;
        let mut opponent = Opponent::<G>::new(engine, settings);
        for Turn { id, line, stop } in turns {
            let choose = || choose(&mut opponent, &line, variant, &stop);
            match catch_unwind(AssertUnwindSafe(choose)) {
                Ok(Ok(reply)) => sink(ReplyMessage { id, reply }),
                Ok(Err(problem)) => sink(ReplyMessage::problem(id, problem)),
                Err(_) => return sink(ReplyMessage::problem(id, Problem::EngineFailed)),
            }
        }
    };
    thread::Builder::new()
        .name("program".to_owned())
        .spawn(work)
        .map_err(no_resources)?;
    Ok(sender)
}

/// Requests the program's move in the last position of a game.
fn choose<G: ArenaGame>(
    opponent: &mut Opponent<G>,
    line: &GameLine,
    variant: G::Variant,
    stop: &AtomicBool,
) -> Result<Reply, Problem> {
    let game = DrawnGame::new(record_of::<G>(line, variant)?);
    let chosen = opponent.choose(&game.record, stop);
    let chosen = chosen.map_err(program_problem)?;
    let found = RootMove {
        score: chosen.score,
        ..RootMove::without_evaluation(chosen.mv)
    };
    Ok(Reply::Found {
        mv: Some(game.record.write(chosen.mv)),
        findings: findings(&game, &[], &[found], 0, chosen.elapsed),
    })
}

#[allow(clippy::needless_pass_by_value, reason = "for map_err")]
fn no_resources(error: io::Error) -> Problem {
    Problem::NoResources {
        detail: error.to_string(),
    }
}

/// Why a program returned no move.
fn program_problem(error: OpponentError) -> Problem {
    match error {
        OpponentError::Stopped => Problem::ProgramStopped,
        OpponentError::Game(GameError::Program {
            program, source, ..
        }) => Problem::ProgramNotStarted {
            program,
            detail: match source.kind() {
                io::ErrorKind::NotFound => String::new(),
                _ => source.to_string(),
            },
        },
        OpponentError::Game(GameError::System { source, .. }) => no_resources(source),
        OpponentError::Game(error) => Problem::ProgramUnusable {
            detail: error.to_string(),
        },
        OpponentError::Fault { end, detail } => match end {
            GameEnd::Time => Problem::ProgramLate,
            GameEnd::IllegalMove => Problem::ProgramIllegalMove { detail },
            GameEnd::Hang => Problem::ProgramSilent,
            GameEnd::Crash | GameEnd::Left => Problem::ProgramExited,
            _ => Problem::ProgramFailed { detail },
        },
    }
}

/// Minimum margin of a program's time limit, longer than in the arena.
const MIN_PROGRAM_MARGIN: Duration = Duration::from_secs(5);
