//! `wabe analyze`: what a search thinks of a position or of a recorded game.

use std::io::{IsTerminal, Write};
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, bail};

use super::game_file::{GameFile, warn_of};
use super::{Exit, UsageError, evaluator, weights_file};
use crate::analysis::{Analysis, Analyst, ReviewedPly, Reviewer, tree_picture};
use crate::hive::Color;
use crate::hive::contest::Position;
use crate::replay::{Recording, Replay};
use crate::search::{DEFAULT_MEMORY_MIB, Limits, WeightsFile};
use crate::view::terminal::Line;

/// Time for a position if nothing else is said.
const DEFAULT_TIME: Duration = Duration::from_millis(1800);

/// Time for each position of a whole game if nothing else is said.
const DEFAULT_REVIEW_TIME: Duration = Duration::from_millis(300);

/// How many moves of a position the picture of a tree shows at most, ply by ply.
const TREE_WIDTHS: [usize; 3] = [3, 2, 2];

/// Show the best moves of a position, or what each move of a recorded game gave away
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// A position in its text form (in quotes), or a file with one or with a recorded game (.xml or .xml.gz)
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
    fn analyst(&self, default_time: Duration, memory_mib: usize) -> Result<Analyst, UsageError> {
        let time = self.time.map(Duration::from_millis);
        let limits = match (time, self.nodes) {
            (None, None) => Limits::Time(default_time),
            (time, nodes) => Limits::from_parts(time, nodes),
        };
        let evaluator = evaluator(self.weights.as_ref())?;
        Ok(Analyst::new(evaluator, limits, memory_mib))
    }
}

pub(super) fn run(args: Args) -> anyhow::Result<Exit> {
    let subject = GameFile::named(&args.subject)?;
    if let GameFile::Recording(recording) = &subject {
        warn_of(recording, &args.subject);
    }
    match subject {
        GameFile::Position(_) if args.ply.is_some() => {
            bail!("--ply chooses a position of a recorded game; this is a single position")
        }
        GameFile::Position(position) => show_position(&args, &position),
        GameFile::Recording(Recording::Standard(_)) => {
            bail!("games of standard Hive cannot be analysed yet")
        }
        GameFile::Recording(Recording::Contest(replay)) => match args.ply {
            Some(turn) => {
                let ply = replay.at_turn(turn).with_context(|| {
                    format!(
                        "{} has no position after {turn} plies",
                        args.subject.display()
                    )
                })?;
                show_position(&args, &ply.position)
            }
            None if args.tree.is_some() => {
                bail!("--tree draws the search of one position; --ply chooses one")
            }
            None => show_review(&args, &replay),
        },
    }
}

fn show_position(args: &Args, position: &Position) -> anyhow::Result<Exit> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{position}")?;
    if let Some(outcome) = position.outcome() {
        writeln!(out, "{outcome}")?;
        return Ok(Exit::Success);
    }
    let mut analyst = args.analyst(DEFAULT_TIME, args.memory)?;
    let analysis = analyst.analyze(position, args.lines.into());
    if let Some(path) = &args.tree {
        let picture = tree_picture(&analysis.searched, &analyst.branches(&TREE_WIDTHS));
        std::fs::write(path, picture)
            .with_context(|| format!("cannot write {}", path.display()))?;
    }
    writeln!(out, "{}", heading(position.side_to_move(), &analysis))?;
    write!(out, "{analysis}")?;
    Ok(Exit::Success)
}

/// Who moves, how much was searched, and what the order of the moves is.
fn heading(side: Color, analysis: &Analysis) -> String {
    let searched = format!("{side} to move, {} iterations", analysis.nodes);
    match analysis.forced {
        0 => format!(
            "{searched}; scores are {side}'s; the first move is what wabe would play: a proven win, else the most visits"
        ),
        1 => format!("{searched} behind the only legal move; the score is {side}'s"),
        plies => format!("{searched} behind {plies} plies without a choice; the score is {side}'s"),
    }
}

