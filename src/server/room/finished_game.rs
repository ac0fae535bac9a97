//! Games with a result.

use std::time::Duration;

use super::setup::Start;
use super::verdict::Verdict;
use crate::hive::contest::{Move, Position};
use crate::hive::{ByColor, Color, DrawReason, Outcome};
use crate::protocol::{Cause, GameResult, RoomId, WireMove, WireState};

/// A game with its result.
#[derive(Clone, Debug, PartialEq)]
pub struct FinishedGame {
    /// The game's room.
    pub room: RoomId,
    /// The players' names.
    pub names: ByColor<String>,
    /// The first state.
    pub start: Start,
    /// The moves as sent by the players, all legal.
    pub moves: Vec<WireMove>,
    /// The time of each move, from the request's departure to the reply's arrival.
    pub times: Vec<Duration>,
    /// The result.
    pub result: GameResult,
}

/// A move of a game played without a room.
#[derive(Clone, Debug, PartialEq)]
pub struct ReportedMove {
    /// The move.
    pub mv: Move,
    /// The player's comment.
    pub hint: Option<String>,
    /// The time taken.
    pub time: Duration,
}

/// The result by a decision.
fn decided(decision: &Decision, position: &Position, names: &ByColor<String>) -> GameResult {
    let verdict = match decision.loser {
        Some((by, _)) => Verdict::left(by),
        None => Verdict::Regular(Outcome::Draw {
            reason: DrawReason::EqualFreeFields,
        }),
    };
    let mut result = verdict.result(position, names);
    for color in Color::ALL {
        let score = &mut result.scores[color];
        match decision.loser {
            Some((by, cause)) if by == color => score.cause = cause,
            Some((_, cause)) if cause != Cause::Regular => continue,
            _ => {}
        }
        score.reason = Some(decision.reason.clone());
    }
    result
}

/// A result that the rules do not give.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    /// The side that lost, and its fault if it committed one; `None` for a draw.
    pub loser: Option<(Color, Cause)>,
    /// The reason.
    pub reason: String,
}

impl FinishedGame {
    /// A game played without a room. `decision` holds where the rules do not end it.
    ///
    /// `None` if a move is illegal, or the game is not over.
    pub fn played_elsewhere(
        room: RoomId,
        names: ByColor<String>,
        start: Position,
        moves: Vec<ReportedMove>,
        decision: Option<Decision>,
    ) -> Option<FinishedGame> {
        let mut position = start;
        let mut legal = Vec::with_capacity(moves.len());
        let mut times = Vec::with_capacity(moves.len());
        for ReportedMove { mv, hint, time } in moves {
            let mover = position.side_to_move();
            position.try_play(mv).ok()?;
            legal.push(WireMove::new(mv, mover, hint));
            times.push(time);
        }
        let result = match (position.outcome(), decision) {
            (Some(outcome), _) => Verdict::Regular(outcome).result(&position, &names),
            (None, Some(decision)) => decided(&decision, &position, &names),
            (None, None) => return None,
        };
        Some(FinishedGame {
            room,
            names,
            start: Start {
                position: start,
                last_move: None,
            },
            moves: legal,
            times,
            result,
        })
    }

    /// All states in order, with the time of each move.
    pub fn states(&self) -> impl Iterator<Item = WireState> {
        let Start {
            mut position,
            last_move,
        } = self.start.clone();
        let first = WireState::new(&position, self.names.clone(), last_move);
        let times = self.times.iter().map(Some).chain(std::iter::repeat(None));
        let rest = self.moves.iter().zip(times).map(move |(wire, time)| {
            // Always succeeds: all moves are legal.
            if let Ok(mv) = wire.to_move(position.side_to_move()) {
                position.play(mv);
            }
            let state = WireState::new(&position, self.names.clone(), Some(wire.clone()));
            WireState {
                last_move_time: time.copied(),
                ..state
            }
        });
        std::iter::once(first).chain(rest)
    }
}
