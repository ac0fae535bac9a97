//! `wabe train`: trains the evaluation network on self-play games.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, bail};

use super::outputs::{cannot_write, check_different, check_output, write_file};
use super::signals::{StopFlag, stop_flag};
use super::training_files::{for_each_game, game_of};
use crate::exit::Exit;
use crate::values::{at_least_one, number, positive, share_inside};
use wabe_arena::ArenaGame;
use wabe_arena::tuning::{
    ExampleSets, NetworkTraining, PHASE_PLIES, PHASES, PolicySamples, PolicyTraining, Targets,
    Training, ValidationLosses,
};
use wabe_engine::evaluation::{Network, NetworkFile};
use wabe_records::games::GameName;
use wabe_records::with_game;

/// Train the evaluation network
///
/// Reads files of `wabe selfplay` and keeps a validation set. After each epoch, writes the network
/// with the lowest validation loss, so that Ctrl-C loses at most one epoch. If the files contain
/// visit counts, also trains a policy after the last epoch; an interrupted policy starts again. The
/// same files and options give the same network.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Files of `wabe selfplay`
    #[arg(required_unless_present = "first", conflicts_with = "first")]
    files: Vec<PathBuf>,

    /// Write an untrained network for this game
    ///
    /// It counts pieces in hand and free fields around queens.
    #[arg(long, value_name = "GAME", conflicts_with_all = ["result_share", "validation_share", "units", "epochs", "batch_size", "learning_rate", "weight_decay", "seed"])]
    first: Option<GameName>,

    /// Network file to write
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,

    /// Train only the policy of this network
    #[arg(long, value_name = "FILE", conflicts_with_all = ["first", "resume", "units", "epochs", "batch_size", "learning_rate", "weight_decay", "result_share"])]
    policy_of: Option<NetworkFile>,

    /// State file, saved after each epoch and resumed from
    #[arg(long, value_name = "FILE", conflicts_with = "first")]
    resume: Option<PathBuf>,

    /// Weight of the result against the search score, 0 to 1
    #[arg(long, default_value_t = 0.5, value_name = "SHARE", value_parser = share)]
    result_share: f32,

    /// Share of games in the validation set, between 0 and 1
    #[arg(long, default_value_t = 0.05, value_name = "SHARE", value_parser = share_inside)]
    validation_share: f64,

    /// Hidden units, 128 or 256 [default: those of the built-in network]
    #[arg(long, value_name = "N", value_parser = units)]
    units: Option<usize>,

    /// Passes over all positions
    #[arg(long, default_value_t = 40, value_name = "N", value_parser = at_least_one::<u32>)]
    epochs: u32,

    /// Batch size, in positions
    #[arg(long, default_value_t = 1024, value_name = "N", value_parser = at_least_one::<usize>)]
    batch_size: usize,

    /// Initial learning rate
    #[arg(long, default_value_t = 0.002, value_name = "RATE", value_parser = positive::<f32>)]
    learning_rate: f32,

    /// Weight decay
    #[arg(long, default_value_t = 0.01, value_name = "DECAY", value_parser = weight_decay)]
    weight_decay: f32,

    /// Random seed for weights, order and validation set
    #[arg(long, default_value_t = 1, value_name = "N")]
    seed: u64,
}

pub(super) fn run(args: Args) -> anyhow::Result<Exit> {
    let game = match args.first {
        Some(game) => game,
        None => game_of(&args.files)?,
    };
    with_game!(game, |G, _variant| train::<G>(&args))
}

/// Maximum size of a training state, in bytes.
const MAX_STATE: u64 = 256 << 20;

fn share(text: &str) -> Result<f32, String> {
    let holds = |share: &f32| (0.0..=1.0).contains(share);
    number(text, holds, "a share from 0 to 1")
}

fn units(text: &str) -> Result<usize, String> {
    number(text, |units| [128, 256].contains(units), "128 or 256")
}

fn weight_decay(text: &str) -> Result<f32, String> {
    let holds = |&decay: &f32| decay >= 0.0 && decay.is_finite();
    number(text, holds, "a number from 0")
}

