//! `wabe spsa`: tunes search parameters by playing games.

mod parameter;

use std::io::Write;
use std::path::PathBuf;

use anyhow::{Context, bail};
use serde::{Deserialize, Serialize};

use super::outputs::cannot_write;
use super::progress::Progress;
use super::signals::stop_flag;
use crate::errors::{UsageError, ignore_broken_pipe};
use crate::exit::Exit;
use crate::tools::available_cores;
use crate::values::at_least_one;
use wabe_arena::ArenaGame;
use wabe_arena::journal_file::Journal;
use wabe_arena::tuning::{Spsa, SpsaGames, SpsaParameter, SpsaStep};
use wabe_arena::{EnginePlayer, EngineSpec, OpeningSettings};
use wabe_engine::search::{Params, PlayerKind, PlayerSpec};
use wabe_records::games::GameName;
use wabe_records::with_game;

/// Tune search parameters by playing games
///
/// Each iteration perturbs all parameters at random, plays colour-swapped pairs between the two
/// opposite settings, and moves all parameters towards the winner (SPSA). Prints the tuned values
/// as engine options and as source code.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Parameter, e.g. `"exploration start=0.5 step=0.1"` (repeatable)
    ///
    /// start is the first value [default: the engine's], min and max its range [default: the
    /// search's], step the perturbation in the last iteration [default: a fifth of start].
    #[arg(long = "param", value_name = "NAME [OPTIONS]", required = true)]
    parameters: Vec<String>,

    /// Engine to tune, with nodes or time per move
    #[arg(long, default_value = "mcts:nodes=400", value_name = "SPEC")]
    engine: EngineSpec,

    /// Number of iterations
    #[arg(long, default_value_t = 200, value_name = "N", value_parser = at_least_one::<u32>)]
    iterations: u32,

    /// Pairs of games per iteration, ideally a multiple of cores
    #[arg(long, default_value_t = 4, value_name = "N", value_parser = at_least_one::<u64>)]
    pairs: u64,

    /// Random seed for perturbations, openings and engines
    #[arg(long, default_value_t = 1, value_name = "N")]
    seed: u64,

    #[arg(long, default_value_t, value_name = "GAME", help = GameName::help())]
    game: GameName,

    #[arg(long, value_name = "N", help = wabe_arena::opening_plies_help())]
    random_plies: Option<u16>,

    /// Results file to start or to resume from
    #[arg(long, value_name = "FILE")]
    results: Option<PathBuf>,
}

/// Step size in the last iteration, in perturbations per net win.
const RATE: f64 = 0.05;

/// Everything that determines the games of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SpsaSettings {
    /// Version of the file format.
    version: u32,
    /// Text form of the player.
    engine: String,
    /// Variant of the game.
    game: String,
    pairs: u64,
    openings: OpeningSettings,
    #[serde(flatten)]
    spsa: Spsa,
}

impl SpsaSettings {
    const VERSION: u32 = 4;
}

type SpsaJournal = Journal<SpsaSettings, SpsaStep>;

pub(super) fn run(args: Args) -> anyhow::Result<Exit> {
    with_game!(args.game, |G, variant| tune::<G>(args, variant))
}

fn tune<G: ArenaGame>(args: Args, variant: G::Variant) -> anyhow::Result<Exit> {
    let player = tunable(&args.engine)?;
    let settings = settings::<G>(&args, variant, &player)?;
    let (mut journal, mut steps) = match &args.results {
        Some(path) => {
            let context = || format!("cannot use {}", path.display());
            let (journal, steps) = SpsaJournal::resume(path, &settings).with_context(context)?;
            (Some((journal, path)), steps)
        }
        None => (None, Vec::new()),
    };
    let spsa = &settings.spsa;
    let is_whole = |(number, step): (u32, &SpsaStep)| {
        step.iteration == number && step.values.len() == spsa.parameters.len()
    };
    if let (Some((_, path)), false) = (&journal, (1..).zip(&steps).all(is_whole)) {
        bail!("{}: iterations are missing", path.display());
    }
    let games = SpsaGames::<G> {
        variant,
        player,
        pairs: settings.pairs,
        openings: settings.openings,
        concurrency: available_cores(),
    };
    let stop = stop_flag()?;
    let done = steps.len() as u64;
    let progress = Progress::new(false, "iterations", args.iterations.into(), done);
    while let Some((iteration, values)) = spsa.following(steps.last()) {
        let trial = spsa.trial(iteration, &values);
        let Some(balance) = games.play(iteration, &spsa.parameters, &trial, &stop)? else {
            break;
        };
        let step = spsa.step(iteration, &values, &trial, balance);
        if let Some((journal, path)) = &mut journal {
            journal.append(&step).with_context(|| cannot_write(path))?;
        }
        let values = || step_values(&step, spsa);
        progress.advance(1, values, || {
            let all = spsa.iterations;
            format!(
                "iteration {iteration} of {all}: {}balance {balance:+}",
                values()
            )
        });
        steps.push(step);
    }
    progress.finish(None);
    let text = tuned(&games, spsa, steps.last());
    ignore_broken_pipe(write!(std::io::stdout().lock(), "{text}").map_err(Into::into))?;
    Ok(match spsa.following(steps.last()) {
        Some(_) => stop.signal().into(),
        None => Exit::Success,
    })
}

