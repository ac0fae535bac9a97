//! `wabe.Batch`: thousands of games that are stepped together.

use numpy::{PyArray1, PyArray2, PyArray4, PyArrayMethods, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::exceptions::{PyRuntimeError, PyTypeError};
use pyo3::prelude::*;
use rand::Rng;
use rayon::ThreadPool;
use rayon::prelude::*;

use wabe_hive::contest::Contest;
use wabe_hive::standard::Standard;
use wabe_records::games::GameName;
use wabe_records::with_game;

use crate::any::{Any, with_any};
use crate::arrays::{Lists, values, writable};
use crate::error::{illegal_move, value_error};
use crate::game::{AnyGame, Fields, PyGame, board_set, fields, generator, parse_name};
use crate::observation::{MAX_FEATURES, numbers, planes};
use crate::pickle::{Reduced, damaged, read_pickle, reduce};
use crate::pool::pool;
use crate::search::{AnyHistories, Histories};
use crate::slot::{Batched, PickledSlot, Settings, Slot, Stepped};

/// Games per task of a thread.
const MIN_TASK: usize = 8;

/// Maximum number of games.
const MAX_GAMES: usize = 1 << 20;

/// The games of a batch.
struct Games<G: Batched> {
    settings: Settings<G>,
    slots: Vec<Slot<G>>,
}

/// The games of a batch, of either kind.
type AnyGames = Any<Games<Contest>, Games<Standard>>;

impl From<Games<Contest>> for AnyGames {
    fn from(games: Games<Contest>) -> AnyGames {
        Any::Contest(games)
    }
}

impl From<Games<Standard>> for AnyGames {
    fn from(games: Games<Standard>) -> AnyGames {
        Any::Standard(games)
    }
}

/// Contents of a pickled batch: name, brambles of all games, maximum number of plies, whether games
/// restart, games.
type PickledBatch = (String, Option<Fields>, i64, bool, Vec<PickledSlot>);

/// Sizes of a batch's arrays.
#[derive(Clone, Copy)]
struct Sizes {
    games: usize,
    planes: usize,
    side: usize,
    numbers: usize,
    actions: usize,
    features: usize,
}

impl<G: Batched> Games<G> {
    fn new(count: usize, settings: Settings<G>, seed: Option<u64>, pool: &ThreadPool) -> Games<G> {
        let mut seeds = generator(seed);
        let seeds: Vec<u64> = (0..count).map(|_| seeds.next_u64()).collect();
        let slots = pool.install(|| {
            let slots = seeds.into_par_iter().with_min_len(MIN_TASK);
            slots.map(|seed| Slot::new(&settings, seed)).collect()
        });
        Games { settings, slots }
    }

    fn pickled(&self, name: GameName, pool: &ThreadPool) -> PickledBatch {
        let settings = self.settings;
        let slots = pool.install(|| {
            let slots = self.slots.par_iter().with_min_len(MIN_TASK);
            slots.map(Slot::pickled).collect()
        });
        let brambles = settings.brambles.map(fields);
        let max_plies = i64::try_from(settings.max_plies).unwrap_or(i64::MAX);
        (
            name.to_string(),
            brambles,
            max_plies,
            settings.restart,
            slots,
        )
    }

    fn unpickled(
        settings: Settings<G>,
        slots: &[PickledSlot],
        pool: &ThreadPool,
    ) -> Result<Games<G>, String> {
        let slot = |(index, pickled)| {
            let slot = Slot::unpickled(&settings, pickled);
            slot.map_err(|error| format!("game {index}: {error}"))
        };
        let slots = pool.install(|| {
            let slots = slots.par_iter().with_min_len(MIN_TASK).enumerate();
            slots.map(slot).collect::<Result<_, String>>()
        })?;
        Ok(Games { settings, slots })
    }

    fn sizes(&self) -> Sizes {
        Sizes {
            games: self.slots.len(),
            planes: planes::<G>(),
            side: G::side(self.settings.variant),
            numbers: numbers::<G>(),
            actions: G::ACTIONS,
            features: G::FEATURE_COUNT,
        }
    }

    /// Checks all actions, and plays them only if all are legal.
    fn step(
        &mut self,
        pool: &ThreadPool,
        actions: &[i64],
        results: Results<'_>,
    ) -> Result<(), (usize, String)> {
        pool.install(|| {
            let slots = self.slots.par_iter_mut().with_min_len(MIN_TASK);
            let illegal = slots
                .zip(actions)
                .enumerate()
                .filter_map(|(index, (slot, &action))| {
                    Some((index, slot.set_action(action).err()?))
                })
                .min_by_key(|&(index, _)| index);
            illegal.map_or(Ok(()), Err)
        })?;
        self.play(pool, results, |_| ());
        Ok(())
    }

    fn step_random(&mut self, pool: &ThreadPool, results: Results<'_>) {
        self.play(pool, results, Slot::set_random_move);
    }

    fn play(&mut self, pool: &ThreadPool, results: Results<'_>, choose: fn(&mut Slot<G>)) {
        let settings = self.settings;
        pool.install(|| {
            let slots = self.slots.par_iter_mut().with_min_len(MIN_TASK);
            slots
                .zip(results.rewards)
                .zip(results.terminated)
                .zip(results.truncated)
                .for_each(|(((slot, reward), terminated), truncated)| {
                    choose(slot);
                    let stepped: Stepped = slot.step(&settings);
                    *reward = stepped.reward;
                    *terminated = stepped.is_terminated;
                    *truncated = stepped.is_truncated;
                });
        });
    }

    fn restart(&mut self, pool: &ThreadPool, chosen: Option<&[bool]>) {
        let settings = self.settings;
        pool.install(|| {
            let slots = self.slots.par_iter_mut().with_min_len(MIN_TASK);
            slots.enumerate().for_each(|(index, slot)| {
                let is_chosen = |chosen: &[bool]| chosen.get(index).copied().unwrap_or(false);
                if chosen.is_none_or(is_chosen) {
                    slot.restart(&settings);
                }
            });
        });
    }

    fn observe(&mut self, pool: &ThreadPool, sizes: Sizes, values: &mut [u8], rest: &mut [u8]) {
        let per_game = sizes.planes * sizes.side * sizes.side;
        pool.install(|| {
            let slots = self.slots.par_iter_mut().with_min_len(MIN_TASK);
            slots
                .zip(values.par_chunks_mut(per_game))
                .zip(rest.par_chunks_mut(sizes.numbers))
                .for_each(|((slot, values), rest)| slot.observe(sizes.side, values, rest));
        });
    }

    fn fill_mask(&mut self, pool: &ThreadPool, mask: &mut [bool]) {
        pool.install(|| {
            let slots = self.slots.par_iter_mut().with_min_len(MIN_TASK);
            let masks = mask.par_chunks_mut(G::ACTIONS);
            slots
                .zip(masks)
                .for_each(|(slot, mask)| slot.fill_mask(mask));
        });
    }

    /// The lengths of the lists of legal actions.
    fn list_actions(&mut self, pool: &ThreadPool) {
        pool.install(|| {
            let slots = self.slots.par_iter_mut().with_min_len(MIN_TASK);
            slots.for_each(|slot| {
                slot.legal_actions();
            });
        });
    }

    fn features(&mut self, pool: &ThreadPool, rows: &mut [i32]) {
        pool.install(|| {
            let slots = self.slots.par_iter_mut().with_min_len(MIN_TASK);
            let rows = slots.zip(rows.par_chunks_mut(MAX_FEATURES));
            rows.for_each(|(slot, row)| slot.features(row));
        });
    }
}

/// The arrays that a step fills.
struct Results<'a> {
    rewards: &'a mut [f32],
    terminated: &'a mut [bool],
    truncated: &'a mut [bool],
}

