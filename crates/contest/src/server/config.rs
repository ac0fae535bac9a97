//! Configuration of a referee.

use std::path::PathBuf;
use std::time::Duration;

use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use tokio::sync::mpsc::UnboundedSender;

use crate::protocol::ServerMessage;
use crate::room::FinishedGame;
use crate::room::{Start, TimeLimits};
use wabe_hive::contest::{Deal, random_brambles};

/// Default password for administrators in the contest's programs.
pub const DEFAULT_PASSWORD: &str = "examplepassword";

/// Limits on the resources of clients. See `docs/referee.md`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ResourceLimits {
    /// Maximum number of open connections.
    pub connections: usize,
    /// Maximum number of open rooms.
    pub rooms: usize,
    /// Maximum length of a message from a client, in bytes.
    pub message_bytes: usize,
    /// Maximum number of queued output bytes per connection.
    pub queue_bytes: usize,
    /// Timeout for one write to a connection.
    pub write_timeout: Duration,
    /// Timeout for a client to join or authenticate.
    pub greeting_timeout: Duration,
    /// Timeout for players to join a room without observers.
    pub waiting_timeout: Duration,
    /// Timeout for a client to close its side after the server closed the connection.
    pub linger: Duration,
}

impl Default for ResourceLimits {
    fn default() -> ResourceLimits {
        ResourceLimits {
            // Below the usual limit of 1,024 open files.
            connections: 900,
            rooms: 2048,
            message_bytes: 2 << 20,
            queue_bytes: 8 << 20,
            write_timeout: Duration::from_secs(10),
            greeting_timeout: Duration::from_secs(60),
            waiting_timeout: Duration::from_secs(3600),
            linger: Duration::from_secs(2),
        }
    }
}

/// Where start positions come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StartSource {
    /// An empty board with three random brambles and these pieces in hand.
    Dealt(Deal),
    /// The same position in every game.
    Loaded(Box<Start>),
}

impl Default for StartSource {
    fn default() -> StartSource {
        StartSource::Dealt(Deal::default())
    }
}

impl StartSource {
    /// The start position of game `number`. Brambles depend only on `seed` and `number`.
    pub fn start(&self, seed: u64, number: u64) -> Start {
        match self {
            StartSource::Loaded(start) => Start::clone(start),
            StartSource::Dealt(deal) => {
                let game_seed = seed.wrapping_add(number.wrapping_mul(0x9e37_79b9_7f4a_7c15));
                let mut rng = Xoshiro256PlusPlus::seed_from_u64(game_seed);
                Start {
                    position: deal.start(random_brambles(&mut rng)),
                    last_move: None,
                }
            }
        }
    }
}

/// A finished game, reported to the program that runs the referee.
#[derive(Clone, Debug, PartialEq)]
pub struct GameReport {
    /// Moves, times and result.
    pub game: FinishedGame,
    /// Path of the replay, if it was requested and written.
    pub replay: Option<PathBuf>,
}

/// The configuration of a referee.
#[derive(Clone, Debug, Default)]
pub struct Config {
    /// The administrators' password; `None` for [`DEFAULT_PASSWORD`].
    pub password: Option<String>,
    /// Time limits per move; `None` for no limit.
    pub time_limits: Option<TimeLimits>,
    /// Where start positions come from.
    pub start: StartSource,
    /// Random seed of the brambles. Rooms are numbered in the order in which they are opened.
    pub seed: u64,
    /// True if games in rooms opened by joining start paused.
    pub paused: bool,
    /// Directory for replays.
    pub replays: Option<PathBuf>,
    /// Limits on the resources that clients may use.
    pub limits: ResourceLimits,
    /// Receives every finished game after its replay has been written.
    pub reports: Option<UnboundedSender<GameReport>>,
    /// Receives all messages of rooms to their players.
    pub spectator: Option<UnboundedSender<ServerMessage>>,
}