/// Parameter values after an iteration, each followed by a comma.
fn step_values(step: &SpsaStep, spsa: &Spsa) -> String {
    let values = spsa.parameters.iter().zip(&step.values);
    values
        .map(|(parameter, value)| format!("{} {value:.4}, ", parameter.name))
        .collect()
}

/// Returns the player of an engine, which must be a search that can be tuned.
fn tunable(engine: &EngineSpec) -> Result<PlayerSpec, UsageError> {
    match &engine.player {
        EnginePlayer::BuiltIn(player)
            if player.kind == PlayerKind::Mcts
                && (player.nodes.is_some() || player.move_time.is_some()) =>
        {
            Ok(player.clone())
        }
        _ => Err(UsageError::new(
            "expected the built-in search with a node or time limit: --engine mcts:nodes=400",
        )),
    }
}

fn settings<G: ArenaGame>(
    args: &Args,
    variant: G::Variant,
    player: &PlayerSpec,
) -> Result<SpsaSettings, UsageError> {
    let mut parameters: Vec<SpsaParameter> = Vec::new();
    for text in &args.parameters {
        let parameter = parameter::parse(text, &player.params.apply_to(Params::for_game::<G>()))
            .map_err(|error| UsageError::new(format!("--param {error}")))?;
        let name = &parameter.name;
        if parameters.iter().any(|other| other.name == *name) {
            return Err(UsageError::new(format!("--param {name} is given twice")));
        }
        parameters.push(parameter);
    }
    Ok(SpsaSettings {
        version: SpsaSettings::VERSION,
        engine: player.to_string(),
        game: variant.to_string(),
        pairs: args.pairs,
        openings: OpeningSettings {
            seed: args.seed,
            plies: args.random_plies.unwrap_or(G::OPENING_PLIES),
        },
        spsa: Spsa {
            parameters,
            iterations: args.iterations,
            rate: RATE,
            seed: args.seed,
        },
    })
}

/// Formats the results after the last step: games played, values, engine options and source lines.
fn tuned<G: ArenaGame>(games: &SpsaGames<G>, spsa: &Spsa, last: Option<&SpsaStep>) -> String {
    let done = last.map_or(0, |step| step.iteration);
    let values = last.map_or_else(|| spsa.start(), |step| step.values.clone());
    let (iterations, played) = (
        spsa.iterations,
        games.pairs.saturating_mul(2 * u64::from(done)),
    );
    let mut text = format!("{done} of {iterations} iterations, {played} games\n");
    let rounded: Vec<f32> = (spsa.parameters.iter().zip(values))
        .map(|(parameter, value)| parameter::rounded(parameter, value))
        .collect();
    for (parameter, value) in spsa.parameters.iter().zip(&rounded) {
        let start = parameter.start as f32;
        text += &format!("{:<18} {start} -> {value}\n", parameter.name);
    }
    let values: Vec<f64> = rounded.iter().copied().map(f64::from).collect();
    if let Ok(player) = games.player_with(&spsa.parameters, &values) {
        text += &format!("engine   {player}\n");
    }
    for (parameter, &value) in spsa.parameters.iter().zip(&rounded) {
        if let Some(source) = parameter::as_source(&parameter.name, value) {
            text += &format!("source   {source}\n");
        }
    }
    text
}
