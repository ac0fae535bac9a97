//! `wabe verify`: the rules against measured vectors.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Context;

use super::Exit;
use crate::verify::{Report, verify};

/// Check vector files (positions or perft rows, plain or gzipped) against the rules
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Files with one JSON object a line
    #[arg(required = true)]
    files: Vec<PathBuf>,

    /// How many disagreements to print in full
    #[arg(long, default_value_t = 5, value_name = "N")]
    show: usize,
}

pub(super) fn run(args: Args) -> anyhow::Result<Exit> {
    let mut out = std::io::stdout().lock();
    let mut exit = Exit::Success;
    for path in args.files {
        let report = match verify_file(&path) {
            Ok(report) => report,
            Err(error) => {
                eprintln!("wabe: {error:#}");
                exit = Exit::Failure;
                continue;
            }
        };
        let agree = report.rows - report.disagreements.len();
        writeln!(
            out,
            "{}: {agree} of {} positions agree",
            path.display(),
            report.rows
        )?;
        for disagreement in report.disagreements.iter().take(args.show) {
            writeln!(out, "{disagreement}")?;
        }
        if !report.disagreements.is_empty() {
            exit = Exit::Failure;
        }
    }
    Ok(exit)
}

fn verify_file(path: &Path) -> anyhow::Result<Report> {
    let context = || format!("cannot verify {}", path.display());
    let file = File::open(path).with_context(context)?;
    verify(file).with_context(context)
}
