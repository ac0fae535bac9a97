//! What a server sends.

use super::ids::{ReservationCode, RoomId};
use super::player_score::PlayerScore;
use super::room_data::ServerData;
use super::values::parse_bool;
use super::xml::{
    Element, ReadError, XmlWriter, once, read_root, required_attribute, required_element,
};

/// A message from the server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ServerMessage {
    /// The client has a seat in a room.
    Joined(RoomId),
    /// Something about a game.
    Room {
        /// Where.
        room: RoomId,
        /// What.
        data: ServerData,
    },
    /// The room is closed.
    Left(RoomId),
    /// The server is about to close the connection. `<close/>` is read as the same.
    CloseConnection,
    /// To an administrator: a room with reserved seats.
    Prepared {
        /// The room.
        room: RoomId,
        /// One code for each seat; the first is red's.
        reservations: Vec<ReservationCode>,
    },
    /// To an administrator: it sees what happens in the room from now on.
    Observed(RoomId),
    /// To an administrator: whether scores are kept.
    Testing(bool),
    /// To an administrator: a player's scores.
    PlayerScore(PlayerScore),
    /// To every administrator: somebody joined without a reservation.
    JoinedGameRoom {
        /// Which room was joined.
        room: RoomId,
        /// Whether it was there before.
        existing: bool,
    },
    /// To an administrator: a request was refused. The contest's server has this message, but closes the connection instead
    /// of sending it.
    Error {
        /// Why.
        message: String,
    },
    /// A message that this program does not know; it never writes one.
    Unknown(String),
}

pub(super) const CLOSE_CONNECTION: &str = "sc.protocol.responses.CloseConnection";

impl ServerMessage {
    /// Reads one message.
    ///
    /// # Errors
    /// When it is malformed, or a part that it needs is missing or makes no sense. Unknown parts are ignored.
    pub fn read(message: &str) -> Result<ServerMessage, ReadError> {
        read_root(message, ServerMessage::read_element)
    }

    fn read_element(element: Element<'_, '_>) -> Result<ServerMessage, ReadError> {
        let room = |element: &Element<'_, '_>| read_room_id(element);
        Ok(match element.name() {
            "joined" => ServerMessage::Joined(room(&element)?),
            "room" => ServerMessage::Room {
                room: room(&element)?,
                data: read_data(element, ServerData::read)?,
            },
            "left" => ServerMessage::Left(room(&element)?),
            CLOSE_CONNECTION | "close" => ServerMessage::CloseConnection,
            "prepared" => ServerMessage::Prepared {
                room: room(&element)?,
                reservations: read_reservations(element)?,
            },
            "observed" => ServerMessage::Observed(room(&element)?),
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

    /// Appends the message, laid out as in a stream: a line break first, everything indented by one level.
    pub fn write(&self, out: &mut String) {
        self.write_at(out, 1);
    }

    /// Appends the message, indented by `depth` levels; the contest's replays use 0.
    pub fn write_at(&self, out: &mut String, depth: usize) {
        let xml = &mut XmlWriter::new(out, depth);
        match self {
            ServerMessage::Joined(room) => {
                xml.element("joined").attribute("roomId", room).empty();
            }
            ServerMessage::Room { room, data } => xml
                .element("room")
                .attribute("roomId", room)
                .children(|xml| data.write(xml)),
            ServerMessage::Left(room) => xml.element("left").attribute("roomId", room).empty(),
            ServerMessage::CloseConnection => xml.element(CLOSE_CONNECTION).empty(),
            ServerMessage::Prepared { room, reservations } => xml
                .element("prepared")
                .attribute("roomId", room)
                .children(|xml| {
                    for code in reservations {
                        xml.element("reservation").text(code);
                    }
                }),
            ServerMessage::Observed(room) => {
                xml.element("observed").attribute("roomId", room).empty();
            }
            ServerMessage::Testing(test_mode) => {
                xml.element("testing")
                    .attribute("testMode", test_mode)
                    .empty();
            }
            ServerMessage::PlayerScore(score) => score.write(xml),
            ServerMessage::JoinedGameRoom { room, existing } => xml
                .element("joinedGameRoom")
                .attribute("roomId", room)
                .attribute("existing", existing)
                .empty(),
            ServerMessage::Error { message } => {
                xml.element("error").attribute("message", message).empty();
            }
            ServerMessage::Unknown(_) => {}
        }
    }

    /// The message as text, laid out as by [`write`](ServerMessage::write).
    pub fn to_xml(&self) -> String {
        let mut out = String::new();
        self.write(&mut out);
        out
    }
}

pub(super) fn read_room_id(element: &Element<'_, '_>) -> Result<RoomId, ReadError> {
    Ok(RoomId(element.attribute("roomId")?.into_owned()))
}

/// Reads the one `<data>` of a room message.
pub(super) fn read_data<'m, T>(
    room: Element<'_, 'm>,
    read: impl Fn(Element<'_, 'm>) -> Result<T, ReadError>,
) -> Result<T, ReadError> {
    let mut data = None;
    room.for_each_child(|child| match child.name() {
        "data" => once(&mut data, read(child)?, "data"),
        _ => {
            child.ignore();
            Ok(())
        }
    })?;
    required_element(data, "data")
}

fn read_reservations(element: Element<'_, '_>) -> Result<Vec<ReservationCode>, ReadError> {
    let mut codes = Vec::new();
    element.for_each_child(|child| {
        match child.name() {
            "reservation" => codes.push(ReservationCode(child.text()?.trim().to_owned())),
            _ => child.ignore(),
        }
        Ok(())
    })?;
    Ok(codes)
}
