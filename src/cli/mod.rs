//! The command line: one file a subcommand, each with its arguments and a `run`.
//!
//! Standard output carries results only; messages and logs go to standard error.

/// Replaces the standard macro in this module, which panics when the reader of standard error has gone, and passes on characters that
/// control a terminal.
macro_rules! eprintln {
    ($($argument:tt)*) => {{
        use std::io::Write as _;
        let text = crate::text::printable_lines(&format!($($argument)*));
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

mod analyze;
mod arena;
mod bench;
mod board;
mod check;
mod completions;
mod exit;
mod game_args;
mod game_file;
mod keep;
mod labelled_files;
mod man;
mod match_;
mod moves;
mod perft;
mod play;
mod positions;
mod printer;
mod progress;
mod replay;
mod selfplay;
mod serve;
mod signals;
mod spsa;
mod terminal_size;
mod train;
mod uhp;
mod verify;

use std::ffi::OsString;
use std::fs::File;
use std::io::{IsTerminal, Write};
use std::path::Path;
use std::process::ExitCode;
use std::str::FromStr;
use std::sync::Mutex;
use std::thread;

use anyhow::Context;
use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use env_logger::Target;

use crate::arena::{EngineSpec, GameError};
use crate::evaluation::{NetworkEvaluator, NetworkFile};
use crate::files;
use crate::game::Game;
use crate::hive::Color;
use crate::text::printable;

use crate::bot::{PlayArgs, Seconds, at_least_one, network_file, number, try_descriptors};
pub use exit::Exit;
use exit::UsageError;
use printer::{Log, Printer};

/// Software Challenge 2020 (Hive) client, referee and tools.
#[derive(Debug, Parser)]
#[command(
    name = "wabe",
    version,
    disable_help_flag = true,
    disable_help_subcommand = true,
    // The contest's parameters come after those of start.sh.
    args_override_self = true,
    override_usage = "wabe [OPTIONS]\n       wabe <COMMAND>"
)]
struct Cli {
    /// Log more: once for information, twice for debugging (RUST_LOG gives finer control)
    #[arg(short, long, action = clap::ArgAction::Count, global = true, display_order = 998)]
    verbose: u8,

    // `-h` is the host, as in the contest's server.
    /// Print help
    #[arg(long, action = clap::ArgAction::Help, global = true, display_order = 999)]
    help: Option<bool>,

    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    play: PlayArgs,
}

#[derive(Debug, Subcommand)]
enum Command {
    Analyze(analyze::Args),
    Arena(arena::Args),
    Bench(bench::Args),
    Board(board::Args),
    Check(check::Args),
    Completions(completions::Args),
    Keep(keep::Args),
    Man(man::Args),
    Match(match_::Args),
    Moves(moves::Args),
    Perft(perft::Args),
    Play(PlayArgs),
    Positions(positions::Args),
    Replay(replay::Args),
    Selfplay(selfplay::Args),
    Serve(serve::Args),
    Spsa(spsa::Args),
    Train(train::Args),
    Uhp(uhp::Args),
    Verify(verify::Args),
}

/// Runs the command that the process was started with.
pub fn run() -> ExitCode {
    let cli = match parse(std::env::args_os()) {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version are errors to clap, but not to the user.
            let exit = if error.use_stderr() {
                Exit::Usage
            } else {
                Exit::Success
            };
            print_usage(&error);
            return exit.into();
        }
    };
    // The contest's server does not know subcommands.
    let command = cli.command.unwrap_or(Command::Play(cli.play));
    let log = init_logging(cli.verbose, &command);
    if let Ok(executable) = std::env::current_exe() {
        crate::arena::set_keeper(executable, keep::NAME);
    }
    let result = match command {
        Command::Analyze(args) => analyze::run(args),
        Command::Arena(args) => arena::run(args),
        Command::Bench(args) => bench::run(args),
        Command::Board(args) => board::run(args),
        Command::Check(args) => check::run(args),
        Command::Completions(args) => completions::run(args),
        Command::Keep(args) => keep::run(&args),
        Command::Man(args) => man::run(args),
        Command::Match(args) => match_::run(args),
        Command::Moves(args) => moves::run(args),
        Command::Perft(args) => perft::run(args),
        Command::Play(args) => play::run(&args),
        Command::Positions(args) => positions::run(args),
        Command::Replay(args) => replay::run(args),
        Command::Selfplay(args) => selfplay::run(args),
        Command::Serve(args) => serve::run(args),
        Command::Spsa(args) => spsa::run(args),
        Command::Train(args) => train::run(args),
        Command::Uhp(args) => uhp::run(args),
        Command::Verify(args) => verify::run(args),
    };
    if let Some(log) = log {
        // Nothing can be reported if the log cannot be written.
        let _ = log.finish();
    }
    match result {
        Ok(exit) => exit.into(),
        Err(error) if is_unread(&error) => Exit::Success.into(),
        Err(error) => {
            eprintln!("wabe: {}", in_words(&error));
            if error.is::<UsageError>() {
                Exit::Usage.into()
            } else {
                Exit::Failure.into()
            }
        }
    }
}

