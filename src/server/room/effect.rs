//! What a room wants done.

use std::fmt;
use std::time::{Duration, Instant};

use super::verdict::Verdict;
use crate::hive::contest::{Move, Position};
use crate::hive::{ByColor, Color};
use crate::protocol::{Cause, GameResult, RoomId, ServerMessage, WireMove, WireState};
use crate::server::Start;

/// A client's identity within one server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ClientId(pub u64);

impl fmt::Display for ClientId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "client {}", self.0)
    }
}

/// Something to do, in the order in which a [`Room`](super::Room) gives it out.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// Send a message to all of these clients.
    Send {
        /// To whom.
        to: Vec<ClientId>,
        /// What.
        message: ServerMessage,
    },
    /// Send a move request. When it has been written to the client's connection, the room wants to hear of it through
    /// [`request_sent`](super::Room::request_sent) before it hears of the reply.
    Request {
        /// To whom.
        to: ClientId,
        /// The request.
        message: ServerMessage,
    },
    /// Call [`wake`](super::Room::wake) at this time; it replaces an earlier one.
    WakeAt(Instant),
    /// Forget about waking.
    Sleep,
    /// Whoever joins may have this seat again.
    SeatOpened(Color),
    /// Nobody is left in a room that players opened by joining. It may be closed unless somebody is about to join.
    Unused,
    /// The client's seat is gone. If nothing else ties it to the server, its connection ends.
    Release(ClientId),
    /// The client has broken the rules of the protocol: say so and end the connection.
    Expel(ClientId),
    /// The game is over. Comes before anybody is told.
    GameOver(Box<FinishedGame>),
    /// Nothing will come from the room any more.
    Closed,
}

/// A game from beginning to end.
#[derive(Clone, Debug, PartialEq)]
pub struct FinishedGame {
    /// Where it was played.
    pub room: RoomId,
    /// What the players call themselves.
    pub names: ByColor<String>,
    /// How it began.
    pub start: Start,
    /// The moves as the players sent them, all legal.
    pub moves: Vec<WireMove>,
    /// How long each of them took, from the request's departure to the reply's arrival.
    pub times: Vec<Duration>,
    /// How it ended.
    pub result: GameResult,
}

/// A move of a game that was played elsewhere.
#[derive(Clone, Debug, PartialEq)]
pub struct ReportedMove {
    /// The move.
    pub mv: Move,
    /// What its player said about it.
    pub hint: Option<String>,
    /// How long it took.
    pub time: Duration,
}

impl FinishedGame {
    /// A game that was played elsewhere. `fault` is who spoilt it, by what and in which words, if somebody did; a move that it
    /// was spoilt by may be the last one.
    ///
    /// `None` if a move is illegal, or the game is over neither by the rules nor by a fault.
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

    /// Every state from the first to the last, with the time that each move took.
    pub fn states(&self) -> impl Iterator<Item = WireState> {
        let Start {
            mut position,
            last_move,
        } = self.start.clone();
        let first = WireState::new(&position, self.names.clone(), last_move);
        let times = self.times.iter().map(Some).chain(std::iter::repeat(None));
        let rest = self.moves.iter().zip(times).map(move |(wire, time)| {
            // All moves were legal, so all of them are moves.
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
