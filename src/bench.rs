//! `wabe bench`: the speed of the search, and a signature of its results.

use std::io::Write;
use std::time::Instant;
use wabe_engine::Playable;

use anyhow::bail;

use super::errors::UsageError;
use super::exit::Exit;
use super::values::{at_least_one, network_file};
#[cfg(feature = "full")]
use crate::tools::signals::exit_when_unread;
use crate::values::evaluator;
use wabe_engine::evaluation::NetworkFile;

use wabe_engine::search::{SystemClock, bench};
#[cfg(feature = "full")]
use wabe_records::{games::GameName, with_game};

/// Search fixed positions and print a signature of what was searched, and the speed
///
/// The signature depends only on the rules, the evaluation and the search: a change that is meant to change none of them
/// must not change it.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[cfg(feature = "full")]
    #[arg(long, default_value_t, value_name = "GAME", help = GameName::help())]
    game: GameName,

    /// Iterations for each position
    #[arg(long, default_value_t = 10_000, value_name = "N", value_parser = at_least_one::<u64>)]
    nodes: u64,

    /// A network in place of the built-in one
    #[arg(long, value_name = "FILE", value_parser = network_file)]
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
            "the positions are of all variants: --game {} instead of {variant}",
            G::WORD
        )));
    }
    #[cfg(feature = "full")]
    exit_when_unread();
    let mut out = std::io::stdout().lock();
    let mut written = Ok(());
    let mut signature = 0;
    let mut speeds = PHASES.map(|(name, end)| (name, end, Speed::default()));
    let clock = SystemClock::since(Instant::now());
    bench::<G>(
        &evaluator(args.weights.as_ref())?,
        args.nodes,
        &clock,
        |benched| {
            signature = benched.signature;
            let speed = Speed {
                nodes: benched.choice.nodes,
                seconds: benched.took.as_secs_f64(),
            };
            let turn = benched.record.position().turn();
            let phase = speeds.iter_mut().find(|(_, end, _)| turn < *end);
            if let Some((.., of_phase)) = phase {
                of_phase.add(speed);
            }
            let line = writeln!(
                out,
                "turn {turn:2}  {:7.0} nodes/s  {}",
                speed.nodes_per_second(),
                benched.record.write(benched.choice.best.mv)
            );
            written = std::mem::replace(&mut written, Ok(())).and(line);
        },
    )?;
    written?;
    let mut all = Speed::default();
    for (name, _, speed) in speeds {
        let per_second = speed.nodes_per_second();
        writeln!(out, "{name:9} {per_second:.0} nodes/s")?;
        all.add(speed);
    }
    writeln!(out, "nodes     {}", all.nodes)?;
    writeln!(out, "signature {signature:016x}")?;
    writeln!(out, "nodes/s   {:.0}", all.nodes_per_second())?;
    Ok(Exit::Success)
}
/// The parts of a game: a name, and the turn at which it ends.
const PHASES: [(&str, u16); 3] = [("start", 12), ("midgame", 30), ("late", u16::MAX)];

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
        self.nodes as f64 / self.seconds.max(1e-9)
    }
}
