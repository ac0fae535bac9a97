//! `wabe perft`: counts move sequences.

use std::io::Write;
use std::time::Instant;

use super::Exit;
use crate::hex::CellSet;
use crate::hive::contest::{Deal, Position};
use crate::hive::perft::{perft, perft_bulk};

/// Count the move sequences of a given length from a position
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The position; without it, an empty board without brambles
    position: Option<Position>,

    /// Length of the sequences, in plies
    #[arg(short, long, value_name = "N")]
    depth: u32,

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
    let nodes = count(&position, args.depth);
    let seconds = started.elapsed().as_secs_f64();
    let mut out = std::io::stdout().lock();
    writeln!(out, "nodes   {nodes}")?;
    writeln!(out, "seconds {seconds:.3}")?;
    writeln!(out, "nodes/s {:.0}", nodes as f64 / seconds)?;
    Ok(Exit::Success)
}