/// Games of one kind that are stepped together, on all cores.
///
/// Methods return the same arrays in every call and overwrite them: copy what must stay. Do not
/// write to them. ``RAYON_NUM_THREADS`` limits the threads. Pickles contain the games, the settings
/// and the random state, but not the arrays.
///
/// Args:
///     n: Number of games, up to 1,048,576.
///     game: The game, as in ``Game``.
///     seed: Draws brambles and random moves; the same seed gives the same games on any number of
///         cores. By default they differ in every batch.
///     brambles: Fixed brambles for all games of the contest; by default each game draws its own.
///     max_plies: Number of plies after which a game is cut off, up to 10,000.
///     restart: If true, an ended game is replaced by a new one in the step that ends it.
///         Otherwise it stays until ``restart()``.
#[pyclass(name = "Batch", module = "wabe")]
pub(crate) struct PyBatch {
    games: AnyGames,
    sizes: Sizes,
    name: GameName,
    planes: Option<Py<PyArray4<u8>>>,
    numbers: Option<Py<PyArray2<u8>>>,
    mask: Option<Py<PyArray2<bool>>>,
    legal: Lists,
    features: Option<Py<PyArray2<i32>>>,
    rewards: Py<PyArray1<f32>>,
    terminated: Py<PyArray1<bool>>,
    truncated: Py<PyArray1<bool>>,
    players: Py<PyArray1<u8>>,
}

