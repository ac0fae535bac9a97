//! Command-line options of programs that play a game on a server.

use std::time::Duration;

use super::numbers::at_least_one;
use crate::client::{Address, Options};
use crate::protocol::ReservationCode;
use wabe_engine::search::Limits;

/// Server address and time limits.
#[derive(Debug, clap::Args)]
pub(super) struct Connection {
    /// The server's host name or address
    #[arg(long, default_value = "127.0.0.1", value_name = "HOST")]
    host: String,

    /// The server's TCP port
    #[arg(short, long, default_value_t = 13050, value_name = "PORT")]
    port: u16,

    /// Code of a reserved seat [default: any open seat]
    #[arg(short, long, value_name = "CODE", num_args = 0..=1)]
    reservation: Option<String>,

    /// Time per move, in ms [default: 1800 without a node limit]
    ///
    /// It begins when the request arrives.
    // The alias lets the arena start builds of all versions in the same way.
    #[arg(long, alias = "move-time", value_name = "MS", value_parser = at_least_one::<u64>)]
    time: Option<u64>,

    /// Safety margin taken off the time, in ms [default: adapts, usually 40]
    #[arg(long, value_name = "MS")]
    margin: Option<u64>,
}

/// Default time per move: the contest's 2 s minus the round trip to the server.
pub(super) const MOVE_TIME: Duration = Duration::from_millis(1800);

impl Connection {
    /// Time per move from the option, if set.
    pub(super) fn move_time(&self) -> Option<Duration> {
        self.time.map(Duration::from_millis)
    }

    /// The client's options with these limits.
    pub(super) fn options(&self, limits: Limits) -> Options {
        let address = Address {
            host: self.host.clone(),
            port: self.port,
        };
        let code = self.reservation.clone().filter(|code| !code.is_empty());
        Options {
            margin: self.margin.map(Duration::from_millis),
            reservation: code.map(ReservationCode),
            ..Options::new(address, limits)
        }
    }
}
