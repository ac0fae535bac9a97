//! `wabe serve`: the referee on the command line.

mod start;

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, bail};
use tokio::net::TcpListener;
use tokio::runtime::Handle;
use tokio::sync::Notify;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use super::board::WatchArgs;
use super::signals::NO_SIGNALS;
use crate::errors::{UsageError, ignore_broken_pipe};
use crate::exit::Exit;
use crate::tools::{available_cores, runtime};
use crate::values::at_least_one;
use start::StartArgs;
use wabe_board::Rooms;
use wabe_contest::bot::interruption;
use wabe_contest::room::TimeLimits;
use wabe_contest::server::{self, Config, GameReport, ResourceLimits};
use wabe_hive::Color;

/// Run a game server that speaks the contest's protocol
///
/// Standard output gets the address, the seed, and a line for every game that ends.
// Without `Debug`: the password must not get into a log.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The address to listen on; 0.0.0.0 for all of the machine's
    #[arg(long, default_value = "127.0.0.1")]
    host: String,

    /// The port to listen on; 0 for any that is free
    #[arg(short, long, default_value_t = 13050)]
    port: u16,

    /// Decides the brambles that are drawn for each game [default: drawn]
    #[arg(long)]
    seed: Option<u64>,

    /// Write a replay of every finished game into this directory
    #[arg(long, value_name = "DIR")]
    replays: Option<PathBuf>,

    /// Games between players that join without a reservation start paused
    #[arg(long)]
    paused: bool,

    #[command(flatten)]
    start: StartArgs,

    #[command(flatten)]
    time: TimeArgs,

    #[command(flatten)]
    password: PasswordArgs,

    #[command(flatten)]
    watch: WatchArgs,

    #[command(flatten)]
    limits: LimitArgs,
}

#[derive(Debug, clap::Args)]
struct TimeArgs {
    /// A reply later than this loses [default: 2000]
    #[arg(long, value_name = "MS", conflicts_with = "no_timeout", value_parser = at_least_one::<u64>)]
    soft_timeout: Option<u64>,

    /// Without a reply for this long the game ends [default: 10000]
    #[arg(long, value_name = "MS", conflicts_with = "no_timeout", value_parser = at_least_one::<u64>)]
    hard_timeout: Option<u64>,

    /// No time limits
    #[arg(long)]
    no_timeout: bool,
}

/// The environment variable with the password, if no option gives it.
const PASSWORD_VARIABLE: &str = "WABE_PASSWORD";

#[derive(clap::Args)]
struct PasswordArgs {
    /// Password of administrators [env: WABE_PASSWORD=] [default: the contest's `examplepassword`]
    #[arg(long)]
    password: Option<String>,

    /// Read the password from the first line of this file
    #[arg(long, value_name = "FILE", conflicts_with = "password")]
    password_file: Option<PathBuf>,
}

#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Limits")]
struct LimitArgs {
    /// Maximum number of open connections
    #[arg(long, value_name = "N", default_value_t = ResourceLimits::default().connections, value_parser = at_least_one::<usize>)]
    max_connections: usize,
}

impl TimeArgs {
    /// The limits; one given alone moves the other if necessary.
    fn limits(&self) -> Result<Option<TimeLimits>, String> {
        if self.no_timeout {
            return Ok(None);
        }
        let contest = TimeLimits::default();
        let [soft, hard] =
            [self.soft_timeout, self.hard_timeout].map(|ms| ms.map(Duration::from_millis));
        let soft = soft.unwrap_or_else(|| contest.soft.min(hard.unwrap_or(contest.hard)));
        let hard = hard.unwrap_or_else(|| contest.hard.max(soft));
        if hard < soft {
            return Err(format!(
                "the hard time limit ({hard:?}) is shorter than the soft one ({soft:?})"
            ));
        }
        Ok(Some(TimeLimits { soft, hard }))
    }
}

impl PasswordArgs {
    /// The password from the options, or else from the environment. It never appears in an error.
    fn password(self, environment: Option<OsString>) -> anyhow::Result<Option<String>> {
        let password = match (self.password, self.password_file, environment) {
            (Some(password), _, _) => password,
            (None, Some(file), _) => first_line(&file)?,
            (None, None, Some(value)) => match value.into_string() {
                Ok(password) => password,
                Err(_) => bail!("{PASSWORD_VARIABLE} is not UTF-8"),
            },
            (None, None, None) => return Ok(None),
        };
        if password.is_empty() {
            bail!("the password is empty: everybody would be an administrator");
        }
        Ok(Some(password))
    }
}

fn first_line(file: &Path) -> anyhow::Result<String> {
    let text = wabe_files::read_text(file, 1 << 16)
        .with_context(|| format!("cannot read the password from {}", file.display()))?;
    Ok(text.lines().next().unwrap_or_default().to_owned())
}

