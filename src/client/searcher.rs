//! The search on a thread of its own.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc as jobs;
use std::thread;
use std::time::{Duration, Instant};

use tokio::sync::mpsc as answers;
use tokio::sync::oneshot;

use super::session::{Request, RequestId};
use crate::hive::contest::{Contest, Move, MoveList, Position};
use crate::search::{
    BestKnown, Choice, ContestEvaluator, GreedyPlayer, Limits, Player, SearchControl, SystemClock,
    unstopped,
};

/// Makes the player, anew after each panic.
pub type PlayerFactory = Box<dyn Fn() -> Box<dyn Player<Contest>> + Send>;

/// A thread that searches one position after the other.
pub(super) struct Searcher {
    jobs: jobs::Sender<Job>,
    answers: answers::UnboundedReceiver<Answer>,
}

/// A search that somebody waits for.
#[derive(Debug)]
pub(super) struct Pending {
    pub(super) request: Request,
    /// When the request's bytes arrived.
    pub(super) arrived: Instant,
    signals: Arc<Signals>,
}

/// What the search and whoever waits for it tell each other.
#[derive(Debug)]
struct Signals {
    stop: AtomicBool,
    best_known: BestKnown<Contest>,
}

/// Lets the player think ahead for as long as it lives.
#[derive(Debug)]
pub(super) struct Pondering {
    stop: Arc<AtomicBool>,
}

impl Drop for Pondering {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}

enum Job {
    Search(SearchJob),
    Ponder(PonderJob),
}

struct SearchJob {
    id: RequestId,
    position: Position,
    arrived: Instant,
    limits: Limits,
    signals: Arc<Signals>,
}

struct PonderJob {
    position: Position,
    stop: Arc<AtomicBool>,
}

/// What came of a search.
pub(super) struct Answer {
    pub(super) id: RequestId,
    /// `None` after a panic, or from a player that has no answer.
    pub(super) choice: Option<Choice<Contest>>,
    /// Time between the request's arrival and the start of the search.
    pub(super) started_after: Duration,
    /// Time between the request's arrival and the end of the search.
    pub(super) ended_after: Duration,
}

impl Searcher {
    /// Starts the thread and waits until the player is there.
    pub(super) async fn start(make_player: PlayerFactory) -> io::Result<Searcher> {
        let (job_sender, job_receiver) = jobs::channel();
        let (answer_sender, answer_receiver) = answers::unbounded_channel();
        let (ready_sender, ready) = oneshot::channel();
        thread::Builder::new()
            .name("search".to_owned())
            .spawn(move || {
                let mut player = make_player();
                if ready_sender.send(()).is_err() {
                    return;
                }
                // Ends when the searcher is dropped.
                for job in job_receiver {
                    let is_sound = match job {
                        Job::Search(job) => {
                            let answer = search(&mut *player, &job);
                            let has_choice = answer.choice.is_some();
                            if answer_sender.send(answer).is_err() {
                                return;
                            }
                            has_choice
                        }
                        Job::Ponder(job) => ponder(&mut *player, &job),
                    };
                    // Whatever state a panic left behind is thrown away, but only after the answer is out.
                    if !is_sound && let Ok(fresh) = catch_unwind(AssertUnwindSafe(&make_player)) {
                        player = fresh;
                    }
                }
            })?;
        ready
            .await
            .map_err(|_| io::Error::other("the player could not be made"))?;
        Ok(Searcher {
            jobs: job_sender,
            answers: answer_receiver,
        })
    }

    /// Has a request searched; the clock runs from `arrived`.
    pub(super) fn search(&self, request: Request, arrived: Instant, limits: Limits) -> Pending {
        let signals = Arc::new(Signals {
            stop: AtomicBool::new(false),
            best_known: BestKnown::new(),
        });
        let job = SearchJob {
            id: request.id,
            position: request.position,
            arrived,
            limits,
            signals: Arc::clone(&signals),
        };
        self.send(Job::Search(job));
        Pending {
            request,
            arrived,
            signals,
        }
    }

    /// Lets the player think ahead about a position in which it is the other side's turn.
    pub(super) fn ponder(&self, position: Position) -> Pondering {
        let stop = Arc::new(AtomicBool::new(false));
        self.send(Job::Ponder(PonderJob {
            position,
            stop: Arc::clone(&stop),
        }));
        Pondering { stop }
    }

    fn send(&self, job: Job) {
        // A thread that is gone gives no answer; whoever waits has a time limit and a move for this case.
        if self.jobs.send(job).is_err() {
            log::error!("the search is gone");
        }
    }

    /// The next answer; waits forever if the thread is gone.
    pub(super) async fn answer(&mut self) -> Answer {
        match self.answers.recv().await {
            Some(answer) => answer,
            None => std::future::pending().await,
        }
    }
}

impl Pending {
    /// Tells the search to end at once.
    pub(super) fn stop(&self) {
        self.signals.stop.store(true, Ordering::Relaxed);
    }

    /// A legal move that does not need the search to end well: the best that it has reported, or what looks best without one,
    /// or any.
    pub(super) fn fallback(&self) -> Option<Move> {
        let position = &self.request.position;
        let is_legal = |mv: &Move| position.check(*mv).is_ok();
        let any = || {
            let mut moves = MoveList::new();
            position.legal_moves(&mut moves);
            moves.first().copied()
        };
        let reported = self.signals.best_known.get().filter(is_legal);
        reported
            .or_else(|| greedy(position).filter(is_legal))
            .or_else(any)
    }
}

fn search(player: &mut dyn Player<Contest>, job: &SearchJob) -> Answer {
    let started_after = job.arrived.elapsed();
    let control = SearchControl {
        limits: job.limits,
        clock: &SystemClock::since(job.arrived),
        stop: &job.signals.stop,
        best_known: &job.signals.best_known,
    };
    let choice = catch_unwind(AssertUnwindSafe(|| player.choose(&job.position, &control)))
        .inspect_err(|_| log::error!("the search panicked at {}", job.position))
        .ok()
        .flatten();
    Answer {
        id: job.id,
        choice,
        started_after,
        ended_after: job.arrived.elapsed(),
    }
}

/// Whether it went well.
fn ponder(player: &mut dyn Player<Contest>, job: &PonderJob) -> bool {
    let control = SearchControl {
        limits: Limits::Infinite,
        clock: &SystemClock::since(Instant::now()),
        stop: &job.stop,
        best_known: &BestKnown::new(),
    };
    catch_unwind(AssertUnwindSafe(|| player.ponder(&job.position, &control)))
        .inspect_err(|_| log::error!("thinking ahead panicked at {}", job.position))
        .is_ok()
}

/// The choice of a player that only looks one ply ahead.
fn greedy(position: &Position) -> Option<Move> {
    let choose = || {
        let mut player = GreedyPlayer::new(ContestEvaluator::default(), 0);
        unstopped(Limits::Infinite, |control| player.choose(position, control))
    };
    let choice = catch_unwind(AssertUnwindSafe(choose)).ok().flatten()?;
    Some(choice.best.mv)
}
