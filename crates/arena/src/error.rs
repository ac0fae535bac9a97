//! Errors that prevent a game, and errors in engine specifications.

use std::io;

use thiserror::Error;

use wabe_engine::evaluation::NetworkFileError;
use wabe_engine::search::ParsePlayerSpecError;
use wabe_hive::Color;

/// Why a game could not be played. Neither player loses it.
#[derive(Debug, Error)]
pub enum GameError {
    /// A program is missing or not executable, or did not start up in time.
    #[error("cannot start `{program}` of the engine `{engine}`")]
    Program {
        /// The program's side.
        color: Color,
        /// Name of the engine.
        engine: String,
        /// Name or path of the program.
        program: String,
        /// Error of the system or the start-up.
        source: io::Error,
    },
    /// An engine does not play the variant or does not have an option.
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
    /// The system did not provide a thread, a port or a temporary file.
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

    /// Wraps errors of the system with a message, such as `cannot start a search`.
    pub(super) fn system(message: &'static str) -> impl Fn(io::Error) -> GameError {
        move |source| GameError::System { message, source }
    }
}

/// An invalid engine specification, or an engine for another game.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct EngineError(pub(super) String);

impl From<ParsePlayerSpecError> for EngineError {
    fn from(error: ParsePlayerSpecError) -> EngineError {
        EngineError(error.to_string())
    }
}
