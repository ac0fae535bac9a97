//! `wabe play`: a contest client with wabe's own players.

use std::time::{SystemTime, UNIX_EPOCH};

use thiserror::Error;

use super::connection::{Connection, MOVE_TIME};
use super::numbers::at_least_one;
use super::play_until_interrupted;
use crate::client::{ClientError, GameOver, Options};
use wabe_engine::evaluation::NetworkFile;
use wabe_engine::search::PlayerSpec;
use wabe_hive::contest::Contest;

/// Play one game on a contest server
#[derive(Debug, clap::Args)]
// The contest's server appends its options to those in start.sh.
#[command(args_override_self = true)]
pub struct Args {
    #[command(flatten)]
    connection: Connection,

    /// Player and options, e.g. `mcts:nodes=5000`, `greedy` or `random`
    #[arg(long, default_value = "mcts", value_name = "SPEC")]
    player: PlayerSpec,

    /// Search iterations per move
    #[arg(long, value_name = "N", value_parser = at_least_one::<u64>)]
    nodes: Option<u64>,

    /// Search during the opponent's turn (not with --nodes)
    #[arg(long, env = "WABE_PONDER", default_value = "on", value_name = "SWITCH")]
    ponder: Switch,

    /// Random seed [default: from the clock]
    #[arg(long, value_name = "S")]
    seed: Option<u64>,

    /// Memory for the search tree, in MiB [default: 1024]
    #[arg(long, value_name = "MIB", value_parser = at_least_one::<usize>)]
    memory: Option<usize>,

    /// Network file to use instead of the built-in network
    #[arg(long, value_name = "FILE")]
    weights: Option<NetworkFile>,

    /// Do not attach score and PV to moves
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
        let spec = self.player.clone();
        PlayerSpec {
            move_time: self.connection.move_time().or(spec.move_time),
            nodes: self.nodes.or(spec.nodes),
            seed: self.seed.or(spec.seed),
            memory_mib: self.memory.or(spec.memory_mib),
            weights: self.weights.clone().or(spec.weights),
            ..spec
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

/// Why a game has no result.
#[derive(Debug, Error)]
pub enum PlayError {
    /// The options are invalid.
    #[error("{0}")]
    Usage(String),
    /// The session failed.
    #[error(transparent)]
    Client(#[from] ClientError),
}

/// Plays one game.
///
/// # Errors
/// When the game has no result, or a signal ends it.
pub fn play(args: &Args) -> Result<GameOver, PlayError> {
    let spec = args.player();
    let seed = spec.seed.unwrap_or_else(seed_from_clock);
    log::info!("player {spec}, seed {seed}");
    let options = args.options(&spec);
    let player = spec.prepare::<Contest>(seed);
    let player = player.map_err(|error| PlayError::Usage(error.to_string()))?;
    Ok(play_until_interrupted(&options, Box::new(player))?)
}

fn seed_from_clock() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    now.map_or(0, |now| now.as_micros() as u64)
}
