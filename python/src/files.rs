//! Recorded games: `wabe.read`, `wabe.write` and `wabe.dumps`.

use std::collections::BTreeMap;
use std::io::{Cursor, Read, Write};
use std::path::{Path, PathBuf};

use pyo3::prelude::*;
use pyo3::types::PyBytes;

use wabe_arena::ArenaGame;
use wabe_board::{BoardGame, Form};
use wabe_hive::contest::Contest;
use wabe_hive::game::Record;
use wabe_hive::standard::Standard;
use wabe_records::games::GameName;
use wabe_records::with_game;
use wabe_records::{Replay, read};

use crate::any::{Any, with_any};
use crate::error::value_error;
use crate::game::{AnyGame, PyGame, parse_name, result_of};

/// A replay of either game.
pub(crate) type AnyReplay = Any<Replay<Contest>, Replay<Standard>>;

impl From<Replay<Contest>> for AnyReplay {
    fn from(replay: Replay<Contest>) -> AnyReplay {
        Any::Contest(replay)
    }
}

impl From<Replay<Standard>> for AnyReplay {
    fn from(replay: Replay<Standard>) -> AnyReplay {
        Any::Standard(replay)
    }
}

/// A recorded game.
#[pyclass(name = "Recording", module = "wabe", frozen)]
pub(crate) struct Recording {
    replay: AnyReplay,
}

#[pymethods]
impl Recording {
    /// The game, up to the first error of the recording.
    #[getter]
    fn game(&self) -> PyGame {
        fn game<G: ArenaGame>(replay: &Replay<G>) -> Record<G> {
            replay.record.clone()
        }
        with_any!(&self.replay, |replay| AnyGame::from(game(replay))).into()
    }

    /// The names of the first player (red or white) and of the second; may be empty.
    #[getter]
    fn names(&self) -> (String, String) {
        with_any!(&self.replay, |replay| {
            (replay.names.red.clone(), replay.names.blue.clone())
        })
    }

    /// Other data, such as event and date.
    #[getter]
    fn tags(&self) -> BTreeMap<String, String> {
        with_any!(&self.replay, |replay| replay.tags.iter().cloned().collect())
    }

    /// Comments by the number of plies before them.
    #[getter]
    fn comments(&self) -> BTreeMap<usize, String> {
        with_any!(&self.replay, |replay| replay.remarks.clone())
    }

    /// Seconds per move, by the number of plies after the move.
    #[getter]
    fn times(&self) -> BTreeMap<usize, f64> {
        with_any!(&self.replay, |replay| {
            let times = replay.times.iter();
            times
                .map(|(&ply, time)| (ply, time.as_secs_f64()))
                .collect()
        })
    }

    /// 1, 0 or -1 for the first player by the rules, otherwise as stated; ``None`` if open.
    #[getter]
    fn result(&self) -> Option<i8> {
        with_any!(&self.replay, |replay| replay.winner()).map(result_of)
    }

    /// The result and its reason.
    #[getter]
    fn result_text(&self) -> String {
        with_any!(&self.replay, |replay| replay.result_line())
    }

    /// The error at which reading stopped; ``None`` for a complete recording.
    #[getter]
    fn damage(&self) -> Option<String> {
        with_any!(&self.replay, |replay| {
            replay.damage.as_ref().map(ToString::to_string)
        })
    }

    fn __repr__(&self) -> String {
        let (players, result) = with_any!(&self.replay, |replay| {
            (replay.players(), replay.result_line())
        });
        format!("<wabe.Recording {players}: {result}>")
    }
}

/// Where recordings come from.
pub(crate) enum Source {
    Path(PathBuf),
    Bytes(Vec<u8>),
}

impl Source {
    pub(crate) fn new(source: &Bound<'_, PyAny>) -> PyResult<Source> {
        match source.cast::<PyBytes>() {
            Ok(bytes) => Ok(Source::Bytes(bytes.as_bytes().to_vec())),
            Err(_) => Ok(Source::Path(source.extract()?)),
        }
    }

    /// The name in messages.
    pub(crate) fn name(&self) -> String {
        match self {
            Source::Path(path) => path.display().to_string(),
            Source::Bytes(_) => "the bytes".to_owned(),
        }
    }

    /// The first bytes, a ZIP archive completely, and the whole content.
    fn open(self) -> PyResult<(Vec<u8>, Box<dyn Read + Send>)> {
        let path = match self {
            Source::Bytes(bytes) => return Ok((bytes.clone(), Box::new(Cursor::new(bytes)))),
            Source::Path(path) => path,
        };
        let opened = wabe_records::open(&path).map_err(|error| io_error(&path, error));
        let (beginning, content) = opened?;
        Ok((beginning, Box::new(content)))
    }
}

/// An `OSError` of the matching kind with the path.
pub(crate) fn io_error(path: &Path, error: std::io::Error) -> PyErr {
    std::io::Error::new(error.kind(), format!("{}: {error}", path.display())).into()
}

/// Reads all games of a source.
pub(crate) fn read_source(source: Source, game: Option<GameName>) -> PyResult<Vec<AnyReplay>> {
    let name = source.name();
    let (beginning, content) = source.open()?;
    let game = game.or_else(|| GameName::from_recording(&beginning));
    let replays: Result<Vec<AnyReplay>, wabe_records::ReplayError> =
        with_game!(game.unwrap_or_default(), |G, _variant| {
            read::<G>(content).map(|replays| replays.into_iter().map(AnyReplay::from).collect())
        });
    replays.map_err(|error| value_error(format_args!("{name}: {error}")))
}

