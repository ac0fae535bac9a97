//! `wabe.Game`: one game of either kind.

use pyo3::prelude::*;

use wabe_hive::contest::ContestRecord;
use wabe_hive::game::{Ending, Game, Record};
use wabe_hive::standard::StandardRecord;
use wabe_records::games::GameName;
use wabe_records::with_game;

use crate::error::{illegal_move, value_error};

/// A game of either kind.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum AnyGame {
    /// A game of the Software Challenge.
    Contest(ContestRecord),
    /// A game of standard Hive.
    Standard(StandardRecord),
}

/// Evaluates an expression with the record of an [`AnyGame`]: `with_record!(game, |record|
/// record.is_over())`.
macro_rules! with_record {
    ($game:expr, |$record:ident| $result:expr) => {
        match $game {
            $crate::game::AnyGame::Contest($record) => $result,
            $crate::game::AnyGame::Standard($record) => $result,
        }
    };
}
#[allow(unused_imports, reason = "for the other files of the crate")]
pub(crate) use with_record;

impl From<ContestRecord> for AnyGame {
    fn from(record: ContestRecord) -> AnyGame {
        AnyGame::Contest(record)
    }
}

impl From<StandardRecord> for AnyGame {
    fn from(record: StandardRecord) -> AnyGame {
        AnyGame::Standard(record)
    }
}

impl AnyGame {
    /// A new game; the contest's board has no brambles.
    fn start(name: GameName) -> AnyGame {
        with_game!(name, |G, variant| Record::<G>::new(
            variant,
            G::plain_start(variant)
        )
        .into())
    }
}

/// Reads the name of a game.
pub(crate) fn parse_name(name: &str) -> PyResult<GameName> {
    name.parse().map_err(value_error)
}

/// A game of Hive or of the Software Challenge.
#[pyclass(name = "Game", module = "wabe")]
#[derive(Clone, Debug)]
pub(crate) struct PyGame {
    pub(crate) game: AnyGame,
}

#[pymethods]
impl PyGame {
    #[new]
    #[pyo3(signature = (name = "contest"))]
    fn new(name: &str) -> PyResult<PyGame> {
        let game = AnyGame::start(parse_name(name)?);
        Ok(PyGame { game })
    }

    /// The legal moves in the game's notation; empty after the end.
    fn legal_moves(&self) -> Vec<String> {
        with_record!(&self.game, |record| {
            let moves = record.legal_moves();
            moves.into_iter().map(|mv| record.write(mv)).collect()
        })
    }

    /// Plays a move.
    fn play(&mut self, text: &str) -> PyResult<()> {
        with_record!(&mut self.game, |record| record
            .play_text(text)
            .map_err(|error| illegal_move(format_args!("`{text}`: {error}"))))
    }

    /// The result for the first player: 1, 0 or -1; `None` while the game runs.
    #[getter]
    fn result(&self) -> Option<i8> {
        let ending = with_record!(&self.game, |record| record.ending())?;
        Some(match ending.winner() {
            Some(wabe_hive::Color::Red) => 1,
            Some(wabe_hive::Color::Blue) => -1,
            None => 0,
        })
    }

    /// The end of the game as a sentence; `None` while the game runs.
    #[getter]
    fn ending(&self) -> Option<String> {
        fn sentence<G: Game>(record: &Record<G>) -> Option<String> {
            record.ending().map(Ending::sentence::<G>)
        }
        with_record!(&self.game, |record| sentence(record))
    }

    fn __str__(&self) -> String {
        with_record!(&self.game, |record| record.to_string())
    }

    fn __repr__(&self) -> String {
        format!("<wabe.Game {}>", self.__str__())
    }
}
