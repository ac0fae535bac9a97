//! Errors inside recordings that can be read up to the error.

use std::fmt;

use wabe_files::text::{MAX_DETAIL, printable};

/// The error or gap at which reading of a recording stopped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damage {
    /// Where the error is.
    pub place: Place,
    /// Message without the place.
    pub problem: String,
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

impl Damage {
    /// An error in a text at a ply from 1, or 0 for the whole game.
    pub(crate) fn at(line: usize, ply: usize, problem: String) -> Damage {
        Damage {
            place: Place::Line { line, ply },
            problem: printable(&problem, MAX_DETAIL),
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
        write!(f, ": {}", self.problem)
    }
}
