//! Runs Rust code without the GIL while the calling thread waits for it.
//!
//! The waiting thread checks for signals, so that Ctrl-C ends everything that takes time. It also
//! calls Python functions on behalf of the Rust threads, which never touch the interpreter: they
//! may outlive it.

use std::any::Any;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

use pyo3::prelude::*;

use crate::error::runtime_error;
use crate::logging::forward_logs;

/// Time between two checks for signals.
const CHECK_INTERVAL: Duration = Duration::from_millis(50);

/// An event on the waiting thread.
pub(crate) enum Event<R> {
    /// [`CHECK_INTERVAL`] has passed.
    Tick,
    /// The Rust code requests something from Python.
    Request(R),
}

enum Message<R> {
    Request(R),
    Done,
}

/// Sends requests to the waiting thread.
pub(crate) struct Requests<R>(Sender<Message<R>>);

impl<R> Clone for Requests<R> {
    fn clone(&self) -> Requests<R> {
        Requests(self.0.clone())
    }
}

impl<R> Requests<R> {
    /// Returns false if the thread no longer waits.
    pub(crate) fn send(&self, request: R) -> bool {
        self.0.send(Message::Request(request)).is_ok()
    }
}

/// Sends [`Message::Done`] even if the work panics.
struct DoneOnDrop<R>(Sender<Message<R>>);

impl<R> Drop for DoneOnDrop<R> {
    fn drop(&mut self) {
        // Fails only if the thread no longer waits.
        let _ = self.0.send(Message::Done);
    }
}

/// Runs `work` on another thread and calls `on_event` on this one, with the GIL. Sets `stop` after
/// a signal or an error of `on_event`, and returns the error once `work` has ended.
///
/// # Errors
/// Those of `on_event` and of signal handlers, such as `KeyboardInterrupt`. `RuntimeError` if
/// `work` panics.
pub(crate) fn run<T: Send, R: Send>(
    py: Python<'_>,
    stop: &AtomicBool,
    work: impl FnOnce(Requests<R>) -> T + Send,
    mut on_event: impl FnMut(Python<'_>, Event<R>) -> PyResult<()> + Send,
) -> PyResult<T> {
    let result = py.detach(|| {
        thread::scope(|scope| {
            let (sender, messages) = channel();
            let done = DoneOnDrop(sender.clone());
            let task = move || {
                let _done = done;
                work(Requests(sender))
            };
            let worker = thread::Builder::new()
                .name("wabe".to_owned())
                .spawn_scoped(scope, task)
                .map_err(|error| runtime_error(format_args!("cannot start a thread: {error}")))?;
            let mut handled = Ok(());
            loop {
                let event = match messages.recv_timeout(CHECK_INTERVAL) {
                    Ok(Message::Done) | Err(RecvTimeoutError::Disconnected) => break,
                    // Dropping a request cancels it.
                    _ if handled.is_err() => continue,
                    Ok(Message::Request(request)) => Event::Request(request),
                    Err(RecvTimeoutError::Timeout) => Event::Tick,
                };
                handled = Python::attach(|py| {
                    forward_logs(py)?;
                    py.check_signals()?;
                    on_event(py, event)
                });
                if handled.is_err() {
                    stop.store(true, Ordering::Relaxed);
                }
            }
            let result = worker.join().map_err(|panic| {
                let what = panic_message(&*panic);
                runtime_error(format_args!("internal error, please report it: {what}"))
            });
            handled.and(result)
        })
    });
    let forwarded = forward_logs(py);
    result.and_then(|result| forwarded.map(|()| result))
}

fn panic_message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("panic")
}
