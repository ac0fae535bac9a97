//! The referee of a game of standard Hive.

use std::sync::atomic::Ordering;

use super::StandardGames;
use super::seat::{Reply, RunningEngines, Seat};
use super::uhp_engine::Failure;
use crate::arena::game::GameTask;
use crate::arena::output::keep_output;
use crate::arena::{GameEnd, GameError, GameRecord, GameResult};
use crate::hive::Color;
use crate::hive::standard::notation::{Game, GameState};

/// Why a game was not played to an end by the rules.
struct Spoilt {
    by: Color,
    failure: Failure,
}

/// Plays a game with engines from `running`, which are there again after it; `None` if it was stopped.
pub(in crate::arena) fn play(
    task: &GameTask<'_, Game>,
    games: &StandardGames,
    running: &mut RunningEngines,
) -> Result<Option<GameRecord>, GameError> {
    let mut seats = Vec::with_capacity(2);
    let mut record = task.unfinished();
    let result = take_seats(task, running, &mut seats).and_then(|()| match &mut seats[..] {
        [white, black] => play_out(task, games, [white, black], &mut record),
        _ => Ok((GameResult::Draw, GameEnd::PlyLimit)),
    });
    let (result, end) = match result {
        Ok(ending) => ending,
        Err(Spoilt { by, failure }) => {
            // An engine that spoils a game is not asked to play another one.
            if let Some(seat) = seats.get_mut(index(by)) {
                seat.kill();
            }
            match failure {
                Failure::Fault(end) => (GameResult::win_of(by.opponent()), end),
                Failure::Stopped => return Ok(None),
                Failure::Error(error) => return Err(error),
            }
        }
    };
    record.result = result;
    record.end = end;
    let outputs: Vec<String> = seats.iter().map(Seat::take_transcript).collect();
    keep_output(task, &record, |color| {
        let text = outputs.get(index(color)).cloned().unwrap_or_default();
        Ok(text.into_bytes())
    });
    let loser = record.result.winner().map(Color::opponent);
    for (color, seat) in Color::ALL.into_iter().zip(seats) {
        if end.is_regular() || loser != Some(color) {
            seat.put_back(task, color, running);
        }
    }
    Ok(Some(record))
}

fn index(color: Color) -> usize {
    match color {
        Color::Red => 0,
        Color::Blue => 1,
    }
}

fn take_seats(
    task: &GameTask<'_, Game>,
    running: &mut RunningEngines,
    seats: &mut Vec<Seat>,
) -> Result<(), Spoilt> {
    for color in Color::ALL {
        let seat = Seat::take(task, color, running);
        seats.push(seat.map_err(spoilt_by(color))?);
    }
    Ok(())
}

/// Plays the game; its result and why it ended.
fn play_out(
    task: &GameTask<'_, Game>,
    games: &StandardGames,
    mut seats: [&mut Seat; 2],
    record: &mut GameRecord,
) -> Result<(GameResult, GameEnd), Spoilt> {
    let mut game = task.opening.clone();
    for (color, seat) in Color::ALL.into_iter().zip(&mut seats) {
        seat.begin(task, color).map_err(spoilt_by(color))?;
    }
    loop {
        if let Some(ending) = ending(&game, games.max_plies) {
            return Ok(ending);
        }
        let side = game.position().side_to_move();
        let spoilt = spoilt_by(side);
        let reply = seats[index(side)].choose(task, &game).map_err(&spoilt)?;
        if task.stop.load(Ordering::Relaxed) {
            return Err(spoilt(Failure::Stopped));
        }
        let text = played(&mut game, &reply).map_err(|error| {
            let (name, answer) = (&task.engine(side).1.name, &reply.text);
            log::info!("{name} answers `{answer}` in {game}: {error}");
            spoilt(Failure::Fault(GameEnd::IllegalMove))
        })?;
        record.add_move(&text, reply.took, reply.score, reply.nodes);
        if reply.is_late {
            return Err(spoilt(Failure::Fault(GameEnd::Time)));
        }
        if ending(&game, games.max_plies).is_some() {
            continue;
        }
        for color in [side, side.opponent()] {
            let heard = seats[index(color)].hear(task, &text);
            heard.map_err(spoilt_by(color))?;
        }
    }
}

/// Plays what a side has answered: the move as the referee writes it.
fn played(
    game: &mut Game,
    reply: &Reply,
) -> Result<String, crate::hive::standard::notation::PlayError> {
    game.play(&reply.text)?;
    let last = game.plies().last();
    Ok(last.map_or_else(String::new, |(_, text)| text.to_owned()))
}

/// How a game has ended, if it has.
fn ending(game: &Game, max_plies: u32) -> Option<(GameResult, GameEnd)> {
    if let Some(outcome) = game.position().outcome() {
        let result = outcome.winner();
        let result = result.map_or(GameResult::Draw, GameResult::win_of);
        return Some((result, outcome.into()));
    }
    if game.state() == GameState::Draw {
        return Some((GameResult::Draw, GameEnd::Repetition));
    }
    let is_long = game.plies().len() >= usize::try_from(max_plies).unwrap_or(usize::MAX);
    is_long.then_some((GameResult::Draw, GameEnd::PlyLimit))
}

fn spoilt_by(by: Color) -> impl Fn(Failure) -> Spoilt {
    move |failure| Spoilt { by, failure }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ending_of(game: &str) -> Option<(GameResult, GameEnd)> {
        ending(&game.parse().unwrap(), 40)
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
        let mut game: Game = long.join(";").parse().unwrap();
        game.set_repetition(crate::hive::standard::notation::Repetition::Ignore);
        assert_eq!(ending(&game, 41), None);
        assert_eq!(ending(&game, 40), drawn(GameEnd::PlyLimit));
        let over = r"Base;;;wS1;bS1 wS1-;wQ \wS1;bQ bS1/;wG1 -wQ;bG1 bQ-;wA1 wG1\;bA1 bQ\;wA2 \wQ;bA2 \bG1;wG2 wQ/;bG1 wG2\";
        let won = Some((GameResult::Blue, GameEnd::Surrounded));
        assert_eq!(ending_of(over), won);
    }
}