/// The results of a step: rewards, terminated, truncated.
type StepArrays<'py> = (
    Bound<'py, PyArray1<f32>>,
    Bound<'py, PyArray1<bool>>,
    Bound<'py, PyArray1<bool>>,
);

/// Planes and numbers of all games.
type Observations<'py> = (Bound<'py, PyArray4<u8>>, Bound<'py, PyArray2<u8>>);

/// Checks an array argument with one value per game.
fn check_shape(array: &Bound<'_, PyUntypedArray>, name: &str, games: usize) -> PyResult<()> {
    if array.shape() == [games] {
        return Ok(());
    }
    let found = array.shape().to_vec();
    Err(value_error(format_args!(
        "{name}: expected shape ({games},), found {}",
        shape_text(&found)
    )))
}

fn shape_text(shape: &[usize]) -> String {
    let sizes: Vec<String> = shape.iter().map(usize::to_string).collect();
    match &sizes[..] {
        [one] => format!("({one},)"),
        many => format!("({})", many.join(", ")),
    }
}

fn untyped<'a, 'py>(
    array: &'a Bound<'py, PyAny>,
    name: &str,
    expected: &str,
) -> PyResult<&'a Bound<'py, PyUntypedArray>> {
    array.cast::<PyUntypedArray>().map_err(|_| {
        let found = array.get_type();
        PyTypeError::new_err(format!("{name}: expected {expected}, found {found}"))
    })
}

/// Reads the actions of a step.
fn read_actions(array: &Bound<'_, PyAny>, games: usize) -> PyResult<Vec<i64>> {
    const EXPECTED: &str = "a numpy array of int64 or int32";
    let any = untyped(array, "actions", EXPECTED)?;
    if let Ok(actions) = array.cast::<PyArray1<i64>>() {
        check_shape(any, "actions", games)?;
        return Ok(actions.try_readonly()?.as_array().to_vec());
    }
    if let Ok(actions) = array.cast::<PyArray1<i32>>() {
        check_shape(any, "actions", games)?;
        let actions = actions.try_readonly()?;
        return Ok(actions.as_array().iter().copied().map(i64::from).collect());
    }
    if any.ndim() != 1 {
        check_shape(any, "actions", games)?;
    }
    let found = any.dtype();
    Err(PyTypeError::new_err(format!(
        "actions: expected {EXPECTED}, found {found}"
    )))
}

/// Reads a mask of games.
fn read_chosen(array: &Bound<'_, PyAny>, games: usize) -> PyResult<Vec<bool>> {
    const EXPECTED: &str = "a numpy array of bool";
    let any = untyped(array, "games", EXPECTED)?;
    check_shape(any, "games", games)?;
    let chosen = array.cast::<PyArray1<bool>>().map_err(|_| {
        PyTypeError::new_err(format!("games: expected {EXPECTED}, found {}", any.dtype()))
    })?;
    Ok(chosen.try_readonly()?.as_array().to_vec())
}

