//! A session recorded with the contest's own server, held with this one.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::time::Duration;

use super::peer::{Peer, describe};
use super::referee::{Referee, start_with};
use crate::common::{frames, messages, transcripts};
use wabe_contest::protocol::{Frame, Framer, ServerData, ServerMessage};
use wabe_contest::server::Config;

/// The recorded sessions, each of which a test holds.
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

/// One session with all its connections.
pub struct Session {
    name: &'static str,
    pub referee: Option<Referee>,
    roles: BTreeMap<String, Role>,
    /// What stands for the recorded names of rooms and reservations in this session.
    names: HashMap<String, String>,
    /// The recorded seconds of time limits and what stands for them.
    pub seconds: Option<(&'static str, &'static str)>,
}

/// One connection of a session.
pub struct Role {
    peer: Peer,
    pub to_send: VecDeque<String>,
    expected: VecDeque<String>,
    /// True if the recording goes on to the end of the stream.
    is_whole: bool,
}

impl Session {
    pub fn start(name: &'static str, change: impl FnOnce(&mut Config)) -> Session {
        assert!(SESSIONS.contains(&name), "{name}");
        let recorded = |direction: &str| -> Vec<(String, Vec<u8>)> {
            let of_session = |file: &str| {
                let role = file.strip_prefix(name)?.strip_prefix('.')?;
                Some(role.strip_suffix(direction)?.to_owned())
            };
            transcripts(direction)
                .into_iter()
                .filter_map(|file| Some((of_session(&file.name)?, file.bytes)))
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
            // The clients stay connected to the end, and that is how the server would wait for
            // them.
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
                to_send: pieces(&sent),
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

    /// Lets a client send its next message.
    pub fn send(&mut self, role: &str) -> &mut Session {
        let text = self.role(role).to_send.pop_front();
        let text = self.translated(&text.expect("something to send"));
        self.role(role).peer.send_text(&text);
        self
    }

    /// Takes messages until one of that description, and compares them with the recording.
    pub fn wait(&mut self, role: &str, description: &str) -> &mut Session {
        loop {
            let name = self.name;
            let state = self.role(role);
            let actual = state.peer.next_text();
            let actual = actual.unwrap_or_else(|| panic!("{name}.{role} ended"));
            let expected = state.expected.pop_front();
            let expected = expected.unwrap_or_else(|| panic!("{name}.{role}: {actual}"));
            self.learn(&expected, &actual);
            assert_eq!(actual, self.translated(&expected), "{name}.{role}");
            if describe(&ServerMessage::read(&actual).unwrap()) == description {
                return self;
            }
        }
    }

    /// Makes whatever a client sends next later than the request that it has just received.
    pub fn outlast_request(&mut self, role: &str) -> &mut Session {
        self.role(role).peer.outlast_request();
        self
    }

    /// Ends a client's stream, and waits for the server to end its own: it may not be told to stop
    /// before it has seen that.
    pub fn end(&mut self, role: &str) -> &mut Session {
        let peer = &mut self.role(role).peer;
        peer.send_text("</protocol>");
        assert_eq!(peer.rest(), [""; 0]);
        self
    }

    /// Connects a recorded value with ours where the server gives it out.
    fn learn(&mut self, expected: &str, actual: &str) {
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

    pub fn translated(&self, text: &str) -> String {
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

    /// Prepares the room and brings both players in.
    pub fn prepare(&mut self) -> &mut Session {
        self.send("admin").send("admin").wait("admin", "prepared");
        self.send("admin").wait("admin", "observed")
    }

    /// Answers requests with the recorded moves until there is none left.
    pub fn play_recorded_moves(&mut self, moves: usize) -> &mut Session {
        for turn in 0..moves {
            let role = if turn % 2 == 0 { "red" } else { "blue" };
            self.wait(role, "request").send(role);
        }
        self
    }

    /// Compares what is left of the recording, then ends the session: nothing but its end may come.
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
                // The contest's server loses administrators by a fault of its own.
                (true, true) => &["close"],
                (true, false) => &[],
                (false, _) => &["left", "close"],
            };
            let unexpected = rest.iter().any(|m| !may_follow.contains(&m.as_str()));
            assert!(!unexpected, "{}.{role}: {rest:?}", self.name);
        }
    }
}

/// What a client sent, cut where one message ends; what is no message any more stays in one piece.
fn pieces(sent: &[u8]) -> VecDeque<String> {
    let text = std::str::from_utf8(sent).unwrap();
    // A peer begins with the root itself.
    let mut rest = text.trim_start().strip_prefix("<protocol>").unwrap();
    let mut pieces = VecDeque::new();
    for message in well_formed(sent) {
        let end = rest.find(&message).unwrap() + message.len();
        let (piece, behind) = rest.split_at(end);
        pieces.push_back(piece.to_owned());
        rest = behind;
    }
    if !rest.trim().is_empty() {
        pieces.push_back(rest.to_owned());
    }
    pieces
}

/// The messages before the first malformed one.
fn well_formed(bytes: &[u8]) -> Vec<String> {
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
