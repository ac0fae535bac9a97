//! A player on its own thread, for clients, viewers, the arena and the browser board.
//!
//! - [`Engine`] owns the thread, which runs one job after another. It needs no async runtime.
//!   Several engines can run in parallel.
//! - [`MoveSearch`] is a search for a move. A callback receives its answer on the engine's thread.
//! - [`Pondering`] is a search during the other side's turn.
//!
//! If the player panics, the answer contains no choice, and the engine builds a new player.

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
    BestMove, Choice, Clock, GreedyPlayer, Limits, Player, Progress, REPORT_INTERVAL,
    SearchControl, SearchObserver, SystemClock, lines_with_choice,
};
use wabe_hive::Move;
use wabe_hive::game::Record;

/// Builds the player of an engine, at the start and after a panic.
pub type PlayerFactory<G> = Box<dyn Fn() -> Box<dyn Player<G>> + Send>;

/// A thread with a player. When the engine is dropped, the thread ends after its current job.
pub struct Engine<G: Playable> {
    jobs: Sender<Job<G>>,
}

/// The result of a search.
#[derive(Clone, Debug)]
pub struct SearchResult<G: Playable> {
    /// The player's choice; `None` after a panic or if the player returned none.
    pub choice: Option<Choice<G>>,
    /// Time between the request's arrival and the start of the search.
    pub started_after: Duration,
    /// Time between the request's arrival and the end of the search.
    pub ended_after: Duration,
}

/// A search for a move. Dropping it stops the search.
#[derive(Debug)]
pub struct MoveSearch<G: Playable> {
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
    best: BestMove<G>,
    /// Maximum number of root moves per report; 0 for no reports.
    max_lines: usize,
    /// The latest report and its time.
    latest: Mutex<Option<(Instant, Progress<G>)>>,
}

/// Work for the player. Returns `false` if the player panicked.
type Job<G> = Box<dyn FnOnce(&mut dyn Player<G>) -> bool + Send>;

impl<G: Playable> Engine<G> {
    /// Starts the thread and waits until the player is built.
    ///
    /// # Errors
    /// If the thread cannot be started or building the player panics.
    pub fn start(make_player: PlayerFactory<G>) -> io::Result<Engine<G>> {
        let (jobs, queue) = channel::<Job<G>>();
        let (built_sender, built) = channel();
        thread::Builder::new()
            .name("search".to_owned())
            .spawn(move || {
                let mut player = make_player();
                if built_sender.send(()).is_err() {
                    return;
                }
                for job in queue {
                    let has_succeeded = job(&mut *player);
                    if !has_succeeded
                        && let Ok(new_player) = catch_unwind(AssertUnwindSafe(&make_player))
                    {
                        player = new_player;
                    }
                }
            })?;
        built
            .recv()
            .map_err(|_| io::Error::other("the player could not be built"))?;
        Ok(Engine { jobs })
    }

    /// Starts a search for a move in `record`. `clock` counts from the arrival of the request.
    /// Reports contain at most `lines` root moves; 0 disables them. `on_answer` receives the answer
    /// on the engine's thread and must return quickly. It is dropped without being called if the
    /// thread has died.
    ///
    /// Jobs run one after another, so stop the running one first.
    pub fn think(
        &self,
        clock: impl Clock + Send + 'static,
        record: Record<G>,
        limits: Limits,
        lines: usize,
        on_answer: impl FnOnce(SearchResult<G>) + Send + 'static,
    ) -> MoveSearch<G> {
        let shared = Arc::new(Shared {
            record,
            stop: AtomicBool::new(false),
            best: BestMove::default(),
            max_lines: lines,
            latest: Mutex::default(),
        });
        let task = Arc::clone(&shared);
        self.send(Box::new(move |player| {
            let started_after = clock.elapsed();
            let control = SearchControl {
                limits,
                clock: &clock,
                stop: &task.stop,
                observer: &*task,
            };
            let choose = || {
                let choice = player.choose(&task.record, &control)?;
                if task.max_lines > 0 {
                    // The last report is not throttled and agrees with the answer.
                    task.progress(Progress {
                        lines: lines_with_choice(&*player, choice.clone(), task.max_lines),
                        nodes: choice.nodes,
                    });
                }
                Some(choice)
            };
            let chosen = catch_unwind(AssertUnwindSafe(choose));
            let has_succeeded = chosen.is_ok();
            on_answer(SearchResult {
                choice: chosen.unwrap_or_default(),
                started_after,
                ended_after: clock.elapsed(),
            });
            // Logged after the answer, because logging takes time.
            if !has_succeeded {
                log::error!("the search panicked at {}", task.record.position());
            }
            has_succeeded
        }));
        MoveSearch { shared }
    }

    /// Starts a search in `record` during the other side's turn.
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
                observer: &BestMove::default(),
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
                .inspect_err(|_| log::error!("the player panicked when starting a new game"))
                .is_ok()
        }));
    }

    fn send(&self, job: Job<G>) {
        if self.jobs.send(job).is_err() {
            log::error!("the search thread has died");
        }
    }
}

impl<G: Playable> MoveSearch<G> {
    /// Stops the search. It still sends its answer.
    pub fn stop(&self) {
        self.shared.stop.store(true, Ordering::Relaxed);
    }

    /// The best move so far, always legal; `None` before the first report.
    pub fn best_so_far(&self) -> Option<Move<G>> {
        let is_legal = |mv: &Move<G>| self.shared.record.position().check(*mv).is_ok();
        self.shared.best.get().filter(is_legal)
    }

    /// The latest report, at most about 100 ms old during the search. After the search it agrees
    /// with the choice. `None` before the first report.
    pub fn progress(&self) -> Option<Progress<G>> {
        let latest = self.shared.latest();
        latest.as_ref().map(|(_, progress)| progress.clone())
    }

    /// A legal move in case the search fails: the best so far, otherwise the greedy player's,
    /// otherwise any.
    /// `None` when the game is over.
    pub fn fallback(&self) -> Option<Move<G>> {
        let record = &self.shared.record;
        self.best_so_far().or_else(|| {
            let legal = record.legal_moves();
            let greedy = greedy_move(record).filter(|mv| legal.contains(mv));
            greedy.or_else(|| legal.first().copied())
        })
    }
}

impl<G: Playable> Drop for MoveSearch<G> {
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

impl<G: Playable> SearchObserver<G> for Shared<G> {
    fn best(&self, mv: Move<G>) {
        self.best.best(mv);
    }

    fn lines_wanted(&self) -> usize {
        match &*self.latest() {
            Some((at, _)) if at.elapsed() < REPORT_INTERVAL => 0,
            _ => self.max_lines,
        }
    }

    fn progress(&self, progress: Progress<G>) {
        *self.latest() = Some((Instant::now(), progress));
    }
}

/// The greedy player's move.
fn greedy_move<G: Playable>(record: &Record<G>) -> Option<Move<G>> {
    let choose = || {
        let mut player = GreedyPlayer::new(NetworkEvaluator::<G>::built_in(), 0);
        player.choose_within(record, Limits::Infinite)
    };
    let choice = catch_unwind(AssertUnwindSafe(choose)).ok().flatten()?;
    Some(choice.best.mv)
}