/// Checks that all outputs can be written and do not overwrite an input.
fn check_paths(args: &Args) -> anyhow::Result<()> {
    let written = [Some(&*args.output), args.resume.as_deref()];
    for path in written.into_iter().flatten() {
        let files = args.files.iter().map(PathBuf::as_path);
        let files = files.chain(args.policy_of.as_ref().map(NetworkFile::path));
        check_output(path, files)?;
    }
    check_different(
        ("--output", Some(&args.output)),
        ("--resume", args.resume.as_deref()),
    )
}

/// Locks the training state, because two runs would overwrite each other's work. Locks a file next
/// to it, since the state itself is replaced after each epoch.
fn lock_state(args: &Args) -> anyhow::Result<Option<File>> {
    let Some(state) = &args.resume else {
        return Ok(None);
    };
    let mut path = state.clone().into_os_string();
    path.push(".lock");
    let lock = (File::options().create(true).truncate(false).write(true)).open(&path);
    let lock = lock.with_context(|| cannot_write(Path::new(&path)))?;
    wabe_files::lock(&lock).with_context(|| cannot_write(state))?;
    Ok(Some(lock))
}

fn train<G: ArenaGame>(args: &Args) -> anyhow::Result<Exit> {
    if args.first.is_some() {
        write_file(&args.output, Network::first::<G>().to_bytes())?;
        return Ok(Exit::Success);
    }
    check_paths(args)?;
    let _lock = lock_state(args)?;
    let stop = stop_flag()?;
    if let Some(file) = &args.policy_of {
        let check = file.network().check::<G>();
        check.with_context(|| file.path().display().to_string())?;
        let (samples, is_complete) = policy_samples::<G>(args, &stop)?;
        train_policy(args, Arc::clone(file.network()), samples, &stop)?;
        return Ok(finish(args, &stop, is_complete));
    }
    let (sets, has_visits, is_complete) = examples::<G>(args, &stop)?;
    if stop.is_set() {
        return Ok(finish(args, &stop, is_complete));
    }
    if sets.training.is_empty() || sets.validation.is_empty() {
        bail!(
            "too few games: {} training positions, {} validation positions; play more games, or \
             raise --validation-share",
            sets.training.len(),
            sets.validation.len()
        );
    }
    eprintln!(
        "{} training positions, {} validation positions",
        sets.training.len(),
        sets.validation.len()
    );
    let settings = NetworkTraining {
        units: args.units.unwrap_or_else(|| G::built_in().hidden_units()),
        epochs: args.epochs,
        batch: args.batch_size,
        learning_rate: args.learning_rate,
        decay: args.weight_decay,
        seed: args.seed,
    };
    let mut training = Training::new(&sets, settings);
    if let Some(path) = &args.resume
        && path.exists()
    {
        let bytes = wabe_files::read(path, MAX_STATE)
            .with_context(|| format!("cannot read {}", path.display()))?;
        if !training.resume(&bytes) {
            bail!(
                "{} is damaged, or belongs to a training with other files or options, such as --epochs",
                path.display()
            );
        }
        // Only the policy may be left to train.
        if !(training.is_over() && has_visits) {
            keep_best(&training, &args.output)?;
        }
    }
    while !training.is_over() && !stop.is_set() {
        let epoch = training.epoch(&sets)?;
        let validation = epoch.validation;
        eprintln!(
            "epoch {:3}  training loss {:.5}  validation loss {:.5}, squared error on results {:.5}",
            epoch.number, epoch.training_loss, validation.target, validation.squared_error
        );
        eprintln!("           {}", by_phase(&validation));
        // Epochs are long: an interruption must not lose more than one.
        keep_best(&training, &args.output)?;
        if let Some(path) = &args.resume {
            write_file(path, training.to_bytes())?;
        }
    }
    if let (true, Some(network)) = (has_visits, training.best()) {
        let (samples, _) = policy_samples::<G>(args, &stop)?;
        train_policy::<G>(args, network.clone().into(), samples, &stop)?;
    }
    Ok(finish(args, &stop, is_complete))
}