pub(super) fn run(args: Args) -> anyhow::Result<Exit> {
    let time_limits = (args.time.limits()).map_err(|error| UsageError::new(error.to_string()))?;
    if let Some(directory) = &args.replays {
        // A server that cannot keep replays must not start.
        std::fs::create_dir_all(directory)
            .and_then(|()| tempfile::tempfile_in(directory))
            .with_context(|| format!("cannot write replays into {}", directory.display()))?;
    }
    let (reports, games) = unbounded_channel();
    let board = args.watch.serve()?;
    let spectator = board.as_ref().map(|board| {
        let (spectator, mut messages) = unbounded_channel();
        let mut rooms = Rooms::new(Arc::clone(&board.live), "room".to_owned());
        board.spawn(async move {
            while let Some(message) = messages.recv().await {
                rooms.hear(message);
            }
        });
        spectator
    });
    let config = Config {
        password: args
            .password
            .password(std::env::var_os(PASSWORD_VARIABLE))?,
        time_limits,
        start: args.start.source()?,
        seed: args.seed.unwrap_or_else(rand::random),
        paused: args.paused,
        replays: args.replays,
        limits: ResourceLimits {
            connections: args.limits.max_connections,
            ..ResourceLimits::default()
        },
        reports: Some(reports),
        spectator,
    };
    let runtime = runtime(available_cores())?;
    let served = runtime.block_on(serve((args.host, args.port), config, games));
    // Not waiting for a blocked standard output.
    runtime.shutdown_background();
    served?;
    drop(board);
    Ok(Exit::Success)
}

async fn serve(
    (host, port): (String, u16),
    config: Config,
    mut games: UnboundedReceiver<GameReport>,
) -> anyhow::Result<()> {
    let listener = TcpListener::bind((host.as_str(), port))
        .await
        .with_context(|| format!("cannot listen on {host}:{port}"))?;
    let address = listener.local_addr().context("cannot listen")?;
    let seed = config.seed;
    // Whoever reads the address may interrupt.
    let interrupted = interruption().context(NO_SIGNALS)?;
    let end = Arc::new(Notify::new());
    let ended = Arc::clone(&end);
    let runtime = Handle::current();
    // On a thread of its own: games go on while standard output is blocked, closed or full.
    let printing = tokio::task::spawn_blocking(move || {
        let mut printed = print(&format!("listening on {address}"));
        printed = printed.and(print(&format!("seed {seed}")));
        // Clients that do not read keep senders alive beyond the end, but no more games end then.
        let next = async |games: &mut UnboundedReceiver<GameReport>| {
            tokio::select! {
                biased;
                game = games.recv() => game,
                () = ended.notified() => None,
            }
        };
        while let Some(game) = runtime.block_on(next(&mut games)) {
            printed = printed.and(print(&describe(&game)));
        }
        printed
    });
    let stop = async {
        interrupted.await;
    };
    let served = server::run(listener, config, stop).await;
    end.notify_one();
    served.context("the server failed")?;
    match tokio::time::timeout(OUTPUT_TIMEOUT, printing).await {
        Ok(printed) => ignore_broken_pipe(printed?.map_err(Into::into)),
        Err(_) => {
            log::warn!("standard output is blocked: some results are not printed");
            Ok(())
        }
    }
}

/// How long the end of the program waits for a blocked standard output.
const OUTPUT_TIMEOUT: Duration = Duration::from_secs(1);

/// Prints a line. One that cannot be printed is logged, unless standard output is a closed pipe.
fn print(line: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    let printed = writeln!(out, "{line}").and_then(|()| out.flush());
    if let Err(error) = &printed
        && error.kind() != io::ErrorKind::BrokenPipe
    {
        log::error!("cannot write to standard output: {error}: {line}");
    }
    printed
}

/// One line: both sides' scores, the causes of the end, a malformed message, and the replay's path.
fn describe(report: &GameReport) -> String {
    let game = &report.game;
    let [red, blue] = Color::ALL.map(|color| {
        let score = &game.result.scores[color];
        let sentence = game.result.sentence(color).map(|s| format!(" ({s})"));
        // Names may hold line breaks; the debug form escapes them.
        format!(
            "{color} {:?} {} {}{}",
            game.names[color],
            score.match_points,
            score.cause,
            sentence.unwrap_or_default()
        )
    });
    let mut line = format!("{}: {red}, {blue}, {} plies", game.room, game.moves.len());
    if let Some(path) = &report.replay {
        line.push_str(&format!(", {}", path.display()));
    }
    line
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(clap::Parser)]
    struct CommandLine {
        #[command(flatten)]
        time: TimeArgs,
    }

    /// The limits in milliseconds that options mean; `Some(None)` for no limits, `None` for options
    /// that contradict each other.
    fn limits(options: &str) -> Option<Option<(u128, u128)>> {
        let words = std::iter::once("serve").chain(options.split_whitespace());
        let line = CommandLine::try_parse_from(words).ok()?;
        let limits = line.time.limits().ok()?;
        Some(limits.map(|limits| (limits.soft.as_millis(), limits.hard.as_millis())))
    }

    #[test]
    fn one_time_limit_alone_moves_the_other_one_along() {
        assert_eq!(limits(""), Some(Some((2_000, 10_000))));
        assert_eq!(limits("--soft-timeout 500"), Some(Some((500, 10_000))));
        assert_eq!(limits("--soft-timeout 20000"), Some(Some((20_000, 20_000))));
        assert_eq!(limits("--hard-timeout 700"), Some(Some((700, 700))));
        assert_eq!(limits("--soft-timeout 2 --hard-timeout 1"), None);
        assert_eq!(
            limits("--soft-timeout 1 --hard-timeout 600000"),
            Some(Some((1, 600_000)))
        );
    }

    #[test]
    fn without_time_limits_nobody_is_late() {
        assert_eq!(limits("--no-timeout"), Some(None));
        assert_eq!(limits("--no-timeout --soft-timeout 1"), None);
        assert_eq!(limits("--no-timeout --hard-timeout 1"), None);
    }
}
