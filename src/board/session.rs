//! The engine's side of one page.

use std::any::Any;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::answer::{answer, named, record_of, sentence};
use super::budget::{Budget, Share};
use super::live::LiveGames;
use super::protocol::{Effort, GameLine, Reply, Request};
use super::search::{FAILED, Review, Search, USUAL_MIB, check_is_running, milliseconds};
use super::view::Drawn;
use crate::arena::{EngineSpec, GameSettings, Opponent, OpponentError, OpponentsMove};
use crate::engine::{Engine, Thinking};
use crate::game::{Game, Record};
use crate::games::ForGame;
use crate::hive::Color;
use crate::replay::Recorded;
use crate::search::{Line, MctsOptions};

/// Time for a stopped search to end.
const STOP_PATIENCE: Duration = Duration::from_millis(200);

/// Receives answers, from any thread. Answers to a closed page are dropped.
pub type Outlet = Arc<dyn Fn(Reply) + Send + Sync>;

/// The engine's side of one page. It runs at most one search or review at a time; dropping it ends that.
pub struct Session {
    budget: Arc<Budget>,
    outlet: Outlet,
    live: Arc<LiveGames>,
    running: Option<Box<dyn Running>>,
    /// The running programs.
    programs: Vec<Consulted>,
    /// The request for the live games, and the version that was sent.
    watching: Option<(u32, Option<u64>)>,
    /// The request to follow a game, its number, and the version that was sent.
    following: Option<(u32, u64, Option<u64>)>,
}

/// A search or review. Dropping it ends it.
trait Running: Send {
    /// The findings of a search so far, if they are new.
    fn progress(&mut self) -> Option<Reply>;
    /// Ends it; its last answer still comes.
    fn stop(&self);
    /// Set once it has given its threads and memory back.
    fn done(&self) -> &Done;
}

/// A flag that is set once.
#[derive(Default)]
struct Done {
    is_set: Mutex<bool>,
    changed: Condvar,
}

impl Done {
    fn flag(&self) -> MutexGuard<'_, bool> {
        self.is_set.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_set(&self) -> bool {
        *self.flag()
    }

    fn set(&self) {
        *self.flag() = true;
        self.changed.notify_all();
    }

    /// Waits until it is set, but no longer than this.
    fn wait(&self, patience: Duration) {
        // A poisoned flag can be read as well.
        let _ = (self.changed).wait_timeout_while(self.flag(), patience, |is_set| !*is_set);
    }
}

/// A request that another thread answers. If that thread panics, dropping this tells the page.
struct Task {
    id: u32,
    outlet: Outlet,
    /// Its threads and memory, until they are given back.
    share: Option<Share>,
    done: Arc<Done>,
    is_answered: bool,
}

impl Task {
    fn new(id: u32, outlet: &Outlet, share: Option<Share>) -> Task {
        Task {
            id,
            outlet: Arc::clone(outlet),
            share,
            done: Arc::default(),
            is_answered: false,
        }
    }

    /// The flag that is set once threads and memory are given back.
    fn done(&self) -> Arc<Done> {
        Arc::clone(&self.done)
    }

    fn report(&self, reply: Reply) {
        (self.outlet)(reply);
    }

    /// Gives threads and memory back.
    fn end(&mut self) {
        self.share = None;
        self.done.set();
    }

    fn answer(mut self, reply: Reply) {
        self.end();
        self.is_answered = true;
        self.report(reply);
    }

    fn problem(self, message: String) {
        let id = Some(self.id);
        self.answer(Reply::Problem { id, message });
    }
}

