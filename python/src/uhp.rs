//! `wabe.run_uhp`: a UHP engine with a Python function.

use std::fs::File;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use pyo3::prelude::*;

use wabe_engine::thread::PlayerFactory;
use wabe_hive::standard::Standard;
use wabe_uhp::{Event as Input, Options, Session, start_input};

use crate::error::value_error;
use crate::function::{FunctionPlayer, MoveRequest, forward};
use crate::wait::{Requests, run};

/// Time between two interrupts of a session that has to end.
const INTERRUPT_INTERVAL: Duration = Duration::from_millis(50);

/// Serves a viewer on standard input and output.
fn serve(name: String, requests: Requests<MoveRequest>, stop: &AtomicBool) -> io::Result<()> {
    let make_player = move || -> PlayerFactory<Standard> {
        let requests = requests.clone();
        Box::new(move || Box::new(FunctionPlayer(requests.clone())))
    };
    let (sender, events) = channel();
    let queued = start_input(|| io::stdin().lock(), sender.clone())?;
    let interrupts = sender.clone();
    let session = Session::new(
        events,
        sender,
        Options::default(),
        io::stdout(),
        None::<File>,
    )
    .with_queue_limit(queued)
    .with_player(name, make_player);
    let has_ended = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            while !has_ended.load(Ordering::Relaxed) {
                // The first one may only end a search.
                if stop.load(Ordering::Relaxed) && interrupts.send(Input::Interrupt).is_err() {
                    return;
                }
                thread::sleep(INTERRUPT_INTERVAL);
            }
        });
        let ending = session.run();
        has_ended.store(true, Ordering::Relaxed);
        ending.map(drop)
    })
}

/// Runs a UHP engine; see ``run_uhp``.
#[pyfunction]
pub(crate) fn serve_uhp(py: Python<'_>, send: Py<PyAny>, name: String) -> PyResult<()> {
    if name.trim().is_empty() || name.chars().any(char::is_control) {
        return Err(value_error("name: expected one line of text"));
    }
    let stop = AtomicBool::new(false);
    let work = |requests| serve(name, requests, &stop);
    Ok(run(py, &stop, work, forward(send))??)
}
