//! `wabe.positions`: labelled positions of recordings and training games as arrays, in chunks.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use numpy::ndarray::{Array2, Array4};
use numpy::{PyArray1, PyArray2, PyArray4};
use pyo3::prelude::*;

use wabe_arena::ArenaGame;
use wabe_arena::dataset::{GameReader, Label, MAGIC, TrainingGame};
use wabe_hive::contest::Contest;
use wabe_hive::game::{Game, Notation};
use wabe_hive::standard::Standard;
use wabe_hive::{Move, Position};
use wabe_records::Replay;
use wabe_records::games::GameName;

use crate::action::Actions;
use crate::any::{Any, with_any};
use crate::error::value_error;
use crate::files::{AnyReplay, Source, io_error, read_source};
use crate::game::{parse_name, result_for};
use crate::observation::{Observed, Planes, View, numbers, observe, planes};
use crate::options::positive;

/// Games whose files can be read as arrays.
trait Stored: ArenaGame + Actions + Observed {}

impl Stored for Contest {}
impl Stored for Standard {}

/// A position and its labels.
struct Labelled<G: Game> {
    position: Position<G>,
    notation: G::Notation,
    occurrences: usize,
    labels: Labels,
}

/// The labels of a position.
struct Labels {
    /// The move played, or -1.
    action: i32,
    /// The result of the game for the side to move, or NaN.
    result: f32,
    /// The value of a search for the side to move, -1 to 1, or NaN.
    value: f32,
    /// The shares of the moves in a search.
    policy: Vec<(i32, f32)>,
    /// The number of the game.
    game: i32,
    /// Plies before the position.
    ply: i32,
}

fn action_of<G: Actions>(position: &Position<G>, notation: &G::Notation, mv: Move<G>) -> i32 {
    let action = G::action(&G::numbering(position, notation), mv);
    action
        .and_then(|action| i32::try_from(action).ok())
        .unwrap_or(-1)
}

/// Counts occurrences of positions.
struct Occurrences<G: Game> {
    hashes: Vec<u64>,
    game: std::marker::PhantomData<G>,
}

impl<G: Game> Occurrences<G> {
    fn new() -> Occurrences<G> {
        Occurrences {
            hashes: Vec::new(),
            game: std::marker::PhantomData,
        }
    }

    /// How often the position has occurred, this time included.
    fn add(&mut self, position: &Position<G>) -> usize {
        if G::REPETITION_LIMIT.is_none() {
            return 1;
        }
        let hash = G::repetition_hash(position);
        self.hashes.push(hash);
        self.hashes.iter().filter(|&&seen| seen == hash).count()
    }
}

/// The positions before the moves of a recording.
fn positions_of_replay<G: Stored>(replay: &Replay<G>, game: i32) -> Vec<Labelled<G>> {
    let record = &replay.record;
    let mut position = *record.start();
    let mut notation = G::Notation::from_start(&position);
    let (mut seen, winner) = (Occurrences::new(), replay.winner());
    let mut found = Vec::with_capacity(record.plies().len());
    for ply in record.plies() {
        let side = position.side_to_move();
        found.push(Labelled {
            position,
            notation: notation.clone(),
            occurrences: seen.add(&position),
            labels: Labels {
                action: action_of(&position, &notation, ply.mv),
                result: winner.map_or(f32::NAN, |winner| result_for(side, winner).into()),
                value: f32::NAN,
                policy: Vec::new(),
                game,
                ply: i32::from(position.turn()),
            },
        });
        notation.follow(ply.mv, &position);
        position.play(ply.mv);
    }
    found
}

/// The shares of a search's moves. Levels are the square roots of visits.
fn policy_of<G: Actions>(
    position: &Position<G>,
    notation: &G::Notation,
    label: &Label,
) -> Vec<(i32, f32)> {
    let moves = position.legal_moves();
    let squares = label.visits.iter().map(|&level| f32::from(level).powi(2));
    let sum: f32 = squares.clone().sum();
    let moves = moves
        .into_iter()
        .zip(squares)
        .filter(|&(_, square)| square > 0.0);
    let share = |(mv, square)| (action_of(position, notation, mv), square / sum);
    moves.map(share).collect()
}

