//! A client of the referee, controlled by a test.

use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::time::Duration;

use super::referee::Prepared;
use wabe_contest::protocol::{
    ClientMessage, Frame, Framer, GAME_TYPE, GameResult, ReservationCode, RoomId, ServerData,
    ServerMessage, Slot, WireMove, WireState,
};
use wabe_contest::server::DEFAULT_PASSWORD;
use wabe_hive::Color;
use wabe_hive::contest::{Move, Position};

/// Timeout that makes a hanging test fail.
const TIMEOUT: Duration = Duration::from_secs(30);

/// A client that tracks the messages it receives.
pub struct Peer {
    stream: TcpStream,
    framer: Framer,
    has_ended: bool,
    /// The room that it last joined or observed.
    pub room: Option<RoomId>,
    pub color: Option<Color>,
    pub state: Option<Box<WireState>>,
}

impl Peer {
    pub fn connect(address: SocketAddr) -> Peer {
        let mut peer = Peer::connect_silently(address);
        peer.send_text("<protocol>");
        peer
    }

    /// Connects without sending the root element.
    pub fn connect_silently(address: SocketAddr) -> Peer {
        let stream = TcpStream::connect(address).unwrap();
        stream.set_nodelay(true).unwrap();
        stream.set_read_timeout(Some(TIMEOUT)).unwrap();
        stream.set_write_timeout(Some(TIMEOUT)).unwrap();
        Peer {
            stream,
            framer: Framer::default(),
            has_ended: false,
            room: None,
            color: None,
            state: None,
        }
    }

    pub fn send_text(&mut self, text: &str) {
        self.send_bytes(text.as_bytes());
    }

    pub fn send_bytes(&mut self, bytes: &[u8]) {
        self.stream.write_all(bytes).unwrap();
    }

    pub fn send(&mut self, message: &ClientMessage) {
        self.send_text(&message.to_xml());
    }

    pub fn join(&mut self) {
        let game_type = GAME_TYPE.to_owned();
        self.send(&ClientMessage::Join { game_type });
    }

    pub fn join_prepared(&mut self, code: &ReservationCode) {
        self.send(&ClientMessage::JoinPrepared(code.clone()));
    }

    pub fn authenticate(&mut self, password: &str) {
        let password = password.to_owned();
        self.send(&ClientMessage::Authenticate { password });
    }

    pub fn prepare(&mut self, slots: &[Slot]) -> Prepared {
        self.send(&ClientMessage::Prepare {
            game_type: GAME_TYPE.to_owned(),
            slots: slots.to_vec(),
        });
        match self.skip_to("prepared") {
            ServerMessage::Prepared { room, reservations } => Prepared {
                room,
                codes: reservations,
            },
            other => panic!("{other:?}"),
        }
    }

    pub fn observe(&mut self, room: &RoomId) {
        self.send(&ClientMessage::Observe(room.clone()));
    }

    /// Sends a move to the room.
    pub fn play(&mut self, mv: &str) {
        let mv = mv.parse().unwrap();
        self.send_move(WireMove::new(mv, self.color.unwrap(), None));
    }

    pub fn send_move(&mut self, mv: WireMove) {
        let room = self.room.clone().unwrap();
        self.send(&ClientMessage::Move { room, mv });
    }

    /// The next message; `None` at the end of the stream.
    pub fn next(&mut self) -> Option<ServerMessage> {
        let message = ServerMessage::read(&self.next_text()?).unwrap();
        self.update(&message);
        Some(message)
    }

    /// The text of the next message; `None` at the end of the stream.
    pub fn next_text(&mut self) -> Option<String> {
        let mut buffer = [0; 16 << 10];
        while !self.has_ended {
            match self.framer.next_frame().unwrap() {
                Some(Frame::Message(text)) => return Some(text.to_owned()),
                Some(Frame::End) => {
                    self.has_ended = true;
                    break;
                }
                None => {}
            }
            match self.stream.read(&mut buffer) {
                Ok(0) => panic!("the connection ended without the end of the document"),
                Ok(length) => self.framer.feed(&buffer[..length]),
                Err(error) => panic!("no message: {error}"),
            }
        }
        None
    }

