//! `wabe analyze`: what a search thinks of a position or of a recorded game.

use std::io::{IsTerminal, Write};
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, bail};

use super::game_file::GameFile;
use super::{Exit, evaluator, weights_file};
use crate::analysis::{Analyst, ReviewedPly};
use crate::hive::contest::Position;
use crate::replay::Replay;
use crate::search::{DEFAULT_MEMORY_MIB, Limits, WeightsFile};
use crate::view::terminal::Line;

/// Time for a position if nothing else is said.
const DEFAULT_TIME: Duration = Duration::from_millis(1800);

/// Time for each position of a whole game if nothing else is said.
const DEFAULT_REVIEW_TIME: Duration = Duration::from_millis(300);

/// Show the best moves of a position, or what each move of a recorded game gave away
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// A position in its text form (in quotes), or a file with one or with a recorded game (.xml or .xml.gz)
    #[arg(value_name = "POSITION|FILE")]
    subject: String,

    /// Of a recorded game, look only at the position after N plies
    #[arg(long, value_name = "N")]
    ply: Option<u16>,

    /// Time for each position, in milliseconds [default: 1800, for a whole game 300]
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u64).range(1..))]
    time: Option<u64>,

    /// Search iterations for each position
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,

    /// How many moves to show: the best ones, or of a whole game those that lost most
    #[arg(long, default_value_t = 5, value_name = "K", value_parser = clap::value_parser!(u16).range(1..))]
    lines: u16,

    /// Memory for the search tree, in MiB
    #[arg(long, default_value_t = DEFAULT_MEMORY_MIB, value_name = "MIB")]
    memory: usize,

    /// Weights of the evaluation in place of the built-in ones
    #[arg(long, value_name = "FILE", value_parser = weights_file)]
    weights: Option<WeightsFile>,
}

impl Args {
    fn analyst(&self, default_time: Duration) -> Analyst {
        let time = self.time.map(Duration::from_millis);
        let limits = match (time, self.nodes) {
            (None, None) => Limits::Time(default_time),
            (time, nodes) => Limits::from_parts(time, nodes),
        };
        Analyst::new(evaluator(self.weights.as_ref()), limits, self.memory)
    }
}

pub(super) fn run(args: Args) -> anyhow::Result<Exit> {
    match subject(&args.subject)? {
        GameFile::Position(_) if args.ply.is_some() => {
            bail!("--ply chooses a position of a recorded game; this is a single position")
        }
        GameFile::Position(position) => show_position(&args, &position),
        GameFile::Recording(replay) => {
            if let Some(damage) = &replay.damage {
                eprintln!(
                    "wabe: {} is damaged: {damage}; {} positions could be read",
                    args.subject,
                    replay.plies.len()
                );
            }
            match args.ply {
                Some(turn) => {
                    let ply = replay.at_turn(turn).with_context(|| {
                        format!("{} has no position after {turn} plies", args.subject)
                    })?;
                    show_position(&args, &ply.position)
                }
                None => show_review(&args, &replay),
            }
        }
    }
}

fn subject(text: &str) -> anyhow::Result<GameFile> {
    let path = Path::new(text);
    if path.exists() {
        return GameFile::read(path);
    }
    match text.parse() {
        Ok(position) => Ok(GameFile::Position(position)),
        Err(error) if text.contains(' ') => bail!("`{text}` is not a position: {error}"),
        Err(_) => bail!("there is no file `{text}`"),
    }
}

fn show_position(args: &Args, position: &Position) -> anyhow::Result<Exit> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{position}")?;
    if let Some(outcome) = position.outcome() {
        writeln!(out, "{outcome}")?;
        return Ok(Exit::Success);
    }
    let analysis = args
        .analyst(DEFAULT_TIME)
        .analyze(position, args.lines.into());
    writeln!(
        out,
        "{} to move, {} iterations",
        position.side_to_move(),
        analysis.nodes
    )?;
    write!(out, "{analysis}")?;
    Ok(Exit::Success)
}

fn show_review(args: &Args, replay: &Replay) -> anyhow::Result<Exit> {
    let show_progress = std::io::stderr().is_terminal();
    let reviewed = args
        .analyst(DEFAULT_REVIEW_TIME)
        .review(replay, |done, all| {
            if show_progress {
                eprint!("\rposition {} of {all} ", done + 1);
            }
        });
    if show_progress {
        eprintln!();
    }
    let mut out = std::io::stdout().lock();
    let names = &replay.names;
    // Through a line, so that names cannot do things to the terminal.
    let players = Line::from(format!("{} (red) against {} (blue)", names.red, names.blue));
    writeln!(out, "{players}")?;
    writeln!(out, "ply  played             red    gave away  better")?;
    for ply in &reviewed {
        writeln!(out, "{}", row(ply))?;
    }
    if let Some(outcome) = replay.last().position.outcome() {
        writeln!(out, "{outcome}")?;
    }
    let mut worst: Vec<&ReviewedPly> = reviewed.iter().filter(|ply| ply.loss > 0.0).collect();
    worst.sort_by(|a, b| b.loss.total_cmp(&a.loss));
    writeln!(out, "\nmoves that gave away most:")?;
    for ply in worst.into_iter().take(args.lines.into()) {
        writeln!(out, "{} ({})", row(ply), ply.mover())?;
    }
    Ok(match replay.damage {
        None => Exit::Success,
        Some(_) => Exit::Failure,
    })
}

fn row(ply: &ReviewedPly) -> String {
    let score = match ply.red_proof {
        Some(proof) => proof.to_string(),
        None => format!("{:.1}%", 100.0 * ply.red_score),
    };
    let better = if ply.best == ply.played {
        String::new()
    } else {
        ply.best.to_string()
    };
    let played = ply.played.to_string();
    let row = format!(
        "{:3}  {played:17}  {score:>6}  {:8.1}%  {better}",
        ply.turn + 1,
        100.0 * ply.loss
    );
    row.trim_end().to_owned()
}
