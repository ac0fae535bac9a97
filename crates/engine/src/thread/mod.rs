//! A player on its own thread: the one handle for clients, viewers, the arena and the browser
//! board.
//!
//! - [`Engine`] owns the thread, which runs one job after another. It needs no asynchronous
//!   runtime; several engines can run at once.
//! - [`Thinking`] is a search for a move. Its answer goes to a callback, on the engine's thread.
//! - [`Pondering`] is a search during the other side's turn.
//!
//! If the player panics, the answer has no choice, and the player is replaced after the answer.

#[cfg(test)]
mod tests;

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::Playable;
use crate::evaluation::NetworkEvaluator;
use crate::search::{
    BestKnown, Choice, Clock, GreedyPlayer, Limits, Player, Progress, SearchControl, SystemClock,
    Watch, lines_of, unstopped,
};
use wabe_hive::Move;
use wabe_hive::game::Record;

/// Least time between two reports of a search's lines.
const BETWEEN_REPORTS: Duration = Duration::from_millis(100);

/// Builds an engine's player, at the start and after a panic.
pub type PlayerFactory<G> = Box<dyn Fn() -> Box<dyn Player<G>> + Send>;

/// A thread with a player. It ends after its present job when the engine is dropped.
pub struct Engine<G: Playable> {
    jobs: Sender<Job<G>>,
}

/// The result of a search.
#[derive(Clone, Debug)]
pub struct Answer<G: Playable> {
    /// The player's choice; `None` after a panic, or from a player that has none.
    pub choice: Option<Choice<G>>,
    /// Time between the request's arrival and the start of the search.
    pub started_after: Duration,
    /// Time between the request's arrival and the end of the search.
    pub ended_after: Duration,
}

/// A search for a move. Dropping it stops the search.
#[derive(Debug)]
pub struct Thinking<G: Playable> {
    shared: Arc<Shared<G>>,
}

/// A search during the other side's turn. Dropping it stops the search.
#[derive(Debug)]
pub struct Pondering {
    stop: Arc<AtomicBool>,
}

/// The task of a search, and the signals between it and its handle.
#[derive(Debug)]
struct Shared<G: Playable> {
    record: Record<G>,
    stop: AtomicBool,
    best: BestKnown<G>,
    /// Number of lines in a report; 0 for no reports.
    wanted: usize,
    /// The latest report, and when it came.
    latest: Mutex<Option<(Instant, Progress<G>)>>,
}

/// Work for the player. Returns `false` if the player panicked.
type Job<G> = Box<dyn FnOnce(&mut dyn Player<G>) -> bool + Send>;

impl<G: Playable> Engine<G> {
    /// Starts the thread and waits until the player is built.
    ///
    /// # Errors
    /// When the thread cannot be started, or building the player panics.
    pub fn start(make_player: PlayerFactory<G>) -> io::Result<Engine<G>> {
        let (jobs, queue) = channel::<Job<G>>();
        let (made, is_made) = channel();
        thread::Builder::new()
            .name("search".to_owned())
            .spawn(move || {
                let mut player = make_player();
                if made.send(()).is_err() {
                    return;
                }
                for job in queue {
                    let is_sound = job(&mut *player);
                    if !is_sound && let Ok(fresh) = catch_unwind(AssertUnwindSafe(&make_player)) {
                        player = fresh;
                    }
                }
            })?;
        is_made
            .recv()
            .map_err(|_| io::Error::other("the player could not be built"))?;
        Ok(Engine { jobs })
    }

    /// Has the player choose a move in `record`. `clock` has counted since the request arrived.
    /// `lines` is the number of best lines in its reports, 0 for no reports. `on_answer` gets the
    /// answer on the engine's thread and must return quickly; it is dropped uncalled if the thread
    /// has died.
    ///
    /// Jobs run one after another, so stop the running one first.
    pub fn think(
        &self,
        clock: impl Clock + Send + 'static,
        record: Record<G>,
        limits: Limits,
        lines: usize,
        on_answer: impl FnOnce(Answer<G>) + Send + 'static,
    ) -> Thinking<G> {
        let shared = Arc::new(Shared {
            record,
            stop: AtomicBool::new(false),
            best: BestKnown::default(),
            wanted: lines,
            latest: Mutex::default(),
        });
        let task = Arc::clone(&shared);
        self.send(Box::new(move |player| {
            let started_after = clock.elapsed();
            let control = SearchControl {
                limits,
                clock: &clock,
                stop: &task.stop,
                watch: &*task,
            };
            let choose = || {
                let choice = player.choose(&task.record, &control)?;
                if task.wanted > 0 {
                    // The last report is not throttled and agrees with the answer.
                    task.progress(Progress {
                        lines: lines_of(&*player, choice.clone(), task.wanted),
                        nodes: choice.nodes,
                    });
                }
                Some(choice)
            };
            let chosen = catch_unwind(AssertUnwindSafe(choose));
            let is_sound = chosen.is_ok();
            on_answer(Answer {
                choice: chosen.unwrap_or_default(),
                started_after,
                ended_after: clock.elapsed(),
            });
            // After the answer, because logging takes time.
            if !is_sound {
                log::error!("the search panicked at {}", task.record.position());
            }
            is_sound
        }));
        Thinking { shared }
    }

