//! `wabe positions`: prints training positions as text.

use std::io::{self, BufWriter, Write};
use std::path::PathBuf;
use std::slice;
use std::sync::atomic::AtomicBool;

use super::training_files::{for_each_game, game_of};
use crate::exit::Exit;
use wabe_arena::ArenaGame;
use wabe_hive::game::Record;
use wabe_records::with_game;

/// Count or print training positions
///
/// Prints games, plies and positions per file. Damaged games are skipped, and the exit code is
/// then 1. All files must contain the same game.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Files of `wabe selfplay`
    #[arg(required = true)]
    files: Vec<PathBuf>,

    /// Print position, expected score and result, separated by tabs
    #[arg(long)]
    print: bool,
}

pub(super) fn run(args: Args) -> anyhow::Result<Exit> {
    with_game!(game_of(&args.files)?, |G, _variant| print_positions::<G>(
        args
    ))
}

fn print_positions<G: ArenaGame>(args: Args) -> anyhow::Result<Exit> {
    let mut out = BufWriter::new(io::stdout().lock());
    let mut is_complete = true;
    let never = AtomicBool::new(false);
    for path in &args.files {
        let (mut games, mut plies, mut positions, mut with_visits) = (0_u64, 0, 0, 0);
        is_complete &= for_each_game::<G>(slice::from_ref(path), &never, |_, game| {
            games += 1;
            plies += game.plies.len();
            for labelled in game.positions() {
                positions += 1;
                with_visits += u64::from(!labelled.label.visits.is_empty());
                if args.print {
                    let record = Record::<G>::new(game.variant, labelled.position);
                    let result = labelled.score();
                    let result = result.map_or("-".to_owned(), |score| score.to_string());
                    writeln!(out, "{record}\t{:.3}\t{result}", labelled.expected_score())?;
                }
            }
            Ok(())
        })?;
        if !args.print {
            let path = path.display();
            writeln!(
                out,
                "{path}: {games} games, {plies} plies, {positions} positions, {with_visits} with visits"
            )?;
        }
    }
    out.flush()?;
    Ok(Exit::success_if(is_complete))
}
