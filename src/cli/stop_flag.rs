//! A flag that signals set.

use std::ops::Deref;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use anyhow::Context;

use super::exit::Exit;
use crate::bot::interruption;
use crate::client::Interruption;

/// A flag, and the signal that has set it.
#[derive(Debug, Default)]
pub(super) struct StopFlag {
    flag: AtomicBool,
    signal: OnceLock<Interruption>,
}

impl StopFlag {
    /// The signal that has set the flag.
    pub(super) fn signal(&self) -> Interruption {
        self.signal
            .get()
            .copied()
            .unwrap_or(Interruption::Interrupt)
    }
}

impl Deref for StopFlag {
    type Target = AtomicBool;

    fn deref(&self) -> &AtomicBool {
        &self.flag
    }
}

/// A flag that the first signal to end the process (Ctrl-C, SIGTERM) sets. A second one ends the process at once.
pub(super) fn stop_flag() -> anyhow::Result<Arc<StopFlag>> {
    let stop = Arc::new(StopFlag::default());
    let flag = Arc::clone(&stop);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_io()
        .build()
        .context("cannot listen for signals")?;
    let first = {
        let _guard = runtime.enter();
        interruption()?
    };
    std::thread::spawn(move || {
        runtime.block_on(async {
            // Only this thread sets it.
            let _ = flag.signal.set(first.await);
            flag.store(true, Ordering::Relaxed);
            if let Ok(second) = interruption() {
                second.await;
                std::process::exit(Exit::Interrupted as i32);
            }
        });
    });
    Ok(stop)
}
