//! `wabe check`: tests a contest client.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::anyhow;
use clap::builder::PossibleValuesParser;

use super::engines::{engine, explain};
use super::outputs::make_folder;
use super::signals::stop_flag;
use crate::errors::{UsageError, ignore_broken_pipe};
use crate::exit::Exit;
use crate::values::{at_least_one, seconds};
use wabe_arena::{CheckSettings, EngineSpec, GameError, SITUATIONS, Situation, SituationResult};
use wabe_files::text::printable;
use wabe_hive::contest::Contest;

/// Test a contest client in typical situations
///
/// COMMAND is the client's command line in quotes, such as "python3 bot.py"; --host, --port and
/// --reservation are appended. To set options of docs/arena.md, write "cmd:'python3 bot.py'
/// dir=bots". A failure shows what the client did, what it should have done, and the section of
/// docs/protocol.md.
///
/// The exit code is 0 if the client passed all situations, otherwise 1.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Command line of the client
    #[arg(required_unless_present = "list")]
    command: Vec<String>,

    /// Only this situation (repeatable)
    #[arg(long, value_name = "SITUATION", hide_possible_values = true,
          value_parser = PossibleValuesParser::new(SITUATIONS.map(|situation| situation.name)))]
    only: Vec<String>,

    /// List the situations
    #[arg(long)]
    list: bool,

    /// Print one JSON object per situation
    #[arg(long)]
    json: bool,

    /// Time limit per move, in ms
    #[arg(long, default_value_t = 2_000, value_name = "MS", value_parser = at_least_one::<u64>)]
    time: u64,

    /// Time limit for the client to join, in seconds
    #[arg(long, default_value = "10", value_name = "SECONDS", value_parser = seconds)]
    join_timeout: Duration,

    /// Time limit for the client to exit, in seconds
    #[arg(long, default_value = "5", value_name = "SECONDS", value_parser = seconds)]
    exit_timeout: Duration,

    /// Write the messages of each situation into this folder
    #[arg(long, value_name = "DIR")]
    logs: Option<PathBuf>,
}

/// Maximum number of lines shown of a client's output.
const MAX_LINES: usize = 3;

/// Maximum number of characters per line.
const MAX_CHARACTERS: usize = 300;

/// Maximum line width, in characters.
const COLUMNS: usize = 80;

pub(super) fn run(args: Args) -> anyhow::Result<Exit> {
    let situations = chosen(&args.only);
    let mut out = io::stdout().lock();
    if args.list {
        for Situation { name, should, .. } in &situations {
            writeln!(out, "{name:<14} {should}")?;
        }
        return Ok(Exit::Success);
    }
    let client = client(&args.command)?;
    if let Some(folder) = &args.logs {
        make_folder(folder)?;
    }
    let settings = CheckSettings {
        move_time: Duration::from_millis(args.time),
        join_timeout: args.join_timeout,
        exit_timeout: args.exit_timeout,
        protocol_log: args.logs,
    };
    let stop = stop_flag()?;
    let (mut passed, mut tried) = (0, 0);
    for situation in &situations {
        let result = match situation.check(&client, &settings, &stop) {
            Ok(Some(result)) => result,
            Ok(None) => {
                eprintln!(
                    "wabe: {}; ran {tried} of {} situations",
                    stop.signal(),
                    situations.len()
                );
                return Ok(stop.signal().into());
            }
            Err(error) => return Err(explained(error)),
        };
        let text = if args.json {
            format!("{}\n", serde_json::to_string(&result)?)
        } else {
            lines(&result)
        };
        let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
        ignore_broken_pipe(written.map_err(Into::into))?;
        tried += 1;
        passed += usize::from(result.passed);
        if tried == 1 && !result.joined && !result.passed {
            if situations.len() > 1 {
                eprintln!("wabe: the client did not join a game; skipped the other situations");
            }
            break;
        }
    }
    if !args.json {
        let written = writeln!(out, "\n{passed} of {tried} situations passed");
        ignore_broken_pipe(written.map_err(Into::into))?;
    }
    Ok(Exit::success_if(passed == situations.len()))
}

/// Appended to errors of command lines that do not start a client.
const WANTED: &str =
    "expected a client's command line in quotes, such as \"python3 bot.py\" or \"./bot\"";

/// Parses the client's command line, which must be a single argument.
fn client(words: &[String]) -> Result<EngineSpec, UsageError> {
    let problem = match words {
        [command] if !command.trim().is_empty() => {
            let client = engine::<Contest>(command, &[])?;
            if client.is_program() {
                return Ok(client);
            }
            format!("`{command}` is a built-in player: {WANTED}")
        }
        [] | [_] => format!("the command line is empty: {WANTED}"),
        [first, rest @ ..] => {
            let rest = rest.join(" ");
            let quoted = match first.split_once("cmd:") {
                Some(("", program)) => format!("cmd:'{program} {rest}'"),
                _ => format!("{first} {rest}"),
            };
            format!("the client's command line must be a single argument: \"{quoted}\"")
        }
    };
    Err(UsageError::new(problem))
}

/// Formats the error of a game. If the client does not exist, adds what was expected.
fn explained(error: GameError) -> anyhow::Error {
    match error {
        GameError::Program {
            program, source, ..
        } if source.kind() == io::ErrorKind::NotFound && !Path::new(&program).exists() => {
            anyhow!("cannot start `{program}`: no such program; {WANTED}")
        }
        error => explain(error, |_, _, program| format!("`{program}`")),
    }
}

fn chosen(names: &[String]) -> Vec<Situation> {
    if names.is_empty() {
        return SITUATIONS.to_vec();
    }
    let named = |name| {
        SITUATIONS
            .into_iter()
            .find(|situation| situation.name == name)
    };
    names.iter().filter_map(named).collect()
}

/// Formats the result as one line, followed by the faults.
fn lines(result: &SituationResult) -> String {
    let word = if result.passed { "ok" } else { "FAILED" };
    let moves = match result.moves.len() {
        0 => String::new(),
        1 => format!("1 move, {} ms", result.slowest_ms),
        many => format!("{many} moves, slowest {} ms", result.slowest_ms),
    };
    let line = format!("{:<14} {word:<6}  {moves}", result.situation);
    let mut text = format!("{}\n", line.trim_end());
    if result.passed {
        return text;
    }
    let add = |text: &mut String, label: &str, words: &str| {
        let options = textwrap::Options::new(COLUMNS)
            .initial_indent("    ")
            .subsequent_indent("             ");
        for line in textwrap::wrap(&format!("{label:<9}{words}"), options) {
            *text += &format!("{line}\n");
        }
    };
    add(&mut text, "should", result.should);
    add(&mut text, "see", &result.see);
    for fault in &result.faults {
        add(&mut text, "did", &fault.did);
        add(&mut text, "as", &format!("{}, in the position", fault.side));
        // Not wrapped, so that it can be copied.
        text += &format!("             {}\n", fault.position);
        let lines: Vec<&str> = fault
            .output
            .lines()
            .filter(|line| !line.trim().is_empty())
            .collect();
        for line in lines.iter().rev().take(MAX_LINES).rev() {
            // Not trimmed at the start: a caret may point at the line above.
            text += &format!(
                "    output   {}\n",
                printable(line.trim_end(), MAX_CHARACTERS)
            );
        }
    }
    text
}
