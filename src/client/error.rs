//! Errors of a session and of a client's run.

use std::io;
use std::time::Duration;

use thiserror::Error;

use crate::hive::{Color, IllegalMove};
use crate::protocol::{FramingError, ReadError, RoomId, StreamPhase};
use crate::text::{SENTENCE, printable};

/// The server broke the protocol, or the session ended without a result.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SessionError {
    /// The stream is malformed or exceeds the limits.
    #[error("the server's stream cannot be read")]
    Framing(#[from] FramingError),
    /// A message or its state is invalid.
    #[error("a message from the server cannot be read")]
    Read(#[from] ReadError),
    /// A message about a room before the client has a seat.
    #[error("the server sent a message about room {0} before it gave a seat")]
    NoSeat(RoomId),
    /// A message about another room.
    #[error("the server sent a message about room {found}, but the game is in room {expected}")]
    OtherRoom {
        /// The client's room.
        expected: RoomId,
        /// The message's room.
        found: RoomId,
    },
    /// A request before the first state.
    #[error("the server requested a move before it sent a state")]
    RequestBeforeState,
    /// A request in the other side's turn.
    #[error("the server requested a move of {0} in the other side's turn")]
    RequestOutOfTurn(Color),
    /// A request in a finished game.
    #[error("the server requested a move in a game that is over")]
    RequestAfterEnd,
    /// The stream ended early.
    #[error("the connection was cut off {}{}", place(*.phase), because(.refusal))]
    Cut {
        /// The progress of reading the stream.
        phase: StreamPhase,
        /// The server's latest refusal.
        refusal: Option<String>,
    },
    /// The server closed the connection instead of giving a seat.
    #[error(
        "the server gave no seat: it may not know the reservation code or the game type{}",
        because(.refusal)
    )]
    NotAdmitted {
        /// The server's latest refusal.
        refusal: Option<String>,
    },
    /// The server closed the room or the connection during a game.
    #[error("the server ended the game without a result{}", because(.refusal))]
    NoResult {
        /// The server's latest refusal.
        refusal: Option<String>,
    },
}

fn place(phase: StreamPhase) -> &'static str {
    match phase {
        StreamPhase::BeforeRoot => "before the server sent anything",
        StreamPhase::InMessage => "in the middle of a message",
        StreamPhase::BetweenMessages | StreamPhase::Ended => "before the game had a result",
    }
}

fn because(refusal: &Option<String>) -> String {
    match refusal {
        None => String::new(),
        Some(refusal) => format!("; it had refused a request: {}", one_line(refusal)),
    }
}

/// The text on one line, cut if very long.
pub(super) fn one_line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    printable(&words.join(" "), SENTENCE)
}

/// A move that was not sent.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ReplyError {
    /// The request has been answered or withdrawn.
    #[error("the request is no longer pending")]
    Stale,
    /// The move is illegal in the latest state.
    #[error("the move is illegal: {0}")]
    Illegal(#[from] IllegalMove),
}

/// A signal to end the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Interruption {
    /// SIGINT or Ctrl-C.
    #[error("interrupted")]
    Interrupt,
    /// SIGTERM, or the end of a console on Windows.
    #[error("told to terminate")]
    Terminate,
    /// SIGHUP, on Linux: the terminal has closed.
    #[error("the terminal has closed")]
    Hangup,
}

impl Interruption {
    /// The exit code of a program that the signal ended, as in a shell: 128 plus the signal's number.
    pub const fn exit_code(self) -> u8 {
        match self {
            Interruption::Interrupt => 130,
            Interruption::Terminate => 143,
            Interruption::Hangup => 129,
        }
    }
}

/// A hint for a refused connection.
fn no_server(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::ConnectionRefused => ", where no server runs (to start one: `wabe serve`)",
        _ => "",
    }
}

/// A run without a result.
#[derive(Debug, Error)]
pub enum ClientError {
    /// Connecting failed.
    #[error("cannot connect to {address}{}", no_server(source))]
    Connect {
        /// Host and port.
        address: String,
        /// The cause.
        source: io::Error,
    },
    /// Connecting took too long.
    #[error("cannot connect to {address}: no answer within {} s", after.as_secs_f64())]
    ConnectTimeout {
        /// Host and port.
        address: String,
        /// The time limit.
        after: Duration,
    },
    /// The connection broke.
    #[error("the connection to the server broke")]
    Io(#[from] io::Error),
    /// The server was silent for this long.
    #[error("the server has sent nothing for {} s", .0.as_secs_f64())]
    Idle(Duration),
    /// The server took in nothing for this long.
    #[error("the server has read nothing for {} s", .0.as_secs_f64())]
    Unread(Duration),
    /// The session lasted this long without a result.
    #[error("there is no result after {} s", .0.as_secs_f64())]
    SessionTimeout(Duration),
    /// The session failed.
    #[error(transparent)]
    Session(#[from] SessionError),
    /// A signal ended the run.
    #[error("{0}; the game is not over")]
    Interrupted(Interruption),
    /// The search could not be started.
    #[error("cannot start the search")]
    Search(#[source] io::Error),
}
