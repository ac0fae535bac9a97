//! Referees a game between two engines.

use std::collections::HashMap;
use std::fs::OpenOptions;
use std::io::Write;
use std::sync::atomic::Ordering;
use std::time::Duration;

use super::adjudication::Adjudicator;
use super::built_in::BuiltIn;
use super::client::{self, ClientSeat};
use super::engine::EnginePlayer;
use super::error::GameError;
use super::game::GameTask;
use super::program::ProgramKind;
use super::record::{GameEnd, GameRecord, GameResult};
use super::seat::{Failure, ProgramOutput, Seat};
use super::uhp::UhpEngine;
use crate::ArenaGame;
use wabe_contest::protocol::Hint;
use wabe_files::text::{MAX_DETAIL, MAX_NAME, printable};
use wabe_hive::game::Record;
use wabe_hive::{ByColor, Color};

/// Engines kept running between games, by index.
pub(super) type RunningEngines<G> = HashMap<usize, Box<dyn Seat<G>>>;

/// A finished game, and the output of its programs.
#[derive(Clone, Debug, PartialEq)]
pub struct PlayedGame {
    /// Moves and result.
    pub record: GameRecord,
    /// False if a side failed before both were ready.
    pub has_begun: bool,
    /// The output of each side's program.
    pub outputs: ByColor<ProgramOutput>,
}

/// A game that ended or was stopped.
#[derive(Clone, Debug, PartialEq)]
pub enum GameRun {
    /// The game ended.
    Finished(PlayedGame),
    /// The run was stopped. Contains the output of each side's program.
    Stopped(ByColor<ProgramOutput>),
}

/// A ply of a running game.
#[derive(Clone, Debug)]
pub struct WatchedPly<'a, G: ArenaGame> {
    /// The game after the ply.
    pub record: &'a Record<G>,
    /// Time taken.
    pub elapsed: Duration,
    /// The mover's expected score, in `0..=1`, if reported.
    pub score: Option<f64>,
    /// The player's comment on the move.
    pub comment: Option<String>,
}

/// The side that cannot continue, and why.
type Forfeit = (Color, Failure);

fn forfeit_by(side: Color) -> impl Fn(Failure) -> Forfeit {
    move |failure| (side, failure)
}

type Seats<G> = ByColor<Option<Box<dyn Seat<G>>>>;

/// Starts a side's engine.
pub(super) fn start_engine<G: ArenaGame>(
    task: &GameTask<'_, G>,
    color: Color,
) -> Result<Box<dyn Seat<G>>, GameError> {
    Ok(match &task.engines[color].1.player {
        EnginePlayer::BuiltIn(spec) => Box::new(BuiltIn::new(task, color, spec)?),
        EnginePlayer::Program(program) => match program.kind {
            ProgramKind::Client | ProgramKind::Wabe => Box::new(ClientSeat::start(
                program,
                task,
                color,
                client::encode_whole,
            )?),
            ProgramKind::Uhp => Box::new(UhpEngine::start(program, task, color)?),
        },
        EnginePlayer::Function(function) => Box::new(function.clone()),
    })
}

