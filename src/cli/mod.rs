//! The command line: one file a subcommand, each with its arguments and a `run`.
//!
//! Standard output carries results only; messages and logs go to standard error.

mod analyze;
mod bench;
mod exit;
mod perft;
mod verify;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

pub use exit::Exit;

/// Software Challenge 2020 (Hive) client, referee and tools.
#[derive(Debug, Parser)]
#[command(name = "wabe", version, disable_help_subcommand = true)]
struct Cli {
    /// Log more: once for information, twice for debugging (RUST_LOG says it more finely)
    #[arg(short, long, action = clap::ArgAction::Count, global = true)]
    verbose: u8,

    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Analyze(analyze::Args),
    Bench(bench::Args),
    Perft(perft::Args),
    Verify(verify::Args),
}

/// Runs the command that the process was started with.
pub fn run() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version are errors to clap, but not to the user.
            let exit = if error.use_stderr() {
                Exit::Usage
            } else {
                Exit::Success
            };
            let _ = error.print();
            return exit.into();
        }
    };
    init_logging(cli.verbose);
    let result = match cli.command {
        Command::Analyze(args) => analyze::run(args),
        Command::Bench(args) => bench::run(args),
        Command::Perft(args) => perft::run(args),
        Command::Verify(args) => verify::run(args),
    };
    match result {
        Ok(exit) => exit.into(),
        Err(error) if is_broken_pipe(&error) => Exit::Success.into(),
        Err(error) => {
            eprintln!("wabe: {error:#}");
            Exit::Failure.into()
        }
    }
}

fn init_logging(verbose: u8) {
    let default_level = match verbose {
        0 => "warn",
        1 => "info",
        _ => "debug",
    };
    env_logger::Builder::from_env(env_logger::Env::default().default_filter_or(default_level))
        .init();
}

/// Whoever read our output has seen enough; that is no failure.
fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        cause
            .downcast_ref::<std::io::Error>()
            .is_some_and(|e| e.kind() == std::io::ErrorKind::BrokenPipe)
    })
}