fn parse(words: impl IntoIterator<Item = impl Into<OsString> + Clone>) -> Result<Cli, clap::Error> {
    let mut command = Cli::command();
    let matches = command.try_get_matches_from_mut(words)?;
    // The options of `wabe` alone are those of `wabe play`; other commands must not swallow them.
    let stray = command.get_arguments().find(|arg| {
        !arg.is_global_set()
            && matches.value_source(arg.get_id().as_str()) == Some(ValueSource::CommandLine)
    });
    if let (Some(name), Some(stray)) = (matches.subcommand_name(), stray) {
        let message = format!("`{stray}` belongs after `{name}`, if anywhere");
        return Err(command.error(ErrorKind::ArgumentConflict, message));
    }
    Cli::from_arg_matches(&matches).map_err(|error| error.format(&mut command))
}

/// Logs to standard error. A server, which strangers make log, uses a printer unless standard error is a terminal.
fn init_logging(verbose: u8, command: &Command) -> Option<Printer> {
    let is_client = matches!(command, Command::Play(_));
    let may_block = !matches!(command, Command::Serve(_)) || std::io::stderr().is_terminal();
    let printer = (!may_block).then(|| Printer::start(std::io::stderr(), |_, _| {}).ok());
    let printer = printer.flatten();
    let log = printer.clone().map(|printer| Log {
        printer,
        dropped: 0,
    });
    let target = log.map_or(Target::Stderr, |log| Target::Pipe(Box::new(log)));
    let default_level = match verbose {
        // At a terminal, show that a waiting client lacks an opponent. Clients of a match or an arena would write into its
        // display.
        0 if is_client && std::io::stderr().is_terminal() => "warn,wabe::client=info",
        0 => "warn",
        1 => "info",
        _ => "debug",
    };
    env_logger::Builder::from_env(env_logger::Env::default().default_filter_or(default_level))
        .format(|out, record| {
            let (level, time) = (record.level(), out.timestamp());
            let style = out.default_level_style(level);
            let text = printable(&record.args().to_string(), LONGEST_LOG_LINE);
            let target = record.target();
            writeln!(out, "[{time} {style}{level:<5}{style:#} {target}] {text}")
        })
        .target(target)
        .init();
    printer
}

/// An error and its causes. The first may have several lines.
fn in_words(error: &anyhow::Error) -> String {
    let mut words = printable_each(&error.to_string());
    // All other I/O errors have a context.
    if error.chain().len() == 1 && error.is::<std::io::Error>() {
        words.insert_str(0, "cannot write to standard output: ");
    }
    for cause in error.chain().skip(1) {
        let cause = printable(&cause.to_string(), LONGEST_CAUSE);
        // Some errors repeat their cause.
        if !words.ends_with(&cause) {
            words += &format!(": {cause}");
        }
    }
    words
}

/// Most characters of a log's line: a state in its debugging form is about this long.
const LONGEST_LOG_LINE: usize = 4_000;

/// Most characters of an error's cause.
const LONGEST_CAUSE: usize = 1_000;

/// A text on several lines, each printable.
fn printable_each(text: &str) -> String {
    let lines = text.lines().map(|line| printable(line, LONGEST_CAUSE));
    lines.collect::<Vec<_>>().join("\n")
}

