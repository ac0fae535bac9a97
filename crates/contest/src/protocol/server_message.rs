//! Messages from the server.

use super::moves::WireMove;
use super::result::{GameResult, PlayerScore};
use super::state::WireState;
use super::values::{ReservationCode, RoomId, parse_bool, parse_color};
use super::xml::{Element, ReadError, Strictness, XmlWriter, read_root, required_attribute};
use wabe_hive::Color;

/// A message from the server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ServerMessage {
    /// The client got a seat in a room.
    Joined(RoomId),
    /// News of a game.
    Room {
        /// The game's room.
        room: RoomId,
        /// The news.
        data: ServerData,
    },
    /// The room is closed.
    Left(RoomId),
    /// The server is about to close the connection. `<close/>` is read as the same.
    CloseConnection,
    /// To an administrator: a room with reserved seats was made.
    Prepared {
        /// The room.
        room: RoomId,
        /// The codes of its two seats, red's first.
        reservations: Vec<ReservationCode>,
    },
    /// To an administrator: it observes the room from now on.
    Observed(RoomId),
    /// To an administrator: true if scores are kept.
    Testing(bool),
    /// To an administrator: a player's scores.
    PlayerScore(PlayerScore),
    /// To every administrator: a client joined without a reservation.
    JoinedGameRoom {
        /// The room.
        room: RoomId,
        /// True if the room existed before.
        existing: bool,
    },
    /// To an administrator: a request was refused. The contest's server has this message, but closes the connection instead
    /// of sending it.
    Error {
        /// The reason.
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
    /// The client is to move.
    MoveRequest,
    /// A request was refused.
    Error {
        /// The reason.
        message: String,
        /// The refused move.
        original: Option<WireMove>,
    },
    /// The game is over.
    Result(Box<GameResult>),
    /// The game is paused. The message's contents are ignored.
    Paused,
    /// Data of an unknown class with this name. Never written.
    Unknown(String),
}

pub(super) const MOVE_REQUEST: &str = "sc.framework.plugins.protocol.MoveRequest";

pub(super) const CLOSE_CONNECTION: &str = "sc.protocol.responses.CloseConnection";

impl ServerMessage {
    /// Reads one message.
    ///
    /// # Errors
    /// When it is malformed, or a required part is missing or invalid. Unknown parts are ignored.
    pub fn read(message: &str) -> Result<ServerMessage, ReadError> {
        read_root(message, Strictness::Lenient, ServerMessage::read_element)
    }

    fn read_element(element: Element<'_, '_>) -> Result<ServerMessage, ReadError> {
        Ok(match element.name() {
            "joined" => ServerMessage::Joined(read_room_id(&element)?),
            "room" => ServerMessage::Room {
                room: read_room_id(&element)?,
                data: element.read_one("data", ServerData::read)?,
            },
            "left" => ServerMessage::Left(read_room_id(&element)?),
            CLOSE_CONNECTION | "close" => ServerMessage::CloseConnection,
            "prepared" => ServerMessage::Prepared {
                room: read_room_id(&element)?,
                reservations: element.read_each("reservation", |child| {
                    Ok(ReservationCode(child.text()?.trim().to_owned()))
                })?,
            },
            "observed" => ServerMessage::Observed(read_room_id(&element)?),
            "testing" => ServerMessage::Testing(parse_bool(&element.attribute("testMode")?)?),
            "playerScore" => ServerMessage::PlayerScore(PlayerScore::read(element)?),
            "joinedGameRoom" => {
                let [room, existing] = element.attributes(["roomId", "existing"])?;
                ServerMessage::JoinedGameRoom {
                    room: RoomId(required_attribute(room, "roomId")?.into_owned()),
                    existing: existing.map_or(Ok(false), |text| parse_bool(&text))?,
                }
            }
            "error" => ServerMessage::Error {
                message: element.attribute("message")?.into_owned(),
            },
            name => {
                log::debug!("ignored the message <{name}>");
                ServerMessage::Unknown(name.to_owned())
            }
        })
    }

