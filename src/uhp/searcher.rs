//! The search behind `bestmove`, on a thread of its own, stopped through a flag.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Instant;

use super::options::Options;
use crate::hive::standard::Move;
use crate::hive::standard::notation::Game;
use crate::search::{
    BestSoFar, Findings, Limits, SearcherSettings, StandardControl, StandardEvaluator,
    StandardSearcher, SystemClock, standard_params,
};

/// What a search and whoever waits for it tell each other.
#[derive(Debug, Default)]
struct Signals {
    stop: AtomicBool,
    best_so_far: BestSoFar,
}

/// A search that goes on.
pub(super) struct Running {
    signals: Arc<Signals>,
    thread: JoinHandle<(StandardSearcher, Findings)>,
}

impl Running {
    /// Starts to search the position of `game`, which is not over and has several moves; calls `at_end` when it is done.
    ///
    /// # Errors
    /// When there can be no further thread.
    pub(super) fn start(
        mut searcher: StandardSearcher,
        game: &Game,
        options: &Options,
        evaluator: &StandardEvaluator,
        limits: Limits,
        at_end: impl Fn() + Send + 'static,
    ) -> std::io::Result<Running> {
        let started = Instant::now();
        let signals = Arc::new(Signals::default());
        let (shared, position) = (Arc::clone(&signals), *game.position());
        let evaluator = evaluator.clone();
        let settings = SearcherSettings {
            threads: usize::try_from(options.threads).unwrap_or(1),
            memory_mib: usize::try_from(options.memory_mib).unwrap_or(1),
            seed: 0,
            params: standard_params(),
        };
        let thread = thread::Builder::new()
            .name("search".to_owned())
            .spawn(move || {
                let _at_the_end = AtTheEnd(at_end);
                let control = StandardControl {
                    limits,
                    clock: &SystemClock::since(started),
                    stop: &shared.stop,
                    best_so_far: &shared.best_so_far,
                };
                let findings = searcher.search(&position, settings, &evaluator, control);
                (searcher, findings)
            })?;
        Ok(Running { signals, thread })
    }

    /// Asks the search to end at once.
    pub(super) fn stop(&self) {
        self.signals.stop.store(true, Ordering::Relaxed);
    }

    /// What looks best so far.
    pub(super) fn best_so_far(&self) -> Option<Move> {
        self.signals.best_so_far.get()
    }

    /// Waits for the end of the search. After a panic in it, there are new trees and no findings.
    pub(super) fn finish(self) -> (StandardSearcher, Findings) {
        self.thread.join().unwrap_or_else(|_| {
            log::error!("the search panicked");
            Default::default()
        })
    }
}

/// Tells that a search is over, however it ended.
struct AtTheEnd<F: Fn()>(F);

impl<F: Fn()> Drop for AtTheEnd<F> {
    fn drop(&mut self) {
        (self.0)();
    }
}
