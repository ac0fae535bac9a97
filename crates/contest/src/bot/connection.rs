//! Options of every program that plays a game on a server.

use std::time::Duration;

use super::numbers::at_least_one;
use super::seconds::Seconds;
use crate::client::{Address, Options};
use crate::protocol::ReservationCode;
use wabe_engine::search::Limits;

/// The server, and the time limits.
#[derive(Debug, clap::Args)]
pub(super) struct Connection {
    /// The server's host name or address
    #[arg(short, long, default_value = "127.0.0.1", value_name = "HOST")]
    host: String,

    /// Its TCP port
    #[arg(short, long, default_value_t = 13050, value_name = "PORT")]
    port: u16,

    /// Code of a reserved seat; without one, or with an empty one, any open seat
    #[arg(short, long, value_name = "CODE", num_args = 0..=1)]
    reservation: Option<String>,

    /// Time for a move, from the arrival of its request [default: 1800, unless the player has a
    /// limit on nodes]
    #[arg(long, value_name = "MS", value_parser = at_least_one::<u64>)]
    move_time: Option<u64>,

    /// Safety margin taken off the move time [default: adapts, usually 40]
    #[arg(long, value_name = "MS")]
    reserve: Option<u64>,

    /// Time limit for connecting
    #[arg(long, default_value = "10", value_name = "SECONDS")]
    connect_timeout: Seconds,

    /// Time limit for the server's silence while it is not our turn
    #[arg(long, default_value = "600", value_name = "SECONDS")]
    idle_timeout: Seconds,
}

/// Default time for a move: the contest's 2 s, less the way to the server and back.
pub(super) const MOVE_TIME: Duration = Duration::from_millis(1800);

impl Connection {
    /// The time for a move, if it was given.
    pub(super) fn move_time(&self) -> Option<Duration> {
        self.move_time.map(Duration::from_millis)
    }

    /// The client's options, with these limits.
    pub(super) fn options(&self, limits: Limits) -> Options {
        let address = Address {
            host: self.host.clone(),
            port: self.port,
        };
        let code = self.reservation.clone().filter(|code| !code.is_empty());
        Options {
            margin: self.reserve.map(Duration::from_millis),
            reservation: code.map(ReservationCode),
            connect_timeout: self.connect_timeout.into(),
            idle_timeout: self.idle_timeout.into(),
            ..Options::new(address, limits)
        }
    }
}
