//! `wabe play`, and `wabe` alone: plays one game on a server.

use std::io::Write;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::Context;

use super::exit::{Exit, UsageError};
use super::network_file;
use crate::bot::{Connection, MOVE_TIME, play_until_interrupted};
use crate::client::{ClientError, Options};
use crate::evaluation::NetworkFile;
use crate::hive::contest::Contest;
use crate::search::PlayerSpec;

/// Play one game on a server (also without the word `play`)
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    connection: Connection,

    /// The player: mcts, greedy or random, with options such as mcts:nodes=5000
    #[arg(long, default_value = "mcts", value_name = "SPEC")]
    player: PlayerSpec,

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
}

/// An option that is on or off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Switch {
    On,
    Off,
}

impl Args {
    fn player(&self) -> PlayerSpec {
        let given = self.player.clone();
        PlayerSpec {
            move_time: self.connection.move_time().or(given.move_time),
            nodes: self.nodes.or(given.nodes),
            seed: self.seed.or(given.seed),
            memory_mib: self.memory.or(given.memory_mib),
            weights: self.weights.clone().or(given.weights),
            ..given
        }
    }

    fn options(&self, player: &PlayerSpec) -> Options {
        Options {
            ponder: self.ponder == Switch::On,
            send_hints: !self.no_hint,
            ..self.connection.options(player.limits(MOVE_TIME))
        }
    }
}

pub(super) fn run(args: Args) -> anyhow::Result<Exit> {
    let spec = args.player();
    let seed = spec.seed.unwrap_or_else(seed_from_clock);
    log::info!("player {spec}, seed {seed}");
    let options = args.options(&spec);
    let player = spec
        .prepare::<Contest>(seed)
        .map_err(|error| UsageError::new(error.to_string()))?;
    let make_player = Box::new(move || player.build());
    let ending = play_until_interrupted(&options, make_player)
        .context("cannot start the asynchronous runtime")?;
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
