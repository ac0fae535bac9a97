//! A player's side of a session, without any I/O: bytes in, events out, and the bytes to answer with.

use super::error::{ReplyError, SessionError};
use crate::hive::contest::{Move, MoveList, Position};
use crate::hive::{ByColor, Color};
use crate::protocol::{
    ClientData, ClientMessage, Frame, Framer, GAME_TYPE, GameResult, Limits, ReservationCode,
    RoomId, STREAM_OPEN, ServerData, ServerMessage, WireMove, WireState,
};

/// What a session tells whoever runs it.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// There is a seat.
    Joined(RoomId),
    /// The seat's colour.
    Welcome(Color),
    /// A ply was made, or the game began.
    State {
        /// The position.
        position: Box<Position>,
        /// The move that led to it, where the server names one that makes sense.
        last_move: Option<Move>,
    },
    /// A move is wanted; [`Session::reply`] makes the answer.
    MoveRequested(Request),
    /// The server refused something, usually a move.
    Refused(String),
    /// The game is over.
    Result(Box<GameResult>),
    /// The server has said its last word in this session.
    Ended,
}

/// Tells one request for a move from another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RequestId(u64);

/// A request for a move.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// Which.
    pub id: RequestId,
    /// The position to move in; it has a legal move.
    pub position: Box<Position>,
}

/// A seat at a game.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Seat {
    room: RoomId,
    color: Option<Color>,
}

/// How far the session is.
#[derive(Clone, Debug)]
enum Phase {
    /// The client has asked for a seat.
    Connected,
    /// It has one.
    Joined(Seat),
    /// There is a state.
    Playing(Game),
    /// There is a result.
    Finished(GameOver),
}

#[derive(Clone, Debug)]
struct Game {
    seat: Seat,
    names: ByColor<String>,
    position: Position,
    /// The request that waits for an answer.
    pending: Option<RequestId>,
}

/// A game that was played to its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameOver {
    /// What the server says.
    pub result: GameResult,
    /// The client's colour, if the server told.
    pub color: Option<Color>,
    /// What the players call themselves; empty before the first state.
    pub names: ByColor<String>,
}

/// The session.
#[derive(Clone, Debug)]
pub struct Session {
    framer: Framer,
    phase: Phase,
    /// The server has closed the room or the stream.
    ended: bool,
    /// What the server refused last.
    refusal: Option<String>,
    requests: u64,
}

impl Session {
    /// A session at its beginning, reading within these limits.
    pub fn new(limits: Limits) -> Session {
        Session {
            framer: Framer::new(limits),
            phase: Phase::Connected,
            ended: false,
            refusal: None,
            requests: 0,
        }
    }

    /// The bytes that open a session: with a reservation that seat, otherwise any.
    pub fn opening(reservation: Option<&ReservationCode>) -> String {
        let mut out = STREAM_OPEN.to_owned();
        match reservation {
            Some(code) => ClientMessage::JoinPrepared(code.clone()),
            None => ClientMessage::Join {
                game_type: GAME_TYPE.to_owned(),
            },
        }
        .write(&mut out);
        out
    }

    /// Takes bytes from the server; then ask for events until there is none.
    pub fn receive(&mut self, bytes: &[u8]) {
        self.framer.feed(bytes);
    }

    /// The next event, or `None` while more bytes are needed. What means nothing to a player is skipped.
    ///
    /// # Errors
    /// When the server breaks the protocol; the session cannot go on then.
    pub fn next_event(&mut self) -> Result<Option<Event>, SessionError> {
        while !self.ended {
            let message = match self.framer.next_frame()? {
                None => return Ok(None),
                Some(Frame::End) => {
                    self.ended = true;
                    return Ok(Some(Event::Ended));
                }
                Some(Frame::Message(message)) => ServerMessage::read(message)?,
            };
            if let Some(event) = self.handle(message)? {
                return Ok(Some(event));
            }
        }
        Ok(None)
    }

    /// Whether the server has said its last word.
    pub fn is_ended(&self) -> bool {
        self.ended
    }

    /// Whether there is a result.
    pub fn is_finished(&self) -> bool {
        matches!(self.phase, Phase::Finished(_))
    }

    /// Whether a request for a move waits for its answer.
    pub fn is_request_pending(&self, id: RequestId) -> bool {
        matches!(&self.phase, Phase::Playing(game) if game.pending == Some(id))
    }

    /// The position of a game that goes on, if it is the other side's turn there.
    pub fn position_of_the_other(&self) -> Option<&Position> {
        match &self.phase {
            Phase::Playing(game)
                if game.seat.color == Some(game.position.side_to_move().opponent()) =>
            {
                Some(&game.position)
            }
            _ => None,
        }
    }

    /// The bytes that answer a request, once.
    ///
    /// # Errors
    /// When the move is illegal in the last state, or nobody waits for it.
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
        let message = ClientMessage::Room {
            room: game.seat.room.clone(),
            data: ClientData::Move(WireMove::new(mv, mover, hint)),
        };
        Ok(message.to_xml())
    }

    /// What came of the session, when nothing more will be read.
    ///
    /// # Errors
    /// Says how the session ended without a result.
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
            // These are for administrators.
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

    /// After the result nothing depends on the room any more.
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
            ServerData::State(state) => self.enter(*state)?,
            ServerData::MoveRequest => Event::MoveRequested(self.request()?),
            ServerData::Error { message, .. } => {
                self.refusal = Some(message.clone());
                Event::Refused(message)
            }
            ServerData::Result(result) => {
                self.finish((*result).clone());
                Event::Result(result)
            }
            ServerData::Paused | ServerData::Unknown(_) => return Ok(None),
        }))
    }

    /// A new state: whatever was asked before is void.
    fn enter(&mut self, state: WireState) -> Result<Event, SessionError> {
        let position = state.position()?;
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
        Ok(Event::State {
            position: Box::new(position),
            last_move,
        })
    }

    fn request(&mut self) -> Result<Request, SessionError> {
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
        let mut moves = MoveList::new();
        game.position.legal_moves(&mut moves);
        if moves.is_empty() {
            return Err(SessionError::RequestAfterEnd);
        }
        self.requests += 1;
        let id = RequestId(self.requests);
        game.pending = Some(id);
        Ok(Request {
            id,
            position: Box::new(game.position),
        })
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
