//! Messages from clients: players and administrators.

use super::moves::{MoveClass, WireMove};
use super::server_message::{CLOSE_CONNECTION, read_room_id};
use super::values::{ReservationCode, RoomId, parse_bool, parse_integer};
use super::xml::{Element, ReadError, XmlWriter, read_root, required_attribute};

/// The game type of the contest.
pub const GAME_TYPE: &str = "swc_2020_hive";

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
    /// An unknown message with this name. Never written.
    Unknown(String),
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
    /// When it is malformed, or a required part is missing or invalid. Unknown parts are ignored.
    pub fn read(message: &str) -> Result<ClientMessage, ReadError> {
        read_root(message, ClientMessage::read_element)
    }

    fn read_element(element: Element<'_, '_>) -> Result<ClientMessage, ReadError> {
        let text = |name| element.attribute(name).map(|value| value.into_owned());
        let room = || read_room_id(&element);
        let code = |name| text(name).map(ReservationCode);
        Ok(match element.name() {
            "join" => ClientMessage::Join {
                game_type: text("gameType")?,
            },
            "joinPrepared" => ClientMessage::JoinPrepared(code("reservationCode")?),
            "room" => ClientMessage::Move {
                room: room()?,
                mv: element.read_one("data", read_move)?,
            },
            CLOSE_CONNECTION | "close" => ClientMessage::CloseConnection,
            "authenticate" => ClientMessage::Authenticate {
                password: text("password")?,
            },
            "prepare" => ClientMessage::Prepare {
                game_type: text("gameType")?,
                slots: element.read_each("slot", |child| Slot::read(&child))?,
            },
            "observe" => ClientMessage::Observe(room()?),
            "pause" => ClientMessage::Pause {
                room: room()?,
                pause: parse_bool(&element.attribute("pause")?)?,
            },
            "step" => ClientMessage::Step {
                room: room()?,
                forced: flag(&element, "forced", false)?,
            },
            "cancel" => ClientMessage::Cancel(room()?),
            "timeout" => ClientMessage::Timeout {
                room: room()?,
                activate: parse_bool(&element.attribute("activate")?)?,
                slot: parse_integer(&element.attribute("slot")?)?,
            },
            "testMode" => ClientMessage::TestMode(parse_bool(&element.attribute("testMode")?)?),
            "scoreForPlayer" => ClientMessage::ScoreForPlayer {
                display_name: text("displayName")?,
            },
            "freeReservation" => ClientMessage::FreeReservation(code("reservation")?),
            name => {
                log::debug!("ignored the message <{name}>");
                ClientMessage::Unknown(name.to_owned())
            }
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
            ClientMessage::Unknown(_) => {}
        }
        out
    }
}

fn read_move(element: Element<'_, '_>) -> Result<WireMove, ReadError> {
    let class = MoveClass::from_name(&element.attribute("class")?)?;
    WireMove::read(element, class)
}

impl Slot {
    fn read(element: &Element<'_, '_>) -> Result<Slot, ReadError> {
        let [name] = element.attributes(["displayName"])?;
        Ok(Slot {
            display_name: required_attribute(name, "displayName")?.into_owned(),
            can_timeout: flag(element, "canTimeout", true)?,
            should_be_paused: flag(element, "shouldBePaused", false)?,
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

fn flag(element: &Element<'_, '_>, name: &str, default: bool) -> Result<bool, ReadError> {
    let [value] = element.attributes([name])?;
    value.map_or(Ok(default), |text| parse_bool(&text))
}
