//! Limits threads and memory for the searches of all pages.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// Maximum number of concurrent searches.
const MAX_SEARCHES: usize = 32;

/// Minimum memory of a search in MiB, granted even if the budget is exhausted.
const MIN_MIB: usize = 16;

/// Polling interval for running programs.
const PROGRAM_POLL_INTERVAL: Duration = Duration::from_millis(5);

/// Threads and memory shared by all searches.
#[derive(Debug)]
pub struct Budget {
    pub(super) threads: usize,
    pub(super) memory_mib: usize,
    used: Mutex<Usage>,
    /// Counts running programs: each holds a reference.
    programs: Arc<()>,
}

#[derive(Debug, Default)]
struct Usage {
    searches: usize,
    threads: usize,
    memory_mib: usize,
}

/// A search's share of the budget. Dropping it returns the share.
#[derive(Debug)]
pub(super) struct Share {
    budget: Arc<Budget>,
    pub(super) threads: usize,
    pub(super) memory_mib: usize,
}

impl Budget {
    /// Creates a budget. Every search gets at least one thread, even if all are in use.
    pub fn new(threads: usize, memory_mib: usize) -> Arc<Budget> {
        Arc::new(Budget {
            threads: threads.max(1),
            memory_mib: memory_mib.max(MIN_MIB),
            used: Mutex::default(),
            programs: Arc::default(),
        })
    }

    fn used(&self) -> MutexGuard<'_, Usage> {
        self.used.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for all programs to exit, at most for `timeout`.
    pub fn wait_for_programs(&self, timeout: Duration) {
        let started = Instant::now();
        while Arc::strong_count(&self.programs) > 1 && started.elapsed() < timeout {
            thread::sleep(PROGRAM_POLL_INTERVAL);
        }
    }

    /// Counts a program as running until the guard is dropped.
    pub(super) fn add_program(&self) -> Arc<()> {
        Arc::clone(&self.programs)
    }

    /// Number of unused threads.
    pub fn free_threads(&self) -> usize {
        self.threads.saturating_sub(self.used().threads)
    }

    /// Takes at most this many threads and MiB, limited by what is left. Returns `None` if too many
    /// searches are running.
    pub(super) fn take(self: &Arc<Budget>, threads: usize, memory_mib: usize) -> Option<Share> {
        let mut used = self.used();
        if used.searches >= MAX_SEARCHES {
            return None;
        }
        let share = Share {
            budget: Arc::clone(self),
            threads: threads
                .min(self.threads.saturating_sub(used.threads))
                .max(1),
            memory_mib: memory_mib
                .min(self.memory_mib.saturating_sub(used.memory_mib))
                .max(MIN_MIB),
        };
        used.searches += 1;
        used.threads += share.threads;
        used.memory_mib += share.memory_mib;
        Some(share)
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        let mut used = self.budget.used();
        used.searches -= 1;
        used.threads -= self.threads;
        used.memory_mib -= self.memory_mib;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wait_for_programs_returns_on_timeout_or_exit() {
        let budget = Budget::new(1, 100);
        let program = budget.add_program();
        budget.wait_for_programs(Duration::ZERO);
        thread::scope(|scope| {
            scope.spawn(|| drop(program));
            budget.wait_for_programs(Duration::from_secs(60));
        });
        assert_eq!(Arc::strong_count(&budget.programs), 1);
    }

    #[test]
    fn take_limits_shares_until_they_are_dropped() {
        let budget = Budget::new(4, 100);
        let take = |threads, mib| {
            let share = budget.take(threads, mib).unwrap();
            (share.threads, share.memory_mib, share)
        };
        let (threads, mib, first) = take(3, 80);
        assert_eq!((threads, mib), (3, 80));
        let (threads, mib, _second) = take(3, 80);
        assert_eq!((threads, mib), (1, 20));
        let (threads, mib, _third) = take(3, 80);
        assert_eq!((threads, mib), (1, MIN_MIB));
        drop(first);
        assert_eq!(budget.take(8, 800).unwrap().threads, 2);
        let rest: Vec<_> = std::iter::from_fn(|| budget.take(1, 1)).collect();
        assert_eq!(rest.len(), MAX_SEARCHES - 2);
    }
}
