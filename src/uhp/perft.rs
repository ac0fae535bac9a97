//! Counts move sequences on its own thread.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};

use crate::game::{Frame, Game};
use crate::hive::perft::perft_bulk;
use crate::hive::standard::{self, Wide};
use crate::hive::{MoveList, Position, RuleBook};

/// Depth up to which a count does not check the stop signal.
const UNINTERRUPTED: u32 = 3;

/// A running count.
pub(super) struct Counting {
    stop: Arc<AtomicBool>,
    thread: JoinHandle<Vec<String>>,
}

impl Counting {
    /// Counts the sequences of all lengths up to `depth`; calls `at_end` when it is done.
    ///
    /// # Errors
    /// When the thread cannot be started.
    pub(super) fn start(
        position: &standard::Position,
        depth: u32,
        at_end: impl FnOnce() + Send + 'static,
    ) -> io::Result<Counting> {
        let stop = Arc::new(AtomicBool::new(false));
        let (flag, position) = (Arc::clone(&stop), *position);
        let thread = thread::Builder::new()
            .name("perft".to_owned())
            .spawn(move || {
                let mut lines = Vec::new();
                for length in 0..=depth {
                    match count_narrow(&position, length, &flag) {
                        Some(nodes) => lines.push(format!("{length}: {nodes}")),
                        None => break,
                    }
                }
                at_end();
                lines
            })?;
        Ok(Counting { stop, thread })
    }

    /// Ends the count; finished lengths keep their lines.
    pub(super) fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// Waits for the end; returns a line for each length.
    pub(super) fn finish(self) -> Vec<String> {
        self.thread.join().unwrap_or_default()
    }
}

/// The number of sequences; `None` when stopped. Counts on the narrow board if all of them stay on it.
fn count_narrow(position: &standard::Position, depth: u32, stop: &AtomicBool) -> Option<u64> {
    let frame = <Wide as Game>::Frame::for_plies(position, depth);
    match frame.and_then(|frame| frame.narrow(position)) {
        Some(narrow) => count(&narrow, depth, stop),
        None => count(position, depth, stop),
    }
}

fn count<R: RuleBook>(position: &Position<R>, depth: u32, stop: &AtomicBool) -> Option<u64> {
    if depth <= UNINTERRUPTED {
        return (!stop.load(Ordering::Relaxed)).then(|| perft_bulk(position, depth));
    }
    let mut moves = MoveList::new();
    position.legal_moves(&mut moves);
    moves.iter().try_fold(0u64, |nodes, &mv| {
        Some(nodes.saturating_add(count(&position.after(mv), depth - 1, stop)?))
    })
}
