//! Configuration and effects of a room.

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
    /// Name and timeout setting of each side's player.
    pub seats: ByColor<SeatSetup>,
    /// How the room was opened.
    pub origin: Origin,
    /// True if the game starts paused.
    pub paused: bool,
    /// The start position.
    pub start: Start,
    /// Time limits for each side whose seat can time out; `None` for no limit.
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
    /// A player named `Unknown` who can time out.
    fn default() -> SeatSetup {
        SeatSetup {
            name: UNKNOWN_PLAYER.to_owned(),
            can_timeout: true,
        }
    }
}

/// How a room was opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// By a player without a reservation. Each player receives `joined` immediately, and may leave
    /// and return until the game starts.
    Joined,
    /// By an administrator. Players receive `joined` once both have joined. Leaving before that
    /// forfeits the game.
    Prepared,
}

/// The start position of a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Start {
    /// The position, at any turn.
    pub position: Position,
    /// The move that led to it, for states that contain the last move.
    pub last_move: Option<WireMove>,
}

/// Time limits per move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeLimits {
    /// A reply after this time loses.
    pub soft: Duration,
    /// The referee stops waiting after this time; at least the soft limit.
    pub hard: Duration,
}

impl TimeLimits {
    /// Limits in the contest's ratio: the hard limit is five times the soft limit.
    pub fn from_soft(soft: Duration) -> TimeLimits {
        let hard = soft.saturating_mul(5);
        TimeLimits { soft, hard }
    }
}

impl Default for TimeLimits {
    /// The contest's limits: 2 s and 10 s.
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

/// An action for the caller to carry out after an input to a [`Room`](super::Room). Effects must be
/// carried out in order.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// Send a message to clients, and to the spectator of the server.
    Send {
        /// Players or observers; none after both players have left.
        to: Vec<ClientId>,
        /// Any message except a move request.
        message: ServerMessage,
    },
    /// Send a move request. Once it has been written, and before passing on the reply, call
    /// [`request_sent`](super::Room::request_sent).
    Request {
        /// The player to move.
        to: ClientId,
        /// The move request.
        message: ServerMessage,
    },
    /// Call [`wake`](super::Room::wake) at this time. Replaces an earlier wake-up.
    WakeAt(Instant),
    /// Cancel the wake-up.
    Sleep,
    /// Open this seat to everyone again.
    SeatOpened(Color),
    /// All players left before the game. Close the room unless a client is about to join.
    Unused,
    /// Release the client's seat. Disconnect a player without further seats.
    Release(ClientId),
    /// Disconnect the client for violating the protocol.
    Expel(ClientId),
    /// Store the finished game. Precedes the messages about its end.
    GameOver(Box<FinishedGame>),
    /// End the room's task.
    Closed,
}
