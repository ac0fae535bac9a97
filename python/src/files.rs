//! Recorded games: `wabe.read`, `wabe.write` and `wabe.dumps`.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufReader, Cursor, Read, Write};
use std::path::{Path, PathBuf};

use pyo3::prelude::*;
use pyo3::types::PyBytes;

use wabe_arena::ArenaGame;
use wabe_hive::game::Record;
use wabe_records::games::{BEGINNING, GameName};
use wabe_records::view::svg;
use wabe_records::with_game;
use wabe_records::{MAX_ARCHIVE, Replay, read};

use crate::error::value_error;
use crate::game::{AnyGame, PyGame, parse_name};

/// A replay of either game.
#[derive(Clone)]
#[allow(clippy::large_enum_variant, reason = "most of a replay is on the heap")]
pub(crate) enum AnyReplay {
    Contest(Replay<wabe_hive::contest::Contest>),
    Standard(Replay<wabe_hive::standard::Standard>),
}

/// Evaluates an expression with the replay of an [`AnyReplay`].
macro_rules! with_replay {
    ($any:expr, |$replay:ident| $result:expr) => {
        match $any {
            $crate::files::AnyReplay::Contest($replay) => $result,
            $crate::files::AnyReplay::Standard($replay) => $result,
        }
    };
}

impl From<Replay<wabe_hive::contest::Contest>> for AnyReplay {
    fn from(replay: Replay<wabe_hive::contest::Contest>) -> AnyReplay {
        AnyReplay::Contest(replay)
    }
}

impl From<Replay<wabe_hive::standard::Standard>> for AnyReplay {
    fn from(replay: Replay<wabe_hive::standard::Standard>) -> AnyReplay {
        AnyReplay::Standard(replay)
    }
}

impl AnyReplay {
    fn of_game(game: AnyGame) -> AnyReplay {
        match game {
            AnyGame::Contest(record) => Replay::new(record).into(),
            AnyGame::Standard(record) => Replay::new(record).into(),
        }
    }
}

/// A recorded game. The stubs document the properties.
#[pyclass(name = "Recording", module = "wabe", frozen)]
pub(crate) struct Recording {
    replay: AnyReplay,
}

#[pymethods]
impl Recording {
    #[getter]
    fn game(&self) -> PyGame {
        fn game<G: ArenaGame>(replay: &Replay<G>) -> Record<G> {
            replay.record.clone()
        }
        PyGame {
            game: with_replay!(&self.replay, |replay| game(replay).into()),
        }
    }

    #[getter]
    fn names(&self) -> (String, String) {
        with_replay!(&self.replay, |replay| {
            (replay.names.red.clone(), replay.names.blue.clone())
        })
    }

    #[getter]
    fn tags(&self) -> BTreeMap<String, String> {
        with_replay!(&self.replay, |replay| replay.tags.iter().cloned().collect())
    }

    #[getter]
    fn comments(&self) -> BTreeMap<usize, String> {
        with_replay!(&self.replay, |replay| replay.remarks.clone())
    }

    #[getter]
    fn times(&self) -> BTreeMap<usize, f64> {
        with_replay!(&self.replay, |replay| {
            let times = replay.times.iter();
            times
                .map(|(&ply, time)| (ply, time.as_secs_f64()))
                .collect()
        })
    }

    #[getter]
    fn result(&self) -> Option<i8> {
        let winner = with_replay!(&self.replay, |replay| replay.winner())?;
        Some(match winner {
            Some(wabe_hive::Color::Red) => 1,
            Some(wabe_hive::Color::Blue) => -1,
            None => 0,
        })
    }

    #[getter]
    fn result_text(&self) -> String {
        with_replay!(&self.replay, |replay| replay.result_line())
    }

    #[getter]
    fn damage(&self) -> Option<String> {
        with_replay!(&self.replay, |replay| {
            replay.damage.as_ref().map(ToString::to_string)
        })
    }