    fn update(&mut self, message: &ServerMessage) {
        match message {
            ServerMessage::Joined(room) | ServerMessage::Observed(room) => {
                self.room = Some(room.clone());
            }
            ServerMessage::Room { data, .. } => match data {
                ServerData::Welcome(color) => self.color = Some(*color),
                ServerData::State(state) => self.state = Some(state.clone()),
                _ => {}
            },
            _ => {}
        }
    }

    /// Receives messages until one with this description. Returns the descriptions of all of them.
    pub fn up_to(&mut self, description: &str) -> Vec<String> {
        let mut received = Vec::new();
        while let Some(message) = self.next() {
            received.push(describe(&message));
            if received.last().is_some_and(|last| last == description) {
                return received;
            }
        }
        panic!("no `{description}` among {received:?}");
    }

    /// Receives messages until one with this description, and returns it.
    pub fn skip_to(&mut self, description: &str) -> ServerMessage {
        let mut skipped = Vec::new();
        while let Some(message) = self.next() {
            let found = describe(&message);
            if found == description {
                return message;
            }
            skipped.push(found);
        }
        panic!("no `{description}` among {skipped:?}");
    }

    /// Receives messages until the end of the stream. Returns their descriptions.
    pub fn rest(&mut self) -> Vec<String> {
        std::iter::from_fn(|| self.next().map(|message| describe(&message))).collect()
    }

    pub fn position(&self) -> Position {
        self.state.as_ref().unwrap().position().unwrap()
    }

    /// Sends the legal move selected by `seed`.
    pub fn answer(&mut self, seed: u64) {
        let mv = some_move(&self.position(), seed);
        self.send_move(WireMove::new(mv, self.color.unwrap(), None));
    }

    /// Answers requests with legal moves selected by `seed`, until the result.
    pub fn play_to_end(&mut self, seed: u64) -> GameResult {
        loop {
            let ServerMessage::Room { data, .. } = self.next().expect("a result") else {
                continue;
            };
            match data {
                ServerData::MoveRequest => self.answer(seed),
                ServerData::Result(result) => return *result,
                ServerData::Error { message, .. } => panic!("{message}"),
                _ => {}
            }
        }
    }

    /// Receives messages until the result.
    pub fn result(&mut self) -> GameResult {
        match self.skip_to("result") {
            ServerMessage::Room {
                data: ServerData::Result(result),
                ..
            } => *result,
            other => panic!("{other:?}"),
        }
    }

    /// Ensures that the next message counts as sent after the last move request.
    ///
    /// The server records the time of a request before it sends another message. To get one, the
    /// client authenticates as administrator.
    pub fn sync_after_request(&mut self) {
        self.authenticate(DEFAULT_PASSWORD);
        self.send(&ClientMessage::TestMode(false));
        self.skip_to("testing false");
    }

    pub fn close_writing(&self) {
        self.stream.shutdown(Shutdown::Write).unwrap();
    }
}

fn some_move(position: &Position, seed: u64) -> Move {
    let moves = position.legal_moves();
    let mixed = position.hash() ^ seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    moves[(mixed % moves.len() as u64) as usize]
}

/// Describes a message briefly, such as `state 12`.
pub fn describe(message: &ServerMessage) -> String {
    match message {
        ServerMessage::Joined(_) => "joined".to_owned(),
        ServerMessage::Left(_) => "left".to_owned(),
        ServerMessage::CloseConnection => "close".to_owned(),
        ServerMessage::Prepared { .. } => "prepared".to_owned(),
        ServerMessage::Observed(_) => "observed".to_owned(),
        ServerMessage::Testing(test_mode) => format!("testing {test_mode}"),
        ServerMessage::PlayerScore(_) => "score".to_owned(),
        ServerMessage::JoinedGameRoom { existing, .. } => format!("joinedGameRoom {existing}"),
        ServerMessage::Error { message } => format!("error: {message}"),
        ServerMessage::Unknown(name) => format!("unknown <{name}>"),
        ServerMessage::Room { data, .. } => match data {
            ServerData::Welcome(color) => format!("welcome {color}"),
            ServerData::State(state) => format!("state {}", state.setup.turn),
            ServerData::MoveRequest => "request".to_owned(),
            ServerData::Error { message, .. } => format!("error: {message}"),
            ServerData::Result(_) => "result".to_owned(),
            ServerData::Paused => "paused".to_owned(),
            ServerData::Unknown(class) => format!("unknown data {class}"),
        },
    }
}
