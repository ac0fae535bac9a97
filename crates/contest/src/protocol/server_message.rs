//! Messages from the server.

use super::moves::WireMove;
use super::result::{GameResult, PlayerScore};
use super::state::WireState;
use super::values::{ReservationCode, RoomId, parse_bool, parse_color};
use super::xml::{Element, ReadError, Strictness, read_message};
use wabe_hive::Color;

/// A message from the server to a client or administrator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ServerMessage {
    /// The client got a seat in a room.
    Joined(RoomId),
    /// A message about a game.
    Room {
        /// The game's room.
        room: RoomId,
        /// Contents of the message.
        data: ServerData,
    },
    /// The room is closed.
    Left(RoomId),
    /// The server is about to close the connection. `<close/>` means the same.
    CloseConnection,
    /// To an administrator: a room with reserved seats was created.
    Prepared {
        /// The new room.
        room: RoomId,
        /// Codes of its two seats, red's first.
        reservations: Vec<ReservationCode>,
    },
    /// To an administrator: it now observes this room.
    Observed(RoomId),
    /// To an administrator: true if scores are kept.
    Testing(bool),
    /// To an administrator: a player's scores.
    PlayerScore(PlayerScore),
    /// To all administrators: a client joined without a reservation.
    JoinedGameRoom {
        /// The room that the client joined.
        room: RoomId,
        /// True if the room existed before.
        existing: bool,
    },
    /// To an administrator: a request was refused. The contest's server defines this message, but
    /// closes the connection instead.
    Error {
        /// Why the request was refused.
        message: String,
    },
    /// An unknown message with this name. Never written.
    Unknown(String),
}

/// The contents of a room message from the server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ServerData {
    /// The client plays this colour.
    Welcome(Color),
    /// The new state of the game.
    State(Box<WireState>),
    /// The client must send a move.
    MoveRequest,
    /// A request was refused.
    Error {
        /// Why the request was refused.
        message: String,
        /// The refused move.
        original: Option<WireMove>,
    },
    /// The game is over.
    Result(Box<GameResult>),
    /// The game is paused. The contents are ignored.
    Paused,
    /// Data of an unknown class with this name. Never written.
    Unknown(String),
}

pub(super) const MOVE_REQUEST: &str = "sc.framework.plugins.protocol.MoveRequest";

pub(super) const CLOSE_CONNECTION: &str = "sc.protocol.responses.CloseConnection";

impl ServerMessage {
    /// Parses a message.
    ///
    /// # Errors
    /// When it is malformed, or a required part is missing or invalid. Unknown parts are ignored.
    pub fn read(message: &str) -> Result<ServerMessage, ReadError> {
        read_message(message, Strictness::Lenient, ServerMessage::read_element)
    }

    fn read_element(element: &Element) -> Result<ServerMessage, ReadError> {
        let room = || Ok(RoomId(element.attribute("roomId")?.to_owned()));
        Ok(match &*element.name {
            "joined" => ServerMessage::Joined(room()?),
            "room" => ServerMessage::Room {
                room: room()?,
                data: element.one("data", ServerData::read)?,
            },
            "left" => ServerMessage::Left(room()?),
            CLOSE_CONNECTION | "close" => ServerMessage::CloseConnection,
            "prepared" => ServerMessage::Prepared {
                room: room()?,
                reservations: element.each("reservation", |child| {
                    Ok(ReservationCode(child.text().trim().to_owned()))
                })?,
            },
            "observed" => ServerMessage::Observed(room()?),
            "testing" => ServerMessage::Testing(parse_bool(element.attribute("testMode")?)?),
            "playerScore" => ServerMessage::PlayerScore(PlayerScore::read(element)?),
            "joinedGameRoom" => ServerMessage::JoinedGameRoom {
                room: room()?,
                existing: element.get("existing").map_or(Ok(false), parse_bool)?,
            },
            "error" => ServerMessage::Error {
                message: element.attribute("message")?.to_owned(),
            },
            name => {
                log::debug!("ignored the message <{name}>");
                ServerMessage::Unknown(name.to_owned())
            }
        })
    }

    /// Appends the message on a new line, indented by `depth` levels: 1 in a stream, 0 in the
    /// contest's replays.
    pub fn write_at(&self, out: &mut String, depth: usize) {
        let about = |name, room: &RoomId| Element::new(name).with("roomId", &room.0);
        let element = match self {
            ServerMessage::Joined(room) => about("joined", room),
            ServerMessage::Room { room, data } => {
                about("room", room).with_children(data.to_element())
            }
            ServerMessage::Left(room) => about("left", room),
            ServerMessage::CloseConnection => Element::new(CLOSE_CONNECTION),
            ServerMessage::Prepared { room, reservations } => {
                let codes = reservations.iter();
                let codes = codes.map(|code| Element::new("reservation").with_text(code));
                about("prepared", room).with_children(codes)
            }
            ServerMessage::Observed(room) => about("observed", room),
            ServerMessage::Testing(on) => Element::new("testing").with("testMode", on),
            ServerMessage::PlayerScore(score) => score.to_element(),
            ServerMessage::JoinedGameRoom { room, existing } => {
                about("joinedGameRoom", room).with("existing", existing)
            }
            ServerMessage::Error { message } => Element::new("error").with("message", message),
            ServerMessage::Unknown(_) => return,
        };
        element.write(out, depth);
    }

    /// Encodes the message as it appears in a stream.
    pub fn to_xml(&self) -> String {
        let mut out = String::new();
        self.write_at(&mut out, 1);
        out
    }
}

impl ServerData {
    fn read(element: &Element) -> Result<ServerData, ReadError> {
        Ok(match element.attribute("class")? {
            "welcomeMessage" => ServerData::Welcome(parse_color(element.attribute("color")?)?),
            "memento" => ServerData::State(Box::new(element.one("state", WireState::read)?)),
            MOVE_REQUEST => ServerData::MoveRequest,
            "error" => ServerData::Error {
                message: element.get("message").unwrap_or_default().to_owned(),
                original: element
                    .optional("originalRequest", |mv| Ok(WireMove::read_if_valid(mv)))?
                    .flatten(),
            },
            "result" => ServerData::Result(Box::new(GameResult::read(element)?)),
            "paused" => ServerData::Paused,
            class => {
                log::debug!("ignored data of the class `{class}`");
                ServerData::Unknown(class.to_owned())
            }
        })
    }

    fn to_element(&self) -> Option<Element> {
        let data = |class| Element::new("data").with("class", class);
        Some(match self {
            ServerData::Welcome(color) => data("welcomeMessage").with("color", color),
            ServerData::State(state) => data("memento").with_children([state.to_element()]),
            ServerData::MoveRequest => data(MOVE_REQUEST),
            ServerData::Error { message, original } => {
                let original = original.as_ref();
                data("error")
                    .with("message", message)
                    .with_children(original.map(|mv| mv.to_element("originalRequest")))
            }
            ServerData::Result(result) => data("result").with_children(result.to_elements()),
            ServerData::Paused => data("paused"),
            ServerData::Unknown(_) => return None,
        })
    }
}
