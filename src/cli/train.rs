//! `wabe train`: trains the evaluation's network on labelled positions.

use std::path::PathBuf;

use anyhow::{Context, bail};

use super::labelled_files::{FiledGame, LearnedGame, for_each_position};
use super::{Exit, UsageError};
use crate::hive::contest::Contest;
use crate::hive::standard::Wide;
use crate::search::NetworkInputs;
use crate::tuning::{ExampleSets, NetworkTraining, Targets, train_network};

/// Train the evaluation's network on labelled positions
///
/// Reads what `wabe arena` writes with --positions or, of standard Hive, with --resume, holds some games out, and writes the network
/// of the epoch that judges these best. The same files and options give the same network. `--weights FILE` and `weights=FILE` play with it.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Files of labelled positions, or results of `wabe arena`
    #[arg(required = true)]
    files: Vec<PathBuf>,

    /// Where to write the network
    #[arg(long, value_name = "FILE")]
    output: PathBuf,

    /// Share of the game's result in what a position should be judged as, from 0 to 1; the rest is what the search expected
    #[arg(long, default_value_t = 0.5, value_name = "SHARE")]
    result_share: f32,

    /// Share of the games that are held out
    #[arg(long, default_value_t = 0.05, value_name = "SHARE")]
    held_out: f64,

    /// How often every position is looked at
    #[arg(long, default_value_t = 40, value_name = "N")]
    epochs: u32,

    /// Positions between two steps
    #[arg(long, default_value_t = 1024, value_name = "N")]
    batch: usize,

    /// Size of the first steps
    #[arg(long, default_value_t = 0.002, value_name = "RATE")]
    learning_rate: f32,

    /// Pull of every weight towards zero
    #[arg(long, default_value_t = 0.01, value_name = "DECAY")]
    decay: f32,

    /// Decides the beginning, the order of the positions, and which games are held out
    #[arg(long, default_value_t = 1, value_name = "N")]
    seed: u64,
}

pub(super) fn run(args: Args) -> anyhow::Result<Exit> {
    check(&args)?;
    match LearnedGame::of_all(&args.files)? {
        LearnedGame::Contest => train::<Contest>(&args),
        LearnedGame::Standard => train::<Wide>(&args),
    }
}

fn train<R: FiledGame + NetworkInputs>(args: &Args) -> anyhow::Result<Exit> {
    let mut sets = ExampleSets::<R>::new(Targets {
        result_share: args.result_share,
        held_out_share: args.held_out,
        seed: args.seed,
    });
    let complete = for_each_position(&args.files, |file, labelled| {
        sets.push(file, &labelled);
        Ok(())
    })?;
    if sets.training.is_empty() || sets.held_out.is_empty() {
        bail!(
            "too few games: {} positions to train with, {} held out",
            sets.training.len(),
            sets.held_out.len()
        );
    }
    eprintln!(
        "{} positions to train with, {} held out",
        sets.training.len(),
        sets.held_out.len()
    );
    let settings = NetworkTraining {
        epochs: args.epochs,
        batch: args.batch,
        learning_rate: args.learning_rate,
        decay: args.decay,
        seed: args.seed,
    };
    let network = train_network(&sets, &settings, |epoch| {
        eprintln!(
            "epoch {:3}  training loss {:.5}  held out {:.5}, squared error on results {:.5}",
            epoch.number, epoch.training_loss, epoch.held_out.target, epoch.held_out.squared_error
        );
    });
    std::fs::write(&args.output, network.to_bytes::<R>())
        .with_context(|| format!("cannot write {}", args.output.display()))?;
    Ok(if complete {
        Exit::Success
    } else {
        Exit::Failure
    })
}

fn check(args: &Args) -> anyhow::Result<()> {
    let usage = |message: String| bail!(UsageError::new(message));
    if !(0.0..=1.0).contains(&args.result_share) {
        return usage(format!(
            "--result-share {} is not in 0..=1",
            args.result_share
        ));
    }
    if !(args.held_out > 0.0 && args.held_out < 1.0) {
        return usage(format!(
            "--held-out {} is not between 0 and 1",
            args.held_out
        ));
    }
    if !(args.learning_rate > 0.0 && args.learning_rate.is_finite()) {
        return usage(format!(
            "--learning-rate {} is not positive",
            args.learning_rate
        ));
    }
    if !(args.decay >= 0.0 && args.decay.is_finite()) {
        return usage(format!("--decay {} is negative", args.decay));
    }
    if args.batch == 0 || args.epochs == 0 {
        return usage("--batch and --epochs must be at least 1".to_owned());
    }
    Ok(())
}
