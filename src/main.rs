//! The command line: one file per subcommand, with its arguments and a `run`.
//!
//! [`tools`] are all commands but those of the contest's ZIP, `play` and `bench`.
//!
//! Standard output carries results only; messages and logs go to standard error.

// The standard macros panic when the output is closed.
#![warn(clippy::print_stdout, clippy::print_stderr)]
// The contest's client uses only a part of what all commands share.
#![cfg_attr(not(feature = "full"), allow(dead_code, unused_imports, unused_macros))]

/// Replaces the standard macro in this module: that one panics when standard error is closed, and
/// prints control characters.
macro_rules! eprintln {
    ($($argument:tt)*) => {{
        use std::io::Write as _;
        let text = wabe_files::text::printable_lines(&format!($($argument)*));
        let _ = writeln!(std::io::stderr(), "{text}");
    }};
}

/// Replaces the standard macro; see [`eprintln!`].
macro_rules! eprint {
    ($($argument:tt)*) => {{
        use std::io::Write as _;
        let _ = write!(std::io::stderr(), $($argument)*);
    }};
}

mod bench;
mod errors;
mod exit;
mod logging;
mod play;
#[cfg(feature = "full")]
mod tools;
mod values;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use errors::{UsageError, describe, is_broken_pipe, printable_each};
use exit::Exit;
use wabe_contest::bot::PlayArgs;

/// Hive engine: client and referee for the Software Challenge 2020, arena, board, and UHP engine
/// for standard Hive
#[derive(Parser)]
#[command(name = "wabe", version, disable_help_subcommand = true)]
struct Cli {
    /// Log more: once for information, twice for debugging (RUST_LOG gives finer control)
    #[arg(short, long, action = clap::ArgAction::Count, global = true, display_order = 998)]
    verbose: u8,

    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Play(Box<PlayArgs>),
    Bench(bench::Args),
    #[cfg(feature = "full")]
    #[command(flatten)]
    Tool(Box<tools::Command>),
}

fn main() -> ExitCode {
    #[cfg(feature = "full")]
    if let Some(exit) = tools::launch::run() {
        return exit;
    }
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            print_usage(&error);
            // Help and version are errors to clap, but not to the user.
            let is_error = error.use_stderr();
            return if is_error { Exit::Usage } else { Exit::Success }.into();
        }
    };
    logging::init(cli.verbose, matches!(cli.command, Command::Play(_)));
    let result = match cli.command {
        Command::Play(args) => play::run(&args),
        Command::Bench(args) => bench::run(args),
        #[cfg(feature = "full")]
        Command::Tool(command) => command.run(),
    };
    match result {
        Ok(exit) => exit.into(),
        Err(error) if is_broken_pipe(&error) => Exit::Success.into(),
        Err(error) => {
            eprintln!("wabe: {}", describe(&error));
            if error.is::<UsageError>() {
                Exit::Usage.into()
            } else {
                Exit::Failure.into()
            }
        }
    }
}

/// Prints a usage error or the help, without the control characters of arguments.
fn print_usage(error: &clap::Error) {
    let text = error.render().to_string();
    let text = text.trim_end();
    let printable = printable_each(text);
    if printable == text {
        // In colours.
        let _ = error.print();
    } else {
        eprintln!("{printable}");
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;

    /// The commands of a document's shell blocks: continued lines joined, comments and redirections
    /// cut, at `|`, `&&` and `;` divided.
    fn commands(text: &str) -> Vec<Vec<String>> {
        let blocks = text.split("```sh\n").skip(1);
        let blocks = blocks.filter_map(|block| block.split("```").next());
        let lines = blocks.flat_map(|block| {
            let block = block.replace("\\\n", " ").replace(';', " ; ");
            block.lines().map(str::to_owned).collect::<Vec<_>>()
        });
        let words = lines.flat_map(|line| {
            let line = line.split(" #").next().unwrap_or_default().to_owned();
            let mut words = shell_words::split(&line).unwrap_or_else(|_| panic!("{line}"));
            words.push(";".to_owned());
            words
        });
        let words: Vec<String> = words.collect();
        let commands = words.split(|word| matches!(&word[..], "|" | "&&" | ";" | "&"));
        let is_argument = |word: &&String| !word.trim_start_matches('2').starts_with(['>', '<']);
        commands
            .map(|command| command.iter().take_while(is_argument).cloned().collect())
            .collect()
    }

    #[test]
    fn documented_commands_parse() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let documents = fs::read_dir(root.join("docs")).unwrap();
        let documents = documents.map(|entry| entry.unwrap().path());
        let mut seen = 0;
        for path in documents.chain([root.join("README.md"), root.join("CONTRIBUTING.md")]) {
            // The log of strength names the options of older builds.
            if path.ends_with("strength.md") || path.extension().is_none_or(|e| e != "md") {
                continue;
            }
            for command in commands(&fs::read_to_string(&path).unwrap()) {
                let program = command.iter().position(|word| !word.contains('='));
                let command = &command[program.unwrap_or(0)..];
                let is_wabe = command.first().is_some_and(|word| word.ends_with("wabe"));
                // Networks of examples do not exist.
                let is_network = |word: &String| word.contains("weights") || word == "--policy-of";
                if !is_wabe || command.iter().any(is_network) {
                    continue;
                }
                seen += 1;
                if let Err(error) = Cli::try_parse_from(command)
                    && error.use_stderr()
                {
                    panic!("{}: {command:?}\n{error}", path.display());
                }
            }
        }
        assert!(seen > 50, "{seen} commands");
    }
}
