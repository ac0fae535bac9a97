//! How long a search may go on.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::hive::{Move, RuleBook};

/// When a search ends by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limits {
    /// After this time, counted by the control's [`Clock`].
    Time(Duration),
    /// After this many iterations.
    Nodes(u64),
    /// After whichever comes first.
    TimeAndNodes {
        /// Time, counted by the control's [`Clock`].
        time: Duration,
        /// Iterations.
        nodes: u64,
    },
    /// Only when it is stopped or knows the exact result.
    Infinite,
}

impl Limits {
    /// The limit that the optional parts make up.
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

/// Tells how much of the time for a move has passed.
pub trait Clock: Sync {
    /// Time since the request for the move arrived.
    fn elapsed(&self) -> Duration;
}

/// The machine's monotonic clock.
#[derive(Clone, Copy, Debug)]
pub struct SystemClock {
    started: Instant,
}

impl SystemClock {
    /// A clock that counts from `started`, the moment that the request arrived.
    pub fn since(started: Instant) -> SystemClock {
        SystemClock { started }
    }
}

impl Clock for SystemClock {
    fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }
}

/// The best move that a running search knows, for whoever has to answer in its place.
#[derive(Debug)]
pub struct BestKnown<R: RuleBook>(Mutex<Option<Move<R>>>);

impl<R: RuleBook> Default for BestKnown<R> {
    fn default() -> BestKnown<R> {
        BestKnown(Mutex::default())
    }
}

impl<R: RuleBook> BestKnown<R> {
    /// Nothing known yet.
    pub fn new() -> BestKnown<R> {
        BestKnown::default()
    }

    /// Replaces the move.
    pub fn set(&self, mv: Option<Move<R>>) {
        *self
            .0
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner()) = mv;
    }

    /// The move, if there is one.
    pub fn get(&self) -> Option<Move<R>> {
        *self
            .0
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

/// Everything that a search hears from outside and tells the outside while it runs.
#[derive(Clone, Copy)]
pub struct SearchControl<'a, R: RuleBook> {
    /// When to end.
    pub limits: Limits,
    /// The time since the request.
    pub clock: &'a dyn Clock,
    /// Set by another thread to end the search at once.
    pub stop: &'a AtomicBool,
    /// Where the search leaves its best move from time to time.
    pub best_known: &'a BestKnown<R>,
}

impl<R: RuleBook> SearchControl<'_, R> {
    /// Whether the search has to end by stop signal or time.
    pub fn is_time_up(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
            || self
                .limits
                .time()
                .is_some_and(|time| self.clock.elapsed() >= time)
    }
}

/// Runs `body` with a control of these limits that nobody stops, its clock starting now.
pub fn unstopped<R: RuleBook, T>(
    limits: Limits,
    body: impl FnOnce(&SearchControl<'_, R>) -> T,
) -> T {
    body(&SearchControl {
        limits,
        clock: &SystemClock::since(Instant::now()),
        stop: &AtomicBool::new(false),
        best_known: &BestKnown::new(),
    })
}
