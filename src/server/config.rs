//! What a referee is told before it starts.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use thiserror::Error;
use tokio::sync::mpsc::UnboundedSender;

use super::{GameReport, StartSource};
use crate::hive::ByColor;

/// How long a player may take for a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeLimits {
    soft: Duration,
    hard: Duration,
}

/// The limits contradict each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the hard time limit ({hard:?}) is shorter than the soft one ({soft:?})")]
pub struct TimeLimitsError {
    soft: Duration,
    hard: Duration,
}

impl TimeLimits {
    /// A reply later than `soft` loses; after `hard` nobody waits for one any more.
    ///
    /// # Errors
    /// When `hard` is shorter than `soft`.
    pub fn new(soft: Duration, hard: Duration) -> Result<TimeLimits, TimeLimitsError> {
        if hard < soft {
            return Err(TimeLimitsError { soft, hard });
        }
        Ok(TimeLimits { soft, hard })
    }

    /// The time within which a reply must have arrived.
    pub fn soft(self) -> Duration {
        self.soft
    }

    /// The time after which the referee stops waiting.
    pub fn hard(self) -> Duration {
        self.hard
    }
}

impl Default for TimeLimits {
    /// The contest's: 2 s and 10 s.
    fn default() -> TimeLimits {
        TimeLimits {
            soft: Duration::from_secs(2),
            hard: Duration::from_secs(10),
        }
    }
}

/// What makes a client an administrator. It never shows up in logs.
#[derive(Clone, PartialEq, Eq)]
pub struct Password(String);

impl Password {
    /// The password that the contest's programs come with.
    pub const DEFAULT: &'static str = "examplepassword";

    /// A password.
    pub fn new(password: String) -> Password {
        Password(password)
    }

    pub(super) fn accepts(&self, attempt: &str) -> bool {
        self.0 == attempt
    }
}

impl Default for Password {
    fn default() -> Password {
        Password(Password::DEFAULT.to_owned())
    }
}

impl fmt::Debug for Password {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Password(…)")
    }
}

/// What clients may ask of the server's resources; `docs/referee.md` explains each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ResourceLimits {
    /// Most connections at once.
    pub connections: usize,
    /// Most rooms at once.
    pub rooms: usize,
    /// Most seats that one connection may hold at once.
    pub seats_per_connection: usize,
    /// Longest message from a client, in bytes.
    pub message_bytes: usize,
    /// Bytes that a connection may send in a second, in the long run. Who sends more is read more slowly.
    pub bytes_per_second: u32,
    /// Most bytes that wait for one connection to take them.
    pub queue_bytes: usize,
    /// Bytes that wait for all connections together, beyond which those are dropped for which more than 64 KiB wait.
    pub total_queue_bytes: usize,
    /// Longest time that one write to a connection may take.
    pub write_timeout: Duration,
    /// How long a client may take to say what it is here for: to join or to authenticate.
    pub greeting_timeout: Duration,
    /// How many messages that mean nothing to the server are ignored before the connection ends.
    pub ignored_messages: usize,
    /// How long a prepared room that nobody watches may wait for its first player.
    pub reservation_timeout: Duration,
    /// How long a connection that the server has ended may take to close its side.
    pub linger: Duration,
}

impl Default for ResourceLimits {
    fn default() -> ResourceLimits {
        ResourceLimits {
            connections: 4096,
            rooms: 2048,
            seats_per_connection: 8,
            message_bytes: 64 << 10,
            bytes_per_second: 4 << 20,
            queue_bytes: 8 << 20,
            total_queue_bytes: 256 << 20,
            write_timeout: Duration::from_secs(10),
            greeting_timeout: Duration::from_secs(60),
            ignored_messages: 1000,
            reservation_timeout: Duration::from_secs(3600),
            linger: Duration::from_secs(2),
        }
    }
}

/// Everything that a referee is told before it starts.
#[derive(Clone, Debug, Default)]
pub struct Config {
    /// What the administrators authenticate with.
    pub password: Password,
    /// How long players may think; `None` for as long as they like.
    pub time_limits: Option<TimeLimits>,
    /// What holds for one side of every game in place of that.
    pub side_time_limits: ByColor<Option<TimeLimits>>,
    /// What games start from.
    pub start: StartSource,
    /// Decides what is drawn for each room, in the order of their creation.
    pub seed: u64,
    /// Whether rooms that players open by joining start paused.
    pub paused: bool,
    /// The directory that gets a replay of every finished game.
    pub replays: Option<PathBuf>,
    /// What clients may ask for.
    pub limits: ResourceLimits,
    /// Hears of every finished game, after its replay has been written.
    pub reports: Option<UnboundedSender<GameReport>>,
}
