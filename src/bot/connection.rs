//! Options of every program that plays a game on a server.

use std::time::Duration;

use super::numbers::at_least_one;
use super::seconds::Seconds;
use crate::client::{Address, Options};
use crate::protocol::ReservationCode;
use crate::search::Limits;

/// The server, and the time limits.
#[derive(Debug, clap::Args)]
pub(crate) struct Connection {
    /// The server's host name or address
    #[arg(short, long, default_value = "127.0.0.1", value_name = "HOST")]
    host: String,

    /// Its TCP port
    #[arg(short, long, default_value_t = 13050, value_name = "PORT")]
    port: u16,

    /// Code of a reserved seat; without one, or with an empty one, any open seat
    #[arg(short, long, value_name = "CODE", num_args = 0..=1)]
    reservation: Option<String>,

    /// Time for a move, from the arrival of its request [default: 1800, unless the player has a limit on nodes]
    #[arg(long, value_name = "MS", value_parser = at_least_one::<u64>)]
    move_time: Option<u64>,

    /// Part of the time for a move that is kept for sending it [default: two fifths, at most 40]
    #[arg(long, value_name = "MS")]
    reserve: Option<u64>,

    /// Time limit for connecting
    #[arg(long, default_value = "10", value_name = "SECONDS")]
    connect_timeout: Seconds,

    /// Time limit for the server's silence while it is not our turn
    #[arg(long, default_value = "600", value_name = "SECONDS")]
    idle_timeout: Seconds,

    /// Time limit for the whole session
    #[arg(long, default_value = "14400", value_name = "SECONDS")]
    session_timeout: Seconds,
}

/// Default time for a move: the contest's 2 s, less the way to the server and back.
pub(crate) const MOVE_TIME: Duration = Duration::from_millis(1800);

/// Part of `time` that is kept for sending the move unless it is set: two fifths, at most 40 ms. Machines that share their cores
/// take them from a process for 30 to 70 ms now and then (`docs/latency.md`).
fn usual_reserve(time: Duration) -> Duration {
    (time * 2 / 5).min(Duration::from_millis(40))
}

/// The limits of the search: it ends before the time for the move, so that the reply is out in time even when other processes
/// have the core for a while.
fn less_the_reserve(limits: Limits, reserve: Option<Duration>) -> Limits {
    let time = limits
        .time()
        .map(|time| time.saturating_sub(reserve.unwrap_or_else(|| usual_reserve(time))));
    Limits::from_parts(time, limits.nodes())
}

impl Connection {
    /// The time for a move, if it was given.
    pub(crate) fn move_time(&self) -> Option<Duration> {
        self.move_time.map(Duration::from_millis)
    }

    /// The client's options, with these limits less the part that is kept for sending the move.
    pub(crate) fn options(&self, limits: Limits) -> Options {
        let address = Address {
            host: self.host.clone(),
            port: self.port,
        };
        let code = self.reservation.clone().filter(|code| !code.is_empty());
        let reserve = self.reserve.map(Duration::from_millis);
        Options {
            reservation: code.map(ReservationCode),
            connect_timeout: self.connect_timeout.into(),
            idle_timeout: self.idle_timeout.into(),
            session_timeout: self.session_timeout.into(),
            ..Options::new(address, less_the_reserve(limits, reserve))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn search_time(budget: u64, reserve: Option<u64>) -> Option<Duration> {
        let limits = Limits::from_parts(Some(Duration::from_millis(budget)), None);
        less_the_reserve(limits, reserve.map(Duration::from_millis)).time()
    }

    #[test]
    fn a_part_of_the_time_is_kept_for_the_way_out() {
        assert_eq!(search_time(50, None), Some(Duration::from_millis(30)));
        assert_eq!(search_time(100, None), Some(Duration::from_millis(60)));
        assert_eq!(search_time(1800, None), Some(Duration::from_millis(1760)));
        assert_eq!(search_time(100, Some(0)), Some(Duration::from_millis(100)));
        assert_eq!(search_time(100, Some(200)), Some(Duration::ZERO));
    }

    #[test]
    fn a_limit_on_nodes_alone_has_no_reserve() {
        let limits = Limits::from_parts(None, Some(500));
        assert_eq!(less_the_reserve(limits, None), limits);
    }
}
