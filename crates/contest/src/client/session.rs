//! A player's session, as a state machine without I/O.
//!
//! The session ends only when the server closes the room or the connection. It skips messages that
//! it cannot use, and answers every move request, even in states that are impossible by the rules.

use super::error::{ReplyError, SessionError};
use crate::protocol::{
    ClientMessage, Frame, Framer, GAME_TYPE, GameResult, ReservationCode, RoomId, STREAM_OPEN,
    ServerData, ServerMessage, StateError, WireMove, WireState,
};
use wabe_hive::contest::{Move, Position, best_on_any_board};
use wabe_hive::{ByColor, Color};

/// An event from the server.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// The client got a seat in this room.
    Joined(RoomId),
    /// The client plays this colour.
    Welcome(Color),
    /// The game began, or a ply was played.
    State {
        /// Position after the ply.
        position: Position,
        /// The move that led from the previous position to this one, if any.
        last_move: Option<Move>,
    },
    /// The game is in a state that is impossible by the rules.
    InvalidState(StateError),
    /// The server requests a move. Further requests are ignored until [`PlayerSession::reply`] has
    /// encoded the answer.
    MoveRequested(Request),
    /// Like [`MoveRequested`](Event::MoveRequested), but in a state that is impossible by the
    /// rules.
    MoveRequestedInInvalidState {
        /// Identifier of the request.
        id: RequestId,
        /// A move that passes the server's checks in this state.
        mv: Move,
    },
    /// The server refused a request, usually a move, for this reason.
    Refused(String),
    /// The game has a result, returned by [`PlayerSession::conclude`].
    Finished,
    /// The server closed the room or the stream.
    Ended,
}

/// Identifies a request within its session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RequestId(u64);

/// A request for a move.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// Identifier of the request.
    pub id: RequestId,
    /// The position to move in, which has a legal move.
    pub position: Position,
}

/// The latest state of a game.
#[derive(Clone, Debug)]
struct Game {
    state: WireState,
    /// The state's position.
    position: Result<Position, StateError>,
    /// The pending request. In an impossible state it comes with its answer.
    pending: Option<(RequestId, Option<Move>)>,
}

/// A game with a result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameOver {
    /// The result from the server.
    pub result: GameResult,
    /// The client's colour, if the server sent it.
    pub color: Option<Color>,
    /// The players' names; empty if the server sent no state.
    pub names: ByColor<String>,
}

/// A player's session on one connection to a server.
#[derive(Clone, Debug)]
pub struct PlayerSession {
    framer: Framer,
    /// The room of the client's seat, once it has one.
    room: Option<RoomId>,
    color: Option<Color>,
    /// The running game.
    game: Option<Game>,
    result: Option<GameOver>,
    /// True if the server has closed the room or the stream.
    ended: bool,
    /// True if the server has closed the room.
    room_closed: bool,
    /// The latest refusal.
    refusal: Option<String>,
    requests: u64,
}

impl PlayerSession {
    /// Starts a session.
    pub fn new() -> PlayerSession {
        PlayerSession {
            // The last move may contain anything, because the server forwards what the opponent
            // sent.
            framer: Framer::with_dropped("lastMove"),
            room: None,
            color: None,
            game: None,
            result: None,
            ended: false,
            room_closed: false,
            refusal: None,
            requests: 0,
        }
    }

    /// The first message to send: a request for the reserved seat, or for any open seat.
    pub fn opening(reservation: Option<&ReservationCode>) -> String {
        let message = match reservation {
            Some(code) => ClientMessage::JoinPrepared(code.clone()),
            None => ClientMessage::Join {
                game_type: GAME_TYPE.to_owned(),
            },
        };
        STREAM_OPEN.to_owned() + &message.to_xml()
    }

    /// Takes bytes from the server. Before taking more, call
    /// [`next_event`](PlayerSession::next_event) until it returns `None`.
    pub fn receive(&mut self, bytes: &[u8]) {
        self.framer.feed(bytes);
    }

    /// Returns the next event, or `None` if more bytes are needed. Skips unreadable messages and
    /// messages about other games.
    pub fn next_event(&mut self) -> Option<Event> {
        while !self.ended {
            let message = match self.framer.next_frame() {
                Ok(Some(Frame::Message(text))) => ServerMessage::read(text),
                Ok(Some(Frame::End)) => Ok(ServerMessage::CloseConnection),
                Ok(None) => return None,
                Err(error) => {
                    log::warn!("cannot read any further: {error}");
                    Ok(ServerMessage::CloseConnection)
                }
            };
            let event = match message {
                Ok(message) => self.handle(message),
                Err(error) => {
                    log::warn!("ignored an unreadable message: {error}");
                    None
                }
            };
            if event.is_some() {
                return event;
            }
        }
        None
    }

    /// True if the server has closed the room or the stream.
    pub fn is_ended(&self) -> bool {
        self.ended
    }

    /// True if the game has a result.
    pub fn is_finished(&self) -> bool {
        self.result.is_some()
    }

    /// The position of a running game during the opponent's turn.
    pub fn position_to_ponder(&self) -> Option<&Position> {
        let position = self.game.as_ref()?.position.as_ref().ok()?;
        (self.color == Some(position.side_to_move().opponent())).then_some(position)
    }

    /// The client's colour in a game. If the server did not send it, the side to move.
    fn color_in(&self, game: &Game) -> Color {
        self.color.unwrap_or(game.state.player)
    }

    /// The position of a game if the client can legally move in it.
    fn position_to_move(&self, game: &Game) -> Option<Position> {
        let position = *game.position.as_ref().ok()?;
        let is_own_turn = position.side_to_move() == self.color_in(game);
        (is_own_turn && position.outcome().is_none()).then_some(position)
    }