/// Messages of the standard library's parsers, each with a clearer one.
const CLEARER: [(&str, &str); 5] = [
    ("invalid digit found in string", "not a whole number"),
    (
        "cannot parse integer from empty string",
        "not a whole number",
    ),
    ("number too large to fit in target type", "too large"),
    ("number too small to fit in target type", "too small"),
    ("invalid float literal", "not a number"),
];

/// Prints a fault of the command line, or the help.
fn print_usage(error: &clap::Error) {
    let text = error.render().to_string();
    let clearer = CLEARER
        .iter()
        .fold(printable_each(&text), |text, (from, to)| {
            text.replace(from, to)
        });
    if clearer == text.trim_end_matches('\n') {
        // Prints it with colours.
        let _ = error.print();
    } else {
        eprintln!("{clearer}");
    }
}

/// True if the reader of standard output has gone, which is not a failure.
fn is_unread(error: &anyhow::Error) -> bool {
    // All other I/O errors have a context.
    error.chain().len() == 1
        && error
            .downcast_ref::<std::io::Error>()
            .is_some_and(|e| e.kind() == std::io::ErrorKind::BrokenPipe)
}

/// The result of printing before a command has decided on its exit code, which does not depend on whether anybody reads.
fn unless_unread(printed: anyhow::Result<()>) -> anyhow::Result<()> {
    match printed {
        Err(error) if is_unread(&error) => Ok(()),
        printed => printed,
    }
}

/// The engine named on the command line: by its text form, or by the command line of a program.
fn engine<G: Game>(text: &str, common: &[String]) -> Result<EngineSpec, UsageError> {
    let engine = EngineSpec::from_command_line::<G>(text, common);
    let engine = engine.and_then(|engine| engine.check_plays::<G>().map(|()| engine));
    engine.map_err(|error| UsageError::new(printable(&error.to_string(), LONGEST_CAUSE)))
}

/// The error of a game. `whose` names the program of that side and engine that cannot be started; a guess at the mistake follows.
fn explain(error: GameError, whose: impl FnOnce(Color, &str, &str) -> String) -> anyhow::Error {
    let GameError::Program {
        color,
        engine,
        program,
        source,
    } = error
    else {
        return error.into();
    };
    let guess = guess(&program, &source);
    let problem = format!("cannot start {}{guess}", whose(color, &engine, &program));
    anyhow::Error::new(source).context(problem)
}

/// A guess at the mistake when a program cannot be started. A name without a slash is searched for in `PATH` only.
fn guess(program: &str, error: &std::io::Error) -> String {
    if error.kind() != std::io::ErrorKind::NotFound {
        String::new()
    } else if !program.contains('/') && Path::new(program).is_file() {
        format!(" (the file here is `./{program}`)")
    } else if program.starts_with("~/") {
        " (a shell would know what ~ is, if it stood outside of the quotes)".to_owned()
    } else if program.contains('/') {
        String::new()
    } else {
        " (nor is that a built-in player: random, greedy, mcts)".to_owned()
    }
}

fn positive<T: FromStr + Into<f64> + Copy>(text: &str) -> Result<T, String> {
    let holds = |&number: &T| number.into() > 0.0 && number.into().is_finite();
    number(text, holds, "a number above 0")
}

fn positive_share(text: &str) -> Result<f64, String> {
    let holds = |&share: &f64| share > 0.0 && share <= 1.0;
    number(text, holds, "a share above 0 and at most 1")
}

fn cannot_write(path: &Path) -> String {
    format!("cannot write {}", path.display())
}

/// Writes a file, or replaces it.
fn write_file(path: &Path, content: impl AsRef<[u8]>) -> anyhow::Result<()> {
    files::replace(path, content.as_ref()).with_context(|| cannot_write(path))
}

/// Refuses to write a result over a file that is read or over another result.
fn check_apart<'a>(
    read: impl IntoIterator<Item = &'a Path>,
    written: impl IntoIterator<Item = &'a Path>,
) -> Result<(), UsageError> {
    match files::named_twice(read, written) {
        Some(path) => Err(UsageError::new(format!(
            "{} is named twice: each result needs a file of its own",
            path.display()
        ))),
        None => Ok(()),
    }
}

