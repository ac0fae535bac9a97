//! `wabe match`: two players on this machine, and the board after every ply.

use std::io::{IsTerminal, Write};
use std::path::PathBuf;
use std::pin::pin;
use std::time::Duration;

use anstream::{AutoStream, ColorChoice};
use anyhow::{Context, bail};

use super::interruption::interruption;
use super::stop_flag::stop_flag;
use super::terminal_size::terminal_size;
use super::{Exit, Seconds, UsageError};
use crate::arena::{EngineSpec, GameSettings, ProgramSettings, check, play_one};
use crate::client::Interruption;
use crate::files;
use crate::game::{Agreement, Game, Layout, Paint, Record, Scene};
use crate::games::{ForGame, GameName};
use crate::hive::contest::Deal;
use crate::hive::contest::{Contest, Position};
use crate::hive::{ByColor, Color};
use crate::local_match::commentary::{self, ShownPly};
use crate::local_match::{
    Contender, Display, DisplayOptions, Event, Finished, LocalMatch, Settings, contest_time_limits,
};
use crate::protocol::GameResult;
use crate::replay::Recorded;
use crate::server::StartSource;
use crate::view::terminal::Look;

/// Play a match between two players on this machine, and watch it
///
/// SPEC is a built-in player (mcts, greedy or random, with options such as mcts:nodes=5000, mcts:time=1000 or greedy:seed=7) or
/// a program. In the contest's game that is the command line of a client, in quotes if it has several words; it is started as the
/// contest does, with --host, --port and --reservation after its own arguments. In standard Hive it is a UHP engine, such as
/// "uhp:'nokamute uhp'"; red is white there, and blue is black.
///
/// The contest's time limits (2 s for a move) hold for everybody except built-in players that are told to think longer, or to
/// search a number of nodes.
///
/// The exit code is 0 when the game was played to its end by the rules, whoever won.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Who plays red or white, and begins
    #[arg(long, alias = "white", default_value = "mcts", value_name = "SPEC")]
    red: String,

    /// Who plays blue or black
    #[arg(long, alias = "black", default_value = "mcts", value_name = "SPEC")]
    blue: String,

    /// The game: `contest`, or of standard Hive `Base`, or `Base+` with some of the letters M, L and P
    #[arg(long, default_value_t, value_name = "GAME")]
    game: GameName,

    /// Time for a move of a built-in player, in milliseconds
    #[arg(long, default_value_t = 400, value_name = "MS")]
    move_time: u64,

    /// Decides where the brambles are, and everything random in built-in players [default: drawn]
    #[arg(long, value_name = "S")]
    seed: Option<u64>,

    /// Which pieces each side gets in the contest's game: `server` (3 spiders, 2 grasshoppers; the default) or `rulebook` (2 and 3)
    #[arg(long, conflicts_with = "game")]
    deal: Option<Deal>,

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

    fn seed(&self) -> u64 {
        // Short enough to be typed again.
        self.seed.unwrap_or_else(|| rand::random::<u16>().into())
    }

    fn settings(&self, deal: Deal) -> anyhow::Result<Settings> {
        let contender = |text: &str| {
            text.parse::<Contender>()
                .map_err(|error| UsageError::new(error.to_string()))
        };
        let contenders = ByColor {
            red: contender(&self.red)?,
            blue: contender(&self.blue)?,
        };
        let move_time = Duration::from_millis(self.move_time);
        Ok(Settings {
            names: ByColor::from_fn(|color| contenders[color].name()),
            time_limits: ByColor::from_fn(|color| {
                contest_time_limits(&contenders[color], move_time)
            }),
            contenders,
            move_time,
            seed: self.seed(),
            start: StartSource::Dealt {
                deal,
                brambles: None,
            },
            replays: Some(self.replays.clone()),
            logs: self.logs.clone(),
            join_patience: self.join_timeout.into(),
            exit_patience: self.exit_timeout.into(),
        })
    }
}

pub(super) fn run(args: Args) -> anyhow::Result<Exit> {
    match args.deal.map_or(args.game, GameName::Contest) {
        GameName::Contest(deal) => contest(&args, deal),
        other => other.dispatch(&args),
    }
}

/// A game without a referee on the network: between built-in players and UHP engines.
impl ForGame for &Args {
    type Output = anyhow::Result<Exit>;

