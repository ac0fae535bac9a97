//! Errors that are not the players' fault.

use std::io;

use thiserror::Error;

use wabe_engine::evaluation::NetworkFileError;
use wabe_engine::search::ParsePlayerSpecError;
use wabe_hive::Color;

/// The reason why a game could not be played, whatever the players.
#[derive(Debug, Error)]
pub enum GameError {
    /// A program that is missing or not executable, or never greeted.
    #[error("cannot start `{program}` of the engine `{engine}`")]
    Program {
        /// The program's side.
        color: Color,
        /// The engine.
        engine: String,
        /// The program.
        program: String,
        /// The reason.
        source: io::Error,
    },
    /// An engine that does not play the variant, or does not take an option.
    #[error("the engine `{engine}` {problem}")]
    Unusable {
        /// The engine.
        engine: String,
        /// The problem as a predicate.
        problem: String,
    },
    /// A network file that cannot be used for this game.
    #[error(transparent)]
    Network(#[from] NetworkFileError),
    /// The system refused a thread, a port or a temporary file.
    #[error("{task}")]
    System {
        /// The failed task, such as `cannot start a search`.
        task: &'static str,
        /// The error of the system.
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

    /// The error of `task`, such as `cannot start a search`.
    pub(super) fn system(task: &'static str) -> impl Fn(io::Error) -> GameError {
        move |source| GameError::System { task, source }
    }
}

/// The reason why a text is not an engine, or why an engine does not play the game.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct EngineError(pub(super) String);

impl From<ParsePlayerSpecError> for EngineError {
    fn from(error: ParsePlayerSpecError) -> EngineError {
        EngineError(error.to_string())
    }
}
