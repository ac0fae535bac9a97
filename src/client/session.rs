//! A player's side of a session as a state machine without I/O.

use super::error::{ReplyError, SessionError};
use crate::hive::contest::{Move, Position};
use crate::hive::{ByColor, Color};
use crate::protocol::{
    ClientMessage, Frame, Framer, GAME_TYPE, GameResult, Limits, ReservationCode, RoomId,
    STREAM_OPEN, ServerData, ServerMessage, WireMove, WireState,
};

/// News from the server.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// The client has a seat in this room.
    Joined(RoomId),
    /// The client plays this colour.
    Welcome(Color),
    /// The game began, or a ply was played.
    State {
        /// The position.
        position: Position,
        /// The move that led to it, if the server names one.
        last_move: Option<Move>,
    },
    /// The server requests a move, which [`PlayerSession::reply`] encodes. Repeating the request before the reply changes nothing.
    MoveRequested(Request),
    /// The server refused a request, usually a move, for this reason.
    Refused(String),
    /// The game has a result, which [`PlayerSession::conclude`] returns.
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
    /// The request's identifier.
    pub id: RequestId,
    /// The position to move in, which has a legal move.
    pub position: Position,
}

/// A seat in a room.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Seat {
    room: RoomId,
    color: Option<Color>,
}

/// The stage of a session.
#[derive(Clone, Debug)]
enum Phase {
    /// The client has asked for a seat.
    Connected,
    /// The client has a seat.
    Joined(Seat),
    /// The server has sent a state.
    Playing(Game),
    /// The server has sent the result.
    Finished(GameOver),
}

#[derive(Clone, Debug)]
struct Game {
    seat: Seat,
    names: ByColor<String>,
    position: Position,
    /// The unanswered request.
    pending: Option<RequestId>,
}

/// A game with a result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameOver {
    /// The result from the server.
    pub result: GameResult,
    /// The client's colour, if the server sent it.
    pub color: Option<Color>,
    /// The players' names, empty if the server sent no state.
    pub names: ByColor<String>,
}

/// A player's side of one connection to a server.
#[derive(Clone, Debug)]
pub struct PlayerSession {
    framer: Framer,
    phase: Phase,
    /// True if the server has closed the room or the stream.
    ended: bool,
    /// The latest refusal.
    refusal: Option<String>,
    requests: u64,
    messages: u64,
}

impl PlayerSession {
    /// Starts a session that reads within these limits.
    pub fn new(limits: Limits) -> PlayerSession {
        PlayerSession {
            framer: Framer::new(limits),
            phase: Phase::Connected,
            ended: false,
            refusal: None,
            requests: 0,
            messages: 0,
        }
    }

    /// The opening bytes: they ask for the reserved seat, or for any.
    pub fn opening(reservation: Option<&ReservationCode>) -> String {
        let message = match reservation {
            Some(code) => ClientMessage::JoinPrepared(code.clone()),
            None => ClientMessage::Join {
                game_type: GAME_TYPE.to_owned(),
            },
        };
        STREAM_OPEN.to_owned() + &message.to_xml()
    }

    /// Takes bytes from the server. Call [`next_event`](PlayerSession::next_event) until it returns `None` before taking more.
    pub fn receive(&mut self, bytes: &[u8]) {
        self.framer.feed(bytes);
    }

    /// The next event, or `None` while more bytes are needed. Messages that do not concern players are skipped.
    ///
    /// # Errors
    /// When the server breaks the protocol. The session is then over.
    pub fn next_event(&mut self) -> Result<Option<Event>, SessionError> {
        while !self.ended {
            let message = match self.framer.next_frame()? {
                None => return Ok(None),
                Some(Frame::End) => {
                    self.ended = true;
                    return Ok(Some(Event::Ended));
                }
                Some(Frame::Message(message)) => {
                    self.messages += 1;
                    ServerMessage::read(message)?
                }
            };
            if let Some(event) = self.handle(message)? {
                return Ok(Some(event));
            }
        }
        Ok(None)
    }

    /// The number of messages read.
    pub fn messages(&self) -> u64 {
        self.messages
    }

    /// True if the server has closed the room or the stream.
    pub fn is_ended(&self) -> bool {
        self.ended
    }

    /// True if the game has a result.
    pub fn is_finished(&self) -> bool {
        matches!(self.phase, Phase::Finished(_))
    }

    /// The position of a running game in the other side's turn.
    pub fn position_to_ponder(&self) -> Option<&Position> {
        match &self.phase {
            Phase::Playing(game)
                if game.seat.color == Some(game.position.side_to_move().opponent()) =>
            {
                Some(&game.position)
            }
            _ => None,
        }
    }

    /// The bytes that answer a request. Every move is checked here, against the latest state, before it is sent.
    ///
    /// # Errors
    /// When the move is illegal, or the request is no longer pending.
    pub fn reply(
        &mut self,
        id: RequestId,
        mv: Move,
        hint: Option<String>,
    ) -> Result<String, ReplyError> {
        let Phase::Playing(game) = &mut self.phase else {
            return Err(ReplyError::Stale);
        };
        if game.pending != Some(id) {
            return Err(ReplyError::Stale);
        }
        game.position.check(mv)?;
        game.pending = None;
        let mover = game.position.side_to_move();
        let message = ClientMessage::Move {
            room: game.seat.room.clone(),
            mv: WireMove::new(mv, mover, hint),
        };
        Ok(message.to_xml())
    }