/// Creates a folder if it is missing, and checks that it can be written to.
fn make_folder(path: &Path) -> anyhow::Result<()> {
    let made = std::fs::create_dir_all(path).and_then(|()| files::try_folder(path));
    made.with_context(|| format!("cannot write to {}", path.display()))
}

/// Checks that the logs of programs can be written to.
fn try_logs<'a>(engines: impl IntoIterator<Item = &'a EngineSpec>) -> anyhow::Result<()> {
    for path in engines.into_iter().filter_map(EngineSpec::log) {
        // An existing log is continued, even in a folder where no file can be created.
        let tried = match path.is_file() {
            true => File::options().append(true).open(path).map(drop),
            false => files::try_path(path),
        };
        tried.with_context(|| cannot_write(path))?;
    }
    Ok(())
}

/// A runtime with that many threads.
fn runtime(threads: usize) -> anyhow::Result<tokio::runtime::Runtime> {
    // If a thread cannot be started, tokio panics.
    let held = Mutex::new(());
    let tried = thread::scope(|scope| {
        let _guard = held.lock();
        (0..=threads).try_for_each(|_| {
            let wait = || drop(held.lock());
            thread::Builder::new().spawn_scoped(scope, wait).map(drop)
        })
    });
    tried.context("cannot start a thread")?;
    let context = "cannot start the asynchronous runtime";
    try_descriptors().context(context)?;
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(threads)
        .enable_all()
        .build()
        .context(context)
}

/// The default number of games played at the same time.
fn available_cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// The evaluation by the network of a file, or by the built-in one.
fn evaluator<G: Game>(file: Option<&NetworkFile>) -> Result<NetworkEvaluator<G>, UsageError> {
    match file {
        Some(file) => file
            .evaluator()
            .map_err(|error| UsageError::new(error.to_string())),
        None => Ok(NetworkEvaluator::built_in()),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;

    /// The commands of a document's shell blocks, continued lines joined and comments cut.
    fn commands(text: &str) -> Vec<String> {
        let blocks = text.split("```sh\n").skip(1);
        let blocks = blocks.filter_map(|block| block.split("```").next());
        let lines = blocks.flat_map(|block| {
            let joined = block.replace("\\\n", " ");
            joined.lines().map(str::to_owned).collect::<Vec<_>>()
        });
        let uncommented = |line: String| line.split(" #").next().unwrap_or_default().to_owned();
        lines.map(uncommented).collect()
    }

    #[test]
    fn the_documents_name_commands_and_options_that_exist() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let documents = fs::read_dir(root.join("docs")).unwrap();
        let documents = documents.map(|entry| entry.unwrap().path());
        let mut seen = 0;
        for path in documents.chain([root.join("README.md"), root.join("CONTRIBUTING.md")]) {
            // The log of strength has the commands of the builds that it tells of.
            let is_log = path.ends_with("strength.md");
            if is_log || path.extension().is_none_or(|extension| extension != "md") {
                continue;
            }
            for line in commands(&fs::read_to_string(&path).unwrap()) {
                let words = shell_words::split(&line.replace(";", " ; "))
                    .unwrap_or_else(|_| panic!("{line}"));
                for command in words.split(|word| matches!(&word[..], "|" | "&&" | ";" | "&" | ">"))
                {
                    let is_variable = |word: &&String| {
                        word.split_once('=').is_some_and(|(name, _)| {
                            name.chars().all(|c| c.is_ascii_uppercase() || c == '_')
                        })
                    };
                    let is_argument =
                        |word: &&String| !word.trim_start_matches('2').starts_with(['>', '<']);
                    let command = command.iter().skip_while(is_variable);
                    let command: Vec<&String> = command.take_while(is_argument).collect();
                    // Files that are not there cannot be read.
                    let names_file =
                        |word: &&String| word.contains("weights") || *word == "--policy-of";
                    let has_file = command.iter().any(names_file);
                    if has_file
                        || !command
                            .first()
                            .is_some_and(|word| *word == "wabe" || word.ends_with("/wabe"))
                    {
                        continue;
                    }
                    seen += 1;
                    if let Err(error) = parse(&command)
                        && error.use_stderr()
                    {
                        panic!("{}: {line}\n{error}", path.display());
                    }
                }
            }
        }
        assert!(seen > 50, "{seen} commands");
    }
}
