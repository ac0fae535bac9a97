//! Messages from clients: players and administrators.

use super::moves::WireMove;
use super::server_message::{CLOSE_CONNECTION, MOVE_REQUEST};
use super::values::{ReservationCode, RoomId, decode_integer, is_true};
use super::xml::{Element, ReadError, Strictness, read_message, required};

/// The game type of the contest.
pub const GAME_TYPE: &str = "swc_2020_hive";

/// Data classes that the contest's server accepts although they are not moves. They must be empty.
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
    /// Requests any open seat.
    Join {
        /// The game type, such as [`GAME_TYPE`].
        game_type: String,
    },
    /// Requests a reserved seat.
    JoinPrepared(ReservationCode),
    /// A player's move.
    Move {
        /// The game's room.
        room: RoomId,
        /// The move with its hint.
        mv: WireMove,
    },
    /// A room message without a move, which violates the rules.
    NoMove(RoomId),
    /// The client is about to close the connection. `<close/>` means the same.
    CloseConnection,
    /// Requests administrator rights.
    Authenticate {
        /// The server's password.
        password: String,
    },
    /// Requests a room with reserved seats.
    Prepare {
        /// The game type, such as [`GAME_TYPE`].
        game_type: String,
        /// The seats, red first.
        slots: Vec<Slot>,
    },
    /// Requests to observe a room from now on.
    Observe(RoomId),
    /// Pauses or resumes a game.
    Pause {
        /// The game's room.
        room: RoomId,
        /// True to pause, false to resume.
        pause: bool,
    },
    /// Requests one ply of a paused game.
    Step {
        /// The game's room.
        room: RoomId,
        /// True to start a game even if players are missing.
        forced: bool,
    },
    /// Closes a room. Its game ends without a result.
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
    /// Switches scoring on or off.
    TestMode(bool),
    /// Requests a player's scores.
    ScoreForPlayer {
        /// The player's name.
        display_name: String,
    },
    /// Opens a reserved seat to everyone.
    FreeReservation(ReservationCode),
}

