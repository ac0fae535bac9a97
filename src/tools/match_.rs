//! `wabe match`: plays a game on this machine and shows the board after every ply.

use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use anstream::AutoStream;
use anyhow::{Context, bail};
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use terminal_size::{Height, Width, terminal_size};

use super::board::WatchArgs;
use super::display::Display;
use super::engines::{check_logs, engine, explain};
use super::outputs::{cannot_write, color_mode, make_folder};
use super::signals::stop_flag;
use crate::exit::Exit;
use crate::values::at_least_one;
use wabe_arena::ArenaGame;
use wabe_arena::{
    EngineSpec, GameRun, GameSettings, PlayedGame, ProgramOutput, WatchedPly, encode_replay,
    play_game,
};
use wabe_board::{LiveGame, Origin};
use wabe_contest::room::TimeLimits;
use wabe_contest::server::file_stem;
use wabe_engine::search::DEFAULT_MEMORY_MIB;
use wabe_files::text::printable_end;
use wabe_hive::game::{Record, Side};
use wabe_hive::{ByColor, Color};
use wabe_records::Replay;
use wabe_records::diagram::Diagram;
use wabe_records::games::{GameName, word_of};
use wabe_records::layout::Layout;
use wabe_records::view::terminal::{Screen, Size};
use wabe_records::with_game;

/// Play one game between two players and watch it
///
/// The recording is written to the folder `replays`, or to that of --replays. The last lines of the
/// output contain its path.
///
/// SPEC is a built-in player, such as mcts:nodes=5000, mcts:level=3 or greedy, or the command line
/// of a program in quotes. In the contest, programs are contest clients. In standard Hive they are
/// UHP engines, such as "nokamute uhp". docs/arena.md lists the options of players.
///
/// A player loses when a move takes longer than max(2 s, --time + 0.5 s). Players with a node limit
/// have no time limit. The exit code is 0 when the game ended by the rules, whoever won.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// First player (red or white)
    #[arg(long, alias = "white", default_value = "mcts", value_name = "SPEC")]
    red: String,

    /// Second player (blue or black)
    #[arg(long, alias = "black", default_value = "mcts", value_name = "SPEC")]
    blue: String,

    #[arg(long, default_value_t, value_name = "GAME", help = GameName::help())]
    game: GameName,

    /// Time per move of built-in players, in ms
    #[arg(long, default_value_t = 400, value_name = "MS", value_parser = at_least_one::<u64>)]
    time: u64,

    /// Random seed for brambles and built-in players [default: random]
    #[arg(long, value_name = "N")]
    seed: Option<u64>,

    /// Folder for the replay
    #[arg(long, default_value = "replays", value_name = "DIR")]
    replays: PathBuf,

    /// Write programs' output (red.log) and messages (red-protocol.log) into this folder
    #[arg(long, value_name = "DIR")]
    logs: Option<PathBuf>,

    /// Show each position for at least this time, in ms
    #[arg(long, default_value_t = 0, value_name = "MS")]
    delay: u64,

    /// Print the result without the boards
    #[arg(short, long)]
    quiet: bool,

    #[command(flatten)]
    watch: WatchArgs,
}

impl Args {
    /// Time to show each position. Without boards and spectators nothing is shown.
    fn shown_time(&self) -> Duration {
        let is_shown = !self.quiet || self.watch.is_requested();
        Duration::from_millis(if is_shown { self.delay } else { 0 })
    }

    fn settings(&self, seed: u64) -> GameSettings {
        let move_time = Duration::from_millis(self.time);
        // Even a player with a shorter move time gets the contest's full limit before it loses.
        let usual = TimeLimits::default().soft.saturating_sub(move_time);
        GameSettings {
            move_time,
            memory_mib: DEFAULT_MEMORY_MIB,
            margin: usual.max(MIN_MARGIN),
            seed,
            exit_timeout: EXIT_TIMEOUT,
            keep_dialogues: self.logs.is_some(),
            ..GameSettings::default()
        }
    }
}

/// Minimum margin added to a player's time per move.
const MIN_MARGIN: Duration = Duration::from_millis(500);

/// Timeout for programs to exit after the game before they are killed.
const EXIT_TIMEOUT: Duration = Duration::from_secs(5);

/// How often the stop flag is checked between boards.
const STOP_CHECK_INTERVAL: Duration = Duration::from_millis(50);

/// Maximum number of characters shown of a program's output. The beginning is cut off.
const MAX_OUTPUT: usize = 2000;

pub(super) fn run(args: Args) -> anyhow::Result<Exit> {
    with_game!(args.game, |G, variant| play::<G>(&args, variant))
}

