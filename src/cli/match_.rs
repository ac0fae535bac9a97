//! `wabe match`: two players on this machine, and the board after every ply.

use std::io::{IsTerminal, Write};
use std::path::PathBuf;
use std::pin::pin;
use std::time::Duration;

use anstream::{AutoStream, ColorChoice};
use anyhow::Context;

use super::interruption::interruption;
use super::terminal_size::terminal_size;
use super::{Exit, Seconds};
use crate::client::Interruption;
use crate::hive::contest::Deal;
use crate::hive::{ByColor, Color};
use crate::local_match::{
    Contender, Display, DisplayOptions, Event, Finished, LocalMatch, Settings, commentary,
    contest_time_limits,
};
use crate::protocol::GameResult;
use crate::server::StartSource;
use crate::view::terminal::Look;

/// Play a match between two players on this machine, and watch it
///
/// SPEC is a built-in player (mcts, greedy or random, with options such as mcts:nodes=5000, mcts:time=1000 or greedy:seed=7) or
/// the command line of a client program, in quotes if it has several words. A program is started as the contest does, with
/// --host, --port and --reservation behind its own arguments.
///
/// The contest's time limits (2 s for a move) hold for everybody except built-in players that are told to think longer, or to
/// search a number of nodes.
///
/// The exit code is 0 when the game was played to its end by the rules, whoever won.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Who plays red, and begins
    #[arg(long, default_value = "mcts", value_name = "SPEC")]
    red: Contender,

    /// Who plays blue
    #[arg(long, default_value = "mcts", value_name = "SPEC")]
    blue: Contender,

    /// Time for a move of a built-in player, in milliseconds
    #[arg(long, default_value_t = 400, value_name = "MS")]
    move_time: u64,

    /// Decides where the brambles are, and everything random in built-in players [default: drawn]
    #[arg(long, value_name = "S")]
    seed: Option<u64>,

    /// Which pieces each side gets: `server` (3 spiders, 2 grasshoppers) or `rulebook` (2 and 3)
    #[arg(long, default_value_t)]
    deal: Deal,

    /// Where the replay goes
    #[arg(long, default_value = "replays", value_name = "DIR")]
    replays: PathBuf,

    /// Keep what programs write, in DIR/red.log and DIR/blue.log
    #[arg(long, value_name = "DIR")]
    logs: Option<PathBuf>,

    /// How long programs may take to join the game
    #[arg(long, default_value = "10", value_name = "SECONDS")]
    join_timeout: Seconds,

    /// How long programs may take to exit after the game, before they are killed
    #[arg(long, default_value = "5", value_name = "SECONDS")]
    exit_timeout: Seconds,

    /// Least time between two boards, to watch players that think faster than one can see
    #[arg(long, default_value_t = 0, value_name = "MS")]
    delay: u64,

    /// Print only the result
    #[arg(short, long)]
    quiet: bool,

    /// Print the boards one below the other in a terminal, too
    #[arg(long)]
    scroll: bool,
}

impl Args {
    fn delay(&self) -> Duration {
        Duration::from_millis(if self.quiet { 0 } else { self.delay })
    }

    fn settings(&self) -> Settings {
        let contenders = ByColor {
            red: self.red.clone(),
            blue: self.blue.clone(),
        };
        let move_time = Duration::from_millis(self.move_time);
        Settings {
            names: ByColor::from_fn(|color| contenders[color].name()),
            time_limits: ByColor::from_fn(|color| {
                contest_time_limits(&contenders[color], move_time)
            }),
            contenders,
            move_time,
            // Short enough to be typed again.
            seed: self.seed.unwrap_or_else(|| rand::random::<u16>().into()),
            start: StartSource::Dealt {
                deal: self.deal,
                brambles: None,
            },
            replays: Some(self.replays.clone()),
            logs: self.logs.clone(),
            join_patience: self.join_timeout.into(),
            exit_patience: self.exit_timeout.into(),
        }
    }
}

pub(super) fn run(args: Args) -> anyhow::Result<Exit> {
    // Printing happens on this thread, which no player and no referee has to wait for.
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .context("cannot start the asynchronous runtime")?;
    runtime.block_on(async {
        let mut interrupted = pin!(interruption()?);
        let settings = args.settings();
        let mut display = display(&args, &settings)?;
        let mut game = LocalMatch::start(settings).await?;
        let watched = tokio::select! {
            biased;
            signal = &mut interrupted => Err(signal),
            result = watch(&mut game, &mut display, args.delay()) => Ok(result),
        };
        match watched {
            Ok(Ok(result)) => tokio::select! {
                biased;
                signal = &mut interrupted => Ok(interruption_exit(signal)),
                finished = game.finish() => {
                    let finished = finished?;
                    display.finished(&result, &finished)?;
                    Ok(report_faults(&result, &finished))
                }
            },
            Ok(Err(error)) => {
                game.abandon().await;
                Err(error)
            }
            Err(signal) => {
                game.abandon().await;
                Ok(interruption_exit(signal))
            }
        }
    })
}

async fn watch<W: Write>(
    game: &mut LocalMatch,
    display: &mut Display<W>,
    delay: Duration,
) -> anyhow::Result<GameResult> {
    loop {
        match game.next_event().await? {
            Event::Began(position) => display.began(&position)?,
            Event::Played(played) => display.played(&played)?,
            Event::Refused(message) => log::info!("the referee refuses a move: {message}"),
            Event::Over(result) => return Ok(*result),
        }
        // The players go on meanwhile, and their times are those at which their moves arrived.
        tokio::time::sleep(delay).await;
    }
}

fn interruption_exit(signal: Interruption) -> Exit {
    eprintln!("wabe: {signal}; the match is not over, and there is no replay of it");
    match signal {
        Interruption::Interrupt => Exit::Interrupted,
        Interruption::Terminate => Exit::Terminated,
    }
}

/// Tells what was not as it should be; a game that a player broke off is a failure.
fn report_faults(result: &GameResult, finished: &Finished) -> Exit {
    for color in &finished.killed {
        eprintln!("wabe: {color}'s program did not exit after the game and was killed");
    }
    let faults = commentary::faults(result);
    for fault in &faults {
        eprintln!("wabe: {fault}");
    }
    if faults.is_empty() {
        return Exit::Success;
    }
    for color in Color::ALL {
        let words = &finished.last_words[color];
        if !words.is_empty() {
            eprintln!("wabe: the end of what {color}'s program has written:\n{words}");
        }
    }
    Exit::Failure
}

/// Boards replace each other in a terminal, unless log lines would come in between.
fn display(args: &Args, settings: &Settings) -> std::io::Result<Display<impl Write + use<>>> {
    let stdout = std::io::stdout();
    let has_log_lines = log::log_enabled!(log::Level::Info) && std::io::stderr().is_terminal();
    let replaces = stdout.is_terminal() && !args.scroll && !has_log_lines;
    let colors = AutoStream::choice(&stdout);
    let options = DisplayOptions {
        look: match colors {
            ColorChoice::Never => Look::Plain,
            _ => Look::Color,
        },
        terminal: if replaces { terminal_size } else { || None },
        quiet: args.quiet,
    };
    Display::new(AutoStream::new(stdout, colors), options, settings)
}
