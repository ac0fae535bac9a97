//! A page of the server: its session on a worker thread, the games that it watches and its programs.

use std::any::Any;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use std::thread;
use std::time::{Duration, Instant};
use wabe_arena::ArenaGame;

use super::answer::{answer, named, record_of, sentence};
use super::budget::Budget;
use super::live::LiveGames;
use super::protocol::{Answer, Asked, ConsultRequest, Reply, Request};
use super::search::{BETWEEN_REPORTS, FAILED, SearchResources, check_is_running, milliseconds};
use super::session::Session;
use super::view::Drawn;
use wabe_arena::{EngineSpec, GameSettings, Opponent, OpponentError, OpponentsMove};
use wabe_hive::Color;
use wabe_hive::game::Record;

use wabe_engine::search::{Line, SystemClock};
use wabe_records::with_game;

/// Receives answers, from any thread. Answers to a closed page are dropped.
pub type Outlet = Arc<dyn Fn(Answer) + Send + Sync>;

/// The engine's side of one page of the server. It runs at most one search or review; dropping it
/// ends that.
pub struct PageSession {
    budget: Arc<Budget>,
    outlet: Outlet,
    live: Arc<LiveGames>,
    /// The thread of searches and reviews, once there was one.
    worker: Option<Sender<Job>>,
    /// Ends the present slice of the last search, or the program's turn.
    stop: Arc<AtomicBool>,
    /// The running programs.
    programs: Vec<RunningProgram>,
    /// The request for the live games, and the version that was sent.
    watching: Option<(Option<u32>, Option<u64>)>,
    /// The request to follow a game, its number, and the version that was sent.
    following: Option<(Option<u32>, u64, Option<u64>)>,
}

/// A request for the worker, and the flag that ends its present slice.
type Job = (Asked, Arc<AtomicBool>);

impl Drop for PageSession {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}

impl PageSession {
    /// A page whose searches take their threads and memory from `budget`, that shows the games of
    /// `live`, and whose answers go to `outlet`.
    pub fn new(budget: Arc<Budget>, live: Arc<LiveGames>, outlet: Outlet) -> PageSession {
        PageSession {
            budget,
            outlet,
            live,
            worker: None,
            stop: Arc::default(),
            programs: Vec::new(),
            watching: None,
            following: None,
        }
    }

    /// Takes a request. Answers that need no search are given immediately.
    pub fn take(&mut self, Asked { id, request }: Asked) {
        if let Err(message) = self.begin(id, request) {
            (self.outlet)(Answer::problem(id, message));
        }
    }

    fn begin(&mut self, id: Option<u32>, request: Request) -> Result<(), String> {
        match request {
            Request::Search(_) | Request::Review(_) | Request::Stop {} => {
                self.work(Asked { id, request })?;
            }
            Request::Consult(asked) => {
                let request = Request::Stop {};
                self.work(Asked { id: None, request })?;
                let game = named(&asked.line.game)?;
                let session = self;
                with_game!(game, |G, variant| ask_program::<G>(
                    AskProgram { id, asked, session },
                    variant
                ))?;
            }
            Request::Watch {} => {
                self.watching = Some((id, None));
                self.report_live();
            }
            Request::Follow { number } => {
                if number.is_some_and(|number| !self.live.has(number)) {
                    self.following = None;
                    return Err("That game is no longer there.".to_owned());
                }
                self.following = number.map(|number| (id, number, None));
                self.report_live();
            }
            request => {
                let reply = answer(request, rand::random())?;
                (self.outlet)(Answer { id, reply });
            }
        }
        Ok(())
    }

    /// Ends what runs, and gives the worker a request.
    fn work(&mut self, asked: Asked) -> Result<(), String> {
        self.stop.store(true, Ordering::Relaxed);
        self.stop = Arc::default();
        let worker = match &self.worker {
            Some(worker) => worker,
            None if asked.request == (Request::Stop {}) => return Ok(()),
            None => {
                let (sender, jobs) = channel();
                let (budget, outlet) = (Arc::clone(&self.budget), Arc::clone(&self.outlet));
                thread::Builder::new()
                    .name("search".to_owned())
                    .spawn(move || search_all(&jobs, &budget, &outlet))
                    .map_err(|error| format!("No search can be started: {error}."))?;
                self.worker.insert(sender)
            }
        };
        let job = (asked, Arc::clone(&self.stop));
        worker.send(job).map_err(|_| FAILED.to_owned())
    }

    /// Reports what happened in live games since the last call.
    pub fn report_live(&mut self) {
        if let Some((id, sent)) = &mut self.watching
            && let Some(reply) = self.live.list(sent)
        {
            (self.outlet)(Answer { id: *id, reply });
        }
        if let Some((id, number, sent)) = &mut self.following
            && let Some(reply) = self.live.game(*number, sent)
        {
            (self.outlet)(Answer { id: *id, reply });
        }
    }
}

/// Runs the searches and reviews of a page until it is closed. A panic ends one of them.
fn search_all(jobs: &Receiver<Job>, budget: &Arc<Budget>, outlet: &Outlet) {
    let id = Cell::new(None);
    let search = || {
        let budget = Arc::clone(budget);
        let lend = move |threads, memory_mib, seed, stop| {
            // The time includes the allocation of the tree.
            let clock = SystemClock::since(Instant::now());
            let share = budget.take(threads, memory_mib);
            let share = share.ok_or("Too many boards search at the same time.")?;
            Ok(SearchResources {
                threads: share.threads,
                memory_mib: share.memory_mib,
                seed,
                clock: Box::new(clock),
                slice: BETWEEN_REPORTS,
                stop,
                share: Box::new(share),
            })
        };
        let mut session = Session::with(Box::new(lend), rand::random());
        loop {
            let job = match session.is_running() {
                true => jobs.try_recv(),
                false => jobs.recv().map_err(|_| TryRecvError::Disconnected),
            };
            let answers = match job {
                Ok((asked, stop)) => {
                    id.set(asked.id);
                    session.take(asked, stop)
                }
                Err(TryRecvError::Empty) => session.step(),
                Err(TryRecvError::Disconnected) => break session.stop(),
            };
            answers.into_iter().for_each(&**outlet);
        }
    };
    loop {
        match catch_unwind(AssertUnwindSafe(search)) {
            Ok(last) => return last.into_iter().for_each(&**outlet),
            Err(_) => outlet(Answer::problem(id.get(), FAILED.to_owned())),
        }
    }
}

