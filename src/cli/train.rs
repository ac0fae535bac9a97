//! `wabe train`: trains the evaluation's network on labelled positions.

use std::path::PathBuf;

use anyhow::{Context, bail};

use super::labelled_files::{for_each_position, game_of};
use super::{Exit, UsageError};
use crate::evaluation::Network;
use crate::files;
use crate::game::Game;
use crate::games::{ForGame, GameName};
use crate::tuning::{ExampleSets, NetworkTraining, Targets, train_network};

/// Train the evaluation's network on labelled positions
///
/// Reads results of `wabe arena`, or the files that it writes with --positions, holds some games out, and writes the network of the
/// epoch that judges these best. The same files and options give the same network. `--weights FILE` and `weights=FILE` load it.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Files of labelled positions, or results of `wabe arena`
    #[arg(required_unless_present = "first", conflicts_with = "first")]
    files: Vec<PathBuf>,

    /// Write a network to begin with instead, without training: it counts free fields around the bees and pieces in reserve
    #[arg(long)]
    first: bool,

    /// The game of the network that --first writes
    #[arg(long, default_value_t, conflicts_with = "files", value_name = "GAME")]
    game: GameName,

    /// Where to write the network
    #[arg(long, value_name = "FILE")]
    output: PathBuf,

    /// Share of the game's result in the score to learn, from 0 to 1; the rest is the search's expected score
    #[arg(long, default_value_t = 0.5, value_name = "SHARE")]
    result_share: f32,

    /// Share of the games that are held out
    #[arg(long, default_value_t = 0.05, value_name = "SHARE")]
    held_out: f64,

    /// Passes over all positions
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

    /// Decides the first weights, the order of the positions, and which games are held out
    #[arg(long, default_value_t = 1, value_name = "N")]
    seed: u64,
}

pub(super) fn run(args: Args) -> anyhow::Result<Exit> {
    check(&args)?;
    let game = if args.first {
        args.game
    } else {
        game_of(&args.files)?
    };
    game.dispatch(args)
}

impl ForGame for Args {
    type Output = anyhow::Result<Exit>;

    fn run<G: Game>(self, _variant: G::Variant) -> anyhow::Result<Exit> {
        let (network, complete) = if self.first {
            (Network::first::<G>(), true)
        } else {
            train::<G>(&self)?
        };
        files::replace(&self.output, &network.to_bytes())
            .with_context(|| format!("cannot write {}", self.output.display()))?;
        Ok(if complete {
            Exit::Success
        } else {
            Exit::Failure
        })
    }
}

/// Trains a network. `false` if a file was damaged.
fn train<G: Game>(args: &Args) -> anyhow::Result<(Network, bool)> {
    let mut sets = ExampleSets::<G>::new(Targets {
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
    })?;
    Ok((network, complete))
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
