//! The referee of a game.

use crate::ArenaGame;
use std::collections::HashMap;
use std::sync::atomic::Ordering;

use super::adjudication::Adjudicator;
use super::error::GameError;
use super::game::GameTask;
use super::output::keep_outputs;
use super::record::{GameEnd, GameRecord, GameResult};
use super::seat::{Answer, Failure, ProgramOutput, Reply, Seat, lateness};
use super::seats;
use wabe_contest::protocol::Hint;
use wabe_files::text::{NAME, SENTENCE, printable};
use wabe_hive::game::{PlayError, ReadMoveErrorOf, Record};
use wabe_hive::{ByColor, Color};

/// Started engines that wait for their next game, by index.
pub(super) type RunningEngines<G> = HashMap<usize, Box<dyn Seat<G>>>;

/// A game that was played.
#[derive(Clone, Debug, PartialEq)]
pub struct PlayedGame {
    /// Its record.
    pub record: GameRecord,
    /// True if both sides were ready to play.
    pub has_begun: bool,
    /// The output of each side's program, or the dialogue with it.
    pub outputs: ByColor<String>,
    /// The sides whose programs did not exit after the game and were killed.
    pub killed: ByColor<bool>,
}

/// A side and the reason why it cannot continue.
type Forfeit = (Color, Failure);

fn forfeit_by(by: Color) -> impl Fn(Failure) -> Forfeit {
    move |failure| (by, failure)
}

type Seats<G> = ByColor<Option<Box<dyn Seat<G>>>>;

/// Plays a game with engines from `running`, which takes back those that can play again; `None` if it was stopped.
pub(super) fn play<G: ArenaGame>(
    task: &GameTask<'_, G>,
    running: &mut RunningEngines<G>,
    mut on_ply: impl FnMut(&Record<G>, &Reply<G>),
) -> Result<Option<PlayedGame>, GameError> {
    let mut record = task.opening.clone();
    let engines = ByColor::from_fn(|color| task.engines[color].0);
    let mut kept = GameRecord::new(engines);
    let mut seats = Seats::<G>::default();
    let gathered = gather(task, running, &mut seats);
    let has_begun = gathered.is_ok();
    let played =
        gathered.and_then(|()| play_out(task, &mut seats, &mut record, &mut kept, &mut on_ply));
    (kept.result, kept.end) = match played {
        Ok(ending) => ending,
        Err((by, failure)) => {
            // An engine that forfeits a game is not asked to play another one.
            if let Some(seat) = &mut seats[by] {
                seat.kill();
            }
            match failure {
                Failure::Fault { end, detail } => {
                    kept.detail = detail;
                    (GameResult::win_of(by.opponent()), end)
                }
                Failure::Disputed => (GameResult::Draw, GameEnd::DisputedEnd),
                Failure::Stopped => return Ok(None),
                Failure::Error(error) => return Err(error),
            }
        }
    };
    let winner = kept.result.winner();
    for color in Color::ALL {
        if let Some(seat) = &mut seats[color]
            && let Err(Failure::Fault { end, detail }) = seat.finish(&record, winner)
            && kept.end.is_regular()
        {
            kept.detail = detail;
            (kept.result, kept.end) = (GameResult::win_of(color.opponent()), end);
        }
    }
    let winner = kept.result.winner();
    let mut outputs = ByColor::<ProgramOutput>::default();
    for color in Color::ALL {
        let Some(mut seat) = seats[color].take() else {
            continue;
        };
        outputs[color] = seat.close(task.stop);
        let is_loser = winner == Some(color.opponent());
        let may_stay = kept.end.is_regular() || winner.is_some() && !is_loser;
        if may_stay && seat.is_reusable() {
            running.insert(task.engines[color].0, seat);
        }
    }
    keep_outputs(task, &kept, &outputs);
    Ok(Some(PlayedGame {
        record: kept,
        has_begun,
        killed: ByColor::from_fn(|color| outputs[color].was_killed),
        outputs: outputs.map(|written| written.output),
    }))
}

/// Starts both players before it waits for either, so that they start side by side.
fn gather<G: ArenaGame>(
    task: &GameTask<'_, G>,
    running: &mut RunningEngines<G>,
    seats: &mut Seats<G>,
) -> Result<(), Forfeit> {
    for color in Color::ALL {
        let (index, engine) = task.engines[color];
        let seat = match running.remove(&index) {
            Some(running) => Ok(running),
            None => seats::start(engine, task, color).map_err(Failure::Error),
        };
        seats[color] = Some(seat.map_err(forfeit_by(color))?);
    }
    for color in Color::ALL {
        if let Some(seat) = &mut seats[color] {
            seat.begin(task, color).map_err(forfeit_by(color))?;
        }
    }
    Ok(())
}