/// A request that a program's thread answers. On a panic there, `Task::drop` sends the problem.
struct Task {
    id: Option<u32>,
    outlet: Outlet,
    is_answered: bool,
}

impl Task {
    fn answer(mut self, reply: Reply) {
        self.is_answered = true;
        let id = self.id;
        (self.outlet)(Answer { id, reply });
    }
}

impl Drop for Task {
    fn drop(&mut self) {
        if !self.is_answered {
            (self.outlet)(Answer::problem(self.id, FAILED.to_owned()));
        }
    }
}

/// A program that plays a side of a page's game, on its own thread. It ends when this is dropped.
struct RunningProgram {
    /// Game, side and command line.
    role: (String, Color, String),
    /// The time for a move, as given at its start.
    time: Duration,
    /// The jobs of [`Opponent::choose`], for the game's type.
    jobs: Box<dyn Any + Send>,
}

struct Turn<G: ArenaGame> {
    record: Record<G>,
    stop: Arc<AtomicBool>,
    on_answer: Box<dyn FnOnce(Result<OpponentsMove<G>, OpponentError>) + Send>,
}

struct AskProgram<'a> {
    id: Option<u32>,
    asked: ConsultRequest,
    session: &'a mut PageSession,
}

fn ask_program<G: ArenaGame>(ask: AskProgram<'_>, variant: G::Variant) -> Result<(), String> {
    let AskProgram { id, asked, session } = ask;
    let ConsultRequest {
        line,
        program,
        time_ms,
    } = asked;
    let time = Duration::from_millis(time_ms);
    let drawn = Drawn::new(record_of::<G>(&line, variant)?);
    check_is_running(&drawn.record)?;
    let side = drawn.record.position().side_to_move();
    let role = (line.game, side, program);
    // On a clock, the time changes from move to move: a program is kept while the time given at its start still fits.
    let fits = |other: &RunningProgram| other.role == role && time.saturating_mul(2) >= other.time;
    let known = session.programs.iter().position(fits);
    let index = match known {
        Some(index) => index,
        None => {
            let jobs = program_thread::<G>(&role.2, time, &session.budget)?;
            // It replaces any other program of its side, and those of other games.
            session
                .programs
                .retain(|other| other.role.0 == role.0 && other.role.1 != side);
            let jobs = Box::new(jobs);
            session.programs.push(RunningProgram { role, time, jobs });
            session.programs.len() - 1
        }
    };
    let jobs = session.programs.get(index).map(|consulted| &consulted.jobs);
    let Some(jobs) = jobs.and_then(|jobs| jobs.downcast_ref::<Sender<Turn<G>>>()) else {
        return Err("The program plays another game.".to_owned());
    };
    let task = Task {
        id,
        outlet: Arc::clone(&session.outlet),
        is_answered: false,
    };
    let record = drawn.record.clone();
    let on_answer = move |answer: Result<OpponentsMove<G>, OpponentError>| match answer {
        Ok(chosen) => {
            let line = Line {
                score: chosen.score,
                ..Line::unjudged(chosen.mv)
            };
            task.answer(Reply::Found {
                mv: Some(drawn.record.write(chosen.mv)),
                findings: drawn.findings(&[], &[line], 0, chosen.took),
                took_ms: milliseconds(chosen.took),
            });
        }
        Err(error) => {
            let error = anyhow::Error::from(error);
            let message = format!("The program gives no move: {error:#}.");
            task.answer(Reply::Problem { message });
        }
    };
    let job = Turn {
        record,
        stop: Arc::clone(&session.stop),
        on_answer: Box::new(on_answer),
    };
    if jobs.send(job).is_err() {
        // The program's thread has ended, and dropping the job has sent the problem.
        session.programs.remove(index);
    }
    Ok(())
}
/// Starts a thread with a program. It ends when the sender of its jobs is dropped.
fn program_thread<G: ArenaGame>(
    program: &str,
    time: Duration,
    budget: &Arc<Budget>,
) -> Result<Sender<Turn<G>>, String> {
    let engine = EngineSpec::from_command_line::<G>(program, &[]);
    let engine = engine.and_then(|engine| engine.check_plays::<G>().map(|()| engine));
    let engine = engine.map_err(|error| sentence(&error))?;
    let settings = GameSettings {
        move_time: time,
        margin: time.max(PROGRAMS_MARGIN),
        ..GameSettings::default()
    };
    let (sender, jobs) = channel::<Turn<G>>();
    let running = budget.program();
    let work = move || {
        let mut opponent = Opponent::<G>::new(engine, settings);
        for job in jobs {
            (job.on_answer)(opponent.choose(&job.record, &job.stop));
        }
        drop(opponent);
        drop(running);
    };
    thread::Builder::new()
        .name("program".to_owned())
        .spawn(work)
        .map_err(|error| format!("No program can be started: {error}."))?;
    Ok(sender)
}

/// Least time by which a program may exceed its time for a move. A person is more patient than an arena.
const PROGRAMS_MARGIN: Duration = Duration::from_secs(5);
