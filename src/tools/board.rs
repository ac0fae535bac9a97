//! `wabe board`: serves the board as a web page.

use std::io::Write;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, bail};
use etcetera::BaseStrategy;
use etcetera::base_strategy::choose_native_strategy;
use tempfile::NamedTempFile;
use tokio::net::TcpListener;

use super::game_file::GameFile;
use super::signals::NO_SIGNALS;
use crate::errors::UsageError;
use crate::exit::Exit;
use crate::tools::{available_cores, listen, runtime};
use crate::values::{address, at_least_one};
use wabe_arena::ArenaGame;
use wabe_board::protocol::{OpenedGame, Welcome};
use wabe_board::{BoardOptions, Budget, Library, LiveGames, opened, serve};
use wabe_contest::bot::interruption;
use wabe_contest::client::Interruption;
use wabe_records::games::GameName;
use wabe_records::with_game;

/// Play, review and analyse in a browser
///
/// Serves a page on this machine, prints its address and opens the browser. By default, nothing
/// leaves the machine unless the page watches another server. Ctrl-C stops it.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// File of recorded games, position, or game string to open
    #[arg(value_name = "FILE|POSITION|GAMESTRING")]
    subject: Option<PathBuf>,

    /// Game to start with
    #[arg(long, value_name = "GAME")]
    game: Option<GameName>,

    /// Address or host name to listen on
    ///
    /// With an address that other machines can reach, the page needs the token in the printed URL.
    #[arg(long, default_value = "127.0.0.1", value_name = "ADDRESS", value_parser = address)]
    listen: IpAddr,

    /// Port to listen on, 0 for any [default: 2020 if free]
    #[arg(long, value_name = "PORT", value_parser = port)]
    port: Option<u16>,

    /// Folder of the library, in which the page saves games [default: wabe/library in the user's
    /// data folder]
    #[arg(long, value_name = "DIR")]
    library: Option<PathBuf>,

    /// Do not open the browser
    #[arg(long)]
    no_open: bool,

    /// Let the page start programs as opponents
    #[arg(long)]
    allow_programs: bool,

    /// Maximum number of threads for all searches [default: number of cores]
    #[arg(long, value_name = "N", value_parser = at_least_one::<usize>)]
    threads: Option<usize>,

    /// Maximum memory for all searches, in MiB
    #[arg(long, default_value_t = 1024, value_name = "MIB", value_parser = at_least_one::<usize>)]
    memory: usize,
}

fn port(text: &str) -> Result<u16, &'static str> {
    text.parse().map_err(|_| "expected a port from 0 to 65535")
}

pub(super) fn run(args: Args) -> anyhow::Result<Exit> {
    let opened = args.subject.as_deref().map(opened_from).transpose()?;
    let (first, saved) = opened.unwrap_or_default();
    let runtime = runtime(available_cores())?;
    let threads = args.threads.unwrap_or_else(available_cores);
    let budget = Budget::new(threads, args.memory);
    let exit = runtime.block_on(serve_board(&args, first, saved, Arc::clone(&budget)));
    // Closes the pages' connections, which stops their searches and programs. Programs would
    // otherwise be orphaned.
    runtime.shutdown_timeout(SHUTDOWN_TIMEOUT);
    budget.wait_for_programs(SHUTDOWN_TIMEOUT);
    exit
}

/// Timeout for pages and programs to close.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(1);

async fn serve_board(
    args: &Args,
    first: Vec<OpenedGame>,
    saved: Option<String>,
    budget: Arc<Budget>,
) -> anyhow::Result<Exit> {
    let interrupted = interruption().context(NO_SIGNALS)?;
    if args.allow_programs && !args.listen.is_loopback() {
        bail!(UsageError::new(
            "--allow-programs requires a loopback --listen address"
        ));
    }
    let library = library(args.library.as_deref())?.map(Arc::new);
    let board = BoundServer::at(args.listen, args.port, args.allow_programs).await?;
    writeln!(std::io::stdout(), "{}", board.url)?;
    // Dropping this removes the file that contains the token.
    let _opened = (!args.no_open && has_browser()).then(|| {
        let opened = board.open();
        opened.inspect_err(|error| log::info!("cannot open a browser: {error}"))
    });
    let mut options = BoardOptions::new(budget, Arc::default());
    options.token = board.token;
    options.library = library;
    options.welcome = Welcome {
        first,
        saved,
        game: args.game.unwrap_or_default().to_string(),
        programs: args.allow_programs,
        ..options.welcome
    };
    let mut signal = Interruption::Interrupt;
    let stop = async { signal = interrupted.await };
    let served = serve(board.listener, options, stop).await;
    served.context(FAILED)?;
    Ok(match signal {
        Interruption::Interrupt => Exit::Success,
        signal => signal.into(),
    })
}

