//! Counting move sequences beside the dialogue.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};

use crate::hive::perft::perft_bulk;
use crate::hive::standard::{Move, MoveList, Position};

/// Sequences of this length are counted without looking at the stop signal.
const UNINTERRUPTED: u32 = 3;

/// A count that goes on.
pub(super) struct Counting {
    stop: Arc<AtomicBool>,
    thread: JoinHandle<Vec<String>>,
}

impl Counting {
    /// Counts the sequences of all lengths up to `depth`; calls `at_end` when it is done.
    ///
    /// # Errors
    /// When there can be no further thread.
    pub(super) fn start(
        position: &Position,
        depth: u32,
        at_end: impl Fn() + Send + 'static,
    ) -> io::Result<Counting> {
        let stop = Arc::new(AtomicBool::new(false));
        let (flag, position) = (Arc::clone(&stop), *position);
        let thread = thread::Builder::new()
            .name("perft".to_owned())
            .spawn(move || {
                let mut lines = Vec::new();
                for length in 0..=depth {
                    match count(&position, length, &flag) {
                        Some(nodes) => lines.push(format!("{length}: {nodes}")),
                        None => break,
                    }
                }
                at_end();
                lines
            })?;
        Ok(Counting { stop, thread })
    }

    /// Ends the count; what is known is known.
    pub(super) fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// Waits for the end: a line for each length.
    pub(super) fn finish(self) -> Vec<String> {
        self.thread.join().unwrap_or_default()
    }
}

/// The number of sequences; `None` when stopped.
fn count(position: &Position, depth: u32, stop: &AtomicBool) -> Option<u64> {
    if depth <= UNINTERRUPTED {
        return (!stop.load(Ordering::Relaxed)).then(|| perft_bulk(position, depth));
    }
    let mut moves = MoveList::new();
    position.legal_moves(&mut moves);
    moves.iter().try_fold(0u64, |nodes, &mv: &Move| {
        Some(nodes.saturating_add(count(&position.after(mv), depth - 1, stop)?))
    })
}