/// Reports the end of the training. Returns the exit code, which is 1 after a damaged file.
fn finish(args: &Args, stop: &StopFlag, is_complete: bool) -> Exit {
    let Some(exit) = stop.exit() else {
        eprintln!("training finished");
        return Exit::success_if(is_complete);
    };
    let next = if args.resume.is_some() {
        "the same command continues"
    } else {
        "the same command starts again"
    };
    eprintln!("wabe: {}; {next}", stop.signal());
    exit
}

/// Maximum number of policy samples: about a gigabyte at 60 moves per sample.
const MAX_SAMPLES: usize = 400_000;

/// Collects the positions with visits from all files. Returns `false` if a file was damaged.
fn policy_samples<G: ArenaGame>(
    args: &Args,
    stop: &StopFlag,
) -> anyhow::Result<(PolicySamples<G>, bool)> {
    let mut samples = PolicySamples::new(targets(args), MAX_SAMPLES);
    let is_complete = for_each_game(&args.files, stop, |file, game| {
        for labelled in game.positions() {
            samples.offer(file, labelled);
        }
        Ok(())
    })?;
    Ok((samples, is_complete))
}

/// Trains a policy, and writes the network after each epoch.
fn train_policy<G: ArenaGame>(
    args: &Args,
    network: Arc<Network>,
    samples: PolicySamples<G>,
    stop: &StopFlag,
) -> anyhow::Result<()> {
    if stop.is_set() {
        return Ok(());
    }
    let mut training = PolicyTraining::new(network, samples)?;
    let (training_count, validation_count) = training.sizes();
    if training_count == 0 || validation_count == 0 {
        bail!(
            "too few games with visits: {training_count} training positions, {validation_count} validation positions"
        );
    }
    let (without, lowest) = training.bounds();
    eprintln!(
        "policy: {training_count} training positions, {validation_count} validation positions; loss {without:.5} without a policy, {lowest:.5} at best"
    );
    while !training.is_over() && !stop.is_set() {
        let epoch = training.epoch();
        eprintln!(
            "policy {:2}  training loss {:.5}  validation loss {:.5}",
            epoch.number, epoch.training_loss, epoch.validation_loss
        );
        write_file(&args.output, training.network().to_bytes())?;
    }
    Ok(())
}

fn targets(args: &Args) -> Targets {
    Targets {
        result_share: args.result_share,
        validation_share: args.validation_share,
        seed: args.seed,
    }
}

fn keep_best<G: ArenaGame>(training: &Training<G>, output: &Path) -> anyhow::Result<()> {
    match training.best() {
        Some(network) => write_file(output, network.to_bytes()),
        None => Ok(()),
    }
}

/// Reads the examples of all files. Also returns whether some contain visits, and `false` if a file
/// was damaged.
fn examples<G: ArenaGame>(
    args: &Args,
    stop: &StopFlag,
) -> anyhow::Result<(ExampleSets<G>, bool, bool)> {
    let folder = match args.output.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let no_room = || format!("cannot write training examples to {}", folder.display());
    let mut sets = ExampleSets::new(folder, targets(args)).with_context(no_room)?;
    let mut has_visits = false;
    let is_complete = for_each_game(&args.files, stop, |file, game| {
        for labelled in game.positions() {
            has_visits |= !labelled.label.visits.is_empty();
            sets.push(file, &labelled).with_context(no_room)?;
        }
        Ok(())
    })?;
    sets.finish().with_context(no_room)?;
    Ok((sets, has_visits, is_complete))
}

/// Formats the validation losses of the game phases, with their plies.
fn by_phase(validation: &ValidationLosses) -> String {
    let phase = |(number, loss): (usize, Option<f64>)| {
        let from = number * PHASE_PLIES;
        let plies = if number + 1 < PHASES {
            format!("plies {from} to {}", from + PHASE_PLIES - 1)
        } else {
            format!("plies from {from}")
        };
        Some(format!("{plies} {:.5}", loss?))
    };
    let phases = validation.by_phase.into_iter().enumerate();
    phases.filter_map(phase).collect::<Vec<_>>().join(", ")
}
