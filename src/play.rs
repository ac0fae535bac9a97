//! `wabe play`: plays a game on a contest server.

use std::io::Write;

use super::{errors::UsageError, exit::Exit};
use wabe_contest::bot::{PlayArgs, PlayError, play};
use wabe_contest::client::ClientError;

pub(crate) fn run(args: &PlayArgs) -> anyhow::Result<Exit> {
    match play(args) {
        Ok(game_over) => {
            writeln!(std::io::stdout().lock(), "{game_over}")?;
            Ok(Exit::Success)
        }
        Err(PlayError::Client(error @ ClientError::Interrupted(signal))) => {
            eprintln!("wabe: {error}");
            Ok(signal.into())
        }
        Err(PlayError::Usage(problem)) => Err(UsageError::new(problem).into()),
        Err(error) => Err(error.into()),
    }
}
