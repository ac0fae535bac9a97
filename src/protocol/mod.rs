//! The contest's wire protocol: bytes ⇄ messages ⇄ the game.
//!
//! - [`Framer`] cuts a stream of bytes into messages, however they arrive.
//! - [`ServerMessage`] and [`ClientMessage`] are what the two sides say to each other. Both are read and written here, so that
//!   clients, servers, administrators and replays share one description. What is unknown is skipped with a debug log line.
//!   The layout is the contest server's, byte by byte.
//! - Wire types say what a message says; whether it makes sense is checked where they become types of the game:
//!   [`WireState::position`], [`WireMove::to_move`], and back [`WireState::new`], [`WireMove::new`].
//!
//! Messages are read off quick-xml's events, not through serde: an element's meaning hangs on its `class`, errors say in
//! which element they arose, and the writer has to produce the server's own bytes.

mod client_message;
mod convert;
mod ending;
mod field;
mod framing;
mod hint;
mod ids;
mod moves;
mod player_score;
mod result;
mod room_data;
mod server_message;
mod state;
mod values;
mod xml;

pub use client_message::{ClientData, ClientMessage, GAME_TYPE, Slot};
pub use convert::{Endpoint, MoveError, StateError};
pub use field::{WireCoordinates, WireField};
pub use framing::{
    Frame, Framer, FramingError, Limits, Malformation, STREAM_CLOSE, STREAM_OPEN, StreamPhase,
};
pub use hint::{Hint, ParseHintError};
pub use ids::{ReservationCode, RoomId};
pub use moves::{FieldContents, WireAction, WireMove, WirePlace};
pub use player_score::{PlayerScore, ScoreValue};
pub use result::{Aggregation, Cause, Fragment, GameResult, Score, Winner};
pub use room_data::ServerData;
pub use server_message::ServerMessage;
pub use state::WireState;
pub use xml::{ReadError, ReadProblem};

#[cfg(test)]
mod tests;
