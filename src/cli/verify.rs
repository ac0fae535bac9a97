//! `wabe verify`: the rules against measured vectors.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow};

use super::{Exit, in_words, unless_unread};
use crate::game::Game;
use crate::games::{ForGame, GameName};
use crate::text::{NAME, printable};
use crate::verify::{Lines, Report, VerifyError, record_text};

/// Check vector files against the rules
///
/// A file, plain or gzipped, has a JSON object a line: `position`, a position or the game that leads to it, and any of `moves`, `result`
/// and `perft`; or a vector of the contest. All lines of a file are of one game.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Files with one JSON object a line
    #[arg(required = true)]
    files: Vec<PathBuf>,

    /// Number of disagreements to print in full, at most 1000
    #[arg(long, default_value_t = 5, value_name = "N")]
    show: usize,
}

pub(super) fn run(args: Args) -> anyhow::Result<Exit> {
    let mut exit = Exit::Success;
    for path in args.files {
        let report = match verify_file(&path) {
            Ok(report) => report,
            Err(error) => {
                eprintln!("wabe: {}", in_words(&error));
                exit = Exit::Failure;
                continue;
            }
        };
        if report.disagreeing > 0 {
            exit = Exit::Failure;
        }
        unless_unread(print(&path, &report, args.show).map_err(Into::into))?;
    }
    Ok(exit)
}

fn print(path: &Path, report: &Report, show: usize) -> io::Result<()> {
    let mut out = io::stdout().lock();
    let agree = report.rows - report.disagreeing;
    let name = printable(&path.display().to_string(), NAME);
    writeln!(out, "{name}: {agree} of {} positions agree", report.rows)?;
    for disagreement in report.disagreements.iter().take(show) {
        writeln!(out, "{disagreement}")?;
    }
    Ok(())
}

fn verify_file(path: &Path) -> anyhow::Result<Report> {
    let context = || format!("cannot verify {}", path.display());
    let file = File::open(path).with_context(context)?;
    let mut lines = Lines::of(file).with_context(context)?;
    let first = lines.next_line().with_context(context)?;
    if first.is_none() {
        return Err(anyhow!("it is empty")).with_context(context);
    }
    let game = GameName::of_text(&record_text(first.as_deref().unwrap_or_default()));
    game.dispatch((lines, first)).with_context(context)
}

/// Checks the lines of a file, the first of which has already been read.
impl ForGame for (Lines, Option<String>) {
    type Output = Result<Report, VerifyError>;

    fn run<G: Game>(self, _variant: G::Variant) -> Self::Output {
        let (lines, first) = self;
        lines.verify::<G>(first)
    }
}
