//! Helpers shared by several test files.

pub mod fake_server;
pub mod wabe;

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

use flate2::read::GzDecoder;

use wabe_contest::protocol::{Frame, Framer, RoomId, ServerData, ServerMessage, WireState};
use wabe_hive::contest::{Deal, Position};
use wabe_hive::{ByColor, Color};

/// One direction of a recorded session with the contest's server.
pub struct Transcript {
    /// File name without `.xml.gz`, such as `full_game_1.red.received`.
    pub name: String,
    pub bytes: Vec<u8>,
}

/// Reads the recordings whose file name without `.xml.gz` ends with `suffix`, sorted by name.
pub fn transcripts(suffix: &str) -> Vec<Transcript> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/transcripts");
    let mut paths: Vec<PathBuf> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    paths.sort();
    let found: Vec<Transcript> = paths
        .iter()
        .filter_map(|path| {
            let name = path.file_name()?.to_str()?.strip_suffix(".xml.gz")?;
            name.ends_with(suffix).then(|| {
                let mut bytes = Vec::new();
                GzDecoder::new(File::open(path).unwrap())
                    .read_to_end(&mut bytes)
                    .unwrap();
                Transcript {
                    name: name.to_owned(),
                    bytes,
                }
            })
        })
        .collect();
    assert!(!found.is_empty(), "no transcript ends with {suffix}");
    found
}

/// The frames of a stream: the texts of messages, and `None` for the end.
pub fn frames(bytes: &[u8]) -> Vec<Option<String>> {
    let mut framer = Framer::default();
    framer.feed(bytes);
    let mut frames = Vec::new();
    while let Some(frame) = framer.next_frame().unwrap() {
        frames.push(match frame {
            Frame::Message(message) => Some(message.to_owned()),
            Frame::End => None,
        });
    }
    frames
}

/// The messages of a stream.
pub fn messages(bytes: &[u8]) -> Vec<String> {
    frames(bytes).into_iter().flatten().collect()
}

/// A position from the contest server's test vectors. Red has to place its bee but cannot.
pub fn unplaceable_bee() -> Position {
    "6 -2,-3;1,4;3,2 -5,0:rB;-4,0:bS;-4,1:bQ AAABGGQSSS/AAABBGGSS"
        .parse()
        .unwrap()
}

/// The room used by the messages below.
pub fn room() -> RoomId {
    RoomId("7".to_owned())
}

/// A message to the room.
pub fn in_room(data: ServerData) -> String {
    ServerMessage::Room { room: room(), data }.to_xml()
}

/// A state for tests to modify.
pub fn wire_state(position: &Position) -> WireState {
    WireState::new(position, ByColor::default(), None)
}

/// A state message.
pub fn state(position: &Position) -> String {
    in_room(ServerData::State(Box::new(wire_state(position))))
}

/// The first position of a game without brambles.
pub fn start() -> Position {
    Deal::Contest.start(Default::default())
}

/// The server's messages before the first state: root element, seat, and red's welcome.
pub fn seated() -> String {
    let joined = ServerMessage::Joined(room()).to_xml();
    let welcome = in_room(ServerData::Welcome(Color::Red));
    format!("<protocol>{joined}{welcome}")
}

/// A move request.
pub fn request() -> String {
    in_room(ServerData::MoveRequest)
}
