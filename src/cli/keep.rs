//! `wabe keep`: kills the programs of a run that was killed.

use anyhow::Context;

use super::exit::Exit;
use crate::arena::outlive;

/// The subcommand's name.
pub(super) const NAME: &str = "keep";

/// Wait for the end of standard input, then kill the programs of a run
#[derive(Debug, clap::Args)]
#[command(hide = true)]
pub(super) struct Args {
    /// The name of the run
    run: u64,
}

pub(super) fn run(args: &Args) -> anyhow::Result<Exit> {
    outlive(args.run).context("cannot wait for the run's end")?;
    Ok(Exit::Success)
}
