//! The contest's wire protocol: converts bytes to messages and game states, and back.
//!
//! - [`Framer`] splits a stream of bytes into messages.
//! - [`ServerMessage`] and [`ClientMessage`] are parsed and encoded here for clients, servers,
//!   administrators and replays. Clients log and skip unknown parts. The server rejects them, like
//!   the contest's server, whose layout is used for writing.
//! - [`WireState::position`] checks a [`WireState`]. A [`WireMove`] stores what was sent, because
//!   the server echoes it. [`WireMove::to_move`] translates it.
//!
//! Messages are parsed from quick-xml events rather than with serde for three reasons. The meaning
//! of an element depends on its `class`. Errors name the invalid element. Written messages must
//! match the server's bytes.

/// Default name of players.
pub const UNKNOWN_PLAYER: &str = "Unknown";

mod client_message;
mod ending;
mod framing;
mod hint;
mod moves;
mod result;
mod server_message;
mod state;
mod values;
mod xml;

pub use client_message::{ClientMessage, GAME_TYPE, Slot};
pub use framing::{Frame, Framer, MALFORMED, MessageTooLong, STREAM_CLOSE, STREAM_OPEN};
pub use hint::{Hint, ParseHintError};
pub use moves::{FieldContents, MoveError, WireAction, WireMove, WirePlace};
pub use result::{Cause, GameResult, PlayerScore, Score, Winner};
pub use server_message::{ServerData, ServerMessage};
pub use state::{StateError, WireState};
pub use values::{ReservationCode, RoomId, WireCoordinates, WirePiece};
pub use xml::ReadError;

#[cfg(test)]
mod tests;
