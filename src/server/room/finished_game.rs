//! Games with a result.

use std::time::Duration;

use super::setup::Start;
use super::verdict::Verdict;
use crate::hive::contest::{Move, Position};
use crate::hive::{ByColor, Color};
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

impl FinishedGame {
    /// A game played without a room. A `fault` names the side that lost by it, its cause and reason; the last move may be the
    /// fault itself.
    ///
    /// `None` if another move is illegal, or the game is not over.
    pub fn played_elsewhere(
        room: RoomId,
        names: ByColor<String>,
        start: Position,
        moves: Vec<ReportedMove>,
        fault: Option<(Color, Cause, String)>,
    ) -> Option<FinishedGame> {
        let mut position = start;
        let mut legal = Vec::with_capacity(moves.len());
        let mut times = Vec::with_capacity(moves.len());
        let count = moves.len();
        for (number, ReportedMove { mv, hint, time }) in (1..).zip(moves) {
            let mover = position.side_to_move();
            if position.try_play(mv).is_err() {
                let spoilt_it = number == count && fault.is_some();
                if !spoilt_it {
                    return None;
                }
                break;
            }
            legal.push(WireMove::new(mv, mover, hint));
            times.push(time);
        }
        let verdict = match &fault {
            Some((by, ..)) => Verdict::left(*by),
            None => Verdict::Regular(position.outcome()?),
        };
        let mut result = verdict.result(&position, &names);
        if let Some((by, cause, reason)) = fault {
            result.scores[by].cause = cause;
            result.scores[by].reason = Some(reason);
        }
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
