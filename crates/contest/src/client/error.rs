//! Errors of sessions and of the client.

use std::io;

use thiserror::Error;

use crate::protocol::MessageTooLong;
use wabe_files::text::{MAX_DETAIL, printable};
use wabe_hive::IllegalMove;

/// The session ended without a result.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SessionError {
    /// The stream ended early.
    #[error("the connection was cut off {place}{}", describe_refusal(.refusal))]
    Cut {
        /// Where the stream ended, such as `in the middle of a message`.
        place: &'static str,
        /// The server's latest refusal, if any.
        refusal: Option<String>,
    },
    /// The server closed the room before the game began.
    #[error("the room was closed before the game began")]
    RoomClosed,
    /// The server closed the connection instead of assigning a seat.
    #[error(
        "the server assigned no seat: the reservation code or the game type may be unknown{}",
        describe_refusal(.refusal)
    )]
    NotAdmitted {
        /// The server's latest refusal, if any.
        refusal: Option<String>,
    },
    /// The server closed the room or the connection during a game.
    #[error("the server ended the game without a result{}", describe_refusal(.refusal))]
    NoResult {
        /// The server's latest refusal, if any.
        refusal: Option<String>,
    },
}

fn describe_refusal(refusal: &Option<String>) -> String {
    match refusal {
        None => String::new(),
        Some(refusal) => format!("; it had refused a request: {}", one_line(refusal)),
    }
}

/// Joins the lines of a text and truncates it.
pub(super) fn one_line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    printable(&words.join(" "), MAX_DETAIL)
}

/// Why a move was not sent.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ReplyError {
    /// The request has been answered or withdrawn.
    #[error("the request is no longer pending")]
    Stale,
    /// The move is illegal in the latest state.
    #[error("the move is illegal: {0}")]
    Illegal(#[from] IllegalMove),
}

/// A signal that ends the client.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Interruption {
    /// SIGINT or Ctrl-C.
    #[error("interrupted")]
    Interrupt,
    /// SIGTERM, or a closed console on Windows.
    #[error("terminated")]
    Terminate,
    /// SIGHUP, on Linux: the terminal was closed.
    #[error("the terminal has closed")]
    Hangup,
}

impl Interruption {
    /// Exit code of a program ended by this signal, as in a shell: 128 plus the signal's number.
    pub const fn exit_code(self) -> u8 {
        match self {
            Interruption::Interrupt => 130,
            Interruption::Terminate => 143,
            Interruption::Hangup => 129,
        }
    }
}

/// A hint for a refused connection.
fn connect_hint(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::ConnectionRefused => " (start a server with `wabe serve`)",
        _ => "",
    }
}

/// Why the client has no result.
#[derive(Debug, Error)]
pub enum ClientError {
    /// Connecting failed or took too long.
    #[error("cannot connect to {address}{}", connect_hint(source))]
    Connect {
        /// Host and port.
        address: String,
        /// Error of the system, or a timeout.
        source: io::Error,
    },
    /// The connection broke.
    #[error("the connection to the server broke")]
    Io(#[from] io::Error),
    /// While observing: the server sent a message that is too long.
    #[error("cannot read the server's stream")]
    Stream(#[from] MessageTooLong),
    /// The session failed.
    #[error(transparent)]
    Session(#[from] SessionError),
    /// A signal ended the run.
    #[error("{0}; the game is not over")]
    Interrupted(Interruption),
    /// The runtime could not be started.
    #[error("cannot start the asynchronous runtime")]
    Runtime(#[source] io::Error),
    /// The search could not be started.
    #[error("cannot start the search")]
    Search(#[source] io::Error),
}
