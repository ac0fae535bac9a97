//! The interface of a room: its configuration, and the effects that it asks for.

use std::fmt;
use std::time::{Duration, Instant};

use super::finished_game::FinishedGame;
use crate::protocol::{RoomId, ServerMessage, UNKNOWN_PLAYER, WireMove};
use wabe_hive::contest::Position;
use wabe_hive::{ByColor, Color};

/// The configuration of a room.
#[derive(Clone, Debug, PartialEq)]
pub struct RoomSetup {
    /// The room's identifier.
    pub id: RoomId,
    /// The seats.
    pub seats: ByColor<SeatSetup>,
    /// The way in which the room was opened.
    pub origin: Origin,
    /// True if the game starts paused.
    pub paused: bool,
    /// The first state.
    pub start: Start,
    /// The time limits of each side, if it can time out; `None` for no limit.
    pub time_limits: ByColor<Option<TimeLimits>>,
}

/// The configuration of a seat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeatSetup {
    /// The player's name.
    pub name: String,
    /// True if the time limits apply.
    pub can_timeout: bool,
}

impl Default for SeatSetup {
    /// A player called `Unknown` that can time out.
    fn default() -> SeatSetup {
        SeatSetup {
            name: UNKNOWN_PLAYER.to_owned(),
            can_timeout: true,
        }
    }
}

/// The way in which a room was opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// By a player without a reservation. Each player is told its seat at once, and may leave and
    /// return until the game starts.
    Joined,
    /// By an administrator. Players are told their seats once both are there; leaving before that
    /// forfeits the game.
    Prepared,
}

/// The first state of a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Start {
    /// The position, at any turn.
    pub position: Position,
    /// The move that led to it, for states that name the last move.
    pub last_move: Option<WireMove>,
}

/// Limits on the time for a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeLimits {
    /// The limit after which a reply loses.
    pub soft: Duration,
    /// The limit after which the referee stops waiting, at least the soft one.
    pub hard: Duration,
}

impl TimeLimits {
    /// Limits in the contest's ratio: the hard one is five times the soft one.
    pub fn from_soft(soft: Duration) -> TimeLimits {
        let hard = soft.saturating_mul(5);
        TimeLimits { soft, hard }
    }
}

impl Default for TimeLimits {
    /// The contest's: 2 s and 10 s.
    fn default() -> TimeLimits {
        TimeLimits::from_soft(Duration::from_secs(2))
    }
}

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
    /// Send a move request. Once it is written, call [`request_sent`](super::Room::request_sent),
    /// before passing on the reply.
    Request {
        /// The recipient.
        to: ClientId,
        /// The request.
        message: ServerMessage,
    },
    /// Call [`wake`](super::Room::wake) at this time instead of an earlier one.
    WakeAt(Instant),
    /// Cancel the wake-up.
    Sleep,
    /// Open this seat to everyone again.
    SeatOpened(Color),
    /// Close the room, which its players left before the game, unless a client is about to join.
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
