//! Python functions that choose moves: `choose(game, time)` returns a move or an action.
//!
//! Rust threads request moves through [`Requests`]. In a match, the thread that waits for them in
//! [`run`](crate::wait::run) calls the function, so the function runs on the caller's thread. A bot
//! calls it on a Python thread of its own (`bots.py`), because its program has to end although the
//! function never returns.

use std::sync::mpsc::{RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use wabe_engine::Playable;
use wabe_engine::search::{Choice, Player, RootMove, SearchControl};
use wabe_hive::game::Record;

use crate::any::with_any;
use crate::error::runtime_error;
use crate::game::{AnyGame, PyGame};
use crate::wait::{Event, Requests};

/// Time between two checks whether a request has been withdrawn.
const CHECK_INTERVAL: Duration = Duration::from_millis(2);

/// # Errors
/// `TypeError` if an argument cannot be called.
pub(crate) fn check_callable(name: &str, function: &Bound<'_, PyAny>) -> PyResult<()> {
    if function.is_callable() {
        return Ok(());
    }
    let found = function.get_type().name()?;
    Err(PyTypeError::new_err(format!(
        "{name}: expected a function `choose(game, time)`, found {found}"
    )))
}

/// A request for a move.
pub(crate) struct MoveRequest {
    pub(crate) game: AnyGame,
    due: Due,
    /// The index of the function, if there are several.
    pub(crate) function: usize,
    /// Dropping it cancels the request.
    reply: SyncSender<FunctionMove>,
    /// Dead once the requester no longer waits.
    requester: Weak<()>,
}

/// The answer of a function.
#[derive(Clone, Debug)]
pub(crate) struct FunctionMove {
    /// A legal move in the game's notation; or whatever the function returned.
    pub(crate) text: String,
    /// Time that the function took.
    pub(crate) elapsed: Duration,
}

/// When a move is due.
#[derive(Clone, Copy)]
pub(crate) enum Due {
    /// At this time.
    At(Instant),
    /// This long after the function is called.
    After(Duration),
    /// Never.
    Never,
}

/// Requests a move and waits for it; `None` once it is cancelled or `is_over` becomes true.
pub(crate) fn request_move<R: From<MoveRequest>>(
    requests: &Requests<R>,
    game: AnyGame,
    due: Due,
    function: usize,
    is_over: impl Fn() -> bool,
) -> Option<FunctionMove> {
    let (reply, answer) = sync_channel(1);
    let requester = Arc::new(());
    let request = MoveRequest {
        game,
        due,
        function,
        reply,
        requester: Arc::downgrade(&requester),
    };
    if !requests.send(request.into()) {
        return None;
    }
    loop {
        match answer.recv_timeout(CHECK_INTERVAL) {
            Ok(answer) => return Some(answer),
            Err(RecvTimeoutError::Timeout) if !is_over() => {}
            Err(_) => return None,
        }
    }
}

/// A Python function as a player of an engine.
pub(crate) struct FunctionPlayer(pub(crate) Requests<MoveRequest>);

impl<G: Playable> Player<G> for FunctionPlayer
where
    AnyGame: From<Record<G>>,
{
    fn choose(&mut self, record: &Record<G>, control: &SearchControl<'_, G>) -> Option<Choice<G>> {
        if record.is_over() {
            return None;
        }
        let left = control.limits.time().map(|time| {
            let elapsed = control.clock.elapsed();
            time.saturating_sub(elapsed)
        });
        let due = left.and_then(|left| Instant::now().checked_add(left));
        let due = due.map_or(Due::Never, Due::At);
        let game = AnyGame::from(record.clone());
        let is_over = || control.is_time_up();
        let answer = request_move(&self.0, game, due, 0, is_over);
        if answer.is_none() && control.is_time_up() {
            log::warn!("the function is late: another move is played");
        }
        let mv = record.read(&answer?.text).ok()?;
        let best = RootMove::without_evaluation(mv);
        Some(Choice { best, nodes: 0 })
    }

    fn new_game(&mut self) {}
}

/// The time for a move of a function.
#[pyclass(name = "Time", module = "wabe", frozen)]
pub(crate) struct PyTime {
    deadline: Option<Instant>,
}

#[pymethods]
impl PyTime {
    /// Seconds until the move is due, at least 0; infinite without a limit.
    #[getter]
    fn left(&self) -> f64 {
        self.deadline.map_or(f64::INFINITY, |deadline| {
            let left = deadline.saturating_duration_since(Instant::now());
            left.as_secs_f64()
        })
    }

    /// True if no time is left.
    #[getter]
    fn is_up(&self) -> bool {
        self.deadline
            .is_some_and(|deadline| deadline <= Instant::now())
    }

    fn __repr__(&self) -> String {
        format!("<wabe.Time {:.3} s left>", self.left())
    }
}

impl MoveRequest {
    /// The arguments of the function: a copy of the game, because the function may change it, and
    /// the time.
    fn arguments(&self) -> (PyGame, PyTime) {
        let deadline = match self.due {
            Due::At(deadline) => Some(deadline),
            Due::After(time) => Instant::now().checked_add(time),
            Due::Never => None,
        };
        (self.game.clone().into(), PyTime { deadline })
    }

    /// The text of the move that the function returned.
    ///
    /// # Errors
    /// `TypeError` if it is neither a move nor an action, `IllegalMove` if it is illegal.
    fn text_of(&self, chosen: &Bound<'_, PyAny>) -> PyResult<String> {
        if chosen.is_none() {
            return Err(PyTypeError::new_err(
                "the function returned None: expected a move (str) or an action (int)",
            ));
        }
        let played = Bound::new(chosen.py(), PyGame::from(self.game.clone()))?;
        played.call_method1("play", (chosen,))?;
        let played = played.try_borrow()?;
        let last = with_any!(&played.game, |record| {
            record.plies().last().map(|ply| ply.text.clone())
        });
        last.ok_or_else(|| runtime_error("the move was not played"))
    }

    /// False once the requester no longer waits.
    fn is_wanted(&self) -> bool {
        self.requester.strong_count() > 0
    }

    /// Sends a move.
    fn send(&self, text: String, elapsed: Duration) {
        // The requester may have stopped waiting.
        let _ = self.reply.try_send(FunctionMove { text, elapsed });
    }

    /// Calls the function, unless the requester no longer waits, and sends its move.
    ///
    /// # Errors
    /// Those of the function and of a move that is not legal.
    pub(crate) fn answer(&self, py: Python<'_>, function: &Py<PyAny>) -> PyResult<()> {
        if !self.is_wanted() {
            return Ok(());
        }
        let started = Instant::now();
        let text = self.text_of(&function.bind(py).call1(self.arguments())?)?;
        self.send(text, started.elapsed());
        Ok(())
    }

    /// The text form of the game.
    pub(crate) fn text(&self) -> String {
        with_any!(&self.game, |record| record.to_string())
    }
}

/// A request for the move of a function, on another thread.
#[pyclass(name = "MoveRequest", module = "wabe", frozen)]
pub(crate) struct PyMoveRequest {
    /// `None` once the function has failed, so that the requester stops waiting.
    request: Mutex<Option<MoveRequest>>,
    failure: Failure,
}

/// An error that ends the program, such as `SystemExit`.
type Failure = Arc<Mutex<Option<PyErr>>>;

impl PyMoveRequest {
    fn request(&self) -> MutexGuard<'_, Option<MoveRequest>> {
        self.request.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl PyMoveRequest {
    /// False once another move has been played.
    #[getter]
    fn is_wanted(&self) -> bool {
        self.request().as_ref().is_some_and(MoveRequest::is_wanted)
    }

    /// The arguments of the function.
    fn arguments(&self) -> PyResult<(PyGame, PyTime)> {
        let arguments = self.request().as_ref().map(MoveRequest::arguments);
        arguments.ok_or_else(|| runtime_error("the request has failed"))
    }

    /// Sends a move. Raises if it is not legal.
    fn answer(&self, chosen: &Bound<'_, PyAny>) -> PyResult<()> {
        // Not locked while Python runs.
        let Some(request) = self.request().take() else {
            return Ok(());
        };
        let text = request.text_of(chosen);
        if let Ok(text) = &text {
            request.send(text.clone(), Duration::ZERO);
        }
        // For the message of a failure.
        *self.request() = Some(request);
        text.map(drop)
    }

    /// Lets another move be played. Returns the text form of the game.
    fn cancel(&self) -> String {
        let request = self.request().take();
        request.as_ref().map(MoveRequest::text).unwrap_or_default()
    }

    /// Raises an error such as ``SystemExit`` on the thread that waits for the end.
    fn fail(&self, error: &Bound<'_, PyAny>) {
        let mut failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
        *failure = Some(PyErr::from_value(error.clone()));
        self.cancel();
    }
}

/// Handles the events of [`run`](crate::wait::run): passes requests to a Python thread by `send`.
pub(crate) fn forward(
    send: Py<PyAny>,
) -> impl FnMut(Python<'_>, Event<MoveRequest>) -> PyResult<()> {
    let failure = Failure::default();
    move |py, event| {
        let failed = failure
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        if let Some(error) = failed {
            return Err(error);
        }
        match event {
            Event::Tick => Ok(()),
            Event::Request(request) => {
                let (request, failure) = (Mutex::new(Some(request)), Arc::clone(&failure));
                send.call1(py, (PyMoveRequest { request, failure },))
                    .map(drop)
            }
        }
    }
}
