//! `wabe play`, and `wabe` alone: plays one game on a server.

use std::io::Write;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::Context;

use super::exit::{Exit, UsageError};
use super::interruption::interruption;
use super::network_file;
use super::seconds::Seconds;
use crate::client::{Address, ClientError, Options, play};
use crate::evaluation::NetworkFile;
use crate::hive::contest::Contest;
use crate::protocol::ReservationCode;
use crate::search::{Limits, PlayerSpec};

/// Play one game on a server (also without the word `play`)
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The server's host name or address
    #[arg(short, long, default_value = "127.0.0.1", value_name = "HOST")]
    host: String,

    /// Its TCP port
    #[arg(short, long, default_value_t = 13050, value_name = "PORT")]
    port: u16,

    /// Code of a reserved seat; without one, or with an empty one, any open seat
    #[arg(short, long, value_name = "CODE", num_args = 0..=1)]
    reservation: Option<String>,

    /// The player: mcts, greedy or random, with options such as mcts:nodes=5000
    #[arg(long, default_value = "mcts", value_name = "SPEC")]
    player: PlayerSpec,

    /// Time for a move, from the arrival of its request [default: 1800, without a limit on nodes]
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u64).range(1..))]
    move_time: Option<u64>,

    /// Part of the time for a move that is kept for sending it [default: two fifths, at most 40]
    #[arg(long, value_name = "MS")]
    reserve: Option<u64>,

    /// Search iterations for a move
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,

    /// Search in the other side's turns, too; with a limit on nodes never
    #[arg(
        long,
        env = "WABE_PONDER",
        default_value = "on",
        value_name = "WHETHER"
    )]
    ponder: Switch,

    /// Decides everything random [default: taken from the clock]
    #[arg(long, value_name = "S")]
    seed: Option<u64>,

    /// Memory for the search tree
    #[arg(long, value_name = "MIB")]
    memory: Option<usize>,

    /// A network in place of the built-in one
    #[arg(long, value_name = "FILE", value_parser = network_file)]
    weights: Option<NetworkFile>,

    /// Send moves without the search's score and line as a hint
    #[arg(long)]
    no_hint: bool,

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

/// An option that is on or off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Switch {
    On,
    Off,
}

/// Default time for a move: the contest's 2 s, less the way to the server and back.
const MOVE_TIME: Duration = Duration::from_millis(1800);

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

impl Args {
    fn player(&self) -> PlayerSpec {
        let given = self.player.clone();
        PlayerSpec {
            move_time: self
                .move_time
                .map(Duration::from_millis)
                .or(given.move_time),
            nodes: self.nodes.or(given.nodes),
            seed: self.seed.or(given.seed),
            memory_mib: self.memory.or(given.memory_mib),
            weights: self.weights.clone().or(given.weights),
            ..given
        }
    }

    fn options(&self, player: &PlayerSpec) -> Options {
        let address = Address {
            host: self.host.clone(),
            port: self.port,
        };
        let reserve = self.reserve.map(Duration::from_millis);
        Options {
            reservation: self
                .reservation
                .clone()
                .filter(|code| !code.is_empty())
                .map(ReservationCode),
            ponder: self.ponder == Switch::On,
            send_hints: !self.no_hint,
            connect_timeout: self.connect_timeout.into(),
            idle_timeout: self.idle_timeout.into(),
            session_timeout: self.session_timeout.into(),
            ..Options::new(address, less_the_reserve(player.limits(MOVE_TIME), reserve))
        }
    }
}

pub(super) fn run(args: Args) -> anyhow::Result<Exit> {
    let spec = args.player();
    let seed = spec.seed.unwrap_or_else(seed_from_clock);
    log::info!("player {spec}, seed {seed}");
    let options = args.options(&spec);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("cannot start the asynchronous runtime")?;
    let player = spec
        .prepare::<Contest>(seed)
        .map_err(|error| UsageError::new(error.to_string()))?;
    let make_player = Box::new(move || player.build());
    let ending = runtime.block_on(async {
        let interrupted = interruption()?;
        anyhow::Ok(play(&options, make_player, interrupted).await)
    })?;
    match ending {
        Ok(game_over) => {
            writeln!(std::io::stdout().lock(), "{game_over}")?;
            Ok(Exit::Success)
        }
        Err(ClientError::Interrupted(signal)) => {
            eprintln!("wabe: {}", ClientError::Interrupted(signal));
            Ok(signal.into())
        }
        Err(error) => Err(error.into()),
    }
}

fn seed_from_clock() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    now.map_or(0, |now| now.as_micros() as u64)
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