/// Opens the library. If the default folder cannot be used, pages save games in the browser.
fn library(folder: Option<&Path>) -> anyhow::Result<Option<Library>> {
    if let Some(folder) = folder {
        let opened = Library::open(folder);
        let opened = opened.with_context(|| format!("cannot use {} as library", folder.display()));
        return opened.map(Some);
    }
    let opened = choose_native_strategy()
        .map_err(anyhow::Error::from)
        .and_then(|user| {
            let folder = user.data_dir().join("wabe").join("library");
            let opened = Library::open(&folder);
            opened.with_context(|| format!("cannot use {}", folder.display()))
        });
    Ok(opened
        .inspect_err(|error| {
            log::warn!("no library, the browser keeps the games: {error:#}");
        })
        .ok())
}

const FAILED: &str = "the board's server failed";

/// A board that listens but does not serve yet.
struct BoundServer {
    listener: TcpListener,
    url: String,
    token: Option<String>,
}

impl BoundServer {
    /// Listens on `port`. Without one, tries [`USUAL_PORT`], then any free port. Creates an access
    /// token if other machines can connect, or if other users of this machine could start programs.
    async fn at(host: IpAddr, port: Option<u16>, programs: bool) -> anyhow::Result<BoundServer> {
        let address = SocketAddr::new(host, port.unwrap_or(USUAL_PORT));
        let is_in_use = |error: &anyhow::Error| {
            let error = error.downcast_ref::<std::io::Error>();
            error.is_some_and(|error| error.kind() == std::io::ErrorKind::AddrInUse)
        };
        let listener = match listen(address).await {
            Err(error) if port.is_none() && is_in_use(&error) => {
                log::info!("{error:#}");
                listen(SocketAddr::new(host, 0)).await?
            }
            bound => bound?,
        };
        let address = listener.local_addr().context("cannot listen")?;
        let has_token = programs || !address.ip().is_loopback();
        let token = has_token.then(|| format!("{:032x}", rand::random::<u128>()));
        // Clients cannot connect to an unspecified address.
        let own = if address.ip().is_unspecified() {
            own_address(address.ip())
        } else {
            Some(address.ip())
        };
        if own.is_none() {
            let host = address.ip();
            eprintln!("wabe: replace {host} in the URL with this machine's address");
        }
        let shown = SocketAddr::new(own.unwrap_or(address.ip()), address.port());
        let url = match &token {
            None => format!("http://{shown}/"),
            Some(token) => format!("http://{shown}/#token={token}"),
        };
        Ok(BoundServer {
            listener,
            url,
            token,
        })
    }

    /// Opens the browser. Command lines are visible to all users, so a URL with a token is passed
    /// in a file that only this user can read. Dropping the result removes the file.
    fn open(&self) -> std::io::Result<Option<NamedTempFile>> {
        if self.token.is_none() {
            return open::that_detached(&self.url).map(|()| None);
        }
        let mut file = tempfile::Builder::new()
            .prefix("wabe-board-")
            .suffix(".html")
            .tempfile()?;
        file.write_all(redirection(&self.url).as_bytes())?;
        file.flush()?;
        open::that_detached(file.path())?;
        Ok(Some(file))
    }
}

/// This machine's address in its network. Connecting a UDP socket chooses a route but sends
/// nothing.
fn own_address(unspecified: IpAddr) -> Option<IpAddr> {
    let outside: SocketAddr = match unspecified {
        IpAddr::V4(_) => (Ipv4Addr::new(192, 0, 2, 1), 9).into(),
        IpAddr::V6(_) => (Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 1), 9).into(),
    };
    let socket = UdpSocket::bind((unspecified, 0)).ok()?;
    socket.connect(outside).ok()?;
    let own = socket.local_addr().ok()?.ip();
    (!own.is_unspecified()).then_some(own)
}

/// An HTML page that redirects to `url`, which must not contain characters that need escaping.
fn redirection(url: &str) -> String {
    format!(
        "<!DOCTYPE html>\n<meta charset=\"utf-8\"><meta name=\"referrer\" content=\"no-referrer\">\n\
         <meta http-equiv=\"refresh\" content=\"0; url={url}\">\n<a href=\"{url}\">wabe board</a>\n"
    )
}

/// The `--board` option of commands whose games can be watched.
#[derive(Debug, clap::Args)]
pub(super) struct WatchArgs {
    /// Serve a board to watch the games [default port: 2020 if free]
    #[arg(long, value_name = "PORT", num_args = 0..=1, value_parser = port)]
    board: Option<Option<u16>>,
}

/// A board served in the background. Dropping it stops the server.
pub(super) struct BackgroundServer {
    /// The games to watch.
    pub(super) live: Arc<LiveGames>,
    runtime: tokio::runtime::Runtime,
}

