//! The effects that a room asks for.

use std::fmt;
use std::time::Instant;

use super::finished_game::FinishedGame;
use crate::hive::Color;
use crate::protocol::ServerMessage;

/// Identifies a client within one server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ClientId(pub u64);

impl fmt::Display for ClientId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "client {}", self.0)
    }
}

/// An effect that a [`Room`](super::Room) asks for, to be carried out in the order returned.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// Send a message to several clients.
    Send {
        /// The recipients.
        to: Vec<ClientId>,
        /// The message.
        message: ServerMessage,
    },
    /// Send a move request. Once it is written, call [`request_sent`](super::Room::request_sent), before passing on the reply.
    Request {
        /// The recipient.
        to: ClientId,
        /// The request.
        message: ServerMessage,
    },
    /// Call [`wake`](super::Room::wake) at this time instead of an earlier one.
    WakeAt(Instant),
    /// Cancel the waking.
    Sleep,
    /// Open this seat to anybody again.
    SeatOpened(Color),
    /// Close the room, which its players have left before the game, unless somebody is about to join.
    Unused,
    /// Take the client's seat. A player without another seat is disconnected.
    Release(ClientId),
    /// Disconnect the client, which has broken the protocol.
    Expel(ClientId),
    /// Keep the finished game. Precedes the messages about its end.
    GameOver(Box<FinishedGame>),
    /// End the room's task.
    Closed,
}
