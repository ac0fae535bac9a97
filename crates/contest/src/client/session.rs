//! A player's side of a session as a state machine without I/O.
//!
//! No message ends the session but those that say so. It skips what it cannot use, and answers each
//! request for a move, even in a state that no game by the rules reaches.

use super::error::{ReplyError, SessionError};
use super::stream::ServerStream;
use crate::protocol::{
    ClientMessage, GAME_TYPE, GameResult, ReservationCode, RoomId, STREAM_OPEN, ServerData,
    ServerMessage, StateError, WireMove, WireState,
};
use wabe_hive::contest::{Move, Position, best_on_any_board};
use wabe_hive::{ByColor, Color};

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
        /// The move that led to it from the position before, if one does.
        last_move: Option<Move>,
    },
    /// The game is in a state that is impossible by the rules.
    IrregularState(StateError),
    /// The server requests a move, which [`PlayerSession::reply`] encodes. Repeating the request
    /// before the reply changes nothing.
    MoveRequested(Request),
    /// As [`MoveRequested`](Event::MoveRequested), in a state that is impossible by the rules.
    IrregularMoveRequested {
        /// The request's identifier.
        id: RequestId,
        /// A move that passes the server's checks in this state.
        mv: Move,
    },
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
    Playing(Box<Game>),
    /// The server has sent the result.
    Finished(GameOver),
}

#[derive(Clone, Debug)]
struct Game {
    seat: Seat,
    state: WireState,
    /// The state's position.
    position: Result<Position, StateError>,
    /// The unanswered request, with its answer if the state is impossible.
    pending: Option<(RequestId, Option<Move>)>,
}

impl Game {
    fn new(seat: Seat, state: WireState) -> Game {
        Game {
            seat,
            position: state.position(),
            state,
            pending: None,
        }
    }

    /// The client's colour, or the side to move if the server did not send it.
    fn color(&self) -> Color {
        self.seat.color.unwrap_or(self.state.player)
    }

    /// The position, if the client can move in it by the rules.
    fn position_to_move(&self) -> Option<&Position> {
        let position = self.position.as_ref().ok()?;
        let can_move = position.side_to_move() == self.color() && position.outcome().is_none();
        can_move.then_some(position)
    }
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
    stream: ServerStream,
    phase: Phase,
    /// True if the server has closed the room or the stream.
    ended: bool,
    /// True if it was the room.
    room_closed: bool,
    /// The latest refusal.
    refusal: Option<String>,
    requests: u64,
    /// Messages of the client's game.
    messages: u64,
}

