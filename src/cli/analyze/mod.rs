//! `wabe analyze`: what a search thinks of a position or of a recorded game.

mod position;
mod review;

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, bail};

use super::game_file::GameFile;
use super::{Exit, UsageError, evaluator, other_game, weights_file};
use crate::analysis::{Analyst, ContestNotation};
use crate::hive::contest::{Contest, Position};
use crate::hive::standard::Wide;
use crate::hive::standard::notation::{Game, Repetition};
use crate::replay::{Album, Recording, Replay, StandardReplay};
use crate::search::{
    ContestEvaluator, DEFAULT_MEMORY_MIB, Limits, Params, StandardEvaluator, WeightsFile,
    standard_params,
};
use position::Asked;
use review::Recorded;

/// Time for a position if nothing else is said.
const DEFAULT_TIME: Duration = Duration::from_millis(1800);

/// Time for each position of a whole game if nothing else is said.
const DEFAULT_REVIEW_TIME: Duration = Duration::from_millis(300);

/// Show the best moves of a position, or what each move of a recorded game gave away
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// A position of the contest or a game string of standard Hive, of which the last position is meant (in quotes); or a file with a
    /// position, or with a recorded game of either, in any form that `wabe replay` reads
    #[arg(value_name = "POSITION|FILE")]
    subject: PathBuf,

    /// Of a recorded game, look only at the position after N plies
    #[arg(long, value_name = "N")]
    ply: Option<u16>,

    /// Time for each position, in milliseconds [default: 1800, for a whole game 300]; of a whole game, two positions are searched
    /// for each move: the one before it and the one after the best other move
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u64).range(1..))]
    time: Option<u64>,

    /// Search iterations for each position
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,

    /// How many moves to show: the best ones, or of a whole game those that lost most
    #[arg(long, default_value_t = 5, value_name = "K", value_parser = clap::value_parser!(u16).range(1..))]
    lines: u16,

    /// Draw the upper part of the search tree of a position into a file, as an SVG
    #[arg(long, value_name = "FILE")]
    tree: Option<PathBuf>,

    /// Memory for the search tree, in MiB
    #[arg(long, default_value_t = DEFAULT_MEMORY_MIB, value_name = "MIB")]
    memory: usize,

    /// Weights of the evaluation in place of the built-in ones
    #[arg(long, value_name = "FILE", value_parser = weights_file)]
    weights: Option<WeightsFile>,
}

impl Args {
    fn limits(&self, default_time: Duration) -> Limits {
        let time = self.time.map(Duration::from_millis);
        match (time, self.nodes) {
            (None, None) => Limits::Time(default_time),
            (time, nodes) => Limits::from_parts(time, nodes),
        }
    }

    fn contest(&self, limits: Limits, memory_mib: usize) -> AnalystOr<Contest, ContestEvaluator> {
        let evaluator = evaluator(self.weights.as_ref())?;
        Ok(Analyst::new(
            evaluator,
            Params::default(),
            limits,
            memory_mib,
        ))
    }

    fn standard(&self, limits: Limits, memory_mib: usize) -> AnalystOr<Wide, StandardEvaluator> {
        let evaluator = match &self.weights {
            Some(file) => StandardEvaluator::new(file.standard().map_err(other_game)?),
            None => StandardEvaluator::default(),
        };
        Ok(Analyst::new(
            evaluator,
            standard_params(),
            limits,
            memory_mib,
        ))
    }
}

/// An analyst, unless the weights are another game's.
type AnalystOr<R, E> = Result<Analyst<R, E>, UsageError>;

pub(super) fn run(args: Args) -> anyhow::Result<Exit> {
    let subject = GameFile::named(&args.subject)?;
    subject.warn(&args.subject);
    if args.ply.is_none() && args.tree.is_some() && matches!(subject, GameFile::Recording(_)) {
        bail!("--tree draws the search of one position; --ply chooses one");
    }
    match subject {
        GameFile::Position(_) if args.ply.is_some() => {
            bail!("--ply chooses a position of a recorded game; this is a single position")
        }
        GameFile::Position(position) => contest_position(&args, &position),
        GameFile::GameString(replay) => match args.ply {
            Some(turn) => standard_ply(&args, &replay, turn),
            None if replay.damage.is_some() => Ok(Exit::Failure),
            None => standard_position(&args, &replay.game),
        },
        GameFile::Recording(recording) => match (&recording, args.ply) {
            (Recording::Contest(replay), Some(turn)) => {
                let ply = replay.at_turn(turn);
                let ply = ply.with_context(|| args.no_position(turn))?;
                contest_position(&args, &ply.position)
            }
            (Recording::Contest(replay), None) => contest_game(&args, replay),
            (Recording::Standard(replay), Some(turn)) => standard_ply(&args, replay, turn),
            (Recording::Standard(replay), None) => standard_game(&args, replay),
        },
    }
}

impl Args {
    fn no_position(&self, turn: u16) -> String {
        let name = self.subject.display();
        format!("{name} has no position after {turn} plies")
    }
}

fn contest_position(args: &Args, position: &Position) -> anyhow::Result<Exit> {
    let asked = Asked {
        position,
        notation: &ContestNotation,
        text: position.to_string(),
        ending: position.outcome().map(|outcome| outcome.to_string()),
    };
    let analyst = args.contest(args.limits(DEFAULT_TIME), args.memory)?;
    position::show(args, &asked, analyst)
}

fn contest_game(args: &Args, replay: &Replay) -> anyhow::Result<Exit> {
    let outcome = replay.last().position.outcome();
    let recorded = Recorded {
        players: Album::from(replay).players(),
        steps: replay.steps(),
        notation: ContestNotation,
        ending: outcome.map(|outcome| outcome.to_string()),
        is_damaged: replay.damage.is_some(),
    };
    let analyst = || args.contest(args.limits(DEFAULT_REVIEW_TIME), args.memory / 2);
    review::show(args, &recorded, [analyst()?, analyst()?])
}

fn standard_ply(args: &Args, replay: &StandardReplay, turn: u16) -> anyhow::Result<Exit> {
    let game = replay.after(turn.into());
    standard_position(args, &game.with_context(|| args.no_position(turn))?)
}

fn standard_position(args: &Args, game: &Game) -> anyhow::Result<Exit> {
    let ending = game.state().is_over();
    let asked = Asked {
        position: game.position(),
        notation: game,
        text: game.to_string(),
        ending: ending.then(|| Album::from(&StandardReplay::of_game(game.clone())).result),
    };
    let analyst = args.standard(args.limits(DEFAULT_TIME), args.memory)?;
    position::show(args, &asked, analyst)
}

fn standard_game(args: &Args, replay: &StandardReplay) -> anyhow::Result<Exit> {
    let album = Album::from(replay);
    let Some(start) = replay.after(0) else {
        bail!(args.no_position(0));
    };
    let mut notation = start;
    // Repetitions on the way did not end the game.
    notation.set_repetition(Repetition::Ignore);
    let recorded = Recorded {
        players: album.players(),
        steps: replay.steps(),
        notation,
        ending: replay.final_state().map(|_| album.result.clone()),
        is_damaged: replay.damage.is_some(),
    };
    let analyst = || args.standard(args.limits(DEFAULT_REVIEW_TIME), args.memory / 2);
    review::show(args, &recorded, [analyst()?, analyst()?])
}