    fn __repr__(&self) -> String {
        let (players, result) = with_replay!(&self.replay, |replay| {
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
        let file = File::open(&path).map_err(|error| io_error(&path, error))?;
        let start = |max_bytes| {
            let mut bytes = Vec::new();
            let read = (&file).take(max_bytes).read_to_end(&mut bytes);
            read.map(|_| bytes).map_err(|error| io_error(&path, error))
        };
        let mut beginning = start(BEGINNING)?;
        if wabe_files::is_zip(&beginning) {
            // The directory of an archive is at its end.
            beginning.extend(start(MAX_ARCHIVE)?);
        }
        let content = Cursor::new(beginning.clone()).chain(BufReader::new(file));
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

/// Reads all games of a file.
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

/// Writes one game in a format.
fn encode<G: ArenaGame>(replay: &Replay<G>, format: &str) -> PyResult<String> {
    match format {
        "json" => return Ok(format!("{:#}\n", replay.json())),
        "svg" => {
            return Ok(replay
                .diagrams()
                .last()
                .map(svg::picture)
                .unwrap_or_default());
        }
        _ => {}
    }
    let Some(found) = G::FORMATS.iter().find(|own| own.name == format) else {
        let names: Vec<&str> = G::FORMATS.iter().map(|own| own.name).collect();
        return Err(value_error(format_args!(
            "format `{format}`: expected {}, json or svg for a game of {}",
            names.join(", "),
            G::NAME
        )));
    };
    (found.write)(replay).ok_or_else(|| {
        value_error(format_args!(
            "format `{format}` supports only complete, finished games"
        ))
    })
}

/// True if a file of that format can contain several games.
fn holds_several<G: ArenaGame>(_replay: &Replay<G>, format: &str) -> bool {
    let own = G::FORMATS.iter().find(|own| own.name == format);
    format == "json" || own.is_none_or(|own| own.holds_several) && format != "svg"
}

fn encode_all(replays: &[AnyReplay], format: &str) -> PyResult<String> {
    if let [first, _, ..] = replays
        && !with_replay!(first, |replay| holds_several(replay, format))
    {
        return Err(value_error(format_args!(
            "format `{format}` holds one game per file, found {}",
            replays.len()
        )));
    }
    let mut texts = Vec::with_capacity(replays.len());
    for (number, replay) in (1..).zip(replays) {
        let text = with_replay!(replay, |replay| encode(replay, format));
        texts.push(text.map_err(|error| match replays.len() {
            1 => error,
            _ => value_error(format_args!("game {number}: {error}")),
        })?);
    }
    Ok(match format {
        "json" if texts.len() != 1 => format!("[\n{}]\n", texts.join(",\n")),
        "pgn" => texts.join("\n"),
        _ => texts.concat(),
    })
}

/// A game or a recording, or several of them.
fn replays(games: &Bound<'_, PyAny>) -> PyResult<Vec<AnyReplay>> {
    fn replay(game: &Bound<'_, PyAny>) -> PyResult<AnyReplay> {
        if let Ok(recording) = game.cast::<Recording>() {
            return Ok(recording.get().replay.clone());
        }
        let game = game.cast::<PyGame>()?.try_borrow()?.game.clone();
        Ok(AnyReplay::of_game(game))
    }
    if games.is_instance_of::<Recording>() || games.is_instance_of::<PyGame>() {
        return Ok(vec![replay(games)?]);
    }
    games.try_iter()?.map(|game| replay(&game?)).collect()
}

/// The text of games in a format.
#[pyfunction]
pub(crate) fn dumps(py: Python<'_>, games: &Bound<'_, PyAny>, format: &str) -> PyResult<String> {
    let replays = replays(games)?;
    py.detach(|| encode_all(&replays, format))
}

/// Writes games to a file, which is replaced when everything has been written.
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
        let text = encode_all(&replays, format)?;
        let written = wabe_files::replace_by(&path, |file| file.write_all(text.as_bytes()));
        written.map_err(|error| io_error(&path, error))
    })
}
