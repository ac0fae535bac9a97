//! The command line: one file per subcommand, which defines its arguments and `run`.
//!
//! [`tools`] contains the commands that the contest's ZIP leaves out: all except `play` and
//! `bench`.
//!
//! Standard output is for results only; messages and logs go to standard error.

// The standard macros panic if the output is closed.
#![warn(clippy::print_stdout, clippy::print_stderr)]
// The contest build uses only a part of the shared code.
#![cfg_attr(not(feature = "full"), allow(dead_code, unused_imports, unused_macros))]

/// Replaces the standard macro, which panics if standard error is closed and prints control
/// characters unescaped.
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

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

use errors::{UsageError, describe, is_broken_pipe, printable_each};
use exit::Exit;
use wabe_contest::bot::PlayArgs;

/// Hive engine, board and arena, for standard Hive and the Software Challenge 2020
#[derive(Parser)]
#[command(name = "wabe", version)]
struct Cli {
    /// Log more, twice for debugging (see also RUST_LOG)
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
    let matches = command().try_get_matches();
    let cli = match matches.and_then(|matches| Cli::from_arg_matches(&matches)) {
        Ok(cli) => cli,
        Err(error) => {
            print_usage(&error);
            // clap reports help and version as errors too.
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

/// Groups of commands in the help text.
const GROUPS: [(&str, &[&str]); 6] = [
    ("Play", &["board", "match", "uhp"]),
    ("Study", &["analyze", "replay", "moves"]),
    ("Compare", &["arena"]),
    (
        "Train",
        &["selfplay", "positions", "train", "book", "puzzles"],
    ),
    ("Contest", &["play", "serve", "check"]),
    ("Develop", &["bench", "perft"]),
];

/// The command-line parser, with its commands grouped in the help text.
fn command() -> clap::Command {
    let command = Cli::command();
    let header = *command.get_styles().get_header();
    let literal = *command.get_styles().get_literal();
    let mut list = String::new();
    for (group, names) in GROUPS {
        let known = names
            .iter()
            .filter_map(|name| command.find_subcommand(name));
        let lines = known.map(|known| {
            let about = known.get_about().cloned().unwrap_or_default();
            format!("  {literal}{:<10}{literal:#} {about}\n", known.get_name())
        });
        let lines: String = lines.collect();
        if !lines.is_empty() {
            list += &format!("{header}{group}:{header:#}\n{lines}\n");
        }
    }
    command.help_template(format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{list}\
         {header}Options:{header:#}\n{{options}}\n\n\
         See `wabe help <COMMAND>` for the options of a command."
    ))
}

/// Prints a usage error or the help text, without control characters from the arguments.
fn print_usage(error: &clap::Error) {
    let text = error.render().to_string();
    let text = text.trim_end();
    let printable = printable_each(text);
    if printable == text {
        // clap prints in colour.
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

    /// Extracts the commands from a document's shell blocks. Joins continued lines, removes
    /// comments and redirections, and splits at `|`, `&&` and `;`.
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
            // The logs in subfolders use options of older builds.
            if path.extension().is_none_or(|e| e != "md") {
                continue;
            }
            for command in commands(&fs::read_to_string(&path).unwrap()) {
                let program = command.iter().position(|word| !word.contains('='));
                let command = &command[program.unwrap_or(0)..];
                let is_wabe = command.first().is_some_and(|word| word.ends_with("wabe"));
                // The network files in examples do not exist.
                let is_network = |word: &String| word.contains("weights") || word == "--policy-of";
                if !is_wabe || command.iter().any(is_network) {
                    continue;
                }
                seen += 1;
                if let Err(error) = super::command().try_get_matches_from(command)
                    && error.use_stderr()
                {
                    panic!("{}: {command:?}\n{error}", path.display());
                }
            }
        }
        assert!(seen > 50, "{seen} commands");
    }

    /// The anchor of a heading on GitHub and in mdbook.
    fn anchor(heading: &str) -> String {
        let heading = heading.trim_start_matches('#').trim().to_lowercase();
        let kept = heading
            .chars()
            .filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
        kept.map(|c| if c == ' ' { '-' } else { c }).collect()
    }

    #[test]
    fn documented_links_exist() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let mut seen = 0;
        for folder in [root.to_owned(), root.join("docs"), root.join("docs/log")] {
            for entry in fs::read_dir(&folder).unwrap() {
                let path = entry.unwrap().path();
                if path.extension().is_none_or(|extension| extension != "md") {
                    continue;
                }
                let text = fs::read_to_string(&path).unwrap();
                let links = text.split("](").skip(1);
                let links = links.filter_map(|rest| rest.split([')', ' ']).next());
                for link in links.filter(|link| !link.contains("://")) {
                    let (file, heading) = link.split_once('#').unwrap_or((link, ""));
                    let target = if file.is_empty() {
                        path.clone()
                    } else {
                        folder.join(file)
                    };
                    assert!(target.exists(), "{}: {link}", path.display());
                    if !heading.is_empty() {
                        let text = fs::read_to_string(&target).unwrap();
                        let mut headings = text.lines().filter(|line| line.starts_with('#'));
                        let is_there = headings.any(|line| anchor(line) == heading);
                        assert!(is_there, "{}: {link}", path.display());
                    }
                    seen += 1;
                }
            }
        }
        assert!(seen > 100, "{seen} links");
    }

    #[test]
    fn each_command_is_in_one_group() {
        let mut grouped: Vec<&str> = GROUPS
            .iter()
            .flat_map(|(_, names)| *names)
            .copied()
            .collect();
        grouped.sort_unstable();
        let command = super::command();
        let shown = command.get_subcommands().filter(|c| !c.is_hide_set());
        let mut shown: Vec<&str> = shown.map(clap::Command::get_name).collect();
        shown.sort_unstable();
        assert_eq!(grouped, shown);
    }
}