fn show_review(args: &Args, replay: &Replay) -> anyhow::Result<Exit> {
    let show_progress = std::io::stderr().is_terminal();
    let analyst = || args.analyst(DEFAULT_REVIEW_TIME, args.memory / 2);
    let reviewed = Reviewer::new(analyst()?, analyst()?).review(replay, |done, all| {
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
    write!(out, "{}", table(&reviewed))?;
    if let Some(outcome) = replay.last().position.outcome() {
        writeln!(out, "{outcome}")?;
    }
    let mistakes = reviewed.iter().filter(|ply| ply.mistake.is_some());
    let mut worst: Vec<&ReviewedPly> = mistakes.collect();
    worst.sort_by(|a, b| b.loss().total_cmp(&a.loss()));
    writeln!(out, "\nmoves that gave away most:")?;
    for ply in worst.into_iter().take(args.lines.into()) {
        writeln!(out, "{} ({})", row(ply), ply.mover())?;
    }
    Ok(match replay.damage {
        None => Exit::Success,
        Some(_) => Exit::Failure,
    })
}

/// What the columns of the table say.
const COLUMNS: &str = "\
red        red's expected score after the move, by what came of it later: 100% is a win; win, draw and loss are certain
gave away  what the mover could expect less than with the better move; the score changes by this and by nothing else
better     the best other move, wherever something was given away
";

/// A line for each move, one for each position that no line before it tells of, and what the columns say.
fn table(reviewed: &[ReviewedPly]) -> String {
    let mut lines = vec![line("ply", "played", "red", "gave away", "better")];
    let mut last_turn = None;
    for ply in reviewed {
        if last_turn != Some(ply.turn) {
            lines.push(line(
                &ply.turn.to_string(),
                "",
                &ply.red_before.to_string(),
                "",
                "",
            ));
        }
        lines.push(row(ply));
        last_turn = Some(ply.turn + 1);
    }
    format!("{}\n{COLUMNS}", lines.join("\n"))
}

fn row(ply: &ReviewedPly) -> String {
    let (loss, better) = match ply.mistake {
        None => ("-".to_owned(), String::new()),
        Some(mistake) => (
            format!("{:.1}%", 100.0 * mistake.loss),
            mistake.better.to_string(),
        ),
    };
    line(
        &(ply.turn + 1).to_string(),
        &ply.played.to_string(),
        &ply.red_after.to_string(),
        &loss,
        &better,
    )
}

fn line(ply: &str, played: &str, red: &str, loss: &str, better: &str) -> String {
    let line = format!("{ply:>3}  {played:16}  {red:>6}  {loss:>9}  {better}");
    line.trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::{Mistake, Value};
    use crate::hive::contest::Move;
    use crate::search::Proof;

    fn ply(turn: u16, before: f64, after: Value, mistake: Option<Mistake>) -> ReviewedPly {
        ReviewedPly {
            turn,
            played: Move::Pass,
            red_before: Value::Expected(before),
            red_after: after,
            mistake,
        }
    }

    #[test]
    fn the_table_begins_with_the_score_before_the_first_move_and_ends_with_an_explanation() {
        let better = "drag -1,-2 -1,-1".parse().unwrap();
        let mistake = |loss| Some(Mistake { better, loss });
        let table = table(&[
            ply(0, 0.5, Value::Expected(0.25), mistake(0.25)),
            ply(1, 0.25, Value::Expected(0.25), None),
            // Plies are missing here.
            ply(4, 0.75, Value::Proven(Proof::Loss), mistake(0.75)),
        ]);
        let expected = "\
ply  played               red  gave away  better
  0                     50.0%
  1  skip               25.0%      25.0%  drag -1,-2 -1,-1
  2  skip               25.0%          -
  4                     75.0%
  5  skip                loss      75.0%  drag -1,-2 -1,-1
";
        assert_eq!(table, format!("{expected}{COLUMNS}"));
    }
}