impl BackgroundServer {
    /// Waits for a signal, or until no page has been open for [`IDLE_TIMEOUT`]. Spectators may want
    /// to study the games, reload the page, or open it after a short game.
    pub(super) fn wait_for_pages(&self) -> anyhow::Result<()> {
        let seconds = IDLE_TIMEOUT.as_secs();
        eprintln!(
            "wabe: serving the board until {seconds} s after the last page closes, or Ctrl-C"
        );
        self.runtime.block_on(async {
            let mut interrupted = pin!(interruption().context(NO_SIGNALS)?);
            // Counts checks instead of time: pages must be able to return after a suspension.
            let mut idle = Duration::ZERO;
            while idle < IDLE_TIMEOUT {
                tokio::select! {
                    _ = &mut interrupted => break,
                    () = tokio::time::sleep(PAGE_CHECK_INTERVAL) => {}
                }
                idle += PAGE_CHECK_INTERVAL;
                if self.live.pages() > 0 {
                    idle = Duration::ZERO;
                }
            }
            Ok(())
        })
    }

    /// Runs `work` on the board's runtime.
    pub(super) fn spawn(&self, work: impl Future<Output = ()> + Send + 'static) {
        self.runtime.spawn(work);
    }
}

impl WatchArgs {
    /// True if spectators can connect.
    pub(super) fn is_requested(&self) -> bool {
        self.board.is_some()
    }

    /// Serves the board to this machine if requested, and prints its URL on standard error.
    /// Spectators' searches share one thread.
    pub(super) fn serve(&self) -> anyhow::Result<Option<BackgroundServer>> {
        self.serve_to(Ipv4Addr::LOCALHOST.into())
    }

    /// Like [`serve`](WatchArgs::serve), on this address.
    pub(super) fn serve_to(&self, host: IpAddr) -> anyhow::Result<Option<BackgroundServer>> {
        let Some(port) = self.board else {
            return Ok(None);
        };
        let runtime = runtime(1)?;
        let live = Arc::<LiveGames>::default();
        let board = runtime.block_on(BoundServer::at(host, port, false))?;
        let separator = if board.token.is_some() { '&' } else { '#' };
        eprintln!("wabe: watch at {}{separator}watch", board.url);
        let mut options = BoardOptions::new(Budget::new(1, WATCHERS_MIB), Arc::clone(&live));
        options.token = board.token;
        options.welcome.watch = true;
        options.welcome.game = GameName::default().to_string();
        runtime.spawn(async {
            let served = serve(board.listener, options, std::future::pending()).await;
            if let Err(error) = served {
                log::error!("{FAILED}: {error}");
            }
        });
        Ok(Some(BackgroundServer { live, runtime }))
    }
}

/// Default port.
const USUAL_PORT: u16 = 2020;

/// Time without open pages after which the board stops.
const IDLE_TIMEOUT: Duration = Duration::from_secs(10);

/// Interval between checks for open pages.
const PAGE_CHECK_INTERVAL: Duration = Duration::from_millis(200);

/// Memory limit for spectators' searches, in MiB.
const WATCHERS_MIB: usize = 256;

/// True if a graphical browser can be opened. On Linux without a display, a text browser would take
/// over the terminal.
fn has_browser() -> bool {
    let is_set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    !cfg!(target_os = "linux") || is_set("DISPLAY") || is_set("WAYLAND_DISPLAY")
}

/// Opens a file of games, or the text of a review or variation tree saved by the page.
fn opened_from(subject: &Path) -> anyhow::Result<(Vec<OpenedGame>, Option<String>)> {
    let file = GameFile::from_argument(subject)?;
    let name = subject.display();
    let beginning = file.beginning.trim_ascii_start();
    let begins_with = |tag: &[u8]| {
        (beginning.get(..tag.len())).is_some_and(|text| text.eq_ignore_ascii_case(tag))
    };
    if begins_with(b"<!doctype html") || begins_with(b"<html") {
        bail!("{name} is a web page: open it in a browser");
    }
    if begins_with(b"{") {
        let text = String::from_utf8(file.bytes(MAX_SAVED)?);
        let text = text.with_context(|| format!("cannot read {name}"))?;
        return Ok((Vec::new(), Some(text)));
    }
    Ok((
        with_game!(file.game, |G, _variant| open_games::<G>(file))?,
        None,
    ))
}

/// Maximum size of a file saved by the page, in bytes.
const MAX_SAVED: u64 = 16 << 20;

/// Reads the games of a file.
fn open_games<G: ArenaGame>(file: GameFile) -> anyhow::Result<Vec<OpenedGame>> {
    Ok(file.read::<G>(None)?.iter().map(opened).collect())
}
