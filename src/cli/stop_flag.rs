//! A flag that signals set.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::Context;

use super::exit::Exit;
use super::interruption::interruption;

/// A flag that the first signal to end the process (Ctrl-C, SIGTERM) sets. A second one ends the process at once.
pub(super) fn stop_flag() -> anyhow::Result<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
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
            first.await;
            flag.store(true, Ordering::Relaxed);
            if let Ok(second) = interruption() {
                second.await;
                std::process::exit(Exit::Interrupted as i32);
            }
        });
    });
    Ok(stop)
}