#[pymethods]
impl PyBatch {
    #[new]
    #[pyo3(signature = (n, game = "contest", seed = None, *, brambles = None, max_plies = 500, restart = true))]
    fn new(
        py: Python<'_>,
        n: i64,
        game: &str,
        seed: Option<u64>,
        brambles: Option<Fields>,
        max_plies: i64,
        restart: bool,
    ) -> PyResult<PyBatch> {
        let name = parse_name(game)?;
        let count = check_count(n)?;
        let pool = pool(py)?;
        let games = with_game!(name, |G, variant| {
            let settings = settings::<G>(variant, brambles, max_plies, restart)?;
            py.detach(|| Games::new(count, settings, seed, &pool))
                .into()
        });
        Ok(PyBatch::with_games(py, name, games))
    }

    fn __len__(&self) -> usize {
        self.sizes.games
    }

    fn __repr__(&self) -> String {
        format!(
            "<wabe.Batch of {} games of {}>",
            self.sizes.games, self.name
        )
    }

    /// The name of the game.
    #[getter]
    fn name(&self) -> String {
        self.name.to_string()
    }

    /// Number of actions.
    #[getter]
    fn action_count(&self) -> usize {
        self.sizes.actions
    }

    /// Number of the network's features; all are smaller.
    #[getter]
    fn feature_count(&self) -> usize {
        self.sizes.features
    }

    /// Shape of the planes of one game: planes, side, side.
    #[getter]
    fn planes_shape(&self) -> (usize, usize, usize) {
        (self.sizes.planes, self.sizes.side, self.sizes.side)
    }

    /// Shape of the numbers of one game.
    #[getter]
    fn numbers_shape(&self) -> (usize,) {
        (self.sizes.numbers,)
    }

