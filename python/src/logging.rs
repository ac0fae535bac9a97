//! Passes the log of the Rust crates to Python's `logging`, as the logger `wabe`.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use log::{Level, LevelFilter, Log, Metadata, Record};
use pyo3::exceptions::PyException;
use pyo3::prelude::*;

/// Maximum number of messages that wait for the GIL. Later ones are dropped.
const MAX_WAITING: usize = 1000;

/// Messages of all threads, until a thread with the GIL passes them on.
static WAITING: Mutex<VecDeque<(Level, String)>> = Mutex::new(VecDeque::new());

struct Queue;

impl Log for Queue {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        // The crates, and this library, whose name is `_wabe`.
        let target = metadata.target();
        target.starts_with("wabe") || target.starts_with("_wabe")
    }

    fn log(&self, record: &Record<'_>) {
        if self.enabled(record.metadata()) {
            let mut waiting = WAITING.lock().unwrap_or_else(PoisonError::into_inner);
            if waiting.len() < MAX_WAITING {
                waiting.push_back((record.level(), record.args().to_string()));
            }
        }
    }

    fn flush(&self) {}
}

/// Starts to collect messages.
pub(crate) fn init() {
    // Fails only if the module is initialized twice.
    if log::set_logger(&Queue).is_ok() {
        log::set_max_level(LevelFilter::Info);
    }
}

/// Passes the waiting messages on. Exceptions of handlers are reported as unraisable.
///
/// # Errors
/// Other errors, such as `KeyboardInterrupt` while a handler runs.
pub(crate) fn forward_logs(py: Python<'_>) -> PyResult<()> {
    loop {
        let next = {
            let mut waiting = WAITING.lock().unwrap_or_else(PoisonError::into_inner);
            waiting.pop_front()
        };
        let Some((level, text)) = next else {
            return Ok(());
        };
        let level = match level {
            Level::Error => "error",
            Level::Warn => "warning",
            Level::Info => "info",
            Level::Debug | Level::Trace => "debug",
        };
        if let Err(error) = log(py, level, &text) {
            if !error.is_instance_of::<PyException>(py) {
                return Err(error);
            }
            error.write_unraisable(py, None);
        }
    }
}

fn log(py: Python<'_>, level: &str, text: &str) -> PyResult<()> {
    let logger = py.import("logging")?.call_method1("getLogger", ("wabe",))?;
    // The text may contain `%`.
    logger.call_method1(level, ("%s", text)).map(drop)
}