/// The match so far, for the screen, the board and the replay.
struct MatchLog<G: ArenaGame, W: Write> {
    display: Display<W>,
    /// Result of writing to the screen. The game continues even if standard output is closed.
    shown: io::Result<()>,
    layout: Layout,
    replay: Replay<G>,
    live: Option<LiveGame<G>>,
}

impl<G: ArenaGame, W: Write> MatchLog<G, W> {
    fn ply(&mut self, ply: &WatchedPly<'_, G>) {
        self.replay
            .add(ply.record, ply.elapsed, ply.comment.clone());
        if let Some(live) = &mut self.live {
            live.add(ply);
        }
        let before = self.layout.clone();
        self.layout = before.followed_by(ply.record.position());
        if self.shown.is_ok() {
            let layouts = [&before, &self.layout];
            let hint = ply.comment.as_deref();
            self.shown = self.display.played(ply.record, layouts, ply.elapsed, hint);
        }
    }
}

fn play<G: ArenaGame>(args: &Args, variant: G::Variant) -> anyhow::Result<Exit> {
    let engines = ByColor {
        red: engine::<G>(&args.red, &[])?,
        blue: engine::<G>(&args.blue, &[])?,
    };
    // Short enough to retype.
    let seed = args.seed.unwrap_or_else(|| rand::random::<u16>().into());
    let names = ByColor::from_fn(|color| engines[color].name.clone());
    for folder in [Some(&args.replays), args.logs.as_ref()]
        .into_iter()
        .flatten()
    {
        make_folder(folder)?;
    }
    check_logs([&engines.red, &engines.blue], None)?;
    // A port in use must be reported before anything is printed.
    let board = args.watch.serve()?;
    let mut display = display(args, seed, G::SIDES);
    let start = G::start(variant, &mut Xoshiro256PlusPlus::seed_from_u64(seed));
    let opening: Record<G> = Record::new(variant, start);
    let as_typed = ByColor {
        red: args.red.clone(),
        blue: args.blue.clone(),
    };
    let live = board.as_ref().map(|board| {
        board
            .live
            .begin(Origin::Match, opening.clone(), names.clone())
    });
    let mut log = MatchLog {
        shown: display.began(&as_typed, &Diagram::from_record(&opening)),
        display,
        layout: Layout::start(opening.position()),
        replay: Replay {
            names: names.clone(),
            ..Replay::new(opening.clone())
        },
        live,
    };
    let stop = stop_flag()?;
    let delay = args.shown_time();
    let played = play_game(&engines, &opening, &args.settings(seed), &stop, |ply| {
        log.ply(&ply);
        pause(delay, &stop);
    });
    let whose =
        |color, _: &str, program: &str| format!("{}'s program `{program}`", G::SIDES[color]);
    let played = match played.map_err(|error| explain(error, whose))? {
        GameRun::Finished(played) => played,
        GameRun::Stopped(outputs) => {
            let signal = stop.signal();
            let logged = write_logs::<G>(args, &engines, &outputs);
            let replay = &log.replay;
            let replay = if replay.record.plies().is_empty() {
                String::new()
            } else {
                format!(", replay {}", write_replay(args, replay)?.display())
            };
            eprintln!("wabe: {signal}; match not finished{replay}");
            logged?;
            return Ok(signal.into());
        }
    };
    let logged = write_logs::<G>(args, &engines, &played.outputs);
    if let (false, Some(winner)) = (played.has_begun, played.record.result.winner()) {
        if let Err(error) = logged {
            log::error!("{error:#}");
        }
        let loser = winner.opponent();
        let output = match printable_end(&played.outputs[loser].output, MAX_OUTPUT).as_str() {
            "" => "; it printed nothing".to_owned(),
            output => format!("; its last output:\n{output}"),
        };
        let fault = played.record.fault().unwrap_or_default();
        bail!("{}'s program {fault}{output}", G::SIDES[loser]);
    }
    let mut replay = log.replay;
    played.record.conclude(&mut replay);
    let kept = write_replay(args, &replay);
    let sentence = played.record.sentence::<G>(replay.record.ending());
    let path = kept.as_deref().ok();
    let shown = (log.shown).and_then(|()| log.display.finished(&sentence, &names, path));
    let exit = report_faults::<G>(&played);
    if let Some(live) = log.live {
        live.end(&played.record);
    }
    kept?;
    logged?;
    // A fault was already reported on standard error.
    if exit == Exit::Success {
        shown?;
    }
    if let Some(board) = board {
        board.wait_for_pages()?;
    }
    Ok(exit)
}

