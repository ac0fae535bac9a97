//! `wabe.TreeSearch`: tree search over many games with a Python function as the judge.

use std::sync::{Mutex, PoisonError};

use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use rand::{Rng, RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use rayon::ThreadPool;
use rayon::prelude::*;

use wabe_hive::contest::Contest;
use wabe_hive::game::Game;
use wabe_hive::standard::Standard;
use wabe_records::games::GameName;

use crate::action::Actions;
use crate::any::{Any, with_any};
use crate::batch::PyBatch;
use crate::error::{runtime_error, value_error};
use crate::game::{PyGame, generator};
use crate::history::History;
use crate::judge::{InputKind, Inputs, Judgeable, Judged, evaluation};
use crate::options::positive;
use crate::pool::pool;
use crate::tree::{Descent, Exploration, Leaf, Tree};

/// Trees of games that are searched together.
struct Forest<G: Actions> {
    trees: Vec<Tree<G>>,
    variant: G::Variant,
}

type AnyForest = Any<Forest<Contest>, Forest<Standard>>;

/// The settings of a search.
#[derive(Clone, Copy)]
struct Settings {
    exploration: Exploration,
    inputs: InputKind,
    /// Maximum number of leaves of one game per call of the judge.
    leaves: usize,
}

impl<G: Judgeable> Forest<G> {
    /// The trees for these games, and true unless they are those of `before`.
    fn continued(before: Option<Forest<G>>, games: Histories<G>) -> (Forest<G>, bool) {
        let Histories { variant, histories } = games;
        match before {
            Some(mut forest)
                if forest.variant == variant && forest.trees.len() == histories.len() =>
            {
                for (tree, history) in forest.trees.iter_mut().zip(histories) {
                    tree.set_game(history);
                }
                (forest, false)
            }
            _ => {
                let trees = histories.into_iter().map(Tree::new).collect();
                (Forest { trees, variant }, true)
            }
        }
    }

    /// Collects the leaves of the next call, with the indices of their games.
    fn collect(
        &mut self,
        pool: &ThreadPool,
        settings: Settings,
        left: &mut [u32],
    ) -> Vec<(usize, Leaf<G>)> {
        let weight = settings.exploration.weight;
        let collect = |(index, (tree, left)): (usize, (&mut Tree<G>, &mut u32))| {
            let mut leaves = Vec::new();
            while *left > 0 && leaves.len() < settings.leaves {
                match tree.descend(weight) {
                    Descent::Done => *left -= 1,
                    Descent::Leaf(leaf) => {
                        *left -= 1;
                        leaves.push((index, leaf));
                    }
                    Descent::Busy => break,
                }
            }
            leaves
        };
        pool.install(|| {
            let trees = self.trees.par_iter_mut().zip(left).enumerate();
            trees.flat_map_iter(collect).collect()
        })
    }

    /// Expands the leaves. If an evaluation is invalid, expands none and returns the first fault.
    fn expand(
        &mut self,
        pool: &ThreadPool,
        leaves: &[(usize, Leaf<G>)],
        judged: &Judged<'_>,
        settings: Settings,
        rngs: &mut [Xoshiro256PlusPlus],
    ) -> Result<(), String> {
        let (logits, values) = (judged.logits.as_slice(), judged.values.as_slice());
        let (Ok(logits), Ok(values)) = (logits, values) else {
            return Err("the arrays are not contiguous".to_owned());
        };
        let evaluations: Result<Vec<_>, String> = pool.install(|| {
            let rows = leaves
                .par_iter()
                .zip(logits.par_chunks(G::ACTIONS))
                .zip(values);
            let rows = rows
                .enumerate()
                .map(|(row, (((_, leaf), logits), &value))| {
                    let found = evaluation(leaf, logits, value);
                    found.map_err(|fault| format!("row {row}: {fault}"))
                });
            rows.collect()
        });
        for ((index, leaf), (moves, value)) in leaves.iter().zip(evaluations?) {
            if let (Some(tree), Some(rng)) = (self.trees.get_mut(*index), rngs.get_mut(*index)) {
                let is_root = !tree.is_expanded();
                tree.expand(leaf, moves, value);
                if is_root {
                    tree.draw_noise(settings.exploration, rng);
                }
            }
        }
        Ok(())
    }

    fn discard(&mut self, leaves: &[(usize, Leaf<G>)]) {
        for (index, leaf) in leaves {
            if let Some(tree) = self.trees.get_mut(*index) {
                tree.discard(leaf);
            }
        }
    }

    fn run(
        &mut self,
        py: Python<'_>,
        judge: &Py<PyAny>,
        inputs: &mut Inputs,
        settings: Settings,
        simulations: u32,
        rngs: &mut [Xoshiro256PlusPlus],
    ) -> PyResult<()> {
        let pool = pool(py)?;
        let mut left = Vec::new();
        for (tree, rng) in self.trees.iter_mut().zip(&mut *rngs) {
            tree.draw_noise(settings.exploration, rng);
            left.push(if tree.is_over() { 0 } else { simulations });
        }
        loop {
            py.check_signals()?;
            let leaves = py.detach(|| self.collect(&pool, settings, &mut left));
            if leaves.is_empty() {
                return Ok(());
            }
            let evaluated = inputs
                .judge(py, judge, &pool, self.variant, &leaves)
                .and_then(|answer| Judged::new::<G>(&answer, inputs.rows()))
                .and_then(|judged| {
                    let expanded = self.expand(&pool, &leaves, &judged, settings, rngs);
                    expanded.map_err(|fault| value_error(format_args!("the judge's {fault}")))
                });
            if let Err(error) = evaluated {
                self.discard(&leaves);
                return Err(error);
            }
        }
    }
}

/// Tree search (PUCT) over many games whose leaves a function evaluates.
///
/// ``judge(planes, numbers)`` returns (policy, value) for one batch of leaves. Its arguments are
/// arrays as in ``Batch.observe`` with always the same number of rows, ``leaves`` per game; unused
/// rows are 0. With ``inputs="features"`` its only argument is an array as in ``Batch.features``.
/// Arguments are reused: copy what you keep. ``policy`` are logits, float (rows, actions), of which
/// those of legal actions count; ``value`` is float (rows,), -1 to 1 for the side to move. Both may
/// be numpy, JAX or PyTorch arrays on the processor. If the judge raises or returns NaN or a wrong
/// shape, ``run`` raises, and the tree stays as before that call of the judge.
///
/// Repetitions inside the tree are found by hashes.
///
/// Args:
///     judge: Evaluates leaves.
///     inputs: ``"planes"`` or ``"features"``.
///     exploration: Weight of the priors in PUCT.
///     noise: Share of Dirichlet noise in the priors of the roots, 0 to 1; 0.25 in self-play.
///     noise_alpha: Parameter of the Dirichlet noise.
///     leaves: Leaves per game and call. More make larger batches and a weaker search.
///     seed: Draws noise and samples; by default they differ in every search.
#[pyclass(name = "TreeSearch", module = "wabe", frozen)]
pub(crate) struct TreeSearch {
    judge: Py<PyAny>,
    settings: Settings,
    state: Mutex<SearchState>,
}

struct SearchState {
    rng: Xoshiro256PlusPlus,
    /// `None` before the first run.
    forest: Option<(AnyForest, Inputs, Vec<Xoshiro256PlusPlus>)>,
}

/// Games of one variant.
pub(crate) struct Histories<G: Game> {
    pub(crate) variant: G::Variant,
    pub(crate) histories: Vec<History<G>>,
}

/// Games of one variant of either game.
pub(crate) type AnyHistories = Any<Histories<Contest>, Histories<Standard>>;

impl AnyHistories {
    /// The games of a batch or of a sequence.
    fn new(games: &Bound<'_, PyAny>) -> PyResult<AnyHistories> {
        if let Ok(batch) = games.cast::<PyBatch>() {
            return Ok(batch.try_borrow_mut()?.histories());
        }
        let (mut contest, mut standard) = (Vec::new(), Vec::new());
        let mut name = None;
        for game in games.try_iter()? {
            let game = game?;
            let game = &game.cast::<PyGame>()?.try_borrow()?.game;
            if *name.get_or_insert(game.name()) != game.name() {
                return Err(value_error("games: expected games of one variant"));
            }
            match game {
                Any::Contest(record) => contest.push(History::from(record)),
                Any::Standard(record) => standard.push(History::from(record)),
            }
        }
        Ok(match name.unwrap_or_default() {
            GameName::Contest(variant) => Any::Contest(Histories {
                variant,
                histories: contest,
            }),
            GameName::Standard(variant) => Any::Standard(Histories {
                variant,
                histories: standard,
            }),
        })
    }
}

impl SearchState {
    /// Continues with these games.
    fn set_games(
        &mut self,
        py: Python<'_>,
        games: AnyHistories,
        settings: Settings,
    ) -> PyResult<()> {
        let count = with_any!(&games, |games| games.histories.len());
        let rows = count
            .checked_mul(settings.leaves)
            .filter(|&rows| rows <= 1 << 20);
        let rows = rows.ok_or_else(|| value_error("games: expected at most 1,048,576 leaves"))?;
        let kind = settings.inputs;
        // From here on nothing fails.
        let (forest, inputs) = match self.forest.take() {
            Some((forest, inputs, _)) => (Some(forest), Some(inputs)),
            None => (None, None),
        };
        let (forest, new_inputs) = match games {
            Any::Contest(games) => {
                let before = forest.and_then(Any::contest);
                let (forest, is_new) = Forest::continued(before, games);
                let inputs = is_new.then(|| Inputs::new::<Contest>(py, kind, rows, forest.variant));
                (Any::Contest(forest), inputs)
            }
            Any::Standard(games) => {
                let before = forest.and_then(Any::standard);
                let (forest, is_new) = Forest::continued(before, games);
                let inputs =
                    is_new.then(|| Inputs::new::<Standard>(py, kind, rows, forest.variant));
                (Any::Standard(forest), inputs)
            }
        };
        let inputs = new_inputs.or(inputs);
        let inputs = inputs.ok_or_else(|| runtime_error("the search has lost its arrays"))?;
        let rngs = (0..count).map(|_| Xoshiro256PlusPlus::seed_from_u64(self.rng.next_u64()));
        self.forest = Some((forest, inputs, rngs.collect()));
        Ok(())
    }
}

/// A number in a range.
fn in_range(name: &str, value: f64, min: f64, max: f64) -> PyResult<f32> {
    if (min..=max).contains(&value) {
        Ok(value as f32)
    } else {
        Err(value_error(format_args!(
            "{name}={value}: expected {min} to {max}"
        )))
    }
}

#[pymethods]
impl TreeSearch {
    #[new]
    #[pyo3(signature = (
        judge, *, inputs = "planes", exploration = 1.5, noise = 0.0, noise_alpha = 0.3,
        leaves = 1, seed = None
    ))]
    #[allow(
        clippy::too_many_arguments,
        reason = "the keyword arguments of a constructor"
    )]
    fn new(
        judge: Py<PyAny>,
        py: Python<'_>,
        inputs: &str,
        exploration: f64,
        noise: f64,
        noise_alpha: f64,
        leaves: i64,
        seed: Option<u64>,
    ) -> PyResult<TreeSearch> {
        if !judge.bind(py).is_callable() {
            return Err(PyTypeError::new_err("judge: expected a function"));
        }
        let inputs = match inputs {
            "planes" => InputKind::Planes,
            "features" => InputKind::Features,
            other => {
                return Err(value_error(format_args!(
                    "inputs='{other}': expected 'planes' or 'features'"
                )));
            }
        };
        Ok(TreeSearch {
            judge,
            settings: Settings {
                inputs,
                exploration: Exploration {
                    weight: in_range("exploration", exploration, 0.0, 1000.0)?,
                    noise_share: in_range("noise", noise, 0.0, 1.0)?,
                    noise_alpha: in_range("noise_alpha", noise_alpha, 0.001, 1000.0)?,
                },
                leaves: usize::try_from(positive("leaves", leaves)?).unwrap_or(usize::MAX),
            },
            state: Mutex::new(SearchState {
                rng: generator(seed),
                forest: None,
            }),
        })
    }

    /// Runs this number of simulations in the current position of each game.
    ///
    /// The trees are kept: if a game continues the one at the same index of the last run, its
    /// search continues from the part below its moves.
    fn run(
        &self,
        py: Python<'_>,
        games: &Bound<'_, PyAny>,
        simulations: i64,
    ) -> PyResult<SearchResult> {
        let simulations = positive("simulations", simulations)?;
        let simulations = u32::try_from(simulations)
            .map_err(|_| value_error(format_args!("simulations={simulations}: too many")))?;
        let found = AnyHistories::new(games)?;
        let mut state = match self.state.try_lock() {
            Ok(state) => state,
            Err(std::sync::TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(std::sync::TryLockError::WouldBlock) => {
                return Err(runtime_error("the search is already running"));
            }
        };
        let state = &mut *state;
        state.set_games(py, found, self.settings)?;
        let Some((forest, inputs, rngs)) = &mut state.forest else {
            return Err(runtime_error("the search has lost its trees"));
        };
        let (judge, settings) = (&self.judge, self.settings);
        with_any!(&mut *forest, |forest| {
            forest.run(py, judge, inputs, settings, simulations, rngs)
        })?;
        let rng = Xoshiro256PlusPlus::seed_from_u64(state.rng.next_u64());
        Ok(with_any!(&*forest, |forest| SearchResult::new(
            py, forest, rng
        )))
    }
}

