//! Finished games, with their states and replays.

use std::io::{self, Write};
use std::time::Duration;

use super::setup::Start;
use super::termination::Termination;
use crate::protocol::{
    Cause, GameResult, RoomId, STREAM_CLOSE, STREAM_OPEN, ServerData, ServerMessage, WireMove,
    WireState,
};
use wabe_hive::contest::Position;
use wabe_hive::{ByColor, Color, Outcome};

/// A game with its result.
#[derive(Clone, Debug, PartialEq)]
pub struct FinishedGame {
    /// The game's room.
    pub room: RoomId,
    /// The players' names.
    pub names: ByColor<String>,
    /// The start position.
    pub start: Start,
    /// The moves as the players sent them; all are legal.
    pub moves: Vec<WireMove>,
    /// Time taken for each move, from sending the request to the arrival of the reply.
    pub times: Vec<Duration>,
    /// Scores and winner.
    pub result: GameResult,
}

/// A decision about the result that does not follow from the position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    /// The losing side and the cause; `None` for a draw.
    pub loser: Option<(Color, Cause)>,
    /// Explanation for both sides.
    pub reason: String,
}

/// Returns the result of a game that ended in `position` by the rules, or by `decision`. Returns
/// `None` if the game is not over.
pub fn result_of(
    position: &Position,
    names: &ByColor<String>,
    decision: Option<Decision>,
) -> Option<GameResult> {
    if let Some(outcome) = position.outcome() {
        return Some(Termination::Regular(outcome).result(position, names));
    }
    let Decision { loser, reason } = decision?;
    let termination = match loser {
        Some((side, cause)) => Termination::Fault(side, cause, reason.clone()),
        None => Termination::Regular(Outcome::EqualFreeFields),
    };
    let mut result = termination.result(position, names);
    if loser.is_none_or(|(_, cause)| cause == Cause::Regular) {
        for color in Color::ALL {
            result.scores[color].reason = Some(reason.clone());
        }
    }
    Some(result)
}

impl FinishedGame {
    /// All states in order, with the time taken for each move.
    pub fn states(&self) -> impl Iterator<Item = WireState> {
        states_of(&self.names, &self.start, &self.moves, &self.times)
    }
}

/// All states of a game in order, with the time taken for each move if known.
pub fn states_of<'a>(
    names: &'a ByColor<String>,
    start: &Start,
    moves: &'a [WireMove],
    times: &'a [Duration],
) -> impl Iterator<Item = WireState> + use<'a> {
    let Start {
        mut position,
        last_move,
    } = start.clone();
    let first = WireState::new(&position, names.clone(), last_move);
    let times = times.iter().map(Some).chain(std::iter::repeat(None));
    let rest = moves.iter().zip(times).map(move |(wire, time)| {
        // Always succeeds, because all moves are legal.
        if let Ok(mv) = wire.to_move(position.side_to_move()) {
            position.play(mv);
        }
        let state = WireState::new(&position, names.clone(), Some(wire.clone()));
        WireState {
            last_move_time: time.copied(),
            ..state
        }
    });
    std::iter::once(first).chain(rest)
}

/// Writes a game in the contest's replay format. As an extension, all states except the first
/// contain the time of their last move as `lastMoveMillis`.
///
/// # Errors
/// When writing fails.
pub fn write_game(out: impl Write, game: &FinishedGame) -> io::Result<()> {
    write_states(out, &game.room, game.states(), Some(&game.result))
}

/// Writes states, and the result if there is one, in the contest's replay format.
///
/// # Errors
/// When writing fails.
pub fn write_states(
    mut out: impl Write,
    room: &RoomId,
    states: impl Iterator<Item = WireState>,
    result: Option<&GameResult>,
) -> io::Result<()> {
    out.write_all(STREAM_OPEN.as_bytes())?;
    let mut text = String::new();
    let states = states.map(|state| ServerData::State(Box::new(state)));
    let result = result.map(|result| ServerData::Result(Box::new(result.clone())));
    for data in states.chain(result) {
        let room = room.clone();
        text.clear();
        ServerMessage::Room { room, data }.write_at(&mut text, 0);
        out.write_all(text.as_bytes())?;
    }
    out.write_all(STREAM_CLOSE.as_bytes())?;
    out.flush()
}
