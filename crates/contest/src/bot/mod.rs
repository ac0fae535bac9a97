//! A bot for the contest from a function that chooses moves.

mod connection;
mod interruption;
mod numbers;
mod play;
mod seconds;

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
pub use play::{Args as PlayArgs, PlayError, network_file, play};
pub use seconds::Seconds;
use wabe_engine::search::{Choice, Limits, Player, RootMove, SearchControl};
use wabe_engine::thread::PlayerFactory;
use wabe_files::text::{MAX_DETAIL, printable};
use wabe_hive::contest::{Contest, ContestRecord, Move};

/// Plays one game on a game server of the contest.
#[derive(Debug, Parser)]
struct Arguments {
    #[command(flatten)]
    connection: Connection,
}

/// The time for a move.
#[derive(Clone, Copy)]
pub struct Time<'a>(&'a SearchControl<'a, Contest>);

impl Time<'_> {
    /// The time that is left, less the reserve for sending the move. Zero once the move is late: 3
    /// ms later a legal move is sent in its place.
    pub fn left(&self) -> Duration {
        let limit = self.0.limits.time().unwrap_or(Duration::MAX);
        limit.saturating_sub(self.0.clock.elapsed())
    }

    /// True if no time is left or the search was stopped.
    pub fn is_up(&self) -> bool {
        self.0.is_time_up()
    }
}

/// The `main` of a bot: plays one game of the contest, and `choose` chooses its moves.
///
/// The command line says where: `--host`, `--port` and `--reservation`, as the contest starts its
/// clients; `--help` lists the rest. A bot cannot add options of its own. If `choose` is late,
/// panics or returns an illegal move, a legal one is sent: the best at one ply. Ctrl-C and SIGTERM
/// end the program with 130 and 143, a broken connection ends it with 1, a wrong command line with
/// 2, and the end of the game, won or lost, with 0.
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
        Box::new(move || Box::new(Chooser(Arc::clone(&choose))));
    let problem = match play_until_interrupted(&options, make_player) {
        Ok(game_over) => {
            // The game is over even if standard output is closed.
            let _ = writeln!(io::stdout(), "{game_over}");
            return ExitCode::SUCCESS;
        }
        Err(ClientError::Interrupted(signal)) => return ExitCode::from(signal.exit_code()),
        Err(error) => with_causes(&error),
    };
    // Standard error may be closed.
    let _ = writeln!(io::stderr(), "{problem}");
    ExitCode::FAILURE
}

/// An error and its causes.
fn with_causes(error: &dyn Error) -> String {
    let causes = std::iter::successors(error.source(), |&cause| cause.source());
    let words = causes.fold(error.to_string(), |words, cause| {
        // Some errors repeat their cause.
        let cause = cause.to_string();
        if words.ends_with(&cause) {
            words
        } else {
            format!("{words}: {cause}")
        }
    });
    printable(&words, MAX_DETAIL)
}

/// Logs warnings and errors to standard error, unless the program has a logger already; `RUST_LOG`
/// sets other levels.
fn init_logging() {
    let filter = env_logger::Env::default().default_filter_or("warn");
    let _ = env_logger::Builder::from_env(filter).try_init();
}

/// Plays one game on a runtime of its own, until a signal ends it.
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
struct Chooser<F>(Arc<Mutex<F>>);

impl<F> Player<Contest> for Chooser<F>
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
        // After a panic the function is asked again.
        let mut choose = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let best = RootMove::without_evaluation(choose(record, Time(control)));
        Some(Choice { best, nodes: 0 })
    }

    fn new_game(&mut self) {}
}
