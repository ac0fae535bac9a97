//! `wabe.run_bot`: a contest client with a Python function.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use pyo3::exceptions::{PyConnectionError, PyKeyboardInterrupt};
use pyo3::prelude::*;

use wabe_contest::client::{Address, ClientError, GameOver, Interruption, Options, play};
use wabe_contest::protocol::ReservationCode;
use wabe_engine::search::Limits;
use wabe_engine::thread::PlayerFactory;
use wabe_hive::contest::Contest;

use crate::error::{runtime_error, value_error, with_causes};
use crate::function::{FunctionPlayer, MoveRequest, forward};
use crate::game::result_for;
use crate::options::positive;
use crate::wait::{Requests, run};

/// Time between two checks whether the client must stop.
const CHECK_INTERVAL: Duration = Duration::from_millis(50);

/// The result of a contest game. ``str()`` lists points, causes and names.
#[pyclass(name = "ContestResult", module = "wabe", frozen, get_all)]
pub(crate) struct ContestResult {
    /// 1 for a win, 0 for a draw, -1 for a loss; ``None`` if the colour is unknown.
    result: Option<i8>,
    /// ``"red"`` or ``"blue"``, if the server sent it.
    color: Option<String>,
    /// The names of red and blue; empty if the server did not send them.
    names: (String, String),
    /// The text of ``str()``.
    text: String,
}

#[pymethods]
impl ContestResult {
    fn __str__(&self) -> &str {
        &self.text
    }

    fn __repr__(&self) -> String {
        let first = self.text.lines().next().unwrap_or_default();
        format!("<wabe.ContestResult {first}>")
    }
}

impl From<GameOver> for ContestResult {
    fn from(game_over: GameOver) -> ContestResult {
        let winner = game_over.result.winner.as_ref().map(|winner| winner.color);
        ContestResult {
            result: game_over.color.map(|color| result_for(color, winner)),
            color: game_over.color.map(|color| color.to_string()),
            text: game_over.to_string(),
            names: (game_over.names.red, game_over.names.blue),
        }
    }
}

fn exception(error: &ClientError) -> PyErr {
    let text = with_causes(error);
    match error {
        ClientError::Interrupted(_) => PyKeyboardInterrupt::new_err(()),
        ClientError::Runtime(_) | ClientError::Search(_) => runtime_error(text),
        _ => PyConnectionError::new_err(text),
    }
}

/// Plays one game on the current thread until `stop` is set.
fn play_game(
    options: &Options,
    stop: &AtomicBool,
    requests: Requests<MoveRequest>,
) -> Result<GameOver, ClientError> {
    let make_player: PlayerFactory<Contest> = Box::new(move || {
        let requests = requests.clone();
        Box::new(FunctionPlayer(requests))
    });
    let stopped = async {
        while !stop.load(Ordering::Relaxed) {
            tokio::time::sleep(CHECK_INTERVAL).await;
        }
        Interruption::Interrupt
    };
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(ClientError::Runtime)?
        .block_on(play(options, make_player, stopped))
}

/// Plays one game on a contest server; see ``run_bot``.
#[pyfunction]
#[pyo3(signature = (send, host, port, reservation, time_ms, margin_ms))]
pub(crate) fn play_contest(
    py: Python<'_>,
    send: Py<PyAny>,
    host: String,
    port: i64,
    reservation: Option<String>,
    time_ms: i64,
    margin_ms: Option<i64>,
) -> PyResult<ContestResult> {
    let port = u16::try_from(port)
        .map_err(|_| value_error(format_args!("port={port}: expected 0 to 65535")))?;
    let time = positive("time_ms", time_ms)?;
    let margin = margin_ms.map(|ms| positive("margin_ms", ms)).transpose()?;
    if let Some(margin) = margin.filter(|&margin| margin >= time) {
        return Err(value_error(format_args!(
            "margin_ms={margin}: expected less than time_ms={time}"
        )));
    }
    let options = Options {
        reservation: reservation
            .filter(|code| !code.is_empty())
            .map(ReservationCode),
        margin: margin.map(Duration::from_millis),
        ..Options::new(
            Address { host, port },
            Limits::Time(Duration::from_millis(time)),
        )
    };
    let stop = AtomicBool::new(false);
    let work = |requests| play_game(&options, &stop, requests);
    match run(py, &stop, work, forward(send))? {
        Ok(game_over) => Ok(game_over.into()),
        Err(error) => Err(exception(&error)),
    }
}
