//! Reviews of games: the expected score that each move lost.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use pyo3::prelude::*;

use wabe_engine::Playable;
use wabe_engine::analysis::{Analyzer, GameReview, ReviewedPly};
use wabe_engine::search::PlayerSpec;
use wabe_hive::game::Record;

use crate::engine::{MEMORY_MIB, evaluator};
use crate::error::value_error;
use crate::wait::{Event, Requests, run};

/// Default time per position.
const POSITION_TIME: Duration = Duration::from_millis(300);

/// A move of a reviewed game. Values are for the first player: red or white.
#[pyclass(name = "ReviewedMove", module = "wabe", frozen, get_all)]
pub(crate) struct ReviewedMove {
    /// Number of the move in the game, from 1.
    ply: usize,
    /// The move as text.
    #[pyo3(name = "move")]
    mv: String,
    /// Expected score of the first player before the move, 0 to 1.
    value_before: f64,
    /// Expected score of the first player after the move, 0 to 1.
    value_after: f64,
    /// Expected score that the mover lost, 0 to 1; 0 without a better move.
    loss: f64,
    /// The better move, if there was one.
    better: Option<String>,
}

impl ReviewedMove {
    fn new<G: Playable>((ply, reviewed): (usize, ReviewedPly<G>)) -> ReviewedMove {
        ReviewedMove {
            ply,
            value_before: reviewed.red_before.score(),
            value_after: reviewed.red_after.score(),
            loss: reviewed.loss(),
            better: reviewed.mistake.map(|mistake| mistake.better.text),
            mv: reviewed.played.text,
        }
    }
}

#[pymethods]
impl ReviewedMove {
    fn __repr__(&self) -> String {
        let ReviewedMove { ply, mv, loss, .. } = self;
        match &self.better {
            Some(better) => format!("<wabe.ReviewedMove {ply}. {mv} loses {loss:.3}: {better}>"),
            None => format!("<wabe.ReviewedMove {ply}. {mv}>"),
        }
    }
}

/// Reviews a game from the position after `skip` plies. `progress` receives the numbers of searched
/// positions and of all.
///
/// # Errors
/// `ValueError` if the game is shorter.
pub(crate) fn review<G: Playable>(
    py: Python<'_>,
    spec: &PlayerSpec,
    record: &Record<G>,
    skip: usize,
    progress: Option<&Py<PyAny>>,
) -> PyResult<Vec<ReviewedMove>> {
    let plies = record.plies().len();
    if skip > plies {
        return Err(value_error(format_args!(
            "skip={skip}: expected at most {plies}, the plies of the game"
        )));
    }
    let evaluator = evaluator::<G>(spec)?;
    let limits = spec.limits(POSITION_TIME);
    let memory = spec.memory_mib.unwrap_or(MEMORY_MIB);
    let stop = Arc::new(AtomicBool::new(false));
    let analyzer = || {
        Analyzer::new(spec.threads.unwrap_or(1), &evaluator, limits, memory)
            .with_stop(Arc::clone(&stop))
    };
    let mut review = GameReview::new(record.clone(), skip, analyzer(), analyzer());
    let (count, stopped) = (Mutex::new(None), Arc::clone(&stop));
    let count = &count;
    let work = move |_: Requests<()>| {
        while !review.is_over() && !stopped.load(Ordering::Relaxed) {
            review.step();
            *count.lock().unwrap_or_else(PoisonError::into_inner) = Some(review.progress());
        }
        review.plies().map(ReviewedMove::new).collect::<Vec<_>>()
    };
    let on_event = |py: Python<'_>, _: Event<()>| {
        let latest = count.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let (Some(progress), Some((searched, all))) = (progress, latest) {
            progress.call1(py, (searched, all))?;
        }
        Ok(())
    };
    run(py, &stop, work, on_event)
}
