//! `wabe tune`: fits the evaluation's weights.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

use anyhow::{Context, bail};

use super::labelled_files::{FiledGame, LearnedGame, for_each_position};
use super::stop_flag::stop_flag;
use super::{Exit, UsageError};
use crate::hive::contest::Contest;
use crate::hive::standard::Wide;
use crate::journal::{Journal, JournalError};
use crate::search::{LinearGame, WeightsFile};
use crate::tuning::{Epoch, Fit, FitSettings, Targets, TrainingSets, fit_weights};

/// Fit the evaluation's weights to labelled positions
///
/// Logistic regression with a part of the games held out. Ends when the loss on the held-out games has not fallen for --patience
/// epochs, and writes the weights of the best epoch. Progress goes to standard error; the weights, if --output says no file, to
/// standard output.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Files of labelled positions, or results of `wabe arena`
    #[arg(required = true)]
    files: Vec<PathBuf>,

    /// Weights to begin with [default: the built-in ones]
    #[arg(long, value_name = "FILE", value_parser = super::weights_file)]
    start: Option<WeightsFile>,

    /// Write the fitted weights here
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Go on with the fit in this file, or begin it: a line for each epoch
    #[arg(long, value_name = "FILE")]
    resume: Option<PathBuf>,

    /// Print the fitted weights as source of the built-in ones
    #[arg(long)]
    source: bool,

    /// Most epochs
    #[arg(long, default_value_t = 100, value_name = "N")]
    epochs: u32,

    /// Epochs without gain after which to stop
    #[arg(long, default_value_t = 5, value_name = "N")]
    patience: u32,

    /// Share of the games that is held out, in 0..1
    #[arg(long, default_value_t = 0.1, value_name = "SHARE")]
    held_out: f64,

    /// Share of the game's result in what a position should be judged as, in 0..=1; the rest is the search's expected score
    #[arg(long, default_value_t = 1.0, value_name = "SHARE")]
    result_share: f32,

    /// Step of the first epoch, in logits
    #[arg(long, default_value_t = 0.01, value_name = "RATE")]
    learning_rate: f64,

    /// Positions between two steps
    #[arg(long, default_value_t = 1024, value_name = "N")]
    batch: usize,

    /// Pull towards the weights of the start
    #[arg(long, default_value_t = 1e-5, value_name = "STRENGTH")]
    pull: f64,

    /// Decides which games are held out, and the order of the positions
    #[arg(long, default_value_t = 1, value_name = "N")]
    seed: u64,
}

pub(super) fn run(args: Args) -> anyhow::Result<Exit> {
    check(&args)?;
    match LearnedGame::of_all(&args.files)? {
        LearnedGame::Contest => tune::<Contest>(&args),
        LearnedGame::Standard => tune::<Wide>(&args),
    }
}

fn tune<R: FiledGame + LinearGame>(args: &Args) -> anyhow::Result<Exit> {
    let start = match &args.start {
        Some(file) => match R::in_file(file).map_err(super::other_game)? {
            Some(weights) => weights.clone(),
            None => bail!(UsageError::new(format!(
                "{file} is a network; this fits the weights of a weighted sum"
            ))),
        },
        None => R::Weights::default(),
    };
    let mut sets = TrainingSets::<R>::new(Targets {
        result_share: args.result_share,
        held_out_share: args.held_out,
        seed: args.seed,
    });
    for_each_position(&args.files, |file, labelled| {
        sets.push(file, &labelled);
        Ok(())
    })?;
    if sets.training.is_empty() || sets.held_out.is_empty() {
        bail!(
            "too few games: {} positions to fit to, {} held out",
            sets.training.len(),
            sets.held_out.len()
        );
    }
    eprintln!(
        "{} positions to fit to, {} held out",
        sets.training.len(),
        sets.held_out.len()
    );
    let settings = FitSettings {
        version: FitSettings::VERSION,
        data: sets.fingerprint(),
        start: R::values(&start).to_vec(),
        seed: args.seed,
        learning_rate: args.learning_rate,
        batch: args.batch,
        pull: args.pull,
    };
    let (mut journal, earlier) = open_journal(args.resume.as_deref(), &settings)?;
    let stop = stop_flag()?;
    let going_on = |fit: &Fit| {
        fit.epochs_without_gain() < args.patience
            && fit.epochs.last().map_or(0, |last| last.number) < args.epochs
    };
    let fit = if earlier.is_empty() || going_on(&Fit::after(&sets, &settings, earlier.clone())) {
        fit_weights(&sets, &settings, earlier, |fit| {
            if let (Some(journal), Some(epoch)) = (&mut journal, fit.epochs.last()) {
                journal.append(epoch)?;
            }
            report(fit);
            Ok::<_, JournalError>(going_on(fit) && !stop.load(Ordering::Relaxed))
        })
        .context("cannot write the fit")?
    } else {
        Fit::after(&sets, &settings, earlier)
    };
    write_weights::<R>(args, &fit)?;
    Ok(if stop.load(Ordering::Relaxed) {
        Exit::Interrupted
    } else {
        Exit::Success
    })
}