impl PlayerSession {
    /// Starts a session.
    pub fn new() -> PlayerSession {
        PlayerSession {
            stream: ServerStream::default(),
            phase: Phase::Connected,
            ended: false,
            room_closed: false,
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

    /// Takes bytes from the server. Call [`next_event`](PlayerSession::next_event) until it returns
    /// `None` before taking more.
    pub fn receive(&mut self, bytes: &[u8]) {
        self.stream.feed(bytes);
    }

    /// The next event, or `None` while more bytes are needed. Messages that do not concern the
    /// client's game are skipped, and so are unreadable ones.
    pub fn next_event(&mut self) -> Option<Event> {
        while !self.ended {
            let Some(message) = self.stream.next_message() else {
                self.ended = self.stream.has_ended();
                return self.ended.then_some(Event::Ended);
            };
            let event = match ServerMessage::read(&message) {
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

    /// The number of messages that concerned the client's game.
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
        let Phase::Playing(game) = &self.phase else {
            return None;
        };
        let position = game.position.as_ref().ok()?;
        (game.seat.color == Some(position.side_to_move().opponent())).then_some(position)
    }

    /// The bytes that answer a request. Every move is checked here, against the latest state,
    /// before it is sent.
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
        match (game.pending, game.position_to_move()) {
            (Some((pending, None)), Some(position)) if pending == id => position.check(mv)?,
            (Some((pending, Some(answer))), _) if pending == id && answer == mv => {}
            _ => return Err(ReplyError::Stale),
        }
        let color = game.color();
        game.pending = None;
        let message = ClientMessage::Move {
            room: game.seat.room.clone(),
            mv: WireMove::new(mv, color, hint),
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
            (Phase::Connected | Phase::Joined(_), true) if self.room_closed => {
                Err(SessionError::RoomClosed)
            }
            (Phase::Connected, true) => Err(SessionError::NotAdmitted { refusal }),
            (_, true) => Err(SessionError::NoResult { refusal }),
            (_, false) => Err(SessionError::Cut {
                place: match &self.stream {
                    stream if !stream.has_started() => "before the server sent anything",
                    stream if stream.is_in_message() => "in the middle of a message",
                    _ => "before the game had a result",
                },
                refusal,
            }),
        }
    }

    /// Takes a message; `None` if it does not concern the client's game.
    fn handle(&mut self, message: ServerMessage) -> Option<Event> {
        match message {
            ServerMessage::Joined(room) => self.join(room),
            ServerMessage::Room { room, data } if self.is_in_room(&room) => {
                self.messages += u64::from(!matches!(data, ServerData::Unknown(_)));
                self.handle_data(data)
            }
            // A client without a seat waits for one room only.
            ServerMessage::Left(room) if self.is_in_room(&room) || self.is_waiting() => {
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
            // Messages for administrators.
            ServerMessage::Prepared { .. }
            | ServerMessage::Observed(_)
            | ServerMessage::Testing(_)
            | ServerMessage::PlayerScore(_)
            | ServerMessage::JoinedGameRoom { .. }
            | ServerMessage::Error { .. }
            | ServerMessage::Unknown(_) => None,
        }
    }

    fn is_waiting(&self) -> bool {
        matches!(self.phase, Phase::Connected)
    }

    /// True if it is the client's room. After the result, any room is.
    fn is_in_room(&self, found: &RoomId) -> bool {
        match &self.phase {
            Phase::Connected => false,
            Phase::Joined(seat) => seat.room == *found,
            Phase::Playing(game) => game.seat.room == *found,
            Phase::Finished(_) => true,
        }
    }

    fn join(&mut self, room: RoomId) -> Option<Event> {
        if self.is_waiting() {
            self.phase = Phase::Joined(Seat {
                room: room.clone(),
                color: None,
            });
        }
        if !self.is_in_room(&room) {
            return None;
        }
        self.messages += 1;
        Some(Event::Joined(room))
    }

    fn handle_data(&mut self, data: ServerData) -> Option<Event> {
        match data {
            ServerData::Welcome(color) => {
                match &mut self.phase {
                    Phase::Joined(seat) => seat.color = Some(color),
                    Phase::Playing(game) => game.seat.color = Some(color),
                    Phase::Connected | Phase::Finished(_) => {}
                }
                Some(Event::Welcome(color))
            }
            ServerData::State(state) => self.enter(*state),
            ServerData::MoveRequest => self.request(),
            ServerData::Error { message, .. } => {
                self.refusal = Some(message.clone());
                Some(Event::Refused(message))
            }
            ServerData::Result(result) => {
                self.finish(*result);
                Some(Event::Finished)
            }
            ServerData::Paused | ServerData::Unknown(_) => None,
        }
    }

    /// Takes a new state, which voids an unanswered request.
    fn enter(&mut self, state: WireState) -> Option<Event> {
        let (seat, before) = match &self.phase {
            Phase::Joined(seat) => (seat.clone(), None),
            Phase::Playing(game) => (game.seat.clone(), game.position.clone().ok()),
            Phase::Connected | Phase::Finished(_) => return None,
        };
        let game = Game::new(seat, state);
        let event = match &game.position {
            Ok(position) => Event::State {
                position: *position,
                last_move: before.and_then(|before| before.move_to(position)),
            },
            Err(error) => Event::IrregularState(error.clone()),
        };
        self.phase = Phase::Playing(Box::new(game));
        Some(event)
    }

    /// The request for a move; `None` if the same request is still unanswered.
    fn request(&mut self) -> Option<Event> {
        let Phase::Playing(game) = &mut self.phase else {
            log::warn!("ignored a request for a move without a state to move in");
            return None;
        };
        if game.pending.is_some() {
            return None;
        }
        self.requests += 1;
        let id = RequestId(self.requests);
        if let Some(&position) = game.position_to_move() {
            game.pending = Some((id, None));
            return Some(Event::MoveRequested(Request { id, position }));
        }
        let mv = best_on_any_board(&game.state.setup, game.color());
        game.pending = Some((id, Some(mv)));
        Some(Event::IrregularMoveRequested { id, mv })
    }

    fn finish(&mut self, result: GameResult) {
        let (color, names) = match &self.phase {
            Phase::Joined(seat) => (seat.color, ByColor::default()),
            Phase::Playing(game) => (game.seat.color, game.state.names.clone()),
            Phase::Connected | Phase::Finished(_) => return,
        };
        self.phase = Phase::Finished(GameOver {
            result,
            color,
            names,
        });
    }
}

impl Default for PlayerSession {
    fn default() -> PlayerSession {
        PlayerSession::new()
    }
}