/// Plays a game with engines from `running`, and afterwards returns reusable engines to it.
pub(super) fn play<G: ArenaGame>(
    task: &GameTask<'_, G>,
    running: &mut RunningEngines<G>,
    mut on_ply: impl FnMut(WatchedPly<'_, G>),
) -> Result<GameRun, GameError> {
    let mut record = task.opening.clone();
    let mut game = GameRecord::new(ByColor::from_fn(|color| task.engines[color].0));
    let mut seats = Seats::<G>::default();
    let ready = start_both(task, running, &mut seats);
    let has_begun = ready.is_ok();
    let played =
        ready.and_then(|()| play_out(task, &mut seats, &mut record, &mut game, &mut on_ply));
    (game.result, game.end) = match played {
        Ok(ending) => ending,
        Err((side, failure)) => {
            // Engines that forfeited are not reused.
            if let Some(seat) = &mut seats[side] {
                seat.kill();
            }
            match failure {
                Failure::Fault { end, detail } => {
                    game.detail = detail;
                    (GameResult::win_of(side.opponent()), end)
                }
                Failure::Disputed => (GameResult::Draw, GameEnd::DisputedEnd),
                Failure::Stopped => {
                    let mut close = |color| {
                        let seat: &mut Option<Box<dyn Seat<G>>> = &mut seats[color];
                        let seat = seat.take();
                        seat.map_or_else(ProgramOutput::default, |mut seat| seat.close(task.stop))
                    };
                    return Ok(GameRun::Stopped(ByColor::from_fn(&mut close)));
                }
                Failure::Error(error) => return Err(error),
            }
        }
    };
    let winner = game.result.winner();
    for color in Color::ALL {
        if let Some(seat) = &mut seats[color] {
            seat.finish(&record, winner);
        }
    }
    let mut outputs = ByColor::<ProgramOutput>::default();
    for color in Color::ALL {
        let Some(mut seat) = seats[color].take() else {
            continue;
        };
        outputs[color] = seat.close(task.stop);
        log_output(task, color, &game, &outputs[color]);
        let may_stay = game.end.is_regular() || winner == Some(color);
        if may_stay && seat.is_reusable() {
            running.insert(task.engines[color].0, seat);
        }
    }
    Ok(GameRun::Finished(PlayedGame {
        record: game,
        has_begun,
        outputs,
    }))
}

/// Appends the output of a side's program to the engine's log.
fn log_output<G: ArenaGame>(
    task: &GameTask<'_, G>,
    color: Color,
    record: &GameRecord,
    output: &ProgramOutput,
) {
    let Some(path) = task.engines[color].1.log() else {
        return;
    };
    let (game, side, ending) = (task.number, G::SIDES[color], record.ending(G::SIDES));
    let text = format!("--- {game}, {side}: {ending}\n{}", output.output);
    // A single write, so that the output of concurrent games is not interleaved.
    let log = OpenOptions::new().create(true).append(true).open(path);
    if let Err(error) = log.and_then(|mut log| log.write_all(text.as_bytes())) {
        log::warn!("cannot write {}: {error}", path.display());
    }
}

/// Starts both players before waiting for either, so that they start in parallel.
fn start_both<G: ArenaGame>(
    task: &GameTask<'_, G>,
    running: &mut RunningEngines<G>,
    seats: &mut Seats<G>,
) -> Result<(), Forfeit> {
    for color in Color::ALL {
        let seat = match running.remove(&task.engines[color].0) {
            Some(running) => running,
            None => start_engine(task, color).map_err(|error| (color, Failure::Error(error)))?,
        };
        seats[color] = Some(seat);
    }
    for color in Color::ALL {
        if let Some(seat) = &mut seats[color] {
            seat.begin(task, color).map_err(forfeit_by(color))?;
        }
    }
    Ok(())
}

/// Plays the game to its end. Returns the result and its reason.
fn play_out<G: ArenaGame>(
    task: &GameTask<'_, G>,
    seats: &mut Seats<G>,
    record: &mut Record<G>,
    game: &mut GameRecord,
    on_ply: &mut impl FnMut(WatchedPly<'_, G>),
) -> Result<(GameResult, GameEnd), Forfeit> {
    let mut adjudicator = Adjudicator::new(task.settings.adjudication);
    for color in Color::ALL {
        if let Some(seat) = &mut seats[color] {
            seat.start();
        }
    }
    loop {
        if let Some(ending) = ending(record, task.max_plies) {
            return Ok(ending);
        }
        let side = record.position().side_to_move();
        let forfeit = forfeit_by(side);
        let Some(seat) = &mut seats[side] else {
            return Err(forfeit(Failure::fault(GameEnd::NeverJoined, "")));
        };
        let reply = seat.choose(task, record).map_err(&forfeit)?;
        if task.stop.load(Ordering::Relaxed) {
            return Err(forfeit(Failure::Stopped));
        }
        // A late move is not played: it must not end the game in its own way.
        if let Some(late_by) = reply.late_by {
            return Err(forfeit(Failure::late(reply.elapsed, late_by)));
        }
        if let Err(error) = record.play_text(&reply.mv) {
            let name = &task.engines[side].1.name;
            log::info!("{name} answers `{}` in {record}: {error}", reply.mv);
            let error = printable(&error.to_string(), MAX_DETAIL);
            let detail = format!("`{}`: {error}", printable(&reply.mv, MAX_NAME));
            return Err(forfeit(Failure::fault(GameEnd::IllegalMove, detail)));
        }
        let text = record.plies().last().map_or("", |ply| ply.text.as_str());
        let Hint { score, nodes, .. } = reply.hint;
        game.add_move(text, reply.elapsed, score, nodes.unwrap_or(0));
        on_ply(WatchedPly {
            record,
            elapsed: reply.elapsed,
            score,
            comment: reply.comment(),
        });
        if ending(record, task.max_plies).is_some() {
            continue;
        }
        if let Some(agreement) = adjudicator.judge(side, score) {
            record.set_agreement(Some(agreement));
            continue;
        }
        for color in [side, side.opponent()] {
            if let Some(seat) = &mut seats[color] {
                seat.opponent_moved(task, record, reply.comment())
                    .map_err(forfeit_by(color))?;
            }
        }
    }
}

/// The result and its reason if the game is over.
fn ending<G: ArenaGame>(
    record: &Record<G>,
    max_plies: Option<u32>,
) -> Option<(GameResult, GameEnd)> {
    if let Some(ending) = record.ending() {
        return Some((ending.into(), ending.into()));
    }
    let limit = usize::try_from(max_plies?).unwrap_or(usize::MAX);
    (record.plies().len() >= limit).then_some((GameResult::Draw, GameEnd::PlyLimit))
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use super::*;
    use crate::engine::EngineSpec;
    use crate::game::GameSettings;
    use crate::seat::Reply;
    use wabe_hive::game::Repetition;
    use wabe_hive::standard::Standard;

    fn find_ending(game: &str) -> Option<(GameResult, GameEnd)> {
        ending::<Standard>(&game.parse().unwrap(), Some(40))
    }

    #[test]
    fn regular_endings_are_found() {
        let start = "Base;;;wS1;bG1 wS1-;wQ -wS1;bQ bG1-";
        let dance = r"wQ \wS1;bQ bG1/;wQ -wS1;bQ bG1-";
        assert_eq!(find_ending(start), None);
        assert_eq!(find_ending(&format!("{start};{dance}")), None);
        let repeated = format!("{start};{dance};{dance}");
        let drawn = |end| Some((GameResult::Draw, end));
        assert_eq!(find_ending(&repeated), drawn(GameEnd::Repetition));
        let long = [start].into_iter().chain([dance; 9]).collect::<Vec<_>>();
        let mut game: Record<Standard> = long.join(";").parse().unwrap();
        game.set_repetition(Repetition::Ignore);
        assert_eq!(ending(&game, Some(41)), None);
        assert_eq!(ending(&game, Some(40)), drawn(GameEnd::PlyLimit));
        assert_eq!(ending(&game, None), None);
        let over = r"Base;;;wS1;bS1 wS1-;wQ \wS1;bQ bS1/;wG1 -wQ;bG1 bQ-;wA1 wG1\;bA1 bQ\;wA2 \wQ;bA2 \bG1;wG2 wQ/;bG1 wG2\";
        let won = Some((GameResult::Blue, GameEnd::Surrounded));
        assert_eq!(find_ending(over), won);
    }

    /// Answers with a move that is always late.
    struct LateSeat;

    impl Seat<Standard> for LateSeat {
        fn choose(
            &mut self,
            _task: &GameTask<'_, Standard>,
            _record: &Record<Standard>,
        ) -> Result<Reply, Failure> {
            Ok(Reply {
                mv: "wS1".to_owned(),
                late_by: Some(Duration::from_secs(1)),
                ..Reply::default()
            })
        }
    }

    #[test]
    fn late_moves_are_not_played() {
        let engine: EngineSpec = "random".parse().unwrap();
        let mut record: Record<Standard> = "Base".parse().unwrap();
        let opening = record.clone();
        let (settings, stop) = (GameSettings::default(), AtomicBool::default());
        let engines = ByColor::from_fn(|_| &engine);
        let task = GameTask::single(engines, &opening, &settings, None, &stop);
        let mut seats = Seats {
            red: Some(Box::new(LateSeat)),
            ..Seats::default()
        };
        let mut game = GameRecord::new(ByColor { red: 0, blue: 1 });
        let on_ply = &mut |ply: WatchedPly<'_, Standard>| panic!("{ply:?}");
        let played = play_out(&task, &mut seats, &mut record, &mut game, on_ply);
        let Err((Color::Red, Failure::Fault { end, .. })) = played else {
            panic!("{played:?}");
        };
        assert_eq!(end, GameEnd::Time);
        assert_eq!((record, game.moves.as_str()), (opening, ""));
    }
}