/// Actions, visits and offsets.
type VisitArrays<'py> = (
    Bound<'py, PyArray1<i32>>,
    Bound<'py, PyArray1<i32>>,
    Bound<'py, PyArray1<i64>>,
);

/// The result of a search over n games.
#[pyclass(name = "SearchResult", module = "wabe", frozen)]
pub(crate) struct SearchResult {
    /// The actions of each game and their visits.
    games: Vec<Vec<(u32, u32)>>,
    action_count: usize,
    values: Py<PyArray1<f32>>,
    rng: Mutex<Xoshiro256PlusPlus>,
}

/// The share of each move if visits count with the exponent `1 / temperature`.
fn shares(visits: &[(u32, u32)], temperature: f32) -> Vec<f32> {
    let highest = visits.iter().map(|&(_, visits)| visits).max().unwrap_or(0);
    if highest == 0 {
        // No move has been searched: the search ended after the root's evaluation.
        return vec![1.0 / visits.len().max(1) as f32; visits.len()];
    }
    let weight = |&(_, visits): &(u32, u32)| match temperature {
        0.0 => f32::from(u8::from(visits == highest)),
        _ => (visits as f32 / highest as f32).powf(1.0 / temperature),
    };
    let weights: Vec<f32> = visits.iter().map(weight).collect();
    let sum: f32 = weights.iter().sum();
    weights.into_iter().map(|weight| weight / sum).collect()
}

