//! `wabe.Engine`: searches for moves.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::{Duration, Instant};

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyInt, PyTuple};

use wabe_engine::Playable;
use wabe_engine::analysis;
use wabe_engine::evaluation::{NetworkEvaluator, NetworkFile};
use wabe_engine::search::{
    Choice, LevelPlayer, Limits, MctsOptions, MctsPlayer, Player, PlayerSpec, Progress,
    REPORT_INTERVAL, RootMove, SearchControl, SearchObserver, Solved, SystemClock,
    lines_with_choice,
};
use wabe_hive::Move;
use wabe_hive::contest::Contest;
use wabe_hive::game::Record;
use wabe_hive::standard::Standard;
use wabe_records::games::GameName;

use crate::any::{Any, with_any};
use crate::error::{illegal_move, runtime_error, value_error};
use crate::game::{AnyGame, PyGame, parse_name};
use crate::review::{ReviewedMove, review};
use crate::wait::{Event, Requests, run};

/// Default memory of the tree, in MiB: enough for about 500,000 iterations.
pub(crate) const MEMORY_MIB: usize = 256;

/// Default time per move.
const MOVE_TIME: Duration = Duration::from_secs(1);

/// wabe's engine for the contest or for standard Hive with all expansions, with its search tree.
///
/// It searches for one thread at a time; others get a ``RuntimeError``.
///
/// Args:
///     game: A game or its name; by default the contest.
///     level: Strength from 1 to 10; by default the full strength of 10.
///     threads: Number of threads that share a tree; by default 1.
///     time_ms: Limit of each search in ms; by default one second.
///     nodes: Limit of each search in iterations.
///     memory_mib: Size of the tree in MiB; by default 256.
///     seed: With one thread and a limit on nodes, equal seeds repeat a search.
///     weights: A network file.
///     params: Parameters of the search such as ``{"exploration": 0.8}``.
#[pyclass(name = "Engine", module = "wabe", frozen)]
pub(crate) struct PyEngine {
    spec: PlayerSpec,
    plays_contest: bool,
    searcher: Mutex<AnySearcher>,
}

type AnySearcher = Any<Searcher<Contest>, Searcher<Standard>>;

/// A player and, for the moves to exclude, the search inside it.
struct Searcher<G: Playable> {
    player: Box<dyn Player<G>>,
    search: Arc<Mutex<MctsPlayer<G>>>,
    has_excluded: bool,
}

/// A player that a [`LevelPlayer`] can own while [`Searcher`] excludes moves.
struct SharedPlayer<G: Playable>(Arc<Mutex<MctsPlayer<G>>>);

impl<G: Playable> SharedPlayer<G> {
    fn lock(&self) -> MutexGuard<'_, MctsPlayer<G>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<G: Playable> Player<G> for SharedPlayer<G> {
    fn choose(&mut self, record: &Record<G>, control: &SearchControl<'_, G>) -> Option<Choice<G>> {
        self.lock().choose(record, control)
    }

    fn lines(&self, max_lines: usize) -> Vec<RootMove<G>> {
        self.lock().lines(max_lines)
    }

    fn memory_bytes(&self) -> usize {
        self.lock().memory_bytes()
    }

    fn new_game(&mut self) {
        self.lock().new_game();
    }
}

impl<G: Playable> Searcher<G> {
    fn new(spec: &PlayerSpec) -> PyResult<Searcher<G>> {
        let evaluator = evaluator(spec)?;
        let defaults = MctsOptions::for_game::<G>();
        let options = MctsOptions {
            threads: spec.threads.unwrap_or(defaults.threads),
            memory_mib: spec.memory_mib.unwrap_or(MEMORY_MIB),
            seed: spec.seed.unwrap_or(defaults.seed),
            params: spec.params.apply_to(defaults.params),
        };
        let search = Arc::new(Mutex::new(MctsPlayer::new(&evaluator, options)));
        let shared = Box::new(SharedPlayer(Arc::clone(&search)));
        let player: Box<dyn Player<G>> = match spec.level {
            Some(level) => Box::new(LevelPlayer::new(shared, level, options.seed)),
            None => shared,
        };
        Ok(Searcher {
            player,
            search,
            has_excluded: false,
        })
    }