    /// Plays one ply in every game.
    ///
    /// Args:
    ///     actions: One legal action per game: int64 or int32 of shape ``(n,)``. Games that have
    ///         ended and were not restarted ignore theirs.
    ///
    /// Returns:
    ///     Rewards, terminated and truncated, each of shape ``(n,)``. A reward is that of the side
    ///     that made the move: 1, 0 or -1. Games are truncated at ``max_plies``.
    ///
    /// Raises:
    ///     IllegalMove: Names the first game whose action is illegal. No game has moved.
    ///     TypeError: For another dtype.
    ///     ValueError: For another shape.
    fn step<'py>(
        &mut self,
        py: Python<'py>,
        actions: &Bound<'py, PyAny>,
    ) -> PyResult<StepArrays<'py>> {
        let actions = read_actions(actions, self.sizes.games)?;
        self.step_with(py, Some(&actions))
    }

    /// Plays a uniformly random legal move in every running game. Returns as ``step``.
    fn step_random<'py>(&mut self, py: Python<'py>) -> PyResult<StepArrays<'py>> {
        self.step_with(py, None)
    }

    /// Starts new games: all, or those where ``games``, of shape ``(n,)``, is true.
    #[pyo3(signature = (games = None))]
    fn restart(&mut self, py: Python<'_>, games: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        let chosen = games
            .map(|games| read_chosen(games, self.sizes.games))
            .transpose()?;
        let (pool, games) = (pool(py)?, &mut self.games);
        py.detach(|| with_any!(games, |games| games.restart(&pool, chosen.as_deref())));
        Ok(())
    }

    /// Planes of shape ``(n, planes, side, side)`` and numbers of shape ``(n, numbers)``, viewed
    /// by the side to move of each game.
    fn observe<'py>(&mut self, py: Python<'py>) -> PyResult<Observations<'py>> {
        let (pool, sizes) = (pool(py)?, self.sizes);
        let Sizes {
            games: count,
            planes,
            side,
            numbers,
            ..
        } = sizes;
        let planes_array = self.planes.get_or_insert_with(|| {
            PyArray4::zeros(py, [count, planes, side, side], false).unbind()
        });
        let planes_array = planes_array.bind(py).clone();
        let numbers_array = self
            .numbers
            .get_or_insert_with(|| PyArray2::zeros(py, [count, numbers], false).unbind());
        let numbers_array = numbers_array.bind(py).clone();
        {
            let (mut drawn, mut rest) = (writable(&planes_array)?, writable(&numbers_array)?);
            let drawn = values(&mut drawn, count * planes * side * side)?;
            let rest = values(&mut rest, count * numbers)?;
            let games = &mut self.games;
            py.detach(|| with_any!(games, |games| games.observe(&pool, sizes, drawn, rest)));
        }
        Ok((planes_array, numbers_array))
    }

    /// The legal actions: shape ``(n, action_count)``. All false in an ended game.
    fn legal_mask<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<bool>>> {
        let (pool, sizes) = (pool(py)?, self.sizes);
        let array = self.mask.get_or_insert_with(|| {
            PyArray2::zeros(py, [sizes.games, sizes.actions], false).unbind()
        });
        let array = array.bind(py).clone();
        {
            let mut mask = writable(&array)?;
            let mask = values(&mut mask, sizes.games * sizes.actions)?;
            let games = &mut self.games;
            py.detach(|| with_any!(games, |games| games.fill_mask(&pool, mask)));
        }
        Ok(array)
    }

    /// The legal actions as lists: those of game ``i`` are
    /// ``actions[offsets[i]:offsets[i + 1]]``, sorted. The offsets have shape ``(n + 1,)``.
    fn legal_actions<'py>(
        &mut self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
        let (pool, games) = (pool(py)?, &mut self.games);
        py.detach(|| with_any!(&mut *games, |games| games.list_actions(&pool)));
        with_any!(games, |games| {
            let lists: Vec<&[u16]> = games.slots.iter_mut().map(Slot::legal_actions).collect();
            self.legal.fill(py, lists.iter().copied())
        })
    }

    /// The active features of wabe's network, viewed by the side to move: int32 (n, 128).
    ///
    /// The rest of a row is ``feature_count``.
    fn features<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<i32>>> {
        let (pool, count) = (pool(py)?, self.sizes.games);
        let array = self
            .features
            .get_or_insert_with(|| PyArray2::zeros(py, [count, MAX_FEATURES], false).unbind());
        let array = array.bind(py).clone();
        {
            let mut rows = writable(&array)?;
            let rows = values(&mut rows, count * MAX_FEATURES)?;
            let games = &mut self.games;
            py.detach(|| with_any!(games, |games| games.features(&pool, rows)));
        }
        Ok(array)
    }

    /// The sides to move, 0 or 1: shape ``(n,)``.
    #[getter]
    fn players<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<u8>>> {
        let array = self.players.bind(py).clone();
        {
            let mut players = writable(&array)?;
            let players = values(&mut players, self.sizes.games)?;
            with_any!(&self.games, |games| {
                for (player, slot) in players.iter_mut().zip(&games.slots) {
                    *player = slot.player();
                }
            });
        }
        Ok(array)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py, PickledBatch>> {
        let (pool, games, name) = (pool(py)?, &self.games, self.name);
        let pickled = py.detach(|| with_any!(games, |games| games.pickled(name, &pool)));
        reduce::<PyBatch, _>(py, pickled)
    }

    #[staticmethod]
    fn _unpickle(version: &Bound<'_, PyAny>, contents: &Bound<'_, PyAny>) -> PyResult<PyBatch> {
        let (py, pool) = (version.py(), pool(version.py())?);
        let (game, brambles, max_plies, restart, slots): PickledBatch =
            read_pickle("batch", version, contents)?;
        let name = parse_name(&game)?;
        check_count(i64::try_from(slots.len()).unwrap_or(i64::MAX))?;
        let games = with_game!(name, |G, variant| {
            let settings = settings::<G>(variant, brambles, max_plies, restart)?;
            let games = py.detach(|| Games::unpickled(settings, &slots, &pool));
            games.map_err(|error| damaged("batch", error))?.into()
        });
        Ok(PyBatch::with_games(py, name, games))
    }

    /// A copy of one game.
    ///
    /// Raises:
    ///     IndexError: For an index outside the batch.
    fn game(&self, index: i64) -> PyResult<PyGame> {
        let count = self.sizes.games;
        let slot = usize::try_from(index).ok().filter(|&index| index < count);
        let slot = slot.ok_or_else(|| {
            pyo3::exceptions::PyIndexError::new_err(format!(
                "game {index} of a batch of {count}: expected 0..={}",
                count - 1
            ))
        })?;
        fn game<G: Batched>(games: &Games<G>, slot: usize) -> Option<wabe_hive::game::Record<G>> {
            Some(games.slots.get(slot)?.record(games.settings.variant))
        }
        let game: Option<AnyGame> =
            with_any!(&self.games, |games| game(games, slot).map(AnyGame::from));
        game.map(PyGame::from)
            .ok_or_else(|| PyRuntimeError::new_err("the batch has lost a game"))
    }
}