impl SearchResult {
    fn new<G: Actions>(
        py: Python<'_>,
        forest: &Forest<G>,
        rng: Xoshiro256PlusPlus,
    ) -> SearchResult {
        let values: Vec<f32> = forest.trees.iter().map(Tree::value).collect();
        SearchResult {
            games: forest.trees.iter().map(Tree::visits).collect(),
            action_count: G::ACTIONS,
            values: PyArray1::from_vec(py, values).unbind(),
            rng: Mutex::new(rng),
        }
    }

    /// One temperature per game; 1 by default.
    fn temperatures(&self, temperature: Option<&Bound<'_, PyAny>>) -> PyResult<Vec<f32>> {
        let count = self.games.len();
        let Some(temperature) = temperature else {
            return Ok(vec![1.0; count]);
        };
        let values = match temperature.extract::<f64>() {
            Ok(value) => vec![value; count],
            Err(_) => temperature.extract::<Vec<f64>>()?,
        };
        if values.len() != count {
            return Err(value_error(format_args!(
                "temperature: expected a number or {count} numbers, found {}",
                values.len()
            )));
        }
        let check = |value| in_range("temperature", value, 0.0, 1e6);
        values.into_iter().map(check).collect()
    }
}

#[pymethods]
impl SearchResult {
    /// float32 (n,): mean values for the side to move, -1 to 1; the result of ended games.
    #[getter]
    fn values<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f32>> {
        self.values.bind(py).clone()
    }

