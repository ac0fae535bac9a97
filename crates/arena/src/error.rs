//! Errors that prevent a game, and errors of engine specifications.

use std::io;

use thiserror::Error;

use wabe_engine::evaluation::NetworkFileError;
use wabe_engine::search::ParsePlayerSpecError;
use wabe_hive::Color;

/// Why a game could not be played. It counts for neither side.
#[derive(Debug, Error)]
pub enum GameError {
    /// A program is missing, not executable, or did not start in time.
    #[error("cannot start `{program}` of the engine `{engine}`")]
    Program {
        /// The program's side.
        color: Color,
        /// Name of the engine.
        engine: String,
        /// Name or path of the program.
        program: String,
        /// Error of the system, or of the startup.
        source: io::Error,
    },
    /// An engine does not play the variant, or does not support an option.
    #[error("the engine `{engine}` {problem}")]
    Unusable {
        /// Name of the engine.
        engine: String,
        /// Predicate, such as `does not play Base+M`.
        problem: String,
    },
    /// A network file cannot be used for this game.
    #[error(transparent)]
    Network(#[from] NetworkFileError),
    /// The system cannot provide a thread, port or temporary file.
    #[error("{message}")]
    System {
        /// Text such as `cannot start a search`.
        message: &'static str,
        /// Error of the system.
        source: io::Error,
    },
}

impl GameError {
    pub(super) fn unusable(engine: &str, problem: impl Into<String>) -> GameError {
        GameError::Unusable {
            engine: engine.to_owned(),
            problem: problem.into(),
        }
    }

    /// Adds a message such as `cannot start a search` to a system error.
    pub(super) fn system(message: &'static str) -> impl Fn(io::Error) -> GameError {
        move |source| GameError::System { message, source }
    }
}

/// An engine specification is invalid, or for another game.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct EngineError(pub(super) String);

impl From<ParsePlayerSpecError> for EngineError {
    fn from(error: ParsePlayerSpecError) -> EngineError {
        EngineError(error.to_string())
    }
}