/// Checks the number of games.
fn check_count(n: i64) -> PyResult<usize> {
    let count = usize::try_from(n).ok();
    let count = count.filter(|n| (1..=MAX_GAMES).contains(n));
    count.ok_or_else(|| value_error(format_args!("n is {n}: expected 1..={MAX_GAMES} games")))
}

fn settings<G: Batched>(
    variant: G::Variant,
    brambles: Option<Fields>,
    max_plies: i64,
    restart: bool,
) -> PyResult<Settings<G>> {
    const MAX_PLIES: usize = wabe_hive::game::MAX_PLIES;
    if brambles.is_some() && !G::HAS_BRAMBLES {
        return Err(value_error("brambles exist in the contest only"));
    }
    let brambles = brambles.map(|fields| board_set(&fields)).transpose();
    let plies = usize::try_from(max_plies).ok();
    let plies = plies.filter(|n| (1..=MAX_PLIES).contains(n));
    Ok(Settings {
        variant,
        brambles: brambles.map_err(value_error)?,
        max_plies: plies.ok_or_else(|| {
            value_error(format_args!(
                "max_plies is {max_plies}: expected 1..={MAX_PLIES}"
            ))
        })?,
        restart,
    })
}

impl PyBatch {
    fn with_games(py: Python<'_>, name: GameName, games: AnyGames) -> PyBatch {
        let sizes = with_any!(&games, |games| games.sizes());
        let count = sizes.games;
        PyBatch {
            games,
            sizes,
            name,
            planes: None,
            numbers: None,
            mask: None,
            legal: Lists::new(py, count),
            features: None,
            rewards: PyArray1::zeros(py, count, false).unbind(),
            terminated: PyArray1::zeros(py, count, false).unbind(),
            truncated: PyArray1::zeros(py, count, false).unbind(),
            players: PyArray1::zeros(py, count, false).unbind(),
        }
    }

    /// The games so far.
    pub(crate) fn histories(&mut self) -> AnyHistories {
        fn histories<G: Batched>(games: &mut Games<G>) -> Histories<G> {
            Histories {
                variant: games.settings.variant,
                histories: games.slots.iter_mut().map(Slot::history).collect(),
            }
        }
        match &mut self.games {
            Any::Contest(games) => Any::Contest(histories(games)),
            Any::Standard(games) => Any::Standard(histories(games)),
        }
    }

    /// Plays these actions, or random moves.
    fn step_with<'py>(
        &mut self,
        py: Python<'py>,
        actions: Option<&[i64]>,
    ) -> PyResult<StepArrays<'py>> {
        let (pool, count) = (pool(py)?, self.sizes.games);
        let rewards_array = self.rewards.bind(py).clone();
        let terminated_array = self.terminated.bind(py).clone();
        let truncated_array = self.truncated.bind(py).clone();
        {
            let mut rewards = writable(&rewards_array)?;
            let mut terminated = writable(&terminated_array)?;
            let mut truncated = writable(&truncated_array)?;
            let results = Results {
                rewards: values(&mut rewards, count)?,
                terminated: values(&mut terminated, count)?,
                truncated: values(&mut truncated, count)?,
            };
            let games = &mut self.games;
            let stepped = py.detach(|| {
                with_any!(games, |games| match actions {
                    Some(actions) => games.step(&pool, actions, results),
                    None => {
                        games.step_random(&pool, results);
                        Ok(())
                    }
                })
            });
            stepped.map_err(|(index, error)| {
                illegal_move(format_args!("game {index}: {error}; no game has moved"))
            })?;
        }
        Ok((rewards_array, terminated_array, truncated_array))
    }
}
