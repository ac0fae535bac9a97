//! A game between built-in players, without sockets.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::Ordering;
use std::time::Instant;

use crate::arena::game::GameTask;
use crate::arena::{GameEnd, GameRecord, GameResult};
use crate::hive::contest::{Contest, Position};
use crate::hive::{ByColor, Color};
use crate::search::{
    BestKnown, Choice, Limits, OtherGameError, Player, SearchControl, SystemClock,
};

/// A side during a game.
struct Seat {
    player: Box<dyn Player<Contest>>,
    limits: Limits,
}

/// Plays a game; `None` if it was stopped.
///
/// # Errors
/// When an engine's weights are for another game.
pub(super) fn play(task: &GameTask<'_, Position>) -> Result<Option<GameRecord>, OtherGameError> {
    let seats = ByColor {
        red: seat(task, Color::Red)?,
        blue: seat(task, Color::Blue)?,
    };
    Ok(play_out(task, seats))
}

fn play_out(task: &GameTask<'_, Position>, mut seats: ByColor<Seat>) -> Option<GameRecord> {
    let mut record = task.unfinished();
    let mut position = *task.opening;
    loop {
        if let Some(outcome) = position.outcome() {
            record.result = outcome
                .winner()
                .map_or(GameResult::Draw, GameResult::win_of);
            record.end = outcome.into();
            return Some(record);
        }
        let side = position.side_to_move();
        let seat = &mut seats[side];
        let started = Instant::now();
        let choice = choose(task, seat, &position, started);
        let took = started.elapsed();
        if task.stop.load(Ordering::Relaxed) {
            return None;
        }
        let Some(choice) = choice else {
            return Some(lost(record, side, GameEnd::Crash));
        };
        let Choice { best, nodes } = &choice;
        record.add_move(&best.mv.to_string(), took, best.score, *nodes);
        if position.try_play(choice.best.mv).is_err() {
            return Some(lost(record, side, GameEnd::IllegalMove));
        }
        let time = seat.limits.time();
        let allowed = time.map(|time| time.saturating_add(task.settings.margin));
        if allowed.is_some_and(|allowed| took > allowed) {
            return Some(lost(record, side, GameEnd::Time));
        }
    }
}

fn lost(record: GameRecord, side: Color, end: GameEnd) -> GameRecord {
    GameRecord {
        result: GameResult::win_of(side.opponent()),
        end,
        ..record
    }
}

fn seat(task: &GameTask<'_, Position>, color: Color) -> Result<Seat, OtherGameError> {
    let spec = task.built_in(color);
    Ok(Seat {
        player: spec.prepare(task.player_seed(color))?.build(),
        limits: spec.limits(task.settings.move_time),
    })
}

/// The seat's answer; `None` when it panics or has none.
fn choose(
    task: &GameTask<'_, Position>,
    seat: &mut Seat,
    position: &Position,
    started: Instant,
) -> Option<Choice<Contest>> {
    let best_known = BestKnown::new();
    let control = SearchControl {
        limits: seat.limits,
        clock: &SystemClock::since(started),
        stop: task.stop,
        best_known: &best_known,
    };
    // A player that panicked is never asked again: the game ends here.
    catch_unwind(AssertUnwindSafe(|| seat.player.choose(position, &control)))
        .ok()
        .flatten()
}
