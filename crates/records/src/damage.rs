//! Errors inside recordings that can be read up to the error.

use std::fmt;

use thiserror::Error;

use crate::{MAX_VARIATION_DEPTH, MAX_VARIATIONS};
use wabe_files::text::{MAX_DETAIL, printable};
use wabe_hive::game::{MAX_PLIES, PlayError};
use wabe_hive::standard::ReadMoveError;
use wabe_hive::{ParseError, PositionError};

/// The error or gap at which reading of a recording stopped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damage {
    /// Where the error is.
    pub place: Place,
    /// Why reading stopped there.
    pub fault: Fault,
    /// The file in an archive.
    pub file: Option<String>,
}

/// A place in a recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// In a stream of messages.
    Message {
        /// Message number, from 1.
        number: usize,
        /// Turn of the last position before the message.
        after: Option<u16>,
    },
    /// In a text.
    Line {
        /// Line number, from 1.
        line: usize,
        /// The illegal ply, from 1; 0 if the error concerns the whole game.
        ply: usize,
    },
}

/// An error in a recording.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Fault {
    /// A move that cannot be read or is illegal.
    #[error("`{text}`{}: {}", if *.is_in_variation { " in a variation" } else { "" }, move_reason(.error))]
    Move {
        /// The move as written.
        text: String,
        /// True for moves besides the main line.
        is_in_variation: bool,
        /// Why it cannot be played.
        error: PlayError<ReadMoveError>,
    },
    /// The text is not a position.
    #[error("not a position: {0}")]
    Position(#[from] PositionError),
    /// The game type is unknown.
    #[error(transparent)]
    GameType(#[from] ParseError),
    /// BoardSpace's name of the game is unknown.
    #[error(
        "`{0}` is not a variant of standard Hive: expected `hive` or `hive-` with any of the letters p, l, m"
    )]
    SgfGame(String),
    /// The position has pieces of another game type.
    #[error("the position has pieces of {required}, but the game type is {stated}")]
    OtherGameType {
        /// The game type with all pieces of the position.
        required: String,
        /// The game type in the text.
        stated: String,
    },
    /// An unknown action of BoardSpace.
    #[error("unknown action `{0}`")]
    Action(String),
    /// More variations than the limits allow.
    #[error(
        "variations left out: more than {MAX_VARIATIONS}, or nested deeper than {MAX_VARIATION_DEPTH}"
    )]
    TooManyVariations,
    /// The variations have too many plies.
    #[error("the variations have more than {MAX_PLIES} plies")]
    LongVariations,
    /// A variation replaces the move before it.
    #[error("variation without a move before it")]
    LoneVariation,
    /// More tags than the limit allows.
    #[error("tags left out: more than {0}")]
    TooManyTags(usize),
    /// A word after the result.
    #[error("`{0}` comes after the result")]
    AfterResult(String),
    /// The file ends within a game.
    #[error("unexpected end of file")]
    UnexpectedEnd,
    /// Only the first recording of a stream is read.
    #[error("a second recording follows, which is ignored")]
    SecondRecording,
    /// The recording exceeds the limit, in MiB.
    #[error("only the first {0} MiB are read")]
    TooLarge(u64),
    /// A game with too many positions.
    #[error("more than {MAX_PLIES} positions")]
    TooManyPositions,
    /// Two consecutive positions are not connected by a legal move.
    #[error("no move leads to the position after {0} plies")]
    NoMove(u16),
    /// A file in an archive is not a recording.
    #[error("not a recorded game")]
    NotARecording,
    /// Any other reason.
    #[error("{0}")]
    Other(String),
}

/// The error of a move, to be printed after the move.
fn move_reason(error: &PlayError<ReadMoveError>) -> String {
    match error {
        PlayError::Over => "the game is already over".to_owned(),
        PlayError::Read(ReadMoveError::Target { target, .. }) => {
            format!("`{target}` is not a target like `wS1-`")
        }
        error => error.to_string().trim_end_matches('.').to_owned(),
    }
}

impl Fault {
    /// An illegal move of the main line.
    pub(crate) fn of_move(text: &str, error: PlayError<ReadMoveError>) -> Fault {
        Fault::Move {
            text: text.to_owned(),
            is_in_variation: false,
            error,
        }
    }
}

impl Damage {
    /// An error in a text at a ply from 1, or 0 for the whole game.
    pub(crate) fn at(line: usize, ply: usize, fault: Fault) -> Damage {
        Damage {
            place: Place::Line { line, ply },
            fault,
            file: None,
        }
    }
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.place {
            Place::Message { number, after } => {
                write!(f, "message {number}")?;
                if let Some(turn) = after {
                    write!(f, " (after ply {turn})")?;
                }
            }
            Place::Line { line, ply: 0 } => write!(f, "line {line}")?,
            Place::Line { line, ply } => write!(f, "line {line}, ply {ply}")?,
        }
        write!(f, ": {}", printable(&self.fault.to_string(), MAX_DETAIL))?;
        match &self.file {
            Some(file) => write!(f, " (in {file})"),
            None => Ok(()),
        }
    }
}
