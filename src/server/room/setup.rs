//! What rooms are made from.

use crate::hive::ByColor;
use crate::protocol::RoomId;
use crate::server::{Start, TimeLimits};

/// What a room is made from.
#[derive(Clone, Debug, PartialEq)]
pub struct RoomSetup {
    /// Its name.
    pub id: RoomId,
    /// The seats.
    pub seats: ByColor<SeatSetup>,
    /// How the room came to be.
    pub origin: Origin,
    /// Whether the game starts paused.
    pub paused: bool,
    /// The first state.
    pub start: Start,
    /// How long each player may think, if it can time out; `None` for as long as it likes.
    pub time_limits: ByColor<Option<TimeLimits>>,
}

/// What a seat is made from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeatSetup {
    /// What its player is called.
    pub name: String,
    /// Whether the time limits apply.
    pub can_timeout: bool,
}

impl Default for SeatSetup {
    /// Somebody called `Unknown` who can time out.
    fn default() -> SeatSetup {
        SeatSetup {
            name: "Unknown".to_owned(),
            can_timeout: true,
        }
    }
}

/// How a room came to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// A player joined. Players hear at once that they have a seat, and may come and go until the game starts.
    Joined,
    /// An administrator prepared it. Players hear that they have a seat once both are there, and who goes before that has
    /// left the game.
    Prepared,
}
