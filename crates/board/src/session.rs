//! The engine's side of one page.

use std::any::Any;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};
use wabe_arena::ArenaGame;

use super::answer::{answer, named, record_of, sentence};
use super::budget::{Budget, Share};
use super::live::LiveGames;
use super::protocol::{Answer, Asked, ConsultRequest, Reply, Request, SearchRequest};
use super::search::{
    BETWEEN_REPORTS, FAILED, Means, USUAL_MIB, begin, check_is_running, milliseconds,
};
use super::view::Drawn;
use wabe_arena::{EngineSpec, GameSettings, Opponent, OpponentError, OpponentsMove};
use wabe_hive::Color;
use wabe_hive::game::Record;

use wabe_engine::search::{Line, SystemClock};
use wabe_records::with_game;

/// Time for a stopped search to end.
const STOP_PATIENCE: Duration = Duration::from_millis(200);

/// Receives answers, from any thread. Answers to a closed page are dropped.
pub type Outlet = Arc<dyn Fn(Answer) + Send + Sync>;

/// The engine's side of one page. It runs at most one search or review at a time; dropping it ends that.
pub struct Session {
    budget: Arc<Budget>,
    outlet: Outlet,
    live: Arc<LiveGames>,
    running: Option<Running>,
    /// The running programs.
    programs: Vec<Consulted>,
    /// The request for the live games, and the version that was sent.
    watching: Option<(Option<u32>, Option<u64>)>,
    /// The request to follow a game, its number, and the version that was sent.
    following: Option<(Option<u32>, u64, Option<u64>)>,
}

/// A search, a review or a program's turn on another thread. Dropping it ends it.
struct Running {
    stop: Arc<AtomicBool>,
    /// Disconnected once it has given its threads and memory back.
    done: Receiver<()>,
}

impl Drop for Running {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}

/// A request that another thread answers. If that thread panics, dropping this tells the page.
struct Task {
    id: Option<u32>,
    outlet: Outlet,
    /// Its threads and memory, and the sender whose end says that they were given back.
    held: Option<(Option<Share>, Sender<()>)>,
    is_answered: bool,
}

impl Task {
    /// A task, and the other end of it.
    fn new(id: Option<u32>, outlet: &Outlet, share: Option<Share>) -> (Task, Running) {
        let (sender, done) = channel();
        let task = Task {
            id,
            outlet: Arc::clone(outlet),
            held: Some((share, sender)),
            is_answered: false,
        };
        let stop = Arc::default();
        (task, Running { stop, done })
    }

    fn report(&self, reply: Reply) {
        let id = self.id;
        (self.outlet)(Answer { id, reply });
    }

    /// Gives threads and memory back.
    fn end(&mut self) {
        self.held = None;
    }

    fn answer(mut self, reply: Reply) {
        self.end();
        self.is_answered = true;
        self.report(reply);
    }

    fn problem(self, message: String) {
        self.answer(Reply::Problem { message });
    }
}

impl Drop for Task {
    fn drop(&mut self) {
        self.end();
        if !self.is_answered {
            let message = FAILED.to_owned();
            self.report(Reply::Problem { message });
        }
    }
}

impl Session {
    /// A session whose searches take their threads and memory from `budget`, that shows the games of `live`, and whose answers go to
    /// `outlet`.
    pub fn new(budget: Arc<Budget>, live: Arc<LiveGames>, outlet: Outlet) -> Session {
        Session {
            budget,
            outlet,
            live,
            running: None,
            programs: Vec::new(),
            watching: None,
            following: None,
        }
    }

    /// Takes a request. Answers that need no search are given at once.
    pub fn take(&mut self, Asked { id, request }: Asked) {
        if let Err(message) = self.begin(id, request) {
            (self.outlet)(Answer::problem(id, message));
        }
    }

