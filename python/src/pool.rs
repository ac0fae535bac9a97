//! The threads on which batches run.

use std::sync::{Arc, Mutex, PoisonError};

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

/// The pool and the process that started its threads. Threads do not survive a fork.
static POOL: Mutex<Option<(u32, Arc<ThreadPool>)>> = Mutex::new(None);

/// The pool of this process, with one thread per core or `RAYON_NUM_THREADS`.
///
/// The lock is taken only while attached to the interpreter, so a fork of another Python thread
/// never copies it locked.
pub(crate) fn pool(_py: Python<'_>) -> PyResult<Arc<ThreadPool>> {
    let mut pool = POOL.lock().unwrap_or_else(PoisonError::into_inner);
    let process = std::process::id();
    if let Some((owner, pool)) = pool.as_ref()
        && *owner == process
    {
        return Ok(Arc::clone(pool));
    }
    let built = ThreadPoolBuilder::new()
        .thread_name(|number| format!("wabe-batch-{number}"))
        .build()
        .map_err(|error| {
            PyRuntimeError::new_err(format!("cannot start the threads of batches: {error}"))
        })?;
    let built = Arc::new(built);
    let before = pool.replace((process, Arc::clone(&built)));
    // Dropping the parent's pool would signal threads that this process does not have.
    std::mem::forget(before);
    Ok(built)
}