/// A seat in a prepared room.
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
    /// Parses a message.
    ///
    /// # Errors
    /// When the message is malformed, a required part is missing or invalid, or the contest's
    /// server does not know a part. Unknown attributes are ignored.
    pub fn read(message: &str) -> Result<ClientMessage, ReadError> {
        read_message(message, Strictness::Strict, ClientMessage::read_element)
    }

    fn read_element(element: &Element) -> Result<ClientMessage, ReadError> {
        let (values, elements): (&[&str], &[&str]) = match &*element.name {
            "join" | "sc.protocol.requests.JoinRoomRequest" => (&["gameType"], &[]),
            "joinPrepared" | "sc.protocol.requests.JoinPreparedRoomRequest" => {
                (&["reservationCode"], &[])
            }
            "room" | "sc.protocol.responses.RoomPacket" => (&["roomId"], &["data"]),
            CLOSE_CONNECTION | "close" => return Ok(ClientMessage::CloseConnection),
            "authenticate" => (&["password"], &[]),
            "prepare" => (&["gameType"], &["slot"]),
            "observe" | "cancel" => (&["roomId"], &[]),
            "pause" => (&["roomId", "pause"], &[]),
            "step" => (&["roomId", "forced"], &[]),
            "timeout" => (&["roomId", "activate", "slot"], &[]),
            "testMode" => (&["testMode"], &[]),
            "scoreForPlayer" => (&["displayName"], &[]),
            "freeReservation" => (&["reservation"], &[]),
            _ => return Err(ReadError::new("unknown message")),
        };
        element.check(values, elements)?;
        // Missing values count as empty.
        let text = |name| element.value(name).unwrap_or_default().to_owned();
        let flag = |name| element.value(name).is_some_and(is_true);
        let room = || RoomId(text("roomId"));
        Ok(match &*element.name {
            "joinPrepared" | "sc.protocol.requests.JoinPreparedRoomRequest" => {
                ClientMessage::JoinPrepared(ReservationCode(text("reservationCode")))
            }
            "room" | "sc.protocol.responses.RoomPacket" => {
                match element.optional("data", read_data)?.flatten() {
                    Some(mv) => ClientMessage::Move { room: room(), mv },
                    None => ClientMessage::NoMove(room()),
                }
            }
            "authenticate" => ClientMessage::Authenticate {
                password: text("password"),
            },
            "prepare" => ClientMessage::Prepare {
                game_type: text("gameType"),
                slots: element.each("slot", Slot::read)?,
            },
            "observe" => ClientMessage::Observe(room()),
            "cancel" => ClientMessage::Cancel(room()),
            "pause" => ClientMessage::Pause {
                room: room(),
                pause: flag("pause"),
            },
            "step" => ClientMessage::Step {
                room: room(),
                forced: flag("forced"),
            },
            "timeout" => ClientMessage::Timeout {
                room: room(),
                activate: flag("activate"),
                slot: decode_integer(&text("slot"))?,
            },
            "testMode" => ClientMessage::TestMode(flag("testMode")),
            "scoreForPlayer" => ClientMessage::ScoreForPlayer {
                display_name: text("displayName"),
            },
            "freeReservation" => {
                ClientMessage::FreeReservation(ReservationCode(text("reservation")))
            }
            _ => ClientMessage::Join {
                game_type: text("gameType"),
            },
        })
    }

    /// Encodes the message like the official programs: on a new line, indented by one level.
    pub fn to_xml(&self) -> String {
        let about = |name, room: &RoomId| Element::new(name).with("roomId", &room.0);
        let element = match self {
            ClientMessage::Join { game_type } => Element::new("join").with("gameType", game_type),
            ClientMessage::JoinPrepared(code) => {
                Element::new("joinPrepared").with("reservationCode", code)
            }
            ClientMessage::Move { room, mv } => {
                about("room", room).with_children([mv.to_element("data")])
            }
            ClientMessage::NoMove(room) => about("room", room),
            ClientMessage::CloseConnection => Element::new(CLOSE_CONNECTION),
            ClientMessage::Authenticate { password } => {
                Element::new("authenticate").with("password", password)
            }
            ClientMessage::Prepare { game_type, slots } => Element::new("prepare")
                .with("gameType", game_type)
                .with_children(slots.iter().map(Slot::to_element)),
            ClientMessage::Observe(room) => about("observe", room),
            ClientMessage::Pause { room, pause } => about("pause", room).with("pause", pause),
            ClientMessage::Step { room, forced } => about("step", room).with("forced", forced),
            ClientMessage::Cancel(room) => about("cancel", room),
            ClientMessage::Timeout {
                room,
                activate,
                slot,
            } => about("timeout", room)
                .with("activate", activate)
                .with("slot", slot),
            ClientMessage::TestMode(on) => Element::new("testMode").with("testMode", on),
            ClientMessage::ScoreForPlayer { display_name } => {
                Element::new("scoreForPlayer").with("displayName", display_name)
            }
            ClientMessage::FreeReservation(code) => {
                Element::new("freeReservation").with("reservation", code)
            }
        };
        let mut out = String::new();
        element.write(&mut out, 1);
        out
    }
}

/// Parses the data of a room message: a move, or another class that the contest's server knows.
fn read_data(element: &Element) -> Result<Option<WireMove>, ReadError> {
    let class = required(element.class(), "class")?;
    if class == "null" {
        return Ok(None);
    }
    if NOT_MOVES.contains(&class) {
        element.check(&[], &[])?;
        return Ok(None);
    }
    WireMove::read(element).map(Some)
}

impl Slot {
    fn read(element: &Element) -> Result<Slot, ReadError> {
        let [name, can_timeout, paused] = ["displayName", "canTimeout", "shouldBePaused"];
        element.check(&[name, can_timeout, paused], &[])?;
        Ok(Slot {
            display_name: required(element.value(name), name)?.to_owned(),
            can_timeout: element.value(can_timeout).is_none_or(is_true),
            should_be_paused: element.value(paused).is_some_and(is_true),
        })
    }

    fn to_element(&self) -> Element {
        Element::new("slot")
            .with("displayName", &self.display_name)
            .with("canTimeout", self.can_timeout)
            .with("shouldBePaused", self.should_be_paused)
    }
}
