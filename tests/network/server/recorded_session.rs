//! Replays sessions recorded with the contest's server against our referee.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::time::Duration;

use super::peer::{Peer, describe};
use super::referee::{Referee, start_with};
use crate::common::{frames, messages, transcripts};
use wabe_contest::protocol::{Frame, Framer, ServerData, ServerMessage};
use wabe_contest::server::Config;

/// All recorded sessions. There is a test for each.
pub const SESSIONS: [&str; 18] = [
    "bad_game_type",
    "bad_password",
    "bad_reservation",
    "full_game_1",
    "full_game_2",
    "full_game_3",
    "garbage",
    "hard_timeout",
    "hint_text",
    "illegal_move",
    "lost_on_time_late",
    "not_your_turn",
    "opponent_closed",
    "opponent_left",
    "pause_step_cancel",
    "score_for_player",
    "soft_timeout",
    "testmode",
];

/// A session with all its connections.
pub struct Session {
    name: &'static str,
    pub referee: Option<Referee>,
    roles: BTreeMap<String, Role>,
    /// Maps recorded names of rooms and reservations to ours.
    names: HashMap<String, String>,
    /// The recorded time limit in seconds, and ours.
    pub seconds: Option<(&'static str, &'static str)>,
}

/// A connection of a session.
pub struct Role {
    peer: Peer,
    pub to_send: VecDeque<String>,
    expected: VecDeque<String>,
    /// True if the recording contains the end of the stream.
    is_whole: bool,
}

impl Session {
    pub fn start(name: &'static str, change: impl FnOnce(&mut Config)) -> Session {
        assert!(SESSIONS.contains(&name), "{name}");
        let recorded = |direction: &str| -> Vec<(String, Vec<u8>)> {
            let role_in = |file: &str| {
                let role = file.strip_prefix(name)?.strip_prefix('.')?;
                Some(role.strip_suffix(direction)?.to_owned())
            };
            transcripts(direction)
                .into_iter()
                .filter_map(|file| Some((role_in(&file.name)?, file.bytes)))
                .collect()
        };
        let mut received = recorded(".received");
        let brambles = received
            .iter()
            .flat_map(|(_, bytes)| messages(bytes))
            .find_map(|text| match ServerMessage::read(&text).unwrap() {
                ServerMessage::Room {
                    data: ServerData::State(state),
                    ..
                } => Some(state.position().unwrap().obstacles()),
                _ => None,
            });
        let referee = Referee::start(|config| {
            if let Some(brambles) = brambles {
                config.start = start_with(brambles);
            }
            // The clients stay connected, so the server always waits for this long.
            config.limits.linger = Duration::from_millis(100);
            change(config);
        });
        let mut roles = BTreeMap::new();
        for (role, sent) in recorded(".sent") {
            let at = received.iter().position(|(r, _)| *r == role).unwrap();
            let (_, received) = received.swap_remove(at);
            let frames = frames(&received);
            let state = Role {
                peer: referee.connect(),
                to_send: split_messages(&sent),
                is_whole: frames.last() == Some(&None),
                expected: frames.into_iter().flatten().collect(),
            };
            roles.insert(role, state);
        }
        assert!(!roles.is_empty() && received.is_empty());
        Session {
            name,
            referee: Some(referee),
            roles,
            names: HashMap::new(),
            seconds: None,
        }
    }

    pub fn role(&mut self, role: &str) -> &mut Role {
        self.roles.get_mut(role).unwrap()
    }

    /// Sends the next recorded message of a client.
    pub fn send(&mut self, role: &str) -> &mut Session {
        let text = self.role(role).to_send.pop_front();
        let text = self.translate(&text.expect("something to send"));
        self.role(role).peer.send_text(&text);
        self
    }

    /// Receives messages until one with this description, and compares them with the recording.
    pub fn wait(&mut self, role: &str, description: &str) -> &mut Session {
        loop {
            let name = self.name;
            let state = self.role(role);
            let actual = state.peer.next_text();
            let actual = actual.unwrap_or_else(|| panic!("{name}.{role} ended"));
            let expected = state.expected.pop_front();
            let expected = expected.unwrap_or_else(|| panic!("{name}.{role}: {actual}"));
            self.map_names(&expected, &actual);
            assert_eq!(actual, self.translate(&expected), "{name}.{role}");
            if describe(&ServerMessage::read(&actual).unwrap()) == description {
                return self;
            }
        }
    }

