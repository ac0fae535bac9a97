//! Threads and memory that the searches of all pages share.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// Largest number of searches at the same time.
const MAX_SEARCHES: usize = 32;

/// Least memory of a search in MiB, granted even if nothing is left.
const MIN_MIB: usize = 16;

/// How often the end of programs is checked.
const PROGRAM_CHECK_INTERVAL: Duration = Duration::from_millis(5);

/// Limits on all searches together.
#[derive(Debug)]
pub struct Budget {
    pub(super) threads: usize,
    pub(super) memory_mib: usize,
    used: Mutex<Used>,
    /// Shared with each running program.
    programs: Arc<()>,
}

#[derive(Debug, Default)]
struct Used {
    searches: usize,
    threads: usize,
    memory_mib: usize,
}

/// A search's share, returned when it is dropped.
#[derive(Debug)]
pub(super) struct Share {
    budget: Arc<Budget>,
    pub(super) threads: usize,
    pub(super) memory_mib: usize,
}

impl Budget {
    /// A budget of that many threads and MiB. A search always gets at least one thread.
    pub fn new(threads: usize, memory_mib: usize) -> Arc<Budget> {
        Arc::new(Budget {
            threads: threads.max(1),
            memory_mib: memory_mib.max(MIN_MIB),
            used: Mutex::default(),
            programs: Arc::default(),
        })
    }

    fn used(&self) -> MutexGuard<'_, Used> {
        self.used.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until no program runs, for `patience` at most.
    pub fn wait_for_programs(&self, patience: Duration) {
        let started = Instant::now();
        while Arc::strong_count(&self.programs) > 1 && started.elapsed() < patience {
            thread::sleep(PROGRAM_CHECK_INTERVAL);
        }
    }

    /// Counts a program as long as the guard exists.
    pub(super) fn program(&self) -> Arc<()> {
        Arc::clone(&self.programs)
    }

    /// Number of unused threads.
    pub fn free_threads(&self) -> usize {
        self.threads.saturating_sub(self.used().threads)
    }

    /// A share of at most that many threads and MiB, fewer if others use them; `None` while too
    /// many searches run.
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
    fn programs_are_waited_for() {
        let budget = Budget::new(1, 100);
        let program = budget.program();
        budget.wait_for_programs(Duration::ZERO);
        thread::scope(|scope| {
            scope.spawn(|| drop(program));
            budget.wait_for_programs(Duration::from_secs(60));
        });
        assert_eq!(Arc::strong_count(&budget.programs), 1);
    }

    #[test]
    fn searches_share_what_there_is_and_give_it_back() {
        let budget = Budget::new(4, 100);
        let part = |threads, mib| {
            let share = budget.take(threads, mib).unwrap();
            (share.threads, share.memory_mib, share)
        };
        let (threads, mib, first) = part(3, 80);
        assert_eq!((threads, mib), (3, 80));
        let (threads, mib, _second) = part(3, 80);
        assert_eq!((threads, mib), (1, 20));
        let (threads, mib, _third) = part(3, 80);
        assert_eq!((threads, mib), (1, MIN_MIB));
        drop(first);
        assert_eq!(budget.take(8, 800).unwrap().threads, 2);
        let rest: Vec<_> = std::iter::from_fn(|| budget.take(1, 1)).collect();
        assert_eq!(rest.len(), MAX_SEARCHES - 2);
    }
}