/// Reads all games of a file or of its bytes, plain, gzipped or in a ZIP archive.
///
/// The forms are those of ``wabe replay``: the contest's XML, text forms, and for standard Hive
/// game strings, PGN, BoardSpace's SGF and hivegame.com's analyses. The form decides which game it
/// is, unless ``game`` names it. Damaged recordings are read up to the damage. ``ValueError`` if
/// no game can be read.
#[pyfunction]
#[pyo3(name = "read", signature = (source, game = None))]
pub(crate) fn read_file(
    py: Python<'_>,
    source: &Bound<'_, PyAny>,
    game: Option<&str>,
) -> PyResult<Vec<Recording>> {
    let game = game.map(parse_name).transpose()?;
    let source = Source::new(source)?;
    let replays = py.detach(|| read_source(source, game))?;
    Ok(replays
        .into_iter()
        .map(|replay| Recording { replay })
        .collect())
}

/// The text of games in a format.
fn encode_all<G: BoardGame>(replays: &[Replay<G>], name: &str) -> PyResult<String> {
    let form = Form::<G>::from_name(name).ok_or_else(|| {
        let names: Vec<&str> = Form::<G>::names().map(|(name, _)| name).collect();
        value_error(format_args!(
            "format `{name}`: expected {} for a game of {}",
            names.join(", "),
            G::NAME
        ))
    })?;
    let count = replays.len();
    if count > 1 && !form.holds_several() {
        return Err(value_error(format_args!(
            "format `{name}` holds one game per file, found {count}"
        )));
    }
    let mut number = 0;
    let convert = |replay: &Replay<G>| {
        number += 1;
        form.convert(replay).ok_or_else(|| {
            let place = match count {
                1 => String::new(),
                _ => format!("game {number}: "),
            };
            value_error(format_args!(
                "{place}format `{name}` supports only complete, finished games"
            ))
        })
    };
    let mut all = String::new();
    form.write_all(replays, convert, |text| {
        all.push_str(text);
        Ok(())
    })?;
    Ok(all)
}

/// Recordings of one of the two games.
type Replays = Any<Vec<Replay<Contest>>, Vec<Replay<Standard>>>;

fn of_one_game(replays: Vec<AnyReplay>) -> PyResult<Replays> {
    let (mut contest, mut standard) = (Vec::new(), Vec::new());
    for replay in replays {
        match replay {
            Any::Contest(replay) => contest.push(replay),
            Any::Standard(replay) => standard.push(replay),
        }
    }
    match (contest.is_empty(), standard.is_empty()) {
        (_, true) => Ok(Any::Contest(contest)),
        (true, _) => Ok(Any::Standard(standard)),
        _ => Err(value_error(
            "games: expected games of the contest or of standard Hive, found both",
        )),
    }
}

/// A game or a recording, or several of them.
fn replays(games: &Bound<'_, PyAny>) -> PyResult<Replays> {
    fn replay(game: &Bound<'_, PyAny>) -> PyResult<AnyReplay> {
        if let Ok(recording) = game.cast::<Recording>() {
            return Ok(recording.get().replay.clone());
        }
        let game = game.cast::<PyGame>()?.try_borrow()?.game.clone();
        Ok(with_any!(game, |record| Replay::new(record).into()))
    }
    if games.is_instance_of::<Recording>() || games.is_instance_of::<PyGame>() {
        return of_one_game(vec![replay(games)?]);
    }
    let all = games.try_iter()?.map(|game| replay(&game?));
    of_one_game(all.collect::<PyResult<_>>()?)
}

/// The text that ``write`` would write.
#[pyfunction]
pub(crate) fn dumps(py: Python<'_>, games: &Bound<'_, PyAny>, format: &str) -> PyResult<String> {
    let replays = replays(games)?;
    py.detach(|| with_any!(&replays, |replays| encode_all(replays, format)))
}

/// Writes games to a file, in the format of its extension or another.
///
/// Formats are ``"xml"`` and ``"record"`` for the contest, ``"pgn"`` and ``"uhp"`` for standard
/// Hive, and ``"json"``, ``"txt"``, ``"html"`` and ``"svg"`` (the last position) for both. An
/// existing file is replaced only after everything has been written.
#[pyfunction]
#[pyo3(name = "write", signature = (path, games, format = None))]
pub(crate) fn write_file(
    py: Python<'_>,
    path: PathBuf,
    games: &Bound<'_, PyAny>,
    format: Option<&str>,
) -> PyResult<()> {
    let extension = path.extension().and_then(|extension| extension.to_str());
    let format = format.or(extension).ok_or_else(|| {
        value_error(format_args!(
            "{}: expected a format or a file extension",
            path.display()
        ))
    })?;
    let replays = replays(games)?;
    py.detach(|| {
        let text = with_any!(&replays, |replays| encode_all(replays, format))?;
        let written = wabe_files::replace_by(&path, |file| file.write_all(text.as_bytes()));
        written.map_err(|error| io_error(&path, error))
    })
}