/// Plays the game and returns its result and the reason for its end.
fn play_out<G: ArenaGame>(
    task: &GameTask<'_, G>,
    seats: &mut Seats<G>,
    record: &mut Record<G>,
    kept: &mut GameRecord,
    on_ply: &mut impl FnMut(&Record<G>, &Reply<G>),
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
        if let Err(error) = played(record, &reply) {
            let name = &task.engines[side].1.name;
            log::info!("{name} answers `{:?}` in {record}: {error}", reply.mv);
            let answer = match &reply.mv {
                Answer::Text(text) => format!("`{}`: ", printable(text, NAME)),
                Answer::Move(_) => String::new(),
            };
            let words = format!("{answer}{}", printable(&error.to_string(), SENTENCE));
            return Err(forfeit(Failure::fault(GameEnd::IllegalMove, words)));
        }
        let text = record.plies().last().map_or("", |ply| ply.text.as_str());
        let Hint { score, nodes, .. } = reply.hint;
        kept.add_move(text, reply.took, score, nodes.unwrap_or(0));
        on_ply(record, &reply);
        if let Some(late_by) = reply.late_by {
            let words = lateness(reply.took, late_by);
            return Err(forfeit(Failure::fault(GameEnd::Time, words)));
        }
        if ending(record, task.max_plies).is_some() {
            continue;
        }
        if let Some(agreement) = adjudicator.judge(side, score) {
            record.set_agreement(Some(agreement));
            continue;
        }
        for color in [side, side.opponent()] {
            if let Some(seat) = &mut seats[color] {
                seat.opponent_moved(task, record, &reply)
                    .map_err(forfeit_by(color))?;
            }
        }
    }
}

/// Plays a side's answer.
fn played<G: ArenaGame>(
    record: &mut Record<G>,
    reply: &Reply<G>,
) -> Result<(), PlayError<ReadMoveErrorOf<G>>> {
    match &reply.mv {
        Answer::Move(mv) => record.play(*mv),
        Answer::Text(text) => record.play_text(text),
    }
}

/// The result of a game and the reason for its end, if it has ended.
fn ending<G: ArenaGame>(
    record: &Record<G>,
    max_plies: Option<u32>,
) -> Option<(GameResult, GameEnd)> {
    if let Some(ending) = record.ending() {
        return Some((ending.into(), ending.into()));
    }
    let most = usize::try_from(max_plies?).unwrap_or(usize::MAX);
    (record.plies().len() >= most).then_some((GameResult::Draw, GameEnd::PlyLimit))
}

#[cfg(test)]
mod tests {
    use super::*;
    use wabe_hive::game::Repetition;
    use wabe_hive::standard::Wide;

    fn ending_of(game: &str) -> Option<(GameResult, GameEnd)> {
        ending::<Wide>(&game.parse().unwrap(), Some(40))
    }

    #[test]
    fn games_end_by_surrounding_repetition_and_their_length() {
        let start = "Base;;;wS1;bG1 wS1-;wQ -wS1;bQ bG1-";
        let dance = r"wQ \wS1;bQ bG1/;wQ -wS1;bQ bG1-";
        assert_eq!(ending_of(start), None);
        assert_eq!(ending_of(&format!("{start};{dance}")), None);
        let repeated = format!("{start};{dance};{dance}");
        let drawn = |end| Some((GameResult::Draw, end));
        assert_eq!(ending_of(&repeated), drawn(GameEnd::Repetition));
        let long = [start].into_iter().chain([dance; 9]).collect::<Vec<_>>();
        let mut game: Record<Wide> = long.join(";").parse().unwrap();
        game.set_repetition(Repetition::Ignore);
        assert_eq!(ending(&game, Some(41)), None);
        assert_eq!(ending(&game, Some(40)), drawn(GameEnd::PlyLimit));
        assert_eq!(ending(&game, None), None);
        let over = r"Base;;;wS1;bS1 wS1-;wQ \wS1;bQ bS1/;wG1 -wQ;bG1 bQ-;wA1 wG1\;bA1 bQ\;wA2 \wQ;bA2 \bG1;wG2 wQ/;bG1 wG2\";
        let won = Some((GameResult::Blue, GameEnd::Surrounded));
        assert_eq!(ending_of(over), won);
    }
}
