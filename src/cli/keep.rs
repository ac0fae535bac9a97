//! `wabe keep`: kills the programs of a run that was killed.

use super::Exit;
use crate::arena::outlive;

/// The subcommand's name.
pub(super) const NAME: &str = "keep";

/// Wait for the end of standard input, then kill the programs of a run
#[derive(Debug, clap::Args)]
#[command(hide = true)]
pub(super) struct Args {
    /// The name of the run
    run: String,
}

pub(super) fn run(args: &Args) -> anyhow::Result<Exit> {
    outlive(&args.run)?;
    Ok(Exit::Success)
}