    fn begin(&mut self, id: Option<u32>, request: Request) -> Result<(), String> {
        match request {
            Request::Search(_) | Request::Review(_) => {
                self.end_running();
                self.running = Some(self.search(id, request)?);
            }
            Request::Consult(asked) => {
                self.end_running();
                let game = named(&asked.line.game)?;
                let session = self;
                session.running = Some(with_game!(game, |G, variant| consult::<G>(
                    Consult { id, asked, session },
                    variant
                ))?);
            }
            Request::Stop {} => {
                if let Some(running) = &self.running {
                    running.stop.store(true, Ordering::Relaxed);
                }
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

    /// Ends the running search, and waits until it has given its threads back.
    fn end_running(&mut self) {
        if let Some(running) = self.running.take() {
            running.stop.store(true, Ordering::Relaxed);
            // Nothing is sent: the wait ends when the search has ended, or after the patience.
            let _ = running.done.recv_timeout(STOP_PATIENCE);
        }
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

    /// Starts a search or a review.
    fn search(&self, id: Option<u32>, request: Request) -> Result<Running, String> {
        // The time includes the allocation of the tree.
        let clock = SystemClock::since(Instant::now());
        let (threads, memory_mib) = match &request {
            Request::Search(SearchRequest { effort, .. }) => (effort.threads, effort.memory_mib),
            _ => (1, 0),
        };
        let memory_mib = match memory_mib {
            0 => USUAL_MIB,
            wanted => wanted,
        };
        let share = self.budget.take(threads.max(1), memory_mib);
        let share = share.ok_or("Too many boards search at the same time.")?;
        let (threads, memory_mib) = (share.threads, share.memory_mib);
        let (mut task, running) = Task::new(id, &self.outlet, Some(share));
        let stop = Arc::clone(&running.stop);
        let work = move || {
            let means = Means {
                threads,
                memory_mib,
                seed: rand::random(),
                clock: Box::new(clock),
                slice: BETWEEN_REPORTS,
                stop: Arc::clone(&stop),
            };
            let mut search = match begin(&request, means) {
                Ok(search) => search,
                Err(message) => return task.problem(message),
            };
            let mut replies = Vec::new();
            while !search.step(&mut replies) {
                replies.drain(..).for_each(|reply| task.report(reply));
                if stop.load(Ordering::Relaxed) {
                    replies.push(search.stopped());
                    break;
                }
            }
            // Threads and memory are free before the page asks for more.
            drop(search);
            task.end();
            if let Some(last) = replies.pop() {
                replies.drain(..).for_each(|reply| task.report(reply));
                task.answer(last);
            }
        };
        thread::Builder::new()
            .name("search".to_owned())
            .spawn(work)
            .map_err(|error| format!("No search can be started: {error}."))?;
        Ok(running)
    }
}

/// A program that plays a side of a page's game, on its own thread. It ends when this is dropped.
struct Consulted {
    /// Game, side and command line.
    role: (String, Color, String),
    /// The time for a move, as given at its start.
    time: Duration,
    /// The jobs of [`Opponent::choose`], for the game's type.
    jobs: Box<dyn Any + Send>,
}

struct Job<G: ArenaGame> {
    record: Record<G>,
    stop: Arc<AtomicBool>,
    on_answer: Box<dyn FnOnce(Result<OpponentsMove<G>, OpponentError>) + Send>,
}

struct Consult<'a> {
    id: Option<u32>,
    asked: ConsultRequest,
    session: &'a mut Session,
}

fn consult<G: ArenaGame>(consult: Consult<'_>, variant: G::Variant) -> Result<Running, String> {
    let Consult { id, asked, session } = consult;
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
    let fits = |other: &Consulted| other.role == role && time.saturating_mul(2) >= other.time;
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
            session.programs.push(Consulted { role, time, jobs });
            session.programs.len() - 1
        }
    };
    let jobs = session.programs.get(index).map(|consulted| &consulted.jobs);
    let Some(jobs) = jobs.and_then(|jobs| jobs.downcast_ref::<Sender<Job<G>>>()) else {
        return Err("The program plays another game.".to_owned());
    };
    let (task, running) = Task::new(id, &session.outlet, None);
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
            task.problem(format!("The program gives no move: {error:#}."));
        }
    };
    let job = Job {
        record,
        stop: Arc::clone(&running.stop),
        on_answer: Box::new(on_answer),
    };
    if jobs.send(job).is_err() {
        // Dropping the job has told the page.
        session.programs.remove(index);
    }
    Ok(running)
}
/// Starts a thread with a program. It ends when the sender of its jobs is dropped.
fn program_thread<G: ArenaGame>(
    program: &str,
    time: Duration,
    budget: &Arc<Budget>,
) -> Result<Sender<Job<G>>, String> {
    let engine = EngineSpec::from_command_line::<G>(program, &[]);
    let engine = engine.and_then(|engine| engine.check_plays::<G>().map(|()| engine));
    let engine = engine.map_err(|error| sentence(&error))?;
    let settings = GameSettings {
        move_time: time,
        margin: time.max(PROGRAMS_MARGIN),
        ..GameSettings::default()
    };
    let (sender, jobs) = channel::<Job<G>>();
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

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::Mutex;
    use std::sync::mpsc::TryRecvError;

    use super::*;

    #[test]
    fn work_that_panics_tells_its_page_and_gives_its_share_back() {
        let budget = Budget::new(2, 64);
        let replies = Arc::new(Mutex::new(Vec::new()));
        let outlet: Outlet = {
            let replies = Arc::clone(&replies);
            Arc::new(move |reply| replies.lock().unwrap().push(reply))
        };
        let task = |id| Task::new(Some(id), &outlet, budget.take(2, 32));
        let ((first, running), (second, _)) = (task(1), task(2));
        let failed = catch_unwind(AssertUnwindSafe(move || {
            let _task = first;
            panic!("on purpose");
        }));
        assert!(failed.is_err());
        assert_eq!(running.done.try_recv(), Err(TryRecvError::Disconnected));
        second.answer(Reply::Observing);
        assert_eq!(budget.free_threads(), 2);
        let watched = Answer {
            id: Some(2),
            reply: Reply::Observing,
        };
        let problem = Answer::problem(Some(1), FAILED.to_owned());
        assert_eq!(*replies.lock().unwrap(), [problem, watched]);
    }
}