    /// Excludes moves of the position from the next search.
    fn exclude(&mut self, record: &Record<G>, texts: &[String]) -> PyResult<()> {
        let mut moves = Vec::new();
        for text in texts {
            let mv = record.read(text).map_err(|error| error.to_string());
            let mv = mv.and_then(|mv| match record.position().check(mv) {
                Ok(()) => Ok(mv),
                Err(why) => Err(G::explain(record.position(), mv, &why)),
            });
            moves.push(mv.map_err(|why| illegal_move(format_args!("exclude: `{text}`: {why}")))?);
        }
        let legal = record.legal_moves();
        if !moves.is_empty() && legal.iter().all(|mv| moves.contains(mv)) {
            return Err(value_error(
                "exclude: expected at least one remaining legal move",
            ));
        }
        if self.has_excluded || !moves.is_empty() {
            self.has_excluded = !moves.is_empty();
            let mut search = self.search.lock().unwrap_or_else(PoisonError::into_inner);
            search.exclude(moves);
        }
        Ok(())
    }

    /// Searches and calls `on_progress` on the calling thread.
    fn search(
        &mut self,
        py: Python<'_>,
        record: &Record<G>,
        limits: Limits,
        max_lines: usize,
        progress: Option<&Py<PyAny>>,
    ) -> PyResult<Analysis> {
        let started = Instant::now();
        let stop = AtomicBool::new(false);
        let reporter = Reporter {
            is_wanted: progress.is_some(),
            latest: Mutex::default(),
        };
        let player = &mut self.player;
        let work = |_: Requests<()>| {
            let control = SearchControl {
                limits,
                clock: &SystemClock::since(started),
                stop: &stop,
                observer: &reporter,
            };
            let choice = player.choose(record, &control)?;
            let lines = lines_with_choice(&**player, choice.clone(), usize::MAX);
            Some(Progress {
                lines,
                nodes: choice.nodes,
            })
        };
        let on_event = |py: Python<'_>, _: Event<()>| {
            let (Some(progress), Some(latest)) = (progress, reporter.take()) else {
                return Ok(());
            };
            let analysis = Analysis::new(py, record, latest, max_lines, started.elapsed())?;
            let answer = progress.call1(py, (analysis,))?;
            if answer.is(pyo3::types::PyBool::new(py, false)) {
                stop.store(true, Ordering::Relaxed);
            }
            Ok(())
        };
        let found = run(py, &stop, work, on_event)?;
        let found = found.unwrap_or(Progress {
            lines: Vec::new(),
            nodes: 0,
        });
        Analysis::new(py, record, found, max_lines, started.elapsed())
    }
}

/// The network of a player.
pub(crate) fn evaluator<G: Playable>(spec: &PlayerSpec) -> PyResult<NetworkEvaluator<G>> {
    match &spec.weights {
        Some(file) => file
            .evaluator()
            .map_err(|error| value_error(format_args!("weights: {error}"))),
        None => Ok(NetworkEvaluator::built_in()),
    }
}

/// Keeps the latest report for the waiting thread.
struct Reporter<G: Playable> {
    is_wanted: bool,
    /// The latest report until it is taken, and when the last one was made.
    latest: Mutex<(Option<Instant>, Option<Progress<G>>)>,
}

impl<G: Playable> Reporter<G> {
    fn take(&self) -> Option<Progress<G>> {
        self.lock().1.take()
    }