/// The training positions of a game: those of its searches.
fn positions_of_training<G: Stored>(game: &TrainingGame<G>) -> Vec<Labelled<G>> {
    let mut position = game.start;
    let mut notation = G::Notation::from_start(&position);
    let mut seen = Occurrences::new();
    let mut found = Vec::new();
    let number = i32::try_from(game.number).unwrap_or(-1);
    for ply in &game.plies {
        let occurrences = seen.add(&position);
        if let Some(search) = &ply.search {
            let value = |label: &Label| f32::from(label.score) / 500.0 - 1.0;
            if search.is_kept {
                found.push(Labelled {
                    position,
                    notation: notation.clone(),
                    occurrences,
                    labels: Labels {
                        action: action_of(&position, &notation, ply.mv),
                        result: result_for(position.side_to_move(), game.winner).into(),
                        value: value(&search.root),
                        policy: policy_of(&position, &notation, &search.root),
                        game: number,
                        ply: i32::from(position.turn()),
                    },
                });
            }
            for inner in &search.inner {
                let (mut below, mut names) = (position, notation.clone());
                for &mv in &inner.path {
                    names.follow(mv, &below);
                    below.play(mv);
                }
                found.push(Labelled {
                    position: below,
                    occurrences: 1,
                    labels: Labels {
                        action: -1,
                        result: f32::NAN,
                        value: value(&inner.label),
                        policy: policy_of(&below, &names, &inner.label),
                        game: number,
                        ply: i32::from(below.turn()),
                    },
                    notation: names,
                });
            }
        }
        notation.follow(ply.mv, &position);
        position.play(ply.mv);
    }
    found
}

/// Actions, shares and offsets.
type Policy = (Py<PyArray1<i32>>, Py<PyArray1<f32>>, Py<PyArray1<i64>>);

/// Labelled positions as arrays, one row per position. Views are of the side to move.
#[pyclass(name = "Positions", module = "wabe", frozen, get_all)]
pub(crate) struct Positions {
    /// uint8 (n, planes, side, side), as in ``Batch.observe``.
    planes: Py<PyArray4<u8>>,
    /// uint8 (n, numbers), as in ``Batch.observe``.
    numbers: Py<PyArray2<u8>>,
    /// int32 (n,): the action played; -1 if the position was not in the game.
    actions: Py<PyArray1<i32>>,
    /// float32 (n,): result of the game, 1, 0 or -1; NaN if unknown.
    results: Py<PyArray1<f32>>,
    /// float32 (n,): value of a search, -1 to 1; NaN without one.
    values: Py<PyArray1<f32>>,
    /// Visits of a search: actions, their shares, and offsets (n + 1,) of the rows.
    policy: Policy,
    /// int32 (n,): the game's number, from 0 or as in a file of training games.
    games: Py<PyArray1<i32>>,
    /// int32 (n,): plies before the position.
    plies: Py<PyArray1<i32>>,
}

#[pymethods]
impl Positions {
    fn __len__(&self, py: Python<'_>) -> usize {
        use numpy::PyUntypedArrayMethods;
        self.actions.bind(py).len()
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        format!("<wabe.Positions of {} positions>", self.__len__(py))
    }
}

/// The arrays of a chunk before they are given to Python.
struct Arrays {
    planes: Array4<u8>,
    numbers: Array2<u8>,
    rows: Vec<Labels>,
}

impl Arrays {
    fn new<G: Stored>(variant: G::Variant, positions: Vec<Labelled<G>>) -> Arrays {
        let (count, side) = (positions.len(), G::side(variant));
        let mut drawn = Array4::zeros([count, planes::<G>(), side, side]);
        let mut rest = Array2::zeros([count, numbers::<G>()]);
        let rows = drawn.outer_iter_mut().zip(rest.outer_iter_mut());
        let mut set = Vec::new();
        for ((mut drawn, mut rest), labelled) in rows.zip(&positions) {
            set.clear();
            if let (Some(drawn), Some(rest)) = (drawn.as_slice_mut(), rest.as_slice_mut()) {
                let view = View {
                    position: &labelled.position,
                    notation: &labelled.notation,
                    viewer: labelled.position.side_to_move(),
                    occurrences: labelled.occurrences,
                };
                observe(&view, side, &mut Planes::new(drawn, &mut set), rest);
            }
        }
        let rows = positions.into_iter().map(|labelled| labelled.labels);
        Arrays {
            planes: drawn,
            numbers: rest,
            rows: rows.collect(),
        }
    }

