//! A game with a program in it: over the contest's protocol, under a referee and in a room of its own.

use std::any::Any;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::runtime::Runtime;

use super::engine::{EnginePlayer, EngineSpec};
use super::error::GameError;
use super::game::GameTask;
use super::output::{keep_output, tail};
use super::record::{GameEnd, GameRecord, GameResult};
use crate::game::{self, Game, Record};
use crate::hive::contest::Contest;
use crate::hive::{ByColor, Color};
use crate::local_match::{Contender, Event, LocalMatch, MatchError, Settings};
use crate::protocol::{Cause, Hint};
use crate::server::room::FinishedGame;
use crate::server::{Start, StartSource, TimeLimits};

/// How often the stop flag is looked at during a game.
const STOP_CHECK_INTERVAL: Duration = Duration::from_millis(50);

/// How long a program may take to exit after the result.
const EXIT_PATIENCE: Duration = Duration::from_secs(2);

/// How a game was decided.
enum Ending {
    /// The referee has a result.
    Played(Box<FinishedGame>),
    /// One side spoilt it before there was a game.
    Spoilt { by: Color, end: GameEnd },
}

/// The same game, if it is one of the contest.
fn of_contest<'a, G: Game>(task: &GameTask<'a, G>) -> Option<GameTask<'a, Contest>> {
    let opening: &dyn Any = task.opening;
    Some(GameTask {
        pair: task.pair,
        game_in_pair: task.game_in_pair,
        engines: task.engines,
        opening: opening.downcast_ref::<Record<Contest>>()?,
        settings: task.settings,
        max_plies: task.max_plies,
        seed: task.seed,
        stop: task.stop,
    })
}

/// Plays a game of the contest; `None` if it was stopped.
///
/// # Errors
/// When the game is another one, or cannot be played.
pub(super) fn play<G: Game>(
    task: &GameTask<'_, G>,
    runtime: &Runtime,
) -> Result<Option<GameRecord>, GameError> {
    let Some(task) = &of_contest(task) else {
        let program = |(_, engine): &&(usize, &EngineSpec)| engine.is_program();
        let engines = [task.engines.red, task.engines.blue];
        let name = engines.iter().find(program).map(|(_, e)| e.name.clone());
        return Err(GameError::WrongGame(name.unwrap_or_default()));
    };
    let output = tempfile::tempdir().map_err(GameError::Output)?;
    let settings = Settings {
        logs: Some(output.path().to_owned()),
        ..match_settings(task)
    };
    let Some(ending) = runtime.block_on(play_match(settings, task))? else {
        return Ok(None);
    };
    let record = match ending {
        Ending::Played(game) => record_of(task, &game),
        Ending::Spoilt { by, end } => task.lost_by(by, end),
    };
    keep_output(task, &record, |color| {
        tail(&output.path().join(format!("{color}.log")))
    });
    Ok(Some(record))
}

fn match_settings(task: &GameTask<'_, Contest>) -> Settings {
    let engine = |color| task.engine(color).1;
    Settings {
        contenders: ByColor::from_fn(|color| match &engine(color).player {
            EnginePlayer::BuiltIn(spec) => Contender::BuiltIn(task.built_in(color, spec)),
            // The run was checked: no UHP engine plays the contest's game.
            EnginePlayer::Uhp(uhp) => Contender::Program(uhp.command.clone()),
            EnginePlayer::Program(program) => {
                Contender::Program(program.command_for(task.settings, task.player_seed(color)))
            }
        }),
        names: ByColor::from_fn(|color| engine(color).name.clone()),
        time_limits: ByColor::from_fn(|color| time_limits(task, engine(color))),
        move_time: task.settings.move_time,
        seed: task.seed,
        start: StartSource::Loaded(Box::new(Start {
            position: *task.opening.position(),
            last_move: None,
        })),
        replays: None,
        logs: None,
        join_patience: task.settings.programs.join_patience,
        exit_patience: EXIT_PATIENCE,
    }
}

