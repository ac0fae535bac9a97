//! `wabe bench`: measures the search's speed, and prints a signature of its results.

use std::io::Write;
use std::ops::Range;
use std::time::Instant;

use anyhow::bail;

use super::errors::UsageError;
use super::exit::Exit;
use super::values::at_least_one;
#[cfg(feature = "full")]
use crate::tools::signals::exit_when_unread;
use crate::values::evaluator;
use wabe_engine::Playable;
use wabe_engine::evaluation::NetworkFile;
use wabe_engine::search::{SystemClock, bench};
#[cfg(feature = "full")]
use wabe_records::{games::GameName, with_game};

/// Measure the speed of the search, and its signature
///
/// Searches fixed positions. The signature depends only on the rules, the evaluation and the
/// search, so a change that should not affect these must keep it.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[cfg(feature = "full")]
    #[arg(long, default_value_t, value_name = "GAME", help = GameName::help())]
    game: GameName,

    /// Iterations per position
    #[arg(long, default_value_t = 10_000, value_name = "N", value_parser = at_least_one::<u64>)]
    nodes: u64,

    /// Network file to use instead of the built-in network
    #[arg(long, value_name = "FILE")]
    weights: Option<NetworkFile>,
}

pub(crate) fn run(args: Args) -> anyhow::Result<Exit> {
    #[cfg(feature = "full")]
    return with_game!(args.game, |G, variant| bench_game::<G>(args, variant));
    #[cfg(not(feature = "full"))]
    bench_game::<wabe_hive::contest::Contest>(args, Default::default())
}

fn bench_game<G: Playable>(args: Args, variant: G::Variant) -> anyhow::Result<Exit> {
    if variant != G::Variant::default() {
        bail!(UsageError::new(format!(
            "bench covers all variants of a game: use --game {} instead of {variant}",
            G::WORD
        )));
    }
    #[cfg(feature = "full")]
    exit_when_unread();
    let mut out = std::io::stdout().lock();
    let mut written = Ok(());
    let mut signature = 0;
    // Iterations and seconds per phase.
    let mut speeds = [(0, 0.0); PHASES.len()];
    let clock = SystemClock::since(Instant::now());
    let evaluator = evaluator(args.weights.as_ref())?;
    bench::<G>(&evaluator, args.nodes, &clock, |benched| {
        signature = benched.signature;
        let (nodes, seconds) = (benched.choice.nodes, benched.elapsed.as_secs_f64());
        let turn = benched.record.position().turn();
        for ((_, phase), speed) in PHASES.iter().zip(&mut speeds) {
            if phase.contains(&turn) {
                *speed = (speed.0 + nodes, speed.1 + seconds);
            }
        }
        if written.is_ok() {
            written = writeln!(
                out,
                "turn {turn:2}  {:7.0} nodes/s  {}",
                per_second((nodes, seconds)),
                benched.record.write(benched.choice.best.mv)
            );
        }
    })?;
    written?;
    for ((name, _), speed) in PHASES.iter().zip(speeds) {
        writeln!(out, "{name:9} {:.0} nodes/s", per_second(speed))?;
    }
    let all = speeds.into_iter();
    let all = all.fold((0, 0.0), |sum, speed| (sum.0 + speed.0, sum.1 + speed.1));
    writeln!(out, "nodes     {}", all.0)?;
    writeln!(out, "signature {signature:016x}")?;
    writeln!(out, "nodes/s   {:.0}", per_second(all))?;
    Ok(Exit::Success)
}

/// Phases of a game, as ranges of turns.
const PHASES: [(&str, Range<u16>); 3] = [
    ("start", 0..12),
    ("midgame", 12..30),
    ("late", 30..u16::MAX),
];

fn per_second((nodes, seconds): (u64, f64)) -> f64 {
    nodes as f64 / seconds.max(1e-9)
}