    fn into_python(self, py: Python<'_>) -> Positions {
        let rows = &self.rows;
        let mut offsets = vec![0_i64];
        for row in rows {
            let last = offsets.last().copied().unwrap_or(0);
            offsets.push(last + i64::try_from(row.policy.len()).unwrap_or(0));
        }
        let shares = || rows.iter().flat_map(|row| &row.policy);
        let i32s = |value: fn(&Labels) -> i32| {
            PyArray1::from_vec(py, rows.iter().map(value).collect()).unbind()
        };
        let f32s = |value: fn(&Labels) -> f32| {
            PyArray1::from_vec(py, rows.iter().map(value).collect()).unbind()
        };
        let policy = (
            PyArray1::from_vec(py, shares().map(|&(action, _)| action).collect()).unbind(),
            PyArray1::from_vec(py, shares().map(|&(_, share)| share).collect()).unbind(),
            PyArray1::from_vec(py, offsets).unbind(),
        );
        Positions {
            actions: i32s(|row| row.action),
            results: f32s(|row| row.result),
            values: f32s(|row| row.value),
            policy,
            games: i32s(|row| row.game),
            plies: i32s(|row| row.ply),
            planes: PyArray4::from_owned_array(py, self.planes).unbind(),
            numbers: PyArray2::from_owned_array(py, self.numbers).unbind(),
        }
    }
}

/// The games of one file that have not been read yet.
enum OpenFile<G: Stored> {
    Replays(std::vec::IntoIter<Replay<G>>),
    Training(Box<GameReader<G, BufReader<File>>>),
}

/// Reads the positions of files in chunks of one variant.
struct Reader<G: Stored> {
    variant: G::Variant,
    sources: VecDeque<Source>,
    open: Option<(String, OpenFile<G>)>,
    waiting: VecDeque<Labelled<G>>,
    /// Why the rest of a file cannot be read.
    failure: Option<PyErr>,
    /// Number of the next recording.
    number: i32,
    chunk: usize,
    /// The replays of this game among those of either game.
    replays: fn(AnyReplay) -> Option<Replay<G>>,
}

/// True if a file contains training games.
fn is_training(path: &Path) -> PyResult<bool> {
    let mut start = Vec::new();
    let file = File::open(path).map_err(|error| io_error(path, error))?;
    let length = u64::try_from(MAGIC.len()).unwrap_or(u64::MAX);
    let read = file.take(length).read_to_end(&mut start);
    read.map_err(|error| io_error(path, error))?;
    Ok(start == MAGIC)
}

impl<G: Stored> Reader<G> {
    fn new(
        variant: G::Variant,
        sources: VecDeque<Source>,
        chunk: usize,
        replays: fn(AnyReplay) -> Option<Replay<G>>,
    ) -> Reader<G> {
        Reader {
            variant,
            sources,
            open: None,
            waiting: VecDeque::new(),
            failure: None,
            number: 0,
            chunk,
            replays,
        }
    }

    fn open(&mut self, source: Source) -> PyResult<OpenFile<G>> {
        let name = source.name();
        if let Source::Path(path) = &source
            && is_training(path)?
        {
            let file = File::open(path).map_err(|error| io_error(path, error))?;
            let reader = GameReader::new(BufReader::new(file));
            let reader = reader.map_err(|error| value_error(format_args!("{name}: {error}")))?;
            return Ok(OpenFile::Training(Box::new(reader)));
        }
        let replays = read_source(source, None)?;
        let own: Option<Vec<Replay<G>>> = replays.into_iter().map(self.replays).collect();
        let own =
            own.ok_or_else(|| value_error(format_args!("{name}: expected games of {}", G::NAME)))?;
        Ok(OpenFile::Replays(own.into_iter()))
    }