/// Sleeps for `time`, or until `stop` is set.
fn pause(mut time: Duration, stop: &AtomicBool) {
    while !time.is_zero() && !stop.load(Ordering::Relaxed) {
        let step = time.min(STOP_CHECK_INTERVAL);
        thread::sleep(step);
        time -= step;
    }
}

/// Writes the programs' outputs and dialogues into the log folder. Continues after an error and
/// returns the first one.
fn write_logs<G: ArenaGame>(
    args: &Args,
    engines: &ByColor<EngineSpec>,
    outputs: &ByColor<ProgramOutput>,
) -> anyhow::Result<()> {
    let Some(folder) = &args.logs else {
        return Ok(());
    };
    let mut kept = Ok(());
    for color in Color::ALL
        .into_iter()
        .filter(|&color| engines[color].is_program())
    {
        let (side, written) = (G::SIDES[color], &outputs[color]);
        kept = kept.and(write_numbered(folder, (side.name(), "log"), &written.output).map(drop));
        // A UHP engine has no separate dialogue: its output is the dialogue.
        if !written.dialogue.is_empty() {
            let name = format!("{side}-protocol");
            kept = kept.and(write_numbered(folder, (&name, "log"), &written.dialogue).map(drop));
        }
    }
    kept
}

const UNPLAYABLE: &str = "the recorded moves could not be replayed";

/// Writes a replay to a new file in the replay folder.
fn write_replay<G: ArenaGame>(args: &Args, replay: &Replay<G>) -> anyhow::Result<PathBuf> {
    let (extension, text) = encode_replay(replay).context(UNPLAYABLE)?;
    let game = word_of::<G>(replay.record.variant());
    let stem = file_stem(&game, &replay.names, jiff::Zoned::now().datetime());
    write_numbered(&args.replays, (&stem, extension), &text)
}

/// Writes a text to a new file. Adds a number if the file exists.
fn write_numbered(folder: &Path, name: (&str, &str), text: &str) -> anyhow::Result<PathBuf> {
    wabe_files::write_new(folder, name, |mut file| file.write_all(text.as_bytes()))
        .with_context(|| cannot_write(&folder.join(format!("{}.{}", name.0, name.1))))
}

/// Reports faults and killed programs. A game that did not end by the rules is a failure.
fn report_faults<G: ArenaGame>(played: &PlayedGame) -> Exit {
    for color in Color::ALL
        .into_iter()
        .filter(|&color| played.outputs[color].was_killed)
    {
        let side = G::SIDES[color];
        eprintln!("wabe: {side}'s program did not exit after the game and was killed");
    }
    let loser = played.record.result.winner().map(Color::opponent);
    let (Some(by), Some(fault)) = (loser, played.record.fault()) else {
        return Exit::success_if(played.record.end.is_regular());
    };
    let side = G::SIDES[by];
    eprintln!("wabe: {side} {fault}");
    for color in Color::ALL {
        let words = printable_end(&played.outputs[color].output, MAX_OUTPUT);
        if !words.is_empty() {
            let side = G::SIDES[color];
            eprintln!("wabe: last output of {side}'s program:\n{words}");
        }
    }
    Exit::Failure
}

/// Boards overwrite each other in a terminal, unless log lines could come in between.
fn display(args: &Args, seed: u64, sides: ByColor<Side>) -> Display<impl Write + use<>> {
    let stdout = io::stdout();
    let has_log_lines = log::log_enabled!(log::Level::Info) && io::stderr().is_terminal();
    let replaces = stdout.is_terminal() && !has_log_lines;
    Display {
        color_mode: color_mode(),
        screen: Screen::new(AutoStream::auto(stdout)),
        terminal: if replaces { measured_terminal } else { || None },
        quiet: args.quiet,
        sides,
        seed,
        timing: ByColor::default(),
    }
}

/// Size of the terminal; `None` if it reports no size or zero rows or columns.
fn measured_terminal() -> Option<Size> {
    let (Width(columns), Height(rows)) = terminal_size()?;
    let size = Size {
        columns: columns.into(),
        rows: rows.into(),
    };
    (columns > 0 && rows > 0).then_some(size)
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Match {
        #[command(flatten)]
        args: Args,
    }

    #[test]
    fn quiet_matches_delay_only_for_spectators() {
        for (options, expected) in [
            ("--delay 5", 5),
            ("--delay 5 --quiet", 0),
            ("--delay 5 --quiet --board", 5),
            ("--delay 5 --quiet --board 0", 5),
        ] {
            let words = format!("match {options}");
            let parsed = Match::parse_from(words.split(' '));
            let time = parsed.args.shown_time();
            assert_eq!(time, Duration::from_millis(expected), "{options}");
        }
    }
}
