//! Messages from clients: players and administrators.

use super::moves::{MoveClass, WireMove};
use super::server_message::{CLOSE_CONNECTION, MOVE_REQUEST};
use super::values::{ReservationCode, RoomId, decode_integer, is_true};
use super::xml::{
    Element, ReadError, Strictness, Value, XmlWriter, once, read_root, required_attribute,
};

/// The game type of the contest.
pub const GAME_TYPE: &str = "swc_2020_hive";

/// Classes of data that the contest's server can read, but that are not moves. They have no content
/// here.
const NOT_MOVES: [&str; 9] = [
    MOVE_REQUEST,
    CLOSE_CONNECTION,
    "authenticate",
    "error",
    "joined",
    "left",
    "memento",
    "room",
    "welcomeMessage",
];

/// A message from a client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClientMessage {
    /// Asks for any open seat.
    Join {
        /// The game type.
        game_type: String,
    },
    /// Asks for a reserved seat.
    JoinPrepared(ReservationCode),
    /// A player's move.
    Move {
        /// The game's room.
        room: RoomId,
        /// The move.
        mv: WireMove,
    },
    /// A message to a room without a move, which breaks the rules.
    NoMove(RoomId),
    /// The client is about to close the connection. `<close/>` is read as the same.
    CloseConnection,
    /// Asks for an administrator's rights.
    Authenticate {
        /// The server's password.
        password: String,
    },
    /// Asks for a room with reserved seats.
    Prepare {
        /// The game type.
        game_type: String,
        /// The seats, red first.
        slots: Vec<Slot>,
    },
    /// Asks to observe a room from now on.
    Observe(RoomId),
    /// Pauses or resumes a game.
    Pause {
        /// The game's room.
        room: RoomId,
        /// True to pause, false to resume.
        pause: bool,
    },
    /// Has one ply of a paused game played.
    Step {
        /// The game's room.
        room: RoomId,
        /// Starts a game even if players are missing.
        forced: bool,
    },
    /// Closes a room, ending its game without a result.
    Cancel(RoomId),
    /// Switches a seat's time limits on or off.
    Timeout {
        /// The seat's room.
        room: RoomId,
        /// True if the limits apply.
        activate: bool,
        /// The seat: 0 is red's, 1 blue's.
        slot: i64,
    },
    /// Switches the keeping of scores on or off.
    TestMode(bool),
    /// Asks for a player's scores.
    ScoreForPlayer {
        /// The player's name.
        display_name: String,
    },
    /// Opens a reserved seat to anybody who joins.
    FreeReservation(ReservationCode),
}

/// A seat of a prepared room.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slot {
    /// The player's name.
    pub display_name: String,
    /// True if the time limits apply.
    pub can_timeout: bool,
    /// True if the room starts paused.
    pub should_be_paused: bool,
}

impl ClientMessage {
    /// Reads one message.
    ///
    /// # Errors
    /// When it is malformed, a required part is missing or invalid, or the contest's server does
    /// not know a part. Unknown attributes are ignored.
    pub fn read(message: &str) -> Result<ClientMessage, ReadError> {
        read_root(message, Strictness::Strict, ClientMessage::read_element)
    }

    fn read_element(element: Element<'_, '_>) -> Result<ClientMessage, ReadError> {
        Ok(match element.name() {
            "join" | "sc.protocol.requests.JoinRoomRequest" => {
                let [game_type] = read_texts(element, ["gameType"])?;
                ClientMessage::Join { game_type }
            }
            "joinPrepared" | "sc.protocol.requests.JoinPreparedRoomRequest" => {
                let [code] = read_texts(element, ["reservationCode"])?;
                ClientMessage::JoinPrepared(ReservationCode(code))
            }
            "room" | "sc.protocol.responses.RoomPacket" => {
                let mut data = None;
                let values = element.read_object(["roomId"], |child| match child.name() {
                    "data" => once(&mut data, read_data(child)?, "data"),
                    _ => child.ignore(),
                })?;
                let [room] = texts(values);
                let room = RoomId(room);
                match data.flatten() {
                    Some(mv) => ClientMessage::Move { room, mv },
                    None => ClientMessage::NoMove(room),
                }
            }
            CLOSE_CONNECTION | "close" => ClientMessage::CloseConnection,
            "authenticate" => {
                let [password] = read_texts(element, ["password"])?;
                ClientMessage::Authenticate { password }
            }
            "prepare" => {
                let mut slots = Vec::new();
                let values = element.read_object(["gameType"], |child| match child.name() {
                    "slot" => {
                        slots.push(Slot::read(child)?);
                        Ok(())
                    }
                    _ => child.ignore(),
                })?;
                let [game_type] = texts(values);
                ClientMessage::Prepare { game_type, slots }
            }
            "observe" => {
                let [room] = read_texts(element, ["roomId"])?;
                ClientMessage::Observe(RoomId(room))
            }
            "pause" => {
                let [room, pause] = read_texts(element, ["roomId", "pause"])?;
                ClientMessage::Pause {
                    room: RoomId(room),
                    pause: is_true(&pause),
                }
            }
            "step" => {
                let [room, forced] = read_texts(element, ["roomId", "forced"])?;
                ClientMessage::Step {
                    room: RoomId(room),
                    forced: is_true(&forced),
                }
            }
            "cancel" => {
                let [room] = read_texts(element, ["roomId"])?;
                ClientMessage::Cancel(RoomId(room))
            }
            "timeout" => {
                let [room, activate, slot] = read_texts(element, ["roomId", "activate", "slot"])?;
                ClientMessage::Timeout {
                    room: RoomId(room),
                    activate: is_true(&activate),
                    slot: decode_integer(&slot)?,
                }
            }
            "testMode" => {
                let [on] = read_texts(element, ["testMode"])?;
                ClientMessage::TestMode(is_true(&on))
            }
            "scoreForPlayer" => {
                let [display_name] = read_texts(element, ["displayName"])?;
                ClientMessage::ScoreForPlayer { display_name }
            }
            "freeReservation" => {
                let [code] = read_texts(element, ["reservation"])?;
                ClientMessage::FreeReservation(ReservationCode(code))
            }
            _ => return Err(ReadError::new("unknown message")),
        })
    }

