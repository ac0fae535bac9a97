//! Python functions that choose moves: `choose(game, time)` returns a move or an action.
//!
//! Rust threads request moves through [`Requests`]. The thread that waits for them in
//! [`run`](crate::wait::run) calls the function, so the function runs on the caller's thread.

use std::sync::mpsc::{RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use pyo3::exceptions::{PyException, PyTypeError};
use pyo3::prelude::*;

use wabe_engine::Playable;
use wabe_engine::search::{Choice, Player, RootMove, SearchControl};
use wabe_hive::game::Record;

use crate::error::runtime_error;
use crate::game::{AnyGame, PyGame, with_record};
use crate::logging::log;
use crate::wait::Requests;

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

/// The time for a move.
#[pyclass(name = "Time", module = "wabe", frozen)]
pub(crate) struct PyTime {
    deadline: Option<Instant>,
}

#[pymethods]
impl PyTime {
    /// Time left in seconds, at least 0; infinite without a limit.
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
    /// Calls the function and checks its move.
    ///
    /// # Errors
    /// Those of the function. `TypeError` if it returns neither a move nor an action, `IllegalMove`
    /// if the move is illegal.
    fn call(&self, py: Python<'_>, function: &Py<PyAny>) -> PyResult<String> {
        // Copies, because the function may change its game.
        let own = PyGame {
            game: self.game.clone(),
        };
        let time = PyTime {
            deadline: match self.due {
                Due::At(deadline) => Some(deadline),
                Due::After(time) => Instant::now().checked_add(time),
                Due::Never => None,
            },
        };
        let chosen = function.bind(py).call1((own, time))?;
        if chosen.is_none() {
            return Err(PyTypeError::new_err(
                "the function returned None: expected a move (str) or an action (int)",
            ));
        }
        let played = Bound::new(
            py,
            PyGame {
                game: self.game.clone(),
            },
        )?;
        played.call_method1("play", (chosen,))?;
        let played = played.try_borrow()?;
        let last = with_record!(&played.game, |record| {
            record.plies().last().map(|ply| ply.text.clone())
        });
        last.ok_or_else(|| runtime_error("the move was not played"))
    }

    /// Calls the function, unless the requester no longer waits, and sends its move.
    ///
    /// # Errors
    /// Those of [`call`](MoveRequest::call).
    pub(crate) fn answer(&self, py: Python<'_>, function: &Py<PyAny>) -> PyResult<()> {
        if self.requester.strong_count() == 0 {
            return Ok(());
        }
        let started = Instant::now();
        let text = self.call(py, function)?;
        let elapsed = started.elapsed();
        // The requester may have stopped waiting.
        let _ = self.reply.try_send(FunctionMove { text, elapsed });
        Ok(())
    }

    /// The text form of the game.
    pub(crate) fn text(&self) -> String {
        with_record!(&self.game, |record| record.to_string())
    }

    /// Like [`answer`](MoveRequest::answer), but logs errors; the requester then plays another
    /// move.
    ///
    /// # Errors
    /// Those that end a program, such as `KeyboardInterrupt`.
    pub(crate) fn answer_or_log(&self, py: Python<'_>, function: &Py<PyAny>) -> PyResult<()> {
        match self.answer(py, function) {
            Err(error) if error.is_instance_of::<PyException>(py) => {
                let text = format!(
                    "the function failed, another move is played: {}",
                    self.text()
                );
                log(py, "warning", &text, Some(&error))
            }
            answered => answered,
        }
    }
}