fn check(args: &Args) -> anyhow::Result<()> {
    if !(0.0..=1.0).contains(&args.result_share) {
        bail!(UsageError::new(format!(
            "--result-share {} is not in 0..=1",
            args.result_share
        )));
    }
    if !(args.held_out > 0.0 && args.held_out < 1.0) {
        bail!(UsageError::new(format!(
            "--held-out {} is not between 0 and 1",
            args.held_out
        )));
    }
    if !(args.learning_rate > 0.0 && args.learning_rate.is_finite()) {
        bail!(UsageError::new(format!(
            "--learning-rate {} is not positive",
            args.learning_rate
        )));
    }
    if !(args.pull >= 0.0 && args.pull.is_finite()) {
        bail!(UsageError::new(format!("--pull {} is negative", args.pull)));
    }
    if args.batch == 0 {
        bail!(UsageError::new("--batch 0 fits nothing"));
    }
    Ok(())
}

type FitJournal = Journal<FitSettings, Epoch>;

fn open_journal(
    path: Option<&Path>,
    settings: &FitSettings,
) -> anyhow::Result<(Option<FitJournal>, Vec<Epoch>)> {
    let Some(path) = path else {
        return Ok((None, Vec::new()));
    };
    let (journal, epochs) = FitJournal::resume(path, settings)
        .with_context(|| format!("cannot use {}", path.display()))?;
    Ok((Some(journal), epochs))
}

fn report(fit: &Fit) {
    let Some(epoch) = fit.epochs.last() else {
        return;
    };
    eprintln!(
        "epoch {:3}  training loss {:.5}  held out {:.5} ({:+.5})",
        epoch.number,
        epoch.training_loss,
        epoch.held_out_loss,
        epoch.held_out_loss - fit.loss_at_start,
    );
}

fn write_weights<R: LinearGame>(args: &Args, fit: &Fit) -> anyhow::Result<()> {
    let Some(best) = fit.best() else {
        bail!(
            "no epoch was better than the start on the held-out games (loss {:.5})",
            fit.loss_at_start
        );
    };
    eprintln!(
        "best: epoch {}, held-out loss {:.5}, {:.5} at the start",
        best.number, best.held_out_loss, fit.loss_at_start
    );
    let weights = best.weights::<R>();
    let text = format!(
        "# fitted by wabe tune: epoch {}, held-out loss {:.5}, {:.5} at the start\n{weights}",
        best.number, best.held_out_loss, fit.loss_at_start
    );
    let mut out = std::io::stdout().lock();
    match &args.output {
        Some(path) => std::fs::write(path, text)
            .with_context(|| format!("cannot write {}", path.display()))?,
        None if !args.source => out.write_all(text.as_bytes())?,
        None => {}
    }
    if args.source {
        out.write_all(R::as_source(&weights).as_bytes())?;
    }
    Ok(())
}
