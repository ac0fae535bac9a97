//! Why a session or a client's run ended without a game's result.

use std::io;
use std::time::Duration;

use thiserror::Error;

use crate::hive::{Color, IllegalMove};
use crate::protocol::{FramingError, ReadError, RoomId, StateError, StreamPhase};

/// Why a session cannot go on, or ended without a result. Details are left to the errors' sources.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SessionError {
    /// The stream is broken.
    #[error("the server's stream cannot be read")]
    Framing(#[from] FramingError),
    /// A message is broken.
    #[error("a message from the server cannot be read")]
    Read(#[from] ReadError),
    /// A state is impossible.
    #[error("the server sent an impossible state")]
    State(#[from] StateError),
    /// Something about a room before there is a seat in one.
    #[error("the server sent something about the room {0} before it gave a seat in a room")]
    NoSeat(RoomId),
    /// Something about another room.
    #[error("the server sent something about the room {found}, but the game is in {expected}")]
    OtherRoom {
        /// Where the client has its seat.
        expected: RoomId,
        /// What the message was about.
        found: RoomId,
    },
    /// There is no state to move in.
    #[error("the server requested a move before it sent a state")]
    RequestBeforeState,
    /// It is the other side's turn.
    #[error("the server requested a move of {0}, but it is the other side's turn")]
    RequestOutOfTurn(Color),
    /// There is no legal move.
    #[error("the server requested a move in a game that is over")]
    RequestAfterEnd,
    /// The bytes ended early.
    #[error("the connection was cut off {}{}", place(*.phase), because(.refusal))]
    Cut {
        /// How far the stream had come.
        phase: StreamPhase,
        /// What the server refused before, if it refused something.
        refusal: Option<String>,
    },
    /// The server closed the connection instead of giving a seat.
    #[error(
        "the server gave no seat (it does so for an unknown reservation code or game type){}",
        because(.refusal)
    )]
    NotAdmitted {
        /// What the server refused before, if it refused something.
        refusal: Option<String>,
    },
    /// The server closed the room or the connection in the middle of a game.
    #[error("the server ended the game without a result{}", because(.refusal))]
    NoResult {
        /// What the server refused before, if it refused something.
        refusal: Option<String>,
    },
}

fn place(phase: StreamPhase) -> &'static str {
    match phase {
        StreamPhase::BeforeRoot => "before the server said anything",
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

/// The text without line breaks, cut if it is very long.
pub(super) fn one_line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").chars().take(500).collect()
}

/// Why a reply cannot be sent.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ReplyError {
    /// The request was answered, or what was asked does not matter any more.
    #[error("nobody waits for this move any more")]
    Stale,
    /// Not a move in the last state.
    #[error("the move is illegal: {0}")]
    Illegal(#[from] IllegalMove),
}

/// A signal to end the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Interruption {
    /// SIGINT or Ctrl-C.
    #[error("interrupted")]
    Interrupt,
    /// SIGTERM.
    #[error("told to terminate")]
    Terminate,
}

/// Why a run ended without a game's result.
#[derive(Debug, Error)]
pub enum ClientError {
    /// No connection.
    #[error("cannot connect to {address}")]
    Connect {
        /// Host and port.
        address: String,
        /// Why.
        source: io::Error,
    },
    /// No connection in time.
    #[error("cannot connect to {address}: no answer within {} s", after.as_secs_f64())]
    ConnectTimeout {
        /// Host and port.
        address: String,
        /// How long it took.
        after: Duration,
    },
    /// The connection broke.
    #[error("the connection to the server broke")]
    Io(#[from] io::Error),
    /// The server says nothing.
    #[error("the server has sent nothing for {} s", .0.as_secs_f64())]
    Idle(Duration),
    /// What the server said.
    #[error(transparent)]
    Session(#[from] SessionError),
    /// Somebody ended the run.
    #[error("{0}; the game is not over")]
    Interrupted(Interruption),
    /// The search could not be started.
    #[error("cannot start the search")]
    Search(#[source] io::Error),
}
