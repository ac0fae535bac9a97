//! The configuration of a referee.

use std::path::PathBuf;
use std::time::Duration;

use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use tokio::sync::mpsc::UnboundedSender;

use crate::protocol::ServerMessage;
use crate::room::FinishedGame;
use crate::room::{Start, TimeLimits};
use wabe_hive::contest::{Deal, random_brambles};

/// The administrators' password of the contest's programs.
pub const DEFAULT_PASSWORD: &str = "examplepassword";

/// Limits on the resources that clients may use; `docs/referee.md` explains each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ResourceLimits {
    /// Largest number of connections at once.
    pub connections: usize,
    /// Largest number of rooms at once.
    pub rooms: usize,
    /// Longest message from a client, in bytes.
    pub message_bytes: usize,
    /// Largest number of output bytes queued for one connection.
    pub queue_bytes: usize,
    /// Time limit for one write to a connection.
    pub write_timeout: Duration,
    /// Time limit for a client to join or authenticate.
    pub greeting_timeout: Duration,
    /// Time that a room without observers waits for its players.
    pub waiting_timeout: Duration,
    /// Time for a client to close its side after the server has ended the connection.
    pub linger: Duration,
}

impl Default for ResourceLimits {
    fn default() -> ResourceLimits {
        ResourceLimits {
            connections: 4096,
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

/// The source of the first state of each game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StartSource {
    /// An empty board with three random brambles, and these pieces in hand.
    Dealt(Deal),
    /// This state.
    Loaded(Box<Start>),
}

impl Default for StartSource {
    fn default() -> StartSource {
        StartSource::Dealt(Deal::default())
    }
}

impl StartSource {
    /// The first state of game `number`. Its brambles depend on `seed` and `number` alone.
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

/// A finished game, as reported to the program that runs the referee.
#[derive(Clone, Debug, PartialEq)]
pub struct GameReport {
    /// The game.
    pub game: FinishedGame,
    /// The replay's file, if one was requested and could be written.
    pub replay: Option<PathBuf>,
}

/// The configuration of a referee.
#[derive(Clone, Debug, Default)]
pub struct Config {
    /// The administrators' password; `None` for the contest's.
    pub password: Option<String>,
    /// Limits on the time for a move; `None` for no limit.
    pub time_limits: Option<TimeLimits>,
    /// The source of the first state of each game.
    pub start: StartSource,
    /// Seeds the brambles of each room, in the order in which rooms are opened.
    pub seed: u64,
    /// True if games start paused in rooms that players open by joining.
    pub paused: bool,
    /// The directory for a replay of every finished game.
    pub replays: Option<PathBuf>,
    /// Limits on the resources that clients may use.
    pub limits: ResourceLimits,
    /// Receives every finished game, after its replay has been written.
    pub reports: Option<UnboundedSender<GameReport>>,
    /// Receives everything that rooms send to their players.
    pub spectator: Option<UnboundedSender<ServerMessage>>,
}