impl Drop for Task {
    fn drop(&mut self) {
        self.end();
        if !self.is_answered {
            let (id, message) = (Some(self.id), FAILED.to_owned());
            self.report(Reply::Problem { id, message });
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
    pub fn take(&mut self, request: Request) {
        let id = request.id();
        if let Err(message) = self.begin(request) {
            (self.outlet)(Reply::Problem { id, message });
        }
    }

    fn begin(&mut self, request: Request) -> Result<(), String> {
        match request {
            Request::Search {
                id,
                line,
                effort,
                threat,
            } => {
                self.end_running();
                let game = named(&line.game)?;
                self.running = Some(game.dispatch(BeginSearch {
                    id,
                    line: &line,
                    effort: &effort,
                    threat,
                    session: self,
                })?);
            }
            Request::Review {
                id,
                line,
                from,
                nodes,
            } => {
                self.end_running();
                let game = named(&line.game)?;
                self.running = Some(game.dispatch(BeginReview {
                    id,
                    line: &line,
                    from,
                    nodes,
                    session: self,
                })?);
            }
            Request::Consult {
                id,
                line,
                program,
                time_ms,
            } => {
                self.end_running();
                let game = named(&line.game)?;
                self.running = Some(game.dispatch(Consult {
                    id,
                    line,
                    program,
                    time: Duration::from_millis(time_ms),
                    session: self,
                })?);
            }
            Request::Stop => {
                if let Some(running) = &self.running {
                    running.stop();
                }
            }
            Request::Watch { id } => {
                self.watching = Some((id, None));
                self.report_live();
            }
            Request::Follow { id, number } => {
                if number.is_some_and(|number| !self.live.has(number)) {
                    self.following = None;
                    return Err("That game is not there any more.".to_owned());
                }
                self.following = number.map(|number| (id, number, None));
                self.report_live();
            }
            request => (self.outlet)(answer(request, rand::random())?),
        }
        Ok(())
    }

    /// Reports what a running search has found and what happened in live games since the last call.
    pub fn report(&mut self) {
        self.report_live();
        let progress = self.running.as_mut().and_then(|running| running.progress());
        if let Some(progress) = progress {
            (self.outlet)(progress);
        }
    }

    /// Ends the running search, and waits until it has given its threads back.
    fn end_running(&mut self) {
        let Some(running) = self.running.take() else {
            return;
        };
        running.stop();
        running.done().wait(STOP_PATIENCE);
    }

    fn report_live(&mut self) {
        if let Some((id, sent)) = &mut self.watching
            && let Some(reply) = self.live.list(*id, sent)
        {
            (self.outlet)(reply);
        }
        if let Some((id, number, sent)) = &mut self.following
            && let Some(reply) = self.live.game(*id, *number, sent)
        {
            (self.outlet)(reply);
        }
    }

    fn share(&self, threads: usize, memory_mib: usize) -> Result<Share, String> {
        let memory_mib = match memory_mib {
            0 => USUAL_MIB,
            wanted => wanted,
        };
        let share = self.budget.take(threads.max(1), memory_mib);
        share.ok_or_else(|| "Too many boards search at the same time.".to_owned())
    }
}

struct BeginSearch<'a> {
    id: u32,
    line: &'a GameLine,
    effort: &'a Effort,
    threat: bool,
    session: &'a Session,
}

struct RunningSearch<G: Game> {
    search: Arc<Search<G>>,
    thinking: Thinking<G>,
    started: Instant,
    reported: u64,
    done: Arc<Done>,
}

impl ForGame for BeginSearch<'_> {
    type Output = Result<Box<dyn Running>, String>;

    fn run<G: Recorded>(self, variant: G::Variant) -> Self::Output {
        let BeginSearch {
            id,
            line,
            effort,
            threat,
            session,
        } = self;
        // The time includes the allocation of the tree.
        let started = Instant::now();
        let search = Search::<G>::new(id, line, effort, threat, variant)?;
        let share = session.share(effort.threads, effort.memory_mib)?;
        let make_player = search.make_player(MctsOptions {
            threads: share.threads,
            memory_mib: share.memory_mib,
            seed: rand::random(),
            ..MctsOptions::of::<G>()
        });
        let engine = Engine::start(Box::new(make_player))
            .map_err(|error| format!("No search can be started: {error}."))?;
        let mut task = Task::new(id, &session.outlet, Some(share));
        let done = task.done();
        let search = Arc::new(search);
        let on_answer = {
            let search = Arc::clone(&search);
            move |answer: crate::engine::Answer<G>| {
                task.end();
                let crate::engine::Answer {
                    choice,
                    lines,
                    ended_after,
                    ..
                } = answer;
                task.answer(search.found(choice, &lines, ended_after, started.elapsed()));
            }
        };
        let record = search.record.clone();
        let thinking = engine.think(record, search.limits, started, search.lines, on_answer);
        Ok(Box::new(RunningSearch {
            search,
            thinking,
            started,
            reported: 0,
            done,
        }))
    }
}

impl<G: Game> Running for RunningSearch<G> {
    fn progress(&mut self) -> Option<Reply> {
        // The last answer has been sent.
        if self.done.is_set() {
            return None;
        }
        let progress = self.thinking.progress()?;
        if progress.nodes == self.reported {
            return None;
        }
        self.reported = progress.nodes;
        let took = self.started.elapsed();
        Some(self.search.progress(&progress.lines, progress.nodes, took))
    }

    fn stop(&self) {
        self.thinking.stop();
    }

    fn done(&self) -> &Done {
        &self.done
    }
}