    /// Reads the next game; false after the last.
    fn read_game(&mut self) -> PyResult<bool> {
        let (name, mut open) = match self.open.take() {
            Some(open) => open,
            None => match self.sources.pop_front() {
                Some(source) => (source.name(), self.open(source)?),
                None => return Ok(false),
            },
        };
        let fault = |what: String| value_error(format_args!("{name}: {what}"));
        let mut damage = None;
        let (variant, found) = match &mut open {
            OpenFile::Replays(replays) => match replays.next() {
                None => return Ok(true),
                Some(replay) => {
                    let found = positions_of_replay(&replay, self.number);
                    damage = replay
                        .damage
                        .as_ref()
                        .map(|damage| fault(format!("game {} is damaged: {damage}", self.number)));
                    self.number = self.number.saturating_add(1);
                    (replay.record.variant(), found)
                }
            },
            OpenFile::Training(reader) => match reader.next() {
                None => return Ok(true),
                Some(Err(error)) => return Err(fault(error.to_string())),
                Some(Ok(game)) => (game.variant, positions_of_training(&game)),
            },
        };
        if !found.is_empty() && G::side(variant) > G::side(self.variant) {
            damage = Some(fault(format!(
                "expected games of {}, found {variant}: pass game=\"{variant}\"",
                self.variant
            )));
        } else {
            self.waiting.extend(found);
        }
        self.open = Some((name, open));
        damage.map_or(Ok(true), Err)
    }

    /// The next chunk. An error comes after the positions before it.
    fn next(&mut self) -> PyResult<Option<Arrays>> {
        while self.waiting.len() < self.chunk && self.failure.is_none() {
            match self.read_game() {
                Ok(true) => {}
                Ok(false) => break,
                Err(error) => self.failure = Some(error),
            }
        }
        if self.waiting.is_empty()
            && let Some(error) = self.failure.take()
        {
            return Err(error);
        }
        let count = self.chunk.min(self.waiting.len());
        let chunk: Vec<Labelled<G>> = self.waiting.drain(..count).collect();
        Ok((count > 0).then(|| Arrays::new(self.variant, chunk)))
    }
}

type AnyReader = Any<Reader<Contest>, Reader<Standard>>;

/// Iterates over chunks of positions.
#[pyclass(name = "PositionReader", module = "wabe", frozen)]
pub(crate) struct PositionReader(Mutex<AnyReader>);

#[pymethods]
impl PositionReader {
    fn __iter__(this: PyRef<'_, PositionReader>) -> PyRef<'_, PositionReader> {
        this
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<Positions>> {
        py.check_signals()?;
        let arrays = py.detach(|| {
            let mut reader = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            with_any!(&mut *reader, |reader| reader.next())
        })?;
        Ok(arrays.map(|arrays| arrays.into_python(py)))
    }
}

/// Streams the positions of recordings and of files of training games (``wabe selfplay``).
///
/// All games must be of ``game`` or of a smaller variant; it decides the size of the planes. Chunks
/// have ``chunk`` positions, the last one fewer. An error, such as ``ValueError`` for a damaged
/// file, comes after the positions before the damage; the iterator continues with the next game of
/// recordings, or with the next file.
#[pyfunction]
#[pyo3(signature = (sources, game, chunk = 4096))]
pub(crate) fn positions(
    sources: &Bound<'_, PyAny>,
    game: &str,
    chunk: i64,
) -> PyResult<PositionReader> {
    let name = parse_name(game)?;
    let chunk = usize::try_from(positive("chunk", chunk)?).unwrap_or(usize::MAX);
    let is_one = sources.is_instance_of::<pyo3::types::PyBytes>()
        || sources.extract::<std::path::PathBuf>().is_ok();
    let sources: VecDeque<Source> = if is_one {
        VecDeque::from([Source::new(sources)?])
    } else {
        let sources = sources.try_iter()?.map(|source| Source::new(&source?));
        sources.collect::<PyResult<_>>()?
    };
    let reader = match name {
        GameName::Contest(variant) => {
            Any::Contest(Reader::new(variant, sources, chunk, Any::contest))
        }
        GameName::Standard(variant) => {
            Any::Standard(Reader::new(variant, sources, chunk, Any::standard))
        }
    };
    Ok(PositionReader(Mutex::new(reader)))
}