    /// The legal actions of all games, their visits, and offsets (n + 1,) of the games.
    fn visits<'py>(&self, py: Python<'py>) -> VisitArrays<'py> {
        let all = || self.games.iter().flatten();
        let to_i32 = |number: u32| i32::try_from(number).unwrap_or(i32::MAX);
        let mut offsets = vec![0];
        let mut end = 0;
        for game in &self.games {
            end += i64::try_from(game.len()).unwrap_or(0);
            offsets.push(end);
        }
        (
            PyArray1::from_vec(py, all().map(|&(action, _)| to_i32(action)).collect()),
            PyArray1::from_vec(py, all().map(|&(_, visits)| to_i32(visits)).collect()),
            PyArray1::from_vec(py, offsets),
        )
    }

    /// float32 (n, actions): visits to the power of 1 / temperature, scaled to a sum of 1.
    ///
    /// With temperature 0 only the most visited actions count. Rows of ended games are 0.
    #[pyo3(signature = (temperature = None), text_signature = "($self, temperature=1.0)")]
    fn policy<'py>(
        &self,
        py: Python<'py>,
        temperature: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyArray2<f32>>> {
        let temperatures = self.temperatures(temperature)?;
        let array = PyArray2::zeros(py, [self.games.len(), self.action_count], false);
        {
            let mut values = array.try_readwrite()?;
            let rows = values.as_slice_mut()?.chunks_mut(self.action_count);
            for ((row, visits), temperature) in rows.zip(&self.games).zip(temperatures) {
                for (&(action, _), share) in visits.iter().zip(shares(visits, temperature)) {
                    if let Some(value) = row.get_mut(action as usize) {
                        *value = share;
                    }
                }
            }
        }
        Ok(array)
    }

    /// int64 (n,): actions drawn from ``policy``; -1 for ended games.
    #[pyo3(signature = (temperature = None), text_signature = "($self, temperature=1.0)")]
    fn sample<'py>(
        &self,
        py: Python<'py>,
        temperature: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let temperatures = self.temperatures(temperature)?;
        let mut rng = self.rng.lock().unwrap_or_else(PoisonError::into_inner);
        let mut draw = |(visits, temperature): (&Vec<(u32, u32)>, f32)| {
            let mut left: f32 = rng.random();
            let shares = shares(visits, temperature);
            let mut chosen = visits.last().map(|&(action, _)| action);
            for (&(action, _), share) in visits.iter().zip(shares) {
                if share > 0.0 {
                    chosen = Some(action);
                    left -= share;
                    if left < 0.0 {
                        break;
                    }
                }
            }
            chosen.map_or(-1, i64::from)
        };
        let actions = self.games.iter().zip(temperatures).map(&mut draw);
        Ok(PyArray1::from_vec(py, actions.collect()))
    }

    fn __len__(&self) -> usize {
        self.games.len()
    }

    fn __repr__(&self) -> String {
        format!("<wabe.SearchResult of {} games>", self.games.len())
    }
}
