//! What can go wrong through no fault of the players.

use std::io;

use thiserror::Error;

use crate::hive::standard::GameType;
use crate::local_match::MatchError;
use crate::search::OtherGameError;

/// Why a game could not be played, whoever plays.
#[derive(Debug, Error)]
pub enum GameError {
    /// A program that does not exist, or is none.
    #[error("cannot start `{program}` of the engine `{engine}`")]
    Program {
        /// Whose.
        engine: String,
        /// What was to be started.
        program: String,
        /// Why it was not.
        source: io::Error,
    },
    /// A program that does not know the game.
    #[error("the engine `{engine}` does not play {game_type}")]
    GameType {
        /// Which one.
        engine: String,
        /// What was to be played.
        game_type: GameType,
    },
    /// A program that does not take an option.
    #[error("the engine `{engine}` does not take the option `{setting}`: {answer}")]
    Setting {
        /// Which one.
        engine: String,
        /// Name and value.
        setting: String,
        /// What it says about it.
        answer: String,
    },
    /// Weights for another game.
    #[error(transparent)]
    Weights(#[from] OtherGameError),
    /// The referee.
    #[error("a game could not be played")]
    Referee(#[from] Box<MatchError>),
    /// Temporary files.
    #[error("no place for what programs write")]
    Output(#[source] io::Error),
}

/// Why there is no opening.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum OpeningError {
    /// A file line is no position.
    #[error("line {line} is not a position: {message}")]
    Position {
        /// Line in the file, from 1.
        line: usize,
        /// What is wrong.
        message: String,
    },
    /// A file line is no game.
    #[error("line {line} is not a game to go on with: {message}")]
    Game {
        /// Line in the file, from 1.
        line: usize,
        /// What is wrong.
        message: String,
    },
    /// A file's position has a result already.
    #[error("line {line}: the game is over in this position")]
    GameOver {
        /// Line in the file, from 1.
        line: usize,
    },
    /// A file without positions.
    #[error("there is no position in the file")]
    Empty,
}