    /// Lets the player search in `record`, in which it is the other side's turn.
    pub fn ponder(&self, record: Record<G>) -> Pondering {
        let stop = Arc::new(AtomicBool::new(false));
        let pondering = Pondering {
            stop: Arc::clone(&stop),
        };
        self.send(Box::new(move |player| {
            if stop.load(Ordering::Relaxed) {
                return true;
            }
            let control = SearchControl {
                limits: Limits::Infinite,
                clock: &SystemClock::since(Instant::now()),
                stop: &stop,
                watch: &BestKnown::default(),
            };
            catch_unwind(AssertUnwindSafe(|| player.ponder(&record, &control)))
                .inspect_err(|_| log::error!("pondering panicked at {}", record.position()))
                .is_ok()
        }));
        pondering
    }

    /// Resets the player.
    pub fn new_game(&self) {
        self.send(Box::new(|player| {
            catch_unwind(AssertUnwindSafe(|| player.new_game()))
                .inspect_err(|_| log::error!("the player panicked at a new game"))
                .is_ok()
        }));
    }

    fn send(&self, job: Job<G>) {
        if self.jobs.send(job).is_err() {
            log::error!("the search thread has ended");
        }
    }
}

impl<G: Playable> Thinking<G> {
    /// Stops the search at once; it still answers.
    pub fn stop(&self) {
        self.shared.stop.store(true, Ordering::Relaxed);
    }

    /// The best move so far, a legal one, once the search has reported one.
    pub fn best_so_far(&self) -> Option<Move<G>> {
        let is_legal = |mv: &Move<G>| self.shared.record.position().check(*mv).is_ok();
        self.shared.best.get().filter(is_legal)
    }

    /// The latest report: at most about 100 ms old while the search runs, that of its choice
    /// afterwards; `None` before the first one.
    pub fn progress(&self) -> Option<Progress<G>> {
        let latest = self.shared.latest();
        latest.as_ref().map(|(_, progress)| progress.clone())
    }

    /// A legal move for a search that fails: the best so far, or else the best at one ply, or else
    /// any. `None` when the game is over.
    pub fn fallback(&self) -> Option<Move<G>> {
        let record = &self.shared.record;
        self.best_so_far().or_else(|| {
            let legal = record.legal_moves();
            let greedy = greedy(record).filter(|mv| legal.contains(mv));
            greedy.or_else(|| legal.first().copied())
        })
    }
}

impl<G: Playable> Drop for Thinking<G> {
    fn drop(&mut self) {
        self.stop();
    }
}

impl Drop for Pondering {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}

impl<G: Playable> Shared<G> {
    fn latest(&self) -> MutexGuard<'_, Option<(Instant, Progress<G>)>> {
        self.latest.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<G: Playable> Watch<G> for Shared<G> {
    fn best(&self, mv: Move<G>) {
        self.best.best(mv);
    }

    fn lines_wanted(&self) -> usize {
        match &*self.latest() {
            Some((at, _)) if at.elapsed() < BETWEEN_REPORTS => 0,
            _ => self.wanted,
        }
    }

    fn progress(&self, progress: Progress<G>) {
        *self.latest() = Some((Instant::now(), progress));
    }
}

/// The choice of a player that looks one ply ahead.
fn greedy<G: Playable>(record: &Record<G>) -> Option<Move<G>> {
    let choose = || {
        let mut player = GreedyPlayer::new(NetworkEvaluator::<G>::built_in(), 0);
        unstopped(Limits::Infinite, |control| player.choose(record, control))
    };
    let choice = catch_unwind(AssertUnwindSafe(choose)).ok().flatten()?;
    Some(choice.best.mv)
}