    fn lock(&self) -> MutexGuard<'_, (Option<Instant>, Option<Progress<G>>)> {
        self.latest.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<G: Playable> SearchObserver<G> for Reporter<G> {
    fn best(&self, _mv: Move<G>) {}

    fn lines_wanted(&self) -> usize {
        let is_due = || {
            let last = self.lock().0;
            last.is_none_or(|at| at.elapsed() >= REPORT_INTERVAL)
        };
        if self.is_wanted && is_due() {
            usize::MAX
        } else {
            0
        }
    }

    fn progress(&self, progress: Progress<G>) {
        *self.lock() = (Some(Instant::now()), Some(progress));
    }
}

/// The result of a search. ``str()`` is a table of the lines.
#[pyclass(name = "Analysis", module = "wabe", frozen, get_all)]
pub(crate) struct Analysis {
    /// The chosen move; ``None`` when the game is over.
    #[pyo3(name = "move")]
    mv: Option<String>,
    /// Expected score of the side to move, 0 (loss) to 1 (win).
    ///
    /// ``None`` if there is only one legal move, which is not searched.
    value: Option<f64>,
    /// ``"win"``, ``"draw"`` or ``"loss"`` of the side to move, if proven.
    proof: Option<String>,
    /// The best moves, the chosen one first.
    lines: Py<PyTuple>,
    /// Search iterations.
    nodes: u64,
    /// Time in seconds.
    time: f64,
    /// The text of ``str()``: a table of the lines.
    table: String,
}

impl Analysis {
    fn new<G: Playable>(
        py: Python<'_>,
        record: &Record<G>,
        found: Progress<G>,
        max_lines: usize,
        elapsed: Duration,
    ) -> PyResult<Analysis> {
        let Progress { mut lines, nodes } = found;
        let visits: u64 = lines.iter().map(|line| line.visits).sum();
        lines.truncate(max_lines.max(1));
        let best = lines.first();
        let (value, proof) = match (best, record.ending()) {
            (Some(best), _) => (value_of(best), best.proof),
            (None, Some(ending)) => {
                let side = record.position().side_to_move();
                let result = Solved::from_winner(ending.winner(), side);
                (Some(f64::from(result.score())), Some(result))
            }
            (None, None) => (None, None),
        };
        let python_lines = lines.iter().map(|line| Line::new(record, line, visits));
        let python_lines = PyTuple::new(py, python_lines.collect::<Vec<_>>())?.unbind();
        let mv = best.map(|best| record.write(best.mv));
        let table = analysis::Analysis {
            lines,
            value: analysis::Value::Expected(value.unwrap_or(0.5)),
            nodes,
            forced: 0,
        };
        Ok(Analysis {
            mv,
            value,
            proof: proof.map(|proof| proof.to_string()),
            lines: python_lines,
            nodes,
            time: elapsed.as_secs_f64(),
            table: table.table(record),
        })
    }
}

#[pymethods]
impl Analysis {
    fn __str__(&self) -> &str {
        &self.table
    }

    fn __repr__(&self) -> String {
        let mv = self.mv.as_deref().unwrap_or("no move");
        match self.value {
            Some(value) => format!("<wabe.Analysis {mv}, {value:.3}, {} nodes>", self.nodes),
            None => format!("<wabe.Analysis {mv}>"),
        }
    }
}

/// A move and its evaluation.
#[pyclass(name = "Line", module = "wabe", frozen, get_all)]
pub(crate) struct Line {
    /// The move as text.
    #[pyo3(name = "move")]
    mv: String,
    /// The principal variation: the move and the expected replies.
    pv: Vec<String>,
    /// Number of moves in ``pv``.
    depth: usize,
    /// Expected score of the side to move, 0 (loss) to 1 (win); ``None`` without a search.
    value: Option<f64>,
    /// Search iterations through the move.
    visits: u64,
    /// Share of all iterations, 0 to 1.
    share: f64,
    /// ``"win"``, ``"draw"`` or ``"loss"`` of the side to move, if proven.
    proof: Option<String>,
    /// For a proven win or loss, the plies to the end of the game, this move included.
    plies: Option<u16>,
}

impl Line {
    fn new<G: Playable>(record: &Record<G>, line: &RootMove<G>, visits: u64) -> Line {
        let pv = record.write_line(line.pv());
        Line {
            mv: record.write(line.mv),
            depth: pv.len(),
            pv,
            value: value_of(line),
            visits: line.visits,
            share: line.visits as f64 / visits.max(1) as f64,
            proof: line.proof.map(|proof| proof.to_string()),
            plies: line.plies,
        }
    }
}

#[pymethods]
impl Line {
    fn __repr__(&self) -> String {
        let value = match (&self.proof, self.plies, self.value) {
            (Some(proof), Some(plies), _) => format!(", {proof} in {plies}"),
            (Some(proof), None, _) => format!(", {proof}"),
            (None, _, Some(value)) => format!(", {value:.3}"),
            (None, _, None) => String::new(),
        };
        format!("<wabe.Line {}{value}, {} visits>", self.mv, self.visits)
    }
}

fn value_of<G: Playable>(line: &RootMove<G>) -> Option<f64> {
    let proof = line.proof.map(|proof| f64::from(proof.score()));
    proof.or(line.score)
}

/// Sets an option of a player, under its Python name in errors.
fn set_option(
    spec: &mut PlayerSpec,
    name: &str,
    option: &str,
    value: Option<&Bound<'_, PyInt>>,
) -> PyResult<()> {
    match value {
        None => Ok(()),
        Some(value) => spec
            .set(option, &value.to_string())
            .map_err(|error| value_error(format_args!("{name}: {error}"))),
    }
}

/// The player with these limits instead of its own.
fn with_limits(
    spec: &PlayerSpec,
    time_ms: Option<&Bound<'_, PyInt>>,
    nodes: Option<&Bound<'_, PyInt>>,
) -> PyResult<PlayerSpec> {
    let mut spec = spec.clone();
    if time_ms.is_some() || nodes.is_some() {
        (spec.move_time, spec.nodes) = (None, None);
    }
    set_option(&mut spec, "time_ms", "time", time_ms)?;
    set_option(&mut spec, "nodes", "nodes", nodes)?;
    Ok(spec)
}

impl PyEngine {
    /// # Errors
    /// `ValueError` if the engine plays the other game.
    fn check_game(&self, game: &AnyGame) -> PyResult<()> {
        if matches!(game, Any::Contest(_)) == self.plays_contest {
            Ok(())
        } else {
            Err(self.other_game())
        }
    }

