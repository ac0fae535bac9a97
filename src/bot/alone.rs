//! The contest's client without the rest of wabe, for its package.

use std::error::Error;
use std::io::{self, Write};
use std::process::ExitCode;
use std::time::Instant;

use clap::{Parser, Subcommand};

use super::numbers::at_least_one;
use super::play::{Args, Ending, PlayError, play};
use crate::client::ClientError;
use crate::contest::Contest;
use crate::evaluation::NetworkEvaluator;
use crate::search::{SystemClock, bench};

/// wabe's client for the Software Challenge 2020
#[derive(Debug, Parser)]
#[command(name = "wabe", version, disable_help_subcommand = true)]
struct Alone {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Play(Box<Args>),
    /// Search fixed positions and print a signature of what was searched
    Bench {
        /// Iterations for each position
        #[arg(long, default_value_t = 10_000, value_name = "N", value_parser = at_least_one::<u64>)]
        nodes: u64,
    },
}

/// The `main` of the contest's client alone, with the commands `play` and `bench` and the exit codes of `wabe`.
pub fn run_client() -> ExitCode {
    let alone = Alone::parse();
    super::init_logging();
    match run(alone.command) {
        Ok(code) => code,
        Err(error) => {
            // Standard error may be closed.
            let _ = writeln!(io::stderr(), "wabe: {}", super::in_words(&*error));
            let is_usage = matches!(error.downcast_ref(), Some(PlayError::Usage(_)));
            ExitCode::from(if is_usage { 2 } else { 1 })
        }
    }
}

fn run(command: Command) -> Result<ExitCode, Box<dyn Error>> {
    match command {
        Command::Play(args) => match play(&args)? {
            Ending::Over(game_over) => {
                // The game is over even if standard output is closed.
                let _ = writeln!(io::stdout(), "{game_over}");
            }
            Ending::Interrupted(signal) => {
                writeln!(io::stderr(), "wabe: {}", ClientError::Interrupted(signal))?;
                return Ok(ExitCode::from(signal.exit_code()));
            }
        },
        Command::Bench { nodes } => {
            let mut signature = 0;
            let evaluator = NetworkEvaluator::<Contest>::built_in();
            let clock = SystemClock::since(Instant::now());
            bench(&evaluator, nodes, &clock, |benched| {
                signature = benched.signature;
            })?;
            writeln!(io::stdout(), "signature {signature:016x}")?;
        }
    }
    Ok(ExitCode::SUCCESS)
}
