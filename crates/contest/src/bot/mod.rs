//! Turns a function that chooses moves into a contest bot.

mod connection;
mod interruption;
mod numbers;
mod play;

use std::error::Error;
use std::io::{self, Write};
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use clap::Parser;

use crate::client::{ClientError, GameOver, Options};
use connection::{Connection, MOVE_TIME};
pub use interruption::{Interruptions, interruption};
pub use numbers::{at_least_one, number};
pub use play::{Args as PlayArgs, PlayError, play};
use wabe_engine::search::{Choice, Limits, Player, RootMove, SearchControl};
use wabe_engine::thread::PlayerFactory;
use wabe_files::text::{MAX_DETAIL, printable};
use wabe_hive::contest::{Contest, ContestRecord, Move};

/// Play one game on a contest server
#[derive(Debug, Parser)]
// The contest's server appends its options to those in start.sh.
#[command(args_override_self = true)]
struct Arguments {
    #[command(flatten)]
    connection: Connection,
}

/// The time budget of a move.
#[derive(Clone, Copy)]
pub struct Time<'a>(&'a SearchControl<'a, Contest>);

impl Time<'_> {
    /// Time left, minus the margin for sending the move. 3 ms after it has reached zero, a fallback
    /// move is sent.
    pub fn left(&self) -> Duration {
        let limit = self.0.limits.time().unwrap_or(Duration::MAX);
        limit.saturating_sub(self.0.clock.elapsed())
    }

    /// True if no time is left or the search was stopped.
    pub fn is_up(&self) -> bool {
        self.0.is_time_up()
    }
}

/// The `main` function of a bot: plays a contest game with the moves that `choose` returns.
///
/// The command line accepts the contest's options `--host`, `--port` and `--reservation`, and
/// others listed by `--help`. Bots cannot define their own options. If `choose` is late, panics or
/// returns an illegal move, the best move of a one-ply search is sent instead.
///
/// The exit code is 0 after a game, won or lost, 1 for a broken connection, 2 for an invalid
/// command line, 130 after Ctrl-C and 143 after SIGTERM.
///
/// ```no_run
/// # use std::process::ExitCode;
/// fn main() -> ExitCode {
///     wabe_contest::run_bot(|game, _time| game.legal_moves()[0])
/// }
/// ```
pub fn run_bot<F>(choose: F) -> ExitCode
where
    F: FnMut(&ContestRecord, Time<'_>) -> Move + Send + 'static,
{
    let arguments = Arguments::parse();
    init_logging();
    let time = arguments.connection.move_time().unwrap_or(MOVE_TIME);
    let options = arguments.connection.options(Limits::Time(time));
    let choose = Arc::new(Mutex::new(choose));
    let make_player: PlayerFactory<Contest> =
        Box::new(move || Box::new(FunctionPlayer(Arc::clone(&choose))));
    let problem = match play_until_interrupted(&options, make_player) {
        Ok(game_over) => {
            // Standard output may be closed.
            let _ = writeln!(io::stdout(), "{game_over}");
            return ExitCode::SUCCESS;
        }
        Err(ClientError::Interrupted(signal)) => return ExitCode::from(signal.exit_code()),
        Err(error) => format_causes(&error),
    };
    // Standard error may be closed.
    let _ = writeln!(io::stderr(), "{problem}");
    ExitCode::FAILURE
}

/// Formats an error with its causes.
fn format_causes(error: &dyn Error) -> String {
    let causes = std::iter::successors(error.source(), |&cause| cause.source());
    let text = causes.fold(error.to_string(), |text, cause| {
        // Some errors already contain their cause.
        let cause = cause.to_string();
        if text.ends_with(&cause) {
            text
        } else {
            format!("{text}: {cause}")
        }
    });
    printable(&text, MAX_DETAIL)
}

/// Logs warnings and errors to standard error, unless the program already set a logger. `RUST_LOG`
/// overrides the level.
fn init_logging() {
    let filter = env_logger::Env::default().default_filter_or("warn");
    let _ = env_logger::Builder::from_env(filter).try_init();
}

/// Plays one game on a new runtime, until a signal arrives.
///
/// # Errors
/// When the game has no result, or the runtime cannot be started.
pub fn play_until_interrupted(
    options: &Options,
    make_player: PlayerFactory<Contest>,
) -> Result<GameOver, ClientError> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(ClientError::Runtime)?;
    runtime.block_on(async {
        let interrupted = interruption().map_err(ClientError::Runtime)?;
        crate::client::play(options, make_player, interrupted).await
    })
}

/// A function as a player.
struct FunctionPlayer<F>(Arc<Mutex<F>>);

impl<F> Player<Contest> for FunctionPlayer<F>
where
    F: FnMut(&ContestRecord, Time<'_>) -> Move + Send,
{
    fn choose(
        &mut self,
        record: &ContestRecord,
        control: &SearchControl<'_, Contest>,
    ) -> Option<Choice<Contest>> {
        if record.is_over() {
            return None;
        }
        // A panic poisons the lock, but the function can still choose the next move.
        let mut choose = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let best = RootMove::without_evaluation(choose(record, Time(control)));
        Some(Choice { best, nodes: 0 })
    }

    fn new_game(&mut self) {}
}
