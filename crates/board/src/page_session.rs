//! A page of the server: its session on a worker thread, the games that it watches and its
//! programs.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use std::thread;
use std::time::{Duration, Instant};

use super::answer::{answer, named, record_of, sentence};
use super::budget::Budget;
use super::live::LiveGames;
use super::protocol::{Answer, Asked, ConsultRequest, GameLine, Reply, Request};
use super::search::{BETWEEN_REPORTS, FAILED, SearchResources, check_is_running, milliseconds};
use super::session::Session;
use super::view::findings;
use wabe_arena::ArenaGame;
use wabe_arena::{EngineSpec, GameSettings, Opponent};
use wabe_engine::search::{RootMove, SystemClock};
use wabe_hive::Color;
use wabe_records::diagram::DrawnGame;
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
                with_game!(game, |G, variant| self.consult::<G>(id, asked, variant))?;
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

    /// Asks a program for its move, and starts it first if it does not run.
    fn consult<G: ArenaGame>(
        &mut self,
        id: Option<u32>,
        asked: ConsultRequest,
        variant: G::Variant,
    ) -> Result<(), String> {
        let ConsultRequest {
            line,
            program,
            time_ms,
        } = asked;
        let time = Duration::from_millis(time_ms);
        let record = record_of::<G>(&line, variant)?;
        check_is_running(&record)?;
        let side = record.position().side_to_move();
        let role = (line.game.clone(), side, program);
        // On a clock, the time changes from move to move: a program is kept while the time given at
        // its start still fits.
        let mut programs = self.programs.iter();
        let known = programs
            .find(|known| known.role == role && time.saturating_mul(2) >= known.time)
            .map(|known| known.turns.clone());
        let turns = match known {
            Some(turns) => turns,
            None => {
                let turns = program_thread::<G>(&role.2, time, variant, self)?;
                // It replaces any other program of its side, and those of other games.
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
            // The program's thread has failed in an earlier turn.
            self.programs.clear();
            FAILED.to_owned()
        })
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
            let job = if session.is_running() {
                jobs.try_recv()
            } else {
                jobs.recv().map_err(|_| TryRecvError::Disconnected)
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

/// A program that plays a side of a page's game, on its own thread. It ends when this is dropped.
struct RunningProgram {
    /// Game, side and command line.
    role: (String, Color, String),
    /// The time for a move, as given at its start.
    time: Duration,
    turns: Sender<Turn>,
}

/// A request for a program's move in the last position of a game.
struct Turn {
    id: Option<u32>,
    line: GameLine,
    stop: Arc<AtomicBool>,
}

/// Starts a thread with a program. It ends when the sender of its turns is dropped.
fn program_thread<G: ArenaGame>(
    program: &str,
    time: Duration,
    variant: G::Variant,
    session: &PageSession,
) -> Result<Sender<Turn>, String> {
    let engine = EngineSpec::from_command_line::<G>(program, &[]);
    let engine = engine.and_then(|engine| engine.check_plays::<G>().map(|()| engine));
    let engine = engine.map_err(|error| sentence(&error))?;
    let settings = GameSettings {
        move_time: time,
        margin: time.max(PROGRAMS_MARGIN),
        ..GameSettings::default()
    };
    let (sender, turns) = channel::<Turn>();
    let (running, outlet) = (session.budget.program(), Arc::clone(&session.outlet));
    let work = move || {
        // Dropped after the program.
        let _running = running;
        let mut opponent = Opponent::<G>::new(engine, settings);
        for Turn { id, line, stop } in turns {
            let choose = || choose(&mut opponent, &line, variant, &stop);
            match catch_unwind(AssertUnwindSafe(choose)) {
                Ok(Ok(reply)) => outlet(Answer { id, reply }),
                Ok(Err(message)) => outlet(Answer::problem(id, message)),
                Err(_) => return outlet(Answer::problem(id, FAILED.to_owned())),
            }
        }
    };
    thread::Builder::new()
        .name("program".to_owned())
        .spawn(work)
        .map_err(|error| format!("No program can be started: {error}."))?;
    Ok(sender)
}

/// The program's move in the last position of a game.
fn choose<G: ArenaGame>(
    opponent: &mut Opponent<G>,
    line: &GameLine,
    variant: G::Variant,
    stop: &AtomicBool,
) -> Result<Reply, String> {
    let game = DrawnGame::new(record_of::<G>(line, variant)?);
    let chosen = opponent.choose(&game.record, stop).map_err(|error| {
        let error = anyhow::Error::from(error);
        format!("The program gives no move: {error:#}.")
    })?;
    let found = RootMove {
        score: chosen.score,
        ..RootMove::unjudged(chosen.mv)
    };
    Ok(Reply::Found {
        mv: Some(game.record.write(chosen.mv)),
        findings: findings(&game, &[], &[found], 0, chosen.took),
        took_ms: milliseconds(chosen.took),
    })
}

/// Least time by which a program may exceed its time for a move. A person is more patient than an
/// arena.
const PROGRAMS_MARGIN: Duration = Duration::from_secs(5);