struct BeginReview<'a> {
    id: u32,
    line: &'a GameLine,
    from: usize,
    nodes: u64,
    session: &'a Session,
}

/// Work that ends when a flag is set.
struct Stoppable {
    stop: Arc<AtomicBool>,
    done: Arc<Done>,
}

impl ForGame for BeginReview<'_> {
    type Output = Result<Box<dyn Running>, String>;

    fn run<G: Recorded>(self, variant: G::Variant) -> Self::Output {
        let BeginReview {
            id,
            line,
            from,
            nodes,
            session,
        } = self;
        let share = session.share(1, 0)?;
        let stop = Arc::default();
        let memory_mib = share.memory_mib;
        let mut review = Review::<G>::new(id, line, from, nodes, memory_mib, variant, &stop)?;
        let task = Task::new(id, &session.outlet, Some(share));
        let done = task.done();
        let is_stopped = Arc::clone(&stop);
        let work = move || {
            let mut end = None;
            while end.is_none() {
                task.report(review.progress());
                end = review.step();
                if is_stopped.load(Ordering::Relaxed) {
                    end = Some(review.stopped());
                }
            }
            // Its memory goes before its share.
            drop(review);
            if let Some(end) = end {
                task.answer(end);
            }
        };
        thread::Builder::new()
            .name("review".to_owned())
            .spawn(work)
            .map_err(|error| format!("No review can be started: {error}."))?;
        Ok(Box::new(Stoppable { stop, done }))
    }
}

impl Running for Stoppable {
    fn progress(&mut self) -> Option<Reply> {
        None
    }

    fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    fn done(&self) -> &Done {
        &self.done
    }
}

impl Drop for Stoppable {
    fn drop(&mut self) {
        self.stop();
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

struct Job<G: Game> {
    record: Record<G>,
    stop: Arc<AtomicBool>,
    on_answer: Box<dyn FnOnce(Result<OpponentsMove<G>, OpponentError>) + Send>,
}

struct Consult<'a> {
    id: u32,
    line: GameLine,
    program: String,
    time: Duration,
    session: &'a mut Session,
}

impl ForGame for Consult<'_> {
    type Output = Result<Box<dyn Running>, String>;

    fn run<G: Recorded>(self, variant: G::Variant) -> Self::Output {
        let Consult {
            id,
            line,
            program,
            time,
            session,
        } = self;
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
        let task = Task::new(id, &session.outlet, None);
        let (stop, done) = (Arc::new(AtomicBool::new(false)), task.done());
        let record = drawn.record.clone();
        let on_answer = move |answer: Result<OpponentsMove<G>, OpponentError>| match answer {
            Ok(chosen) => {
                let line = Line {
                    score: chosen.score,
                    ..Line::unjudged(chosen.mv)
                };
                task.answer(Reply::Found {
                    id,
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
            stop: Arc::clone(&stop),
            on_answer: Box::new(on_answer),
        };
        if jobs.send(job).is_err() {
            // Dropping the job has told the page.
            session.programs.remove(index);
        }
        Ok(Box::new(Stoppable { stop, done }))
    }
}

/// Starts a thread with a program. It ends when the sender of its jobs is dropped.
fn program_thread<G: Game>(
    program: &str,
    time: Duration,
    budget: &Arc<Budget>,
) -> Result<Sender<Job<G>>, String> {
    let engine =
        EngineSpec::from_command_line::<G>(program, &[]).map_err(|error| sentence(&error))?;
    engine
        .check_plays::<G>()
        .map_err(|error| sentence(&error))?;
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

    use super::*;

    #[test]
    fn work_that_panics_tells_its_page_and_gives_its_share_back() {
        let budget = Budget::new(2, 64);
        let replies = Arc::new(Mutex::new(Vec::new()));
        let outlet: Outlet = {
            let replies = Arc::clone(&replies);
            Arc::new(move |reply| replies.lock().unwrap().push(reply))
        };
        let task = |id| Task::new(id, &outlet, budget.take(2, 32));
        let (first, second) = (task(1), task(2));
        let done = first.done();
        let failed = catch_unwind(AssertUnwindSafe(move || {
            let _task = first;
            panic!("on purpose");
        }));
        assert!(failed.is_err() && done.is_set());
        second.answer(Reply::Observing { id: 2 });
        assert_eq!(budget.free_threads(), 2);
        let problem = Reply::Problem {
            id: Some(1),
            message: FAILED.to_owned(),
        };
        assert_eq!(
            *replies.lock().unwrap(),
            [problem, Reply::Observing { id: 2 }]
        );
    }
}
