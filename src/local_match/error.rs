//! Why a match was not played to a result.

use std::io;
use std::path::Path;
use std::process::ExitStatus;
use std::time::Duration;

use thiserror::Error;

use crate::client::ClientError;
use crate::evaluation::NetworkFileError;
use crate::hive::Color;
use crate::protocol::{FramingError, MoveError, ReadError};

/// Why a match was not played to a result.
#[derive(Debug, Error)]
pub enum MatchError {
    /// No port, no threads, or no directory.
    #[error("cannot start the referee")]
    Referee(#[source] io::Error),
    /// A player's weights are for another game.
    #[error(transparent)]
    Weights(#[from] NetworkFileError),
    /// The way to the referee is broken.
    #[error("cannot hear the referee")]
    Connection(#[from] ConnectionError),
    /// The referee refuses something.
    #[error("the referee refuses: {0}")]
    Refused(String),
    /// A program cannot be started.
    #[error("cannot start {color}'s program `{program}`{}", hint(.program, .source))]
    Start {
        /// Whose.
        color: Color,
        /// What was to be started.
        program: String,
        /// Why it was not.
        source: io::Error,
    },
    /// A program exited before there was a game.
    #[error("{color}'s program ended before the game began, with {status}{}", quote(.last_words))]
    Exited {
        /// Whose.
        color: Color,
        /// How.
        status: ExitStatus,
        /// The end of its output.
        last_words: String,
    },
    /// A built-in player ended before there was a game.
    #[error("{color}'s player ended before the game began")]
    Player {
        /// Whose.
        color: Color,
        /// Why.
        source: ClientError,
    },
    /// A program does not join.
    #[error(
        "{color}'s program did not join the game within {} s{}", after.as_secs_f64(), quote(.last_words)
    )]
    NeverJoined {
        /// Whose.
        color: Color,
        /// How long it had.
        after: Duration,
        /// The end of its output.
        last_words: String,
    },
    /// The referee closed the room.
    #[error("the referee closed the room without a result")]
    NoResult,
}

/// What is wrong with what the referee sends.
#[derive(Debug, Error)]
pub enum ConnectionError {
    /// The connection broke.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The stream is broken.
    #[error(transparent)]
    Framing(#[from] FramingError),
    /// A message is broken.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// A move is impossible.
    #[error(transparent)]
    Move(#[from] MoveError),
    /// The stream has ended.
    #[error("the connection is closed")]
    Closed,
}

/// What may have been meant. A program without a slash in its name is looked for in `PATH` alone.
fn hint(program: &str, error: &io::Error) -> String {
    if error.kind() != io::ErrorKind::NotFound {
        String::new()
    } else if !program.contains('/') && Path::new(program).is_file() {
        format!(" (the file here is `./{program}`)")
    } else if program.starts_with("~/") {
        " (a shell would know what ~ is, if it stood outside of the quotes)".to_owned()
    } else {
        " (nor is that a built-in player: random, greedy, mcts)".to_owned()
    }
}

fn quote(last_words: &str) -> String {
    if last_words.is_empty() {
        "; it has written nothing".to_owned()
    } else {
        format!("; the end of what it has written:\n{last_words}")
    }
}