    fn run<G: Recorded>(self, variant: G::Variant) -> anyhow::Result<Exit> {
        let args = self;
        let engine = |text: &str| {
            text.parse::<EngineSpec>()
                .map_err(|error| UsageError::new(error.to_string()))
        };
        let engines = ByColor {
            red: engine(&args.red)?,
            blue: engine(&args.blue)?,
        };
        if let Err(error) = check::<G>(&[engines.red.clone(), engines.blue.clone()]) {
            bail!(UsageError::new(error.to_string()));
        }
        let settings = GameSettings {
            move_time: Duration::from_millis(args.move_time),
            margin: MARGIN,
            seed: args.seed(),
            programs: ProgramSettings {
                join_patience: args.join_timeout.into(),
                bad_game_output: args.logs.clone(),
                ..ProgramSettings::default()
            },
        };
        let names = ByColor::from_fn(|color| engines[color].name.clone());
        let mut display = display(args, settings.seed, &names, G::SIDES)?;
        let mut record: Record<G> = Record::new(variant, G::plain_start(variant));
        let mut layout = Layout::start(record.position());
        display.began(&Scene::of(&record))?;
        let stop = stop_flag()?;
        let mut shown = Ok(());
        let start = record.clone();
        let played = play_one(&engines, &start, G::MAX_PLIES, &settings, &stop, |ply| {
            let before = layout.clone();
            layout = before.followed_by(ply.record.position());
            record.clone_from(ply.record);
            let ply = ShownPly::new(&record, [&before, &layout], ply.took, ply.score);
            if let (Some(ply), Ok(())) = (ply, &shown) {
                shown = display.played(&ply);
            }
            std::thread::sleep(args.delay());
        })?;
        shown?;
        let Some(played) = played else {
            eprintln!("wabe: interrupted; the match is not over, and there is no replay of it");
            return Ok(Exit::Interrupted);
        };
        record.set_agreement(Some(match played.result.winner() {
            Some(winner) => Agreement::Resignation(winner.opponent()),
            None => Agreement::Draw,
        }));
        let by_rules = record.ending().filter(|_| played.end.is_regular());
        let sentence = match by_rules {
            Some(ending) if !matches!(ending, crate::game::Ending::Agreement(_)) => {
                ending.sentence::<G>()
            }
            _ => played.ending(G::SIDES),
        };
        let replay = keep_replay(args, &record)?;
        let look = display.look();
        let result =
            commentary::result_of_game(&sentence, &names, G::SIDES, display.timing(), look);
        display.finished(result, Some(&replay))?;
        Ok(if played.end.is_regular() {
            Exit::Success
        } else {
            Exit::Failure
        })
    }
}

/// How much later than its time limit an engine may answer.
const MARGIN: Duration = Duration::from_millis(500);

/// Writes the game's record into the directory for replays.
fn keep_replay<G: Recorded>(args: &Args, record: &Record<G>) -> anyhow::Result<PathBuf> {
    let time = jiff::Zoned::now().strftime("%Y.%m.%d_%H_%M_%S");
    let extension = G::FORMS.first().map_or("txt", |form| form.name);
    let name = format!("{}_{time}.{extension}", record.variant());
    let path = args.replays.join(name);
    std::fs::create_dir_all(&args.replays)
        .and_then(|()| files::replace(&path, format!("{record}\n").as_bytes()))
        .with_context(|| format!("cannot write {}", path.display()))?;
    Ok(path)
}

/// A game of the contest: a referee on a free port, two clients, an observer.
fn contest(args: &Args, deal: Deal) -> anyhow::Result<Exit> {
    // Printing happens on this thread, which no player and no referee has to wait for.
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .context("cannot start the asynchronous runtime")?;
    runtime.block_on(async {
        let mut interrupted = pin!(interruption()?);
        let settings = args.settings(deal)?;
        let names = settings.names.clone();
        let players = ByColor::from_fn(|color| settings.contenders[color].to_string());
        let mut display = display(args, settings.seed, &players, Contest::SIDES)?;
        let mut game = LocalMatch::start(settings).await?;
        let watched = tokio::select! {
            biased;
            signal = &mut interrupted => Err(signal),
            result = watch(&mut game, &mut display, args.delay()) => Ok(result),
        };
        match watched {
            Ok(Ok((result, last))) => tokio::select! {
                biased;
                signal = &mut interrupted => Ok(interruption_exit(signal)),
                finished = game.finish() => {
                    let finished = finished?;
                    let timing = display.timing();
                    let text =
                        commentary::result(&result, last.as_ref(), &names, timing, display.look());
                    display.finished(text, finished.replay.as_deref())?;
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
) -> anyhow::Result<(GameResult, Option<Position>)> {
    let mut position: Option<Position> = None;
    loop {
        match game.next_event().await? {
            Event::Began(start) => {
                position = Some(*start);
                display.began(&Scene::of(&Record::<Contest>::from(*start)))?;
            }
            Event::Played(played) => {
                let before = position.replace(played.position);
                let shown = before.and_then(|before| {
                    ShownPly::of_contest(&before, played.mv, played.hint.as_deref(), played.time)
                });
                if let Some(shown) = shown {
                    display.played(&shown)?;
                }
            }
            Event::Refused(message) => log::info!("the referee refuses a move: {message}"),
            Event::Over(result) => return Ok((*result, position)),
        }
        // The players continue meanwhile, and their times are those at which their moves arrived.
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
fn display(
    args: &Args,
    seed: u64,
    players: &ByColor<String>,
    sides: ByColor<Paint>,
) -> std::io::Result<Display<impl Write + use<>>> {
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
    Display::new(
        AutoStream::new(stdout, colors),
        options,
        seed,
        players,
        sides,
    )
}
