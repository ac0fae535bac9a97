//! `wabe serve`: runs a contest server.

mod start;

use std::ffi::OsString;
use std::io::{self, Write};
use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, bail};
use tokio::net::TcpListener;
use tokio::runtime::Handle;
use tokio::sync::Notify;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use super::board::WatchArgs;
use super::outputs::make_folder;
use super::signals::NO_SIGNALS;
use crate::errors::ignore_broken_pipe;
use crate::exit::Exit;
use crate::tools::{available_cores, listen, runtime};
use crate::values::address;
use start::StartArgs;
use wabe_board::Rooms;
use wabe_contest::bot::interruption;
use wabe_contest::room::TimeLimits;
use wabe_contest::server::{self, Config, GameReport, ResourceLimits};
use wabe_hive::Color;

/// Run a contest server
///
/// Prints its address, the seed, and one line per finished game.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Address or host name to listen on, 0.0.0.0 for all
    #[arg(long, default_value = "127.0.0.1", value_name = "ADDRESS", value_parser = address)]
    listen: IpAddr,

    /// Port to listen on, 0 for any
    #[arg(short, long, default_value_t = 13050)]
    port: u16,

    /// Random seed for the brambles of each game [default: random]
    #[arg(long, value_name = "N")]
    seed: Option<u64>,

    /// Write a replay of each finished game into this folder
    #[arg(long, value_name = "DIR")]
    replays: Option<PathBuf>,

    /// Start games paused that players join without a reservation
    #[arg(long)]
    paused: bool,

    #[command(flatten)]
    start: StartArgs,

    /// Time limit per move, in ms, 0 for none
    ///
    /// A late move loses. After five times the limit the server stops waiting.
    #[arg(long, value_name = "MS", default_value_t = 2_000)]
    time: u64,

    /// File with the administrators' password [default: that of WABE_PASSWORD, or examplepassword]
    #[arg(long, value_name = "FILE")]
    password_file: Option<PathBuf>,

    #[command(flatten)]
    watch: WatchArgs,
}

/// Environment variable with the administrators' password.
const PASSWORD_VARIABLE: &str = "WABE_PASSWORD";

/// Reads the password from the file or the environment. Errors never contain it.
fn password(file: Option<&Path>, environment: Option<OsString>) -> anyhow::Result<Option<String>> {
    let password = match (file, environment) {
        (Some(file), _) => first_line(file)?,
        (None, Some(value)) => match value.into_string() {
            Ok(password) => password,
            Err(_) => bail!("{PASSWORD_VARIABLE} is not UTF-8"),
        },
        (None, None) => return Ok(None),
    };
    if password.is_empty() {
        bail!("the password is empty");
    }
    Ok(Some(password))
}

fn first_line(file: &Path) -> anyhow::Result<String> {
    let text = wabe_files::read_text(file, 1 << 16)
        .with_context(|| format!("cannot read the password from {}", file.display()))?;
    Ok(text.lines().next().unwrap_or_default().to_owned())
}

pub(super) fn run(args: Args) -> anyhow::Result<Exit> {
    if let Some(folder) = &args.replays {
        make_folder(folder)?;
    }
    let password = password(
        args.password_file.as_deref(),
        std::env::var_os(PASSWORD_VARIABLE),
    )?;
    let start = args.start.source()?;
    let runtime = runtime(available_cores())?;
    let listener = runtime.block_on(listen(SocketAddr::new(args.listen, args.port)))?;
    let (reports, games) = unbounded_channel();
    // Last, because it prints its URL.
    let board = args.watch.serve_to(args.listen)?;
    let spectator = board.as_ref().map(|board| {
        let (spectator, mut messages) = unbounded_channel();
        let mut rooms = Rooms::new(Arc::clone(&board.live), "room".to_owned());
        board.spawn(async move {
            while let Some(message) = messages.recv().await {
                rooms.receive(message);
            }
        });
        spectator
    });
    let config = Config {
        password,
        time_limits: (args.time > 0)
            .then(|| TimeLimits::from_soft(Duration::from_millis(args.time))),
        start,
        seed: args.seed.unwrap_or_else(rand::random),
        paused: args.paused,
        replays: args.replays,
        limits: ResourceLimits::default(),
        reports: Some(reports),
        spectator,
    };
    let served = runtime.block_on(serve(listener, config, games));
    // Exit even if standard output is blocked.
    runtime.shutdown_background();
    served?;
    drop(board);
    Ok(Exit::Success)
}

async fn serve(
    listener: TcpListener,
    config: Config,
    mut games: UnboundedReceiver<GameReport>,
) -> anyhow::Result<()> {
    let address = listener.local_addr().context("cannot listen")?;
    let seed = config.seed;
    // Listen for signals first: a program may send one as soon as it has read the address.
    let interrupted = interruption().context(NO_SIGNALS)?;
    let end = Arc::new(Notify::new());
    let ended = Arc::clone(&end);
    let runtime = Handle::current();
    // Printed on a separate thread, so that games continue while standard output is blocked.
    let printing = tokio::task::spawn_blocking(move || {
        let mut printed = print(&format!("listening on {address}"));
        printed = printed.and(print(&format!("seed {seed}")));
        // Stop with the server. Clients that do not read may keep senders alive after it, although
        // no more games finish.
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

/// How long to wait for a blocked standard output before exiting.
const OUTPUT_TIMEOUT: Duration = Duration::from_secs(1);

/// Prints a line. Logs it if it cannot be printed, unless standard output is a closed pipe.
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

/// Formats a finished game as one line: scores, causes, faults, and the replay's path.
fn describe(report: &GameReport) -> String {
    let game = &report.game;
    let [red, blue] = Color::ALL.map(|color| {
        let score = &game.result.scores[color];
        let sentence = game.result.sentence(color).map(|s| format!(" ({s})"));
        // Names may contain line breaks, which the debug format escapes.
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
