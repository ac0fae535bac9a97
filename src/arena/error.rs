//! Problems that are not the players' fault.

use std::io;

use thiserror::Error;

use crate::evaluation::NetworkFileError;
use crate::local_match::MatchError;

/// Why a game could not be played, whoever plays.
#[derive(Debug, Error)]
pub enum GameError {
    /// Missing or not executable, or it never greeted.
    #[error("cannot start `{program}` of the engine `{engine}`")]
    Program {
        /// Whose.
        engine: String,
        /// The program.
        program: String,
        /// Why.
        source: io::Error,
    },
    /// A program that does not know the variant.
    #[error("the engine `{engine}` does not play {variant}")]
    Variant {
        /// Which one.
        engine: String,
        /// The run's variant.
        variant: String,
    },
    /// A program for another game.
    #[error("the engine `{0}` is a program for another game")]
    WrongGame(String),
    /// A program that does not take an option.
    #[error("the engine `{engine}` does not take the option `{setting}`: {answer}")]
    Setting {
        /// Which one.
        engine: String,
        /// Name and value.
        setting: String,
        /// Its answer.
        answer: String,
    },
    /// A network for another game.
    #[error(transparent)]
    Network(#[from] NetworkFileError),
    /// The referee.
    #[error("a game could not be played")]
    Referee(#[from] Box<MatchError>),
    /// Temporary files.
    #[error("cannot make a file for the output of programs")]
    Output(#[source] io::Error),
}

/// Why there is no opening.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum OpeningError {
    /// A file line that is no game.
    #[error("line {line} is not a game to continue: {message}")]
    Game {
        /// Line in the file, from 1.
        line: usize,
        /// What is wrong.
        message: String,
    },
    /// A game with a result.
    #[error("line {line}: the game is over in this position")]
    GameOver {
        /// Line in the file, from 1.
        line: usize,
    },
    /// A file without positions.
    #[error("there is no position in the file")]
    Empty,
}