    /// See [`Peer::sync_after_request`].
    pub fn sync_after_request(&mut self, role: &str) -> &mut Session {
        self.role(role).peer.sync_after_request();
        self
    }

    /// Ends a client's stream and waits for the end of the server's stream. This ensures that the
    /// server has read everything before it is stopped.
    pub fn end(&mut self, role: &str) -> &mut Session {
        let peer = &mut self.role(role).peer;
        peer.send_text("</protocol>");
        assert_eq!(peer.rest(), [""; 0]);
        self
    }

    /// Maps recorded names to ours when the server first sends them.
    fn map_names(&mut self, expected: &str, actual: &str) {
        let names = |text: &str| match ServerMessage::read(text).unwrap() {
            ServerMessage::Joined(room) => vec![room.0],
            ServerMessage::Prepared { room, reservations } => [room.0]
                .into_iter()
                .chain(reservations.into_iter().map(|code| code.0))
                .collect(),
            _ => Vec::new(),
        };
        self.names
            .extend(names(expected).into_iter().zip(names(actual)));
    }

    /// Replaces recorded names and seconds with ours.
    pub fn translate(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for (recorded, ours) in &self.names {
            text = text.replace(recorded, ours);
        }
        if let Some((recorded, ours)) = self.seconds {
            let limit = |seconds| format!("innerhalb von {seconds} Sekunden");
            text = text.replace(&limit(recorded), &limit(ours));
        }
        text
    }

    /// Prepares and observes the room as administrator.
    pub fn prepare(&mut self) -> &mut Session {
        self.send("admin").send("admin").wait("admin", "prepared");
        self.send("admin").wait("admin", "observed")
    }

    /// Answers requests with the recorded moves.
    pub fn play_recorded_moves(&mut self, moves: usize) -> &mut Session {
        for turn in 0..moves {
            let role = if turn % 2 == 0 { "red" } else { "blue" };
            self.wait(role, "request").send(role);
        }
        self
    }

    /// Compares the rest of the recording. Then stops the server, which may only send closing
    /// messages.
    pub fn finish(&mut self) {
        let roles: Vec<String> = self.roles.keys().cloned().collect();
        for role in &roles {
            while let Some(next) = self.role(role).expected.front() {
                let description = describe(&ServerMessage::read(next).unwrap());
                self.wait(role, &description);
            }
            let unsent = std::mem::take(&mut self.role(role).to_send);
            assert_eq!(unsent, [""; 0], "{}.{role}", self.name);
        }
        self.referee = None;
        for role in &roles {
            let rest = self.role(role).peer.rest();
            let is_admin = role == "admin";
            let may_follow: &[&str] = match (self.role(role).is_whole, is_admin) {
                // The contest's server drops administrators because of a bug.
                (true, true) => &["close"],
                (true, false) => &[],
                (false, _) => &["left", "close"],
            };
            let unexpected = rest.iter().any(|m| !may_follow.contains(&m.as_str()));
            assert!(!unexpected, "{}.{role}: {rest:?}", self.name);
        }
    }
}

/// Splits a client's stream into messages. From the first malformed message on, the rest is one
/// piece.
fn split_messages(sent: &[u8]) -> VecDeque<String> {
    let text = std::str::from_utf8(sent).unwrap();
    // Peers send the root element themselves.
    let mut rest = text.trim_start().strip_prefix("<protocol>").unwrap();
    let mut pieces = VecDeque::new();
    for message in well_formed_messages(sent) {
        let end = rest.find(&message).unwrap() + message.len();
        let (piece, after) = rest.split_at(end);
        pieces.push_back(piece.to_owned());
        rest = after;
    }
    if !rest.trim().is_empty() {
        pieces.push_back(rest.to_owned());
    }
    pieces
}

/// All messages before the first malformed one.
fn well_formed_messages(bytes: &[u8]) -> Vec<String> {
    let mut framer = Framer::default();
    framer.feed(bytes);
    let mut found = Vec::new();
    while let Ok(Some(Frame::Message(message))) = framer.next_frame()
        && ServerMessage::read(message).is_ok()
    {
        found.push(message.to_owned());
    }
    found
}