    /// Ends the session and returns its result.
    ///
    /// # Errors
    /// When there is no result.
    pub fn conclude(self) -> Result<GameOver, SessionError> {
        let refusal = self.refusal;
        match (self.phase, self.ended) {
            (Phase::Finished(game_over), _) => Ok(game_over),
            (Phase::Connected, true) => Err(SessionError::NotAdmitted { refusal }),
            (_, true) => Err(SessionError::NoResult { refusal }),
            (_, false) => Err(SessionError::Cut {
                phase: self.framer.phase(),
                refusal,
            }),
        }
    }

    fn handle(&mut self, message: ServerMessage) -> Result<Option<Event>, SessionError> {
        match message {
            ServerMessage::Joined(room) => self.join(room).map(Some),
            ServerMessage::Room { room, data } => {
                self.check_room(&room)?;
                self.handle_data(data)
            }
            ServerMessage::Left(room) => {
                self.check_room(&room)?;
                self.ended = true;
                Ok(Some(Event::Ended))
            }
            ServerMessage::CloseConnection => {
                self.ended = true;
                Ok(Some(Event::Ended))
            }
            // Messages for administrators.
            ServerMessage::Prepared { .. }
            | ServerMessage::Observed(_)
            | ServerMessage::Testing(_)
            | ServerMessage::PlayerScore(_)
            | ServerMessage::JoinedGameRoom { .. }
            | ServerMessage::Error { .. }
            | ServerMessage::Unknown(_) => Ok(None),
        }
    }

    fn join(&mut self, room: RoomId) -> Result<Event, SessionError> {
        match self.phase {
            Phase::Connected => {
                self.phase = Phase::Joined(Seat {
                    room: room.clone(),
                    color: None,
                });
            }
            Phase::Joined(_) | Phase::Playing(_) | Phase::Finished(_) => self.check_room(&room)?,
        }
        Ok(Event::Joined(room))
    }

    fn room(&self) -> Option<&RoomId> {
        match &self.phase {
            Phase::Connected | Phase::Finished(_) => None,
            Phase::Joined(seat) => Some(&seat.room),
            Phase::Playing(game) => Some(&game.seat.room),
        }
    }

    /// Checks that a message is about the client's room. After the result, any room is accepted.
    fn check_room(&self, found: &RoomId) -> Result<(), SessionError> {
        match (&self.phase, self.room()) {
            (Phase::Finished(_), _) => Ok(()),
            (_, Some(expected)) if expected == found => Ok(()),
            (_, Some(expected)) => Err(SessionError::OtherRoom {
                expected: expected.clone(),
                found: found.clone(),
            }),
            (_, None) => Err(SessionError::NoSeat(found.clone())),
        }
    }

    fn handle_data(&mut self, data: ServerData) -> Result<Option<Event>, SessionError> {
        Ok(Some(match data {
            ServerData::Welcome(color) => {
                match &mut self.phase {
                    Phase::Joined(seat) | Phase::Playing(Game { seat, .. }) => {
                        seat.color = Some(color);
                    }
                    Phase::Connected | Phase::Finished(_) => {}
                }
                Event::Welcome(color)
            }
            ServerData::State(state) => self.enter(*state),
            ServerData::MoveRequest => return Ok(self.request()?.map(Event::MoveRequested)),
            ServerData::Error { message, .. } => {
                self.refusal = Some(message.clone());
                Event::Refused(message)
            }
            ServerData::Result(result) => {
                self.finish(*result);
                Event::Finished
            }
            ServerData::Paused | ServerData::Unknown(_) => return Ok(None),
        }))
    }

    /// Takes a new state, which voids an unanswered request.
    fn enter(&mut self, state: WireState) -> Event {
        let position = state.position;
        let last_move = state.last_move().unwrap_or_else(|error| {
            log::debug!("ignored a last move: {error}");
            None
        });
        match &mut self.phase {
            Phase::Joined(seat) => {
                self.phase = Phase::Playing(Game {
                    seat: seat.clone(),
                    names: state.names,
                    position,
                    pending: None,
                });
            }
            Phase::Playing(game) => {
                game.names = state.names;
                game.position = position;
                game.pending = None;
            }
            Phase::Connected | Phase::Finished(_) => {}
        }
        Event::State {
            position,
            last_move,
        }
    }

    /// The request for a move; `None` if the same request is still unanswered.
    fn request(&mut self) -> Result<Option<Request>, SessionError> {
        let game = match &mut self.phase {
            Phase::Playing(game) => game,
            Phase::Finished(_) => return Err(SessionError::RequestAfterEnd),
            Phase::Connected | Phase::Joined(_) => return Err(SessionError::RequestBeforeState),
        };
        if let Some(color) = game.seat.color
            && color != game.position.side_to_move()
        {
            return Err(SessionError::RequestOutOfTurn(color));
        }
        if game.position.outcome().is_some() {
            return Err(SessionError::RequestAfterEnd);
        }
        if game.pending.is_some() {
            return Ok(None);
        }
        self.requests += 1;
        let id = RequestId(self.requests);
        game.pending = Some(id);
        Ok(Some(Request {
            id,
            position: game.position,
        }))
    }

    fn finish(&mut self, result: GameResult) {
        let (color, names) = match &self.phase {
            Phase::Joined(seat) => (seat.color, ByColor::default()),
            Phase::Playing(game) => (game.seat.color, game.names.clone()),
            Phase::Connected | Phase::Finished(_) => (None, ByColor::default()),
        };
        if !self.is_finished() {
            self.phase = Phase::Finished(GameOver {
                result,
                color,
                names,
            });
        }
    }
}