    /// Checks the move against the latest state, and encodes the answer to a request.
    ///
    /// # Errors
    /// When the move is illegal or the request is no longer pending.
    pub fn reply(
        &mut self,
        id: RequestId,
        mv: Move,
        hint: Option<String>,
    ) -> Result<String, ReplyError> {
        let (Some(game), Some(room)) = (&self.game, &self.room) else {
            return Err(ReplyError::Stale);
        };
        match (game.pending, self.position_to_move(game)) {
            (Some((pending, None)), Some(position)) if pending == id => position.check(mv)?,
            (Some((pending, Some(answer))), _) if pending == id && answer == mv => {}
            _ => return Err(ReplyError::Stale),
        }
        let message = ClientMessage::Move {
            room: room.clone(),
            mv: WireMove::new(mv, self.color_in(game), hint),
        };
        if let Some(game) = &mut self.game {
            game.pending = None;
        }
        Ok(message.to_xml())
    }

    /// Ends the session and returns its result.
    ///
    /// # Errors
    /// When the game has no result.
    pub fn conclude(self) -> Result<GameOver, SessionError> {
        let refusal = self.refusal;
        match (self.result, self.ended) {
            (Some(result), _) => Ok(result),
            (None, true) if self.room_closed && self.game.is_none() => {
                Err(SessionError::RoomClosed)
            }
            (None, true) if self.room.is_none() => Err(SessionError::NotAdmitted { refusal }),
            (None, true) => Err(SessionError::NoResult { refusal }),
            (None, false) => Err(SessionError::Cut {
                place: if !self.framer.has_started() {
                    "before the server sent anything"
                } else if self.framer.unfinished().is_some() {
                    "in the middle of a message"
                } else {
                    "before the game had a result"
                },
                refusal,
            }),
        }
    }

    /// Handles a message. Returns `None` if it is not about the client's game.
    fn handle(&mut self, message: ServerMessage) -> Option<Event> {
        match message {
            ServerMessage::Joined(room) => self.join(room),
            ServerMessage::Room { room, data } if self.is_in_room(&room) => self.handle_data(data),
            // A client without a seat waits for one room only, so this must be it.
            ServerMessage::Left(room) if self.is_in_room(&room) || self.room.is_none() => {
                self.room_closed = true;
                self.ended = true;
                Some(Event::Ended)
            }
            ServerMessage::CloseConnection => {
                self.ended = true;
                Some(Event::Ended)
            }
            ServerMessage::Room { room, .. } | ServerMessage::Left(room) => {
                log::debug!("ignored a message about room {room}");
                None
            }
            // Only sent to administrators.
            ServerMessage::Prepared { .. }
            | ServerMessage::Observed(_)
            | ServerMessage::Testing(_)
            | ServerMessage::PlayerScore(_)
            | ServerMessage::JoinedGameRoom { .. }
            | ServerMessage::Error { .. }
            | ServerMessage::Unknown(_) => None,
        }
    }

    fn is_in_room(&self, found: &RoomId) -> bool {
        self.room.as_ref() == Some(found)
    }

    fn join(&mut self, room: RoomId) -> Option<Event> {
        self.room.get_or_insert_with(|| room.clone());
        self.is_in_room(&room).then_some(Event::Joined(room))
    }

    fn handle_data(&mut self, data: ServerData) -> Option<Event> {
        match data {
            ServerData::Welcome(color) => {
                self.color = Some(color);
                Some(Event::Welcome(color))
            }
            ServerData::State(state) => self.enter(*state),
            ServerData::MoveRequest => self.request(),
            ServerData::Error { message, .. } => {
                self.refusal = Some(message.clone());
                Some(Event::Refused(message))
            }
            ServerData::Result(result) => {
                let state = self.game.take().map(|game| game.state);
                let color = self.color;
                self.result.get_or_insert_with(|| GameOver {
                    result: *result,
                    color,
                    names: state.map(|state| state.names).unwrap_or_default(),
                });
                Some(Event::Finished)
            }
            ServerData::Paused | ServerData::Unknown(_) => None,
        }
    }

    /// Stores a new state and discards a pending request.
    fn enter(&mut self, state: WireState) -> Option<Event> {
        if self.is_finished() {
            return None;
        }
        let previous = self.game.take().and_then(|game| game.position.ok());
        let position = state.position();
        let event = match &position {
            Ok(position) => Event::State {
                position: *position,
                last_move: previous.and_then(|previous| previous.move_to(position)),
            },
            Err(error) => Event::InvalidState(error.clone()),
        };
        self.game = Some(Game {
            state,
            position,
            pending: None,
        });
        Some(event)
    }

    /// Handles a move request. Returns `None` if the previous one is still pending.
    fn request(&mut self) -> Option<Event> {
        let Some(game) = &self.game else {
            log::warn!("ignored a move request before the first state");
            return None;
        };
        if game.pending.is_some() {
            return None;
        }
        self.requests += 1;
        let id = RequestId(self.requests);
        let (answer, event) = match self.position_to_move(game) {
            Some(position) => (None, Event::MoveRequested(Request { id, position })),
            None => {
                let mv = best_on_any_board(&game.state.setup, self.color_in(game));
                (Some(mv), Event::MoveRequestedInInvalidState { id, mv })
            }
        };
        if let Some(game) = &mut self.game {
            game.pending = Some((id, answer));
        }
        Some(event)
    }
}

impl Default for PlayerSession {
    fn default() -> PlayerSession {
        PlayerSession::new()
    }
}