fn time_limits(task: &GameTask<'_, Contest>, engine: &EngineSpec) -> Option<TimeLimits> {
    match &engine.player {
        EnginePlayer::Program(program) => Some(program.time_limits(task.settings)),
        EnginePlayer::BuiltIn(spec) => {
            let time = spec.limits(task.settings.move_time).time()?;
            let limit = time.saturating_add(task.settings.margin);
            TimeLimits::new(limit, limit).ok()
        }
        EnginePlayer::Uhp(_) => None,
    }
}

async fn play_match(
    settings: Settings,
    task: &GameTask<'_, Contest>,
) -> Result<Option<Ending>, GameError> {
    let mut game = match LocalMatch::start(settings).await {
        Ok(game) => game,
        Err(error) => return blame(task, error).map(Some),
    };
    let result = tokio::select! {
        biased;
        result = until_the_end(&mut game) => result,
        () = stopped(task.stop) => {
            game.abandon().await;
            return Ok(None);
        }
    };
    if let Err(error) = result {
        game.abandon().await;
        return blame(task, error).map(Some);
    }
    let finished = game.finish().await.map_err(Box::new)?;
    let game = finished
        .game
        .ok_or(MatchError::NoResult)
        .map_err(Box::new)?;
    Ok(Some(Ending::Played(Box::new(game))))
}

async fn until_the_end(game: &mut LocalMatch) -> Result<(), MatchError> {
    loop {
        if let Event::Over(_) = game.next_event().await? {
            return Ok(());
        }
    }
}

async fn stopped(stop: &AtomicBool) {
    while !stop.load(Ordering::Relaxed) {
        tokio::time::sleep(STOP_CHECK_INTERVAL).await;
    }
}

/// Whose fault it is that there was no game. If both have not come, it is red's; in the pair's other game it is the other's.
fn blame(task: &GameTask<'_, Contest>, error: MatchError) -> Result<Ending, GameError> {
    let (by, end) = match error {
        MatchError::Start {
            color,
            program,
            source,
        } => {
            // It may be missing or busy, or the machine has no more processes: that says nothing about how it plays.
            return Err(GameError::Program {
                engine: task.engine(color).1.name.clone(),
                program,
                source,
            });
        }
        MatchError::Exited { color, .. } | MatchError::Player { color, .. } => {
            (color, GameEnd::Crash)
        }
        MatchError::NeverJoined { color, .. } => (color, GameEnd::NeverJoined),
        error => return Err(Box::new(error).into()),
    };
    Ok(Ending::Spoilt { by, end })
}

fn record_of(task: &GameTask<'_, Contest>, game: &FinishedGame) -> GameRecord {
    let fault = Color::ALL
        .into_iter()
        .find_map(|color| Some((color, fault(game.result.scores[color].cause)?)));
    let mut record = match fault {
        Some((by, end)) => task.lost_by(by, end),
        None => task.record(GameResult::Draw, GameEnd::EqualFreeFields),
    };
    let mut position = game.start.position;
    for (wire, time) in game.moves.iter().zip(&game.times) {
        let Ok(mv) = wire.to_move(position.side_to_move()) else {
            break;
        };
        let hint = wire
            .hint
            .as_deref()
            .and_then(|text| text.parse::<Hint>().ok());
        let hint = hint.unwrap_or_default();
        record.add_move(&mv.to_string(), *time, hint.score, hint.nodes.unwrap_or(0));
        position.play(mv);
    }
    if fault.is_none()
        && let Some(outcome) = position.outcome()
    {
        let ending = game::Ending::Rules(outcome);
        (record.result, record.end) = (ending.into(), ending.into());
    }
    record
}

fn fault(cause: Cause) -> Option<GameEnd> {
    Some(match cause {
        Cause::Regular => return None,
        Cause::SoftTimeout => GameEnd::Time,
        Cause::HardTimeout => GameEnd::Hang,
        Cause::RuleViolation => GameEnd::IllegalMove,
        Cause::Left | Cause::Unknown => GameEnd::Crash,
    })
}
