//! Problems that are not the players' fault.

use std::io;

use thiserror::Error;

use crate::evaluation::NetworkFileError;
use crate::hive::Color;

/// Why a game could not be played, whoever plays.
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
    /// A network for another game.
    #[error(transparent)]
    Network(#[from] NetworkFileError),
    /// No thread for a search.
    #[error("cannot start a search")]
    Engine(#[source] io::Error),
    /// No port or no temporary file.
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

/// A file of openings that cannot be used, and the reason.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct OpeningError(pub(super) String);