    /// Appends the message after a line break and indented by `depth` levels: 1 in a stream, 0 in the contest's replays.
    pub fn write_at(&self, out: &mut String, depth: usize) {
        let xml = &mut XmlWriter::new(out, depth);
        match self {
            ServerMessage::Joined(room) => xml.leaf("joined", &[("roomId", &room.0)]),
            ServerMessage::Room { room, data } => xml
                .element("room")
                .attribute("roomId", &room.0)
                .children(|xml| data.write(xml)),
            ServerMessage::Left(room) => xml.leaf("left", &[("roomId", &room.0)]),
            ServerMessage::CloseConnection => xml.leaf(CLOSE_CONNECTION, &[]),
            ServerMessage::Prepared { room, reservations } => xml
                .element("prepared")
                .attribute("roomId", &room.0)
                .children(|xml| {
                    for code in reservations {
                        xml.element("reservation").text(code);
                    }
                }),
            ServerMessage::Observed(room) => xml.leaf("observed", &[("roomId", &room.0)]),
            ServerMessage::Testing(on) => xml.leaf("testing", &[("testMode", on)]),
            ServerMessage::PlayerScore(score) => score.write(xml),
            ServerMessage::JoinedGameRoom { room, existing } => xml.leaf(
                "joinedGameRoom",
                &[("roomId", &room.0), ("existing", existing)],
            ),
            ServerMessage::Error { message } => xml.leaf("error", &[("message", message)]),
            ServerMessage::Unknown(_) => {}
        }
    }

    /// The message as text, laid out as in a stream.
    pub fn to_xml(&self) -> String {
        let mut out = String::new();
        self.write_at(&mut out, 1);
        out
    }
}

fn read_room_id(element: &Element<'_, '_>) -> Result<RoomId, ReadError> {
    Ok(RoomId(element.attribute("roomId")?.into_owned()))
}

impl ServerData {
    pub(super) fn read(element: Element<'_, '_>) -> Result<ServerData, ReadError> {
        let class = element.attribute("class")?;
        Ok(match &*class {
            "welcomeMessage" => ServerData::Welcome(parse_color(&element.attribute("color")?)?),
            "memento" => {
                let state = element.read_one("state", WireState::read)?;
                ServerData::State(Box::new(state))
            }
            MOVE_REQUEST => ServerData::MoveRequest,
            "error" => ServerData::Error {
                message: element.text_attribute("message").unwrap_or_default(),
                original: read_original(element)?,
            },
            "result" => ServerData::Result(Box::new(GameResult::read(element)?)),
            "paused" => ServerData::Paused,
            class => {
                log::debug!("ignored data of the class `{class}`");
                ServerData::Unknown(class.to_owned())
            }
        })
    }

    pub(super) fn write(&self, xml: &mut XmlWriter<'_>) {
        let class = match self {
            ServerData::Welcome(_) => "welcomeMessage",
            ServerData::State(_) => "memento",
            ServerData::MoveRequest => MOVE_REQUEST,
            ServerData::Error { .. } => "error",
            ServerData::Result(_) => "result",
            ServerData::Paused => "paused",
            ServerData::Unknown(_) => return,
        };
        let tag = xml.element("data").attribute("class", class);
        match self {
            ServerData::Welcome(color) => tag.attribute("color", color).empty(),
            ServerData::State(state) => tag.children(|xml| state.write(xml)),
            ServerData::Error { message, original } => {
                tag.attribute("message", message).children(|xml| {
                    if let Some(original) = original {
                        original.write(xml, "originalRequest");
                    }
                });
            }
            ServerData::Result(result) => tag.children(|xml| result.write(xml)),
            ServerData::MoveRequest | ServerData::Paused | ServerData::Unknown(_) => tag.empty(),
        }
    }
}

/// The refused move, if it can be read.
fn read_original(element: Element<'_, '_>) -> Result<Option<WireMove>, ReadError> {
    let mut original = None;
    element.for_each_child(|child| {
        match child.name() {
            "originalRequest" => original = WireMove::read_if_valid(child),
            _ => child.ignore()?,
        }
        Ok(())
    })?;
    Ok(original)
}