    fn other_game(&self) -> PyErr {
        value_error(if self.plays_contest {
            "expected a game of the contest, which the engine plays, found standard Hive"
        } else {
            "expected a game of standard Hive, which the engine plays, found the contest"
        })
    }

    fn lock(&self) -> PyResult<MutexGuard<'_, AnySearcher>> {
        match self.searcher.try_lock() {
            Ok(guard) => Ok(guard),
            Err(TryLockError::Poisoned(poisoned)) => Ok(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => Err(runtime_error(
                "the engine is already searching, in another thread or in a callback",
            )),
        }
    }

    fn analyze(
        &self,
        py: Python<'_>,
        game: &AnyGame,
        limits: Limits,
        max_lines: usize,
        exclude: &[String],
        progress: Option<&Py<PyAny>>,
    ) -> PyResult<Analysis> {
        fn search<G: Playable>(
            searcher: &mut Searcher<G>,
            py: Python<'_>,
            record: &Record<G>,
            (limits, max_lines): (Limits, usize),
            exclude: &[String],
            progress: Option<&Py<PyAny>>,
        ) -> PyResult<Analysis> {
            searcher.exclude(record, exclude)?;
            searcher.search(py, record, limits, max_lines, progress)
        }
        let limits = (limits, max_lines);
        match (&mut *self.lock()?, game) {
            (Any::Contest(searcher), Any::Contest(record)) => {
                search(searcher, py, record, limits, exclude, progress)
            }
            (Any::Standard(searcher), Any::Standard(record)) => {
                search(searcher, py, record, limits, exclude, progress)
            }
            _ => Err(self.other_game()),
        }
    }
}

#[pymethods]
impl PyEngine {
    #[new]
    #[pyo3(signature = (
        game = None, *, level = None, threads = None, time_ms = None, nodes = None,
        memory_mib = None, seed = None, weights = None, params = None
    ))]
    #[allow(
        clippy::too_many_arguments,
        reason = "the keyword arguments of a constructor"
    )]
    fn new(
        py: Python<'_>,
        game: Option<&Bound<'_, PyAny>>,
        level: Option<&Bound<'_, PyInt>>,
        threads: Option<&Bound<'_, PyInt>>,
        time_ms: Option<&Bound<'_, PyInt>>,
        nodes: Option<&Bound<'_, PyInt>>,
        memory_mib: Option<&Bound<'_, PyInt>>,
        seed: Option<&Bound<'_, PyInt>>,
        weights: Option<PathBuf>,
        params: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<PyEngine> {
        let mut spec = PlayerSpec::default();
        for (name, option, value) in [
            ("level", "level", level),
            ("threads", "threads", threads),
            ("time_ms", "time", time_ms),
            ("nodes", "nodes", nodes),
            ("memory_mib", "memory", memory_mib),
            ("seed", "seed", seed),
        ] {
            set_option(&mut spec, name, option, value)?;
        }
        if let Some(path) = weights {
            let file = path.to_string_lossy().parse::<NetworkFile>();
            spec.weights = Some(file.map_err(value_error)?);
        }
        for (name, value) in params.iter().flat_map(|params| params.iter()) {
            let (name, value) = (name.extract::<String>()?, value.str()?.to_string());
            spec.set(&name, &value)
                .map_err(|error| value_error(format_args!("params: {error}")))?;
        }
        let name = match game {
            None => GameName::default(),
            Some(game) => match game.cast::<PyGame>() {
                Ok(game) => game.try_borrow()?.game.name(),
                Err(_) => parse_name(&game.extract::<String>()?)?,
            },
        };
        // Allocating the tree takes time.
        let searcher = py.detach(|| match name {
            GameName::Contest(_) => Searcher::new(&spec).map(Any::Contest),
            GameName::Standard(_) => Searcher::new(&spec).map(Any::Standard),
        })?;
        Ok(PyEngine {
            spec,
            plays_contest: matches!(name, GameName::Contest(_)),
            searcher: Mutex::new(searcher),
        })
    }

    /// Searches the position of a game and returns at most ``lines`` moves.
    ///
    /// Limits replace those of the engine. Moves in ``exclude`` are not searched. ``progress``
    /// receives the results so far about ten times per second; the search ends when it returns
    /// ``False`` or raises.
    #[pyo3(signature = (
        game, *, lines = 5, time_ms = None, nodes = None, exclude = None, progress = None
    ))]
    #[allow(clippy::too_many_arguments, reason = "keyword arguments")]
    fn search(
        &self,
        py: Python<'_>,
        game: &Bound<'_, PyGame>,
        lines: usize,
        time_ms: Option<&Bound<'_, PyInt>>,
        nodes: Option<&Bound<'_, PyInt>>,
        exclude: Option<Vec<String>>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Analysis> {
        let limits = with_limits(&self.spec, time_ms, nodes)?.limits(MOVE_TIME);
        // A copy, because a callback may change the game.
        let game = game.try_borrow()?.game.clone();
        self.analyze(
            py,
            &game,
            limits,
            lines,
            &exclude.unwrap_or_default(),
            progress.as_ref(),
        )
    }

    /// The best move; ``ValueError`` if the game is over.
    #[pyo3(signature = (game, *, time_ms = None, nodes = None))]
    fn best(
        &self,
        py: Python<'_>,
        game: &Bound<'_, PyGame>,
        time_ms: Option<&Bound<'_, PyInt>>,
        nodes: Option<&Bound<'_, PyInt>>,
    ) -> PyResult<String> {
        let limits = with_limits(&self.spec, time_ms, nodes)?.limits(MOVE_TIME);
        let game = game.try_borrow()?.game.clone();
        let analysis = self.analyze(py, &game, limits, 1, &[], None)?;
        analysis.mv.ok_or_else(|| value_error("the game is over"))
    }

    /// Reviews the moves of a game after its first ``skip`` plies.
    ///
    /// Limits are per position; without any, each gets 300 ms. ``progress`` receives the number of
    /// searched positions and the total.
    #[pyo3(signature = (game, *, time_ms = None, nodes = None, skip = 0, progress = None))]
    #[allow(clippy::too_many_arguments, reason = "keyword arguments")]
    fn review(
        &self,
        py: Python<'_>,
        game: &Bound<'_, PyGame>,
        time_ms: Option<&Bound<'_, PyInt>>,
        nodes: Option<&Bound<'_, PyInt>>,
        skip: usize,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Vec<ReviewedMove>> {
        let spec = with_limits(&self.spec, time_ms, nodes)?;
        let game = game.try_borrow()?.game.clone();
        self.check_game(&game)?;
        with_any!(&game, |record| review(
            py,
            &spec,
            record,
            skip,
            progress.as_ref()
        ))
    }

    /// Empties the tree and resets the random state.
    fn new_game(&self) -> PyResult<()> {
        with_any!(&mut *self.lock()?, |searcher| searcher.player.new_game());
        Ok(())
    }

    fn __repr__(&self) -> String {
        let game = ["Hive", "contest"][usize::from(self.plays_contest)];
        format!("<wabe.Engine {game} {}>", self.spec)
    }
}
