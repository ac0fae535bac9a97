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
    /// The thread of a search could not be started.
    #[error("cannot start a search")]
    Engine(#[source] io::Error),
    /// No port or no temporary file could be opened.
    #[error("cannot wait for a client")]
    Client(#[source] io::Error),
}

impl GameError {
    pub(super) fn unusable(engine: &str, problem: &str) -> GameError {
        GameError::Unusable {
            engine: engine.to_owned(),
            problem: problem.to_owned(),
        }
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

/// A file of openings that cannot be used, and the reason.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct OpeningError(pub(super) String);
