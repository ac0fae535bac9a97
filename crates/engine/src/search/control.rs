//! Limits, clock and signals of a search.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::choice::RootMove;
use wabe_hive::{Move, RuleBook};

/// Minimum time between two reports of a running search.
pub const REPORT_INTERVAL: Duration = Duration::from_millis(100);

/// The time or number of iterations after which a search ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limits {
    /// The search ends after this time, counted by the control's [`Clock`].
    Time(Duration),
    /// The search ends after this many iterations.
    Nodes(u64),
    /// The search ends at whichever limit comes first.
    TimeAndNodes {
        /// Time, counted by the control's [`Clock`].
        time: Duration,
        /// Iterations.
        nodes: u64,
    },
    /// No limit: the search ends when it is stopped or finds the exact result.
    Infinite,
}

impl Limits {
    /// Combines optional limits.
    pub fn from_parts(time: Option<Duration>, nodes: Option<u64>) -> Limits {
        match (time, nodes) {
            (Some(time), Some(nodes)) => Limits::TimeAndNodes { time, nodes },
            (Some(time), None) => Limits::Time(time),
            (None, Some(nodes)) => Limits::Nodes(nodes),
            (None, None) => Limits::Infinite,
        }
    }

    /// The time limit, if there is one.
    pub fn time(self) -> Option<Duration> {
        match self {
            Limits::Time(time) | Limits::TimeAndNodes { time, .. } => Some(time),
            Limits::Nodes(_) | Limits::Infinite => None,
        }
    }

    /// The limit on iterations, if there is one.
    pub fn nodes(self) -> Option<u64> {
        match self {
            Limits::Nodes(nodes) | Limits::TimeAndNodes { nodes, .. } => Some(nodes),
            Limits::Time(_) | Limits::Infinite => None,
        }
    }
}

/// Measures the time used for a move.
pub trait Clock: Sync {
    /// Time since the request for the move arrived.
    fn elapsed(&self) -> Duration;
}

/// The machine's monotonic clock.
#[derive(Clone, Copy, Debug)]
pub struct SystemClock {
    /// `None` for a clock that stays at 0.
    started: Option<Instant>,
}

impl SystemClock {
    /// A clock that counts from `started`, when the request arrived.
    pub fn since(started: Instant) -> SystemClock {
        SystemClock {
            started: Some(started),
        }
    }

    /// A clock that counts from now. Without a time limit it stays at 0, so that platforms without
    /// a clock, such as WebAssembly, can search.
    pub fn for_limits(limits: Limits) -> SystemClock {
        SystemClock {
            started: limits.time().map(|_| Instant::now()),
        }
    }
}

impl Clock for SystemClock {
    fn elapsed(&self) -> Duration {
        (self.started).map_or(Duration::ZERO, |started| started.elapsed())
    }
}

/// The best root moves of a running search.
#[derive(Clone, Debug, PartialEq)]
pub struct Progress<R: RuleBook> {
    /// The root moves, best first.
    pub lines: Vec<RootMove<R>>,
    /// Iterations so far.
    pub nodes: u64,
}

/// Receives reports of a running search.
pub trait SearchObserver<R: RuleBook>: Sync {
    /// Receives the best move so far, always legal. Called every few milliseconds.
    fn best(&self, mv: Move<R>);

    /// Maximum number of root moves in the next report to [`progress`](SearchObserver::progress); 0
    /// skips it.
    fn lines_wanted(&self) -> usize {
        0
    }

    /// Receives the best root moves so far.
    fn progress(&self, _progress: Progress<R>) {}
}

/// A [`SearchObserver`] that stores the best move.
#[derive(Debug)]
pub struct BestMove<R: RuleBook>(Mutex<Option<Move<R>>>);

impl<R: RuleBook> Default for BestMove<R> {
    fn default() -> BestMove<R> {
        BestMove(Mutex::default())
    }
}

impl<R: RuleBook> BestMove<R> {
    /// The last reported move.
    pub fn get(&self) -> Option<Move<R>> {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<R: RuleBook> SearchObserver<R> for BestMove<R> {
    fn best(&self, mv: Move<R>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(mv);
    }
}

/// The limits, clock and signals of a running search.
#[derive(Clone, Copy)]
pub struct SearchControl<'a, R: RuleBook> {
    /// When the search ends by itself.
    pub limits: Limits,
    /// The time since the request.
    pub clock: &'a dyn Clock,
    /// Set by another thread to end the search early.
    pub stop: &'a AtomicBool,
    /// Receives reports of the best moves.
    pub observer: &'a dyn SearchObserver<R>,
}

impl<R: RuleBook> SearchControl<'_, R> {
    /// True if the stop signal or the time limit ends the search.
    pub fn is_time_up(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
            || self
                .limits
                .time()
                .is_some_and(|time| self.clock.elapsed() >= time)
    }
}

/// Calls `body` with these limits and a clock that starts now, but without a stop signal or
/// reports.
pub(super) fn with_limits<R: RuleBook, T>(
    limits: Limits,
    body: impl FnOnce(&SearchControl<'_, R>) -> T,
) -> T {
    body(&SearchControl {
        limits,
        clock: &SystemClock::for_limits(limits),
        stop: &AtomicBool::new(false),
        observer: &BestMove::default(),
    })
}
