//! `wabe bench`: a search of fixed positions with a fixed number of nodes.

use std::io::Write;
use std::time::Instant;

use super::{Exit, evaluator, weights_file};
use crate::hive::contest::Position;
use crate::search::{Limits, MctsOptions, MctsPlayer, Player, WeightsFile, unstopped};

/// Positions from openings to endings of recorded games, one a line in their text form.
const POSITIONS: &str = include_str!("bench_positions.txt");

/// Memory for the tree, in MiB: enough that no search is cut short by it.
const MEMORY_MIB: usize = 256;

/// Search fixed positions and print a signature of what was searched, and the speed
///
/// The signature depends only on the rules, the evaluation and the search: a change that is meant to change none of them
/// must not change it.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Iterations for each position
    #[arg(long, default_value_t = 10_000, value_name = "N")]
    nodes: u64,

    /// Weights of the evaluation in place of the built-in ones
    #[arg(long, value_name = "FILE", value_parser = weights_file)]
    weights: Option<WeightsFile>,
}

pub(super) fn run(args: Args) -> anyhow::Result<Exit> {
    let mut player = MctsPlayer::new(
        evaluator(args.weights.as_ref())?,
        MctsOptions {
            memory_mib: MEMORY_MIB,
            ..MctsOptions::default()
        },
    );
    let mut out = std::io::stdout().lock();
    let mut signature = Signature::default();
    let mut speeds = [Speed::default(); Phase::ALL.len()];
    for line in POSITIONS.lines() {
        let position: Position = line.parse()?;
        player.new_game();
        let started = Instant::now();
        let choice = unstopped(Limits::Nodes(args.nodes), |control| {
            player.choose(&position, control)
        });
        let took = started.elapsed().as_secs_f64();
        let Some(choice) = choice else { continue };
        for line in player.lines(usize::MAX) {
            signature.add(&line.mv.to_string());
            signature.add(&line.visits.to_string());
        }
        let speed = Speed {
            nodes: choice.nodes,
            seconds: took,
        };
        speeds[Phase::of(&position) as usize].add(speed);
        writeln!(
            out,
            "turn {:2}  {:7.0} nodes/s  {}",
            position.turn(),
            speed.nodes_per_second(),
            choice.best.mv
        )?;
    }
    let mut all = Speed::default();
    for (phase, speed) in Phase::ALL.into_iter().zip(speeds) {
        writeln!(
            out,
            "{:9} {:.0} nodes/s",
            phase.name(),
            speed.nodes_per_second()
        )?;
        all.add(speed);
    }
    writeln!(out, "nodes     {}", all.nodes)?;
    writeln!(out, "signature {:016x}", signature.0)?;
    writeln!(out, "nodes/s   {:.0}", all.nodes_per_second())?;
    Ok(Exit::Success)
}

/// A third of a game.
#[derive(Clone, Copy, Debug)]
enum Phase {
    /// Most pieces are still to be placed.
    Start,
    Midgame,
    /// Nearly all pieces are on the board.
    Late,
}

impl Phase {
    const ALL: [Phase; 3] = [Phase::Start, Phase::Midgame, Phase::Late];

    fn of(position: &Position) -> Phase {
        match position.turn() {
            0..12 => Phase::Start,
            12..30 => Phase::Midgame,
            _ => Phase::Late,
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Phase::Start => "start",
            Phase::Midgame => "midgame",
            Phase::Late => "late",
        }
    }
}

/// Iterations and the time they took.
#[derive(Clone, Copy, Debug, Default)]
struct Speed {
    nodes: u64,
    seconds: f64,
}

impl Speed {
    fn add(&mut self, more: Speed) {
        self.nodes += more.nodes;
        self.seconds += more.seconds;
    }

    fn nodes_per_second(self) -> f64 {
        self.nodes as f64 / self.seconds
    }
}

/// A running hash (FNV-1a) over texts.
struct Signature(u64);

impl Default for Signature {
    fn default() -> Signature {
        Signature(0xcbf2_9ce4_8422_2325)
    }
}

impl Signature {
    fn add(&mut self, text: &str) {
        for byte in text.bytes().chain([0]) {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
}
