//! `wabe perft`: counts move sequences.

use std::io::Write;
use std::time::Instant;

use super::Exit;
use crate::hex::{CellSet, CompactTorus, WideTorus};
use crate::hive::contest::{self, Deal};
use crate::hive::perft::{divide_on_threads, perft, perft_bulk};
use crate::hive::standard::{GameType, Opening};
use crate::hive::{Move, Position, RuleBook};

/// Longest sequences from an empty board for which the compact torus is right: each ply makes a hive one step longer at most.
const COMPACT_DEPTH: u32 = 14;

/// Count the move sequences of a given length from a position
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The position in its text form; without it, an empty board without brambles
    position: Option<contest::Position>,

    /// Count from the start of the standard game instead: `Base`, or `Base+` with some of the letters M, L and P
    #[arg(long, value_name = "TYPE", conflicts_with = "position")]
    game: Option<GameType>,

    /// Length of the sequences, in plies
    #[arg(short, long, value_name = "N")]
    depth: u32,

    /// List the first moves, each with its share of the count
    #[arg(long)]
    divide: bool,

    /// Count on that many threads
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=256))]
    threads: u16,

    /// Count the last ply's moves without making them
    #[arg(long)]
    bulk: bool,
}

pub(super) fn run(args: Args) -> anyhow::Result<Exit> {
    match (args.game, args.position) {
        (Some(game), _) if args.depth <= COMPACT_DEPTH => {
            count_from(&args, game.start::<CompactTorus>(Opening::default()))
        }
        (Some(game), _) => count_from(&args, game.start::<WideTorus>(Opening::default())),
        (None, Some(position)) => count_from(&args, position),
        (None, None) => count_from(&args, Deal::default().start(CellSet::EMPTY)),
    }
}

fn count_from<R: RuleBook>(args: &Args, position: Position<R>) -> anyhow::Result<Exit> {
    let count = if args.bulk { perft_bulk } else { perft };
    let started = Instant::now();
    let (nodes, shares) = if args.depth == 0 || (args.threads == 1 && !args.divide) {
        (count(&position, args.depth), Vec::new())
    } else {
        let shares = divide_on_threads(&position, args.depth, args.threads.into(), count);
        (shares.iter().map(|(_, nodes)| nodes).sum(), shares)
    };
    let seconds = started.elapsed().as_secs_f64();
    let mut out = std::io::stdout().lock();
    if args.divide {
        write_shares(&mut out, &shares)?;
    }
    writeln!(out, "nodes   {nodes}")?;
    writeln!(out, "seconds {seconds:.3}")?;
    writeln!(out, "nodes/s {:.0}", nodes as f64 / seconds.max(1e-9))?;
    Ok(Exit::Success)
}

fn write_shares<R: RuleBook>(
    out: &mut impl Write,
    shares: &[(Move<R>, u64)],
) -> std::io::Result<()> {
    for (mv, nodes) in shares {
        writeln!(out, "{:<15} {nodes}", mv.to_string())?;
    }
    writeln!(out, "moves   {}", shares.len())
}