    /// The message as text, laid out as by the official programs: after a line break and indented by one level.
    pub fn to_xml(&self) -> String {
        let mut out = String::new();
        let xml = &mut XmlWriter::new(&mut out, 1);
        match self {
            ClientMessage::Join { game_type } => xml.leaf("join", &[("gameType", game_type)]),
            ClientMessage::JoinPrepared(code) => {
                xml.leaf("joinPrepared", &[("reservationCode", code)]);
            }
            ClientMessage::Move { room, mv } => xml
                .element("room")
                .attribute("roomId", &room.0)
                .children(|xml| mv.write(xml, "data")),
            ClientMessage::NoMove(room) => xml.leaf("room", &[("roomId", &room.0)]),
            ClientMessage::CloseConnection => xml.leaf(CLOSE_CONNECTION, &[]),
            ClientMessage::Authenticate { password } => {
                xml.leaf("authenticate", &[("password", password)]);
            }
            ClientMessage::Prepare { game_type, slots } => xml
                .element("prepare")
                .attribute("gameType", game_type)
                .children(|xml| slots.iter().for_each(|slot| slot.write(xml))),
            ClientMessage::Observe(room) => xml.leaf("observe", &[("roomId", &room.0)]),
            ClientMessage::Pause { room, pause } => {
                xml.leaf("pause", &[("roomId", &room.0), ("pause", pause)]);
            }
            ClientMessage::Step { room, forced } => {
                xml.leaf("step", &[("roomId", &room.0), ("forced", forced)]);
            }
            ClientMessage::Cancel(room) => xml.leaf("cancel", &[("roomId", &room.0)]),
            ClientMessage::Timeout {
                room,
                activate,
                slot,
            } => xml.leaf(
                "timeout",
                &[("roomId", &room.0), ("activate", activate), ("slot", slot)],
            ),
            ClientMessage::TestMode(on) => xml.leaf("testMode", &[("testMode", on)]),
            ClientMessage::ScoreForPlayer { display_name } => {
                xml.leaf("scoreForPlayer", &[("displayName", display_name)]);
            }
            ClientMessage::FreeReservation(code) => {
                xml.leaf("freeReservation", &[("reservation", code)]);
            }
        }
        out
    }
}

/// The texts of an object's values, empty where one is missing.
fn texts<const N: usize>(values: [Option<Value>; N]) -> [String; N] {
    values.map(|value| value.map(|value| value.text).unwrap_or_default())
}

/// Reads an object that has only values.
fn read_texts<const N: usize>(
    element: Element<'_, '_>,
    names: [&'static str; N],
) -> Result<[String; N], ReadError> {
    element
        .read_object(names, |child| child.ignore())
        .map(texts)
}

/// Reads the data of a room's message: a move, or something else that the contest's server knows.
fn read_data(element: Element<'_, '_>) -> Result<Option<WireMove>, ReadError> {
    let class = required_attribute(element.class()?, "class")?;
    if class == "null" {
        return Ok(None);
    }
    if NOT_MOVES.contains(&class.as_str()) {
        element.for_each_child(|child| child.ignore())?;
        return Ok(None);
    }
    WireMove::read(element, MoveClass::from_name(&class)?).map(Some)
}

impl Slot {
    fn read(element: Element<'_, '_>) -> Result<Slot, ReadError> {
        let names = ["displayName", "canTimeout", "shouldBePaused"];
        let [name, can_timeout, paused] = element.read_object(names, |child| child.ignore())?;
        Ok(Slot {
            display_name: required_attribute(name, "displayName")?.text,
            can_timeout: can_timeout.is_none_or(|value| is_true(&value.text)),
            should_be_paused: paused.is_some_and(|value| is_true(&value.text)),
        })
    }

    fn write(&self, xml: &mut XmlWriter<'_>) {
        xml.element("slot")
            .attribute("displayName", &self.display_name)
            .attribute("canTimeout", self.can_timeout)
            .attribute("shouldBePaused", self.should_be_paused)
            .empty();
    }
}
