//! `wabe perft`: counts move sequences.

use std::io::Write;
use std::time::Instant;

use super::Exit;
use crate::hex::CellSet;
use crate::hive::contest::{Deal, Move, Position};
use crate::hive::perft::{divide_on_threads, perft, perft_bulk};

/// Count the move sequences of a given length from a position
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The position in its text form; without it, an empty board without brambles
    position: Option<Position>,

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
    let position = args
        .position
        .unwrap_or_else(|| Deal::default().start(CellSet::EMPTY));
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

fn write_shares(out: &mut impl Write, shares: &[(Move, u64)]) -> std::io::Result<()> {
    for (mv, nodes) in shares {
        writeln!(out, "{:<15} {nodes}", mv.to_string())?;
    }
    writeln!(out, "moves   {}", shares.len())
}
