//! Sessions recorded with the contest's own server, held with this one: the clients send the same bytes, and what they get
//! has to be the same, byte for byte. Only the names of rooms and reservations differ, and the number of seconds in a time
//! limit's text where a test has no time for the contest's limits.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::time::Duration;

use wabe::protocol::{Frame, Framer, Limits, ServerData, ServerMessage};
use wabe::server::{Config, StartSource, TimeLimits};

use crate::common::{frames, messages, transcripts};
use crate::peer::{Peer, describe};
use crate::referee::Referee;

/// One session with all its connections.
struct Session {
    name: &'static str,
    referee: Option<Referee>,
    roles: BTreeMap<String, Role>,
    /// What stands for the recorded names of rooms and reservations in this session.
    names: HashMap<String, String>,
    /// The recorded seconds of time limits and what stands for them.
    seconds: Option<(&'static str, &'static str)>,
}

/// One connection of a session.
struct Role {
    peer: Peer,
    to_send: VecDeque<String>,
    expected: VecDeque<String>,
    /// Whether the recording goes on to the end of the stream.
    is_whole: bool,
}

impl Session {
    fn start(name: &'static str, change: impl FnOnce(&mut Config)) -> Session {
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
            config.start = StartSource::Dealt {
                deal: Default::default(),
                brambles,
            };
            // The clients stay connected to the end, and that is how the server would wait for them.
            config.limits.linger = Duration::from_millis(100);
            change(config);
        });
        let mut roles = BTreeMap::new();
        for (role, sent) in recorded(".sent") {
            let at = received.iter().position(|(r, _)| *r == role).unwrap();
            let (_, received) = received.swap_remove(at);
            let frames = frames([received.as_slice()]).unwrap();
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

    fn role(&mut self, role: &str) -> &mut Role {
        self.roles.get_mut(role).unwrap()
    }

    /// Lets a client send its next message.
    fn send(&mut self, role: &str) -> &mut Session {
        let text = self.role(role).to_send.pop_front();
        let text = self.translated(&text.expect("something to send"));
        self.role(role).peer.send_text(&text);
        self
    }

    /// Takes messages until one of that description, and compares them with the recording.
    fn wait(&mut self, role: &str, description: &str) -> &mut Session {
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

    fn translated(&self, text: &str) -> String {
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
    fn prepare(&mut self) -> &mut Session {
        self.send("admin").send("admin").wait("admin", "prepared");
        self.send("admin").wait("admin", "observed")
    }

    /// Answers requests with the recorded moves until there is none left.
    fn play_recorded_moves(&mut self, moves: usize) -> &mut Session {
        for turn in 0..moves {
            let role = if turn % 2 == 0 { "red" } else { "blue" };
            self.wait(role, "request").send(role);
        }
        self
    }

    /// Compares what is left of the recording, then ends the session: nothing but its end may come.
    fn finish(&mut self) {
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
    let mut framer = Framer::new(Limits::default());
    framer.feed(bytes);
    let mut found = Vec::new();
    while let Ok(Some(Frame::Message(message))) = framer.next_frame() {
        found.push(message.to_owned());
    }
    found
}

fn milliseconds(soft: u64, hard: u64) -> impl FnOnce(&mut Config) {
    let [soft, hard] = [soft, hard].map(Duration::from_millis);
    move |config| config.time_limits = Some(TimeLimits::new(soft, hard).unwrap())
}

/// A prepared room with both players in it, up to red's first request.
fn prepared(name: &'static str, change: impl FnOnce(&mut Config)) -> Session {
    let mut session = Session::start(name, change);
    session.prepare().send("red").send("blue");
    session.wait("red", "request").wait("blue", "state 0");
    session
}

/// A room that both players joined.
fn joined(name: &'static str, change: impl FnOnce(&mut Config)) -> Session {
    let mut session = Session::start(name, change);
    session.send("red").wait("red", "joined").send("blue");
    session
}

#[test]
fn whole_games_go_as_recorded() {
    for name in ["full_game_1", "full_game_2", "full_game_3"] {
        let mut session = joined(name, |_| {});
        // Behind the moves each client says goodbye and ends its document.
        let moves = session.role("red").to_send.len() + session.role("blue").to_send.len() - 4;
        session.play_recorded_moves(moves);
        for role in ["red", "blue"] {
            session.wait(role, "left").send(role).send(role);
        }
        session.finish();
    }
}

#[test]
fn a_late_move_in_a_running_game_goes_as_recorded() {
    let mut session = joined("lost_on_time_late", milliseconds(3_000, 600_000));
    session.seconds = Some(("2", "3"));
    session.play_recorded_moves(42).wait("red", "request");
    std::thread::sleep(Duration::from_millis(3_200));
    session.send("red").wait("blue", "left");
    session.send("blue").send("blue").finish();
}

#[test]
fn a_late_first_move_goes_as_recorded() {
    let mut session = prepared("soft_timeout", milliseconds(1, 600_000));
    session.seconds = Some(("2", "0,001"));
    std::thread::sleep(Duration::from_millis(300));
    session.send("red").finish();
}

#[test]
fn no_move_at_all_goes_as_recorded() {
    let mut session = prepared("hard_timeout", milliseconds(1, 1));
    session.seconds = Some(("10", "0,001"));
    session.finish();
}

#[test]
fn an_illegal_move_goes_as_recorded() {
    let mut session = prepared("illegal_move", |_| {});
    session.send("red").wait("blue", "request").send("blue");
    session.finish();
}

#[test]
fn a_move_out_of_turn_goes_as_recorded() {
    prepared("not_your_turn", |_| {}).send("blue").finish();
}

#[test]
fn garbage_goes_as_recorded() {
    prepared("garbage", |_| {}).send("red").finish();
}

#[test]
fn a_hint_goes_as_recorded() {
    prepared("hint_text", |_| {}).send("red").finish();
}

#[test]
fn a_goodbye_in_mid_game_goes_as_recorded() {
    let mut session = prepared("opponent_closed", |_| {});
    session.send("red").wait("blue", "request");
    session.send("blue").send("blue").finish();
}

#[test]
fn a_lost_connection_goes_as_recorded() {
    // The connection that is lost has no recording of its own.
    let mut session = Session::start("opponent_left", |_| {});
    session.prepare().send("red");
    let join = "<joinPrepared reservationCode=\"05909edb-cd24-4ec8-ad75-b3e09ffffe9c\"/>";
    let join = session.translated(join);
    let mut blue = session.referee.as_ref().unwrap().connect();
    blue.send_text(&join);
    session.wait("red", "request").send("red");
    blue.skip_to("request");
    drop(blue);
    session.finish();
}

#[test]
fn pausing_stepping_and_cancelling_go_as_recorded() {
    let mut session = Session::start("pause_step_cancel", |_| {});
    session.prepare().send("red").send("blue");
    session.wait("red", "welcome red");
    session.wait("blue", "welcome blue");
    session.send("admin").wait("red", "request").send("red");
    session.send("admin").wait("blue", "request");
    session.wait("admin", "state 1").send("admin").finish();
}

#[test]
fn test_mode_and_scores_go_as_recorded() {
    let mut session = Session::start("score_for_player", |_| {});
    session
        .prepare()
        .send("admin")
        .wait("admin", "testing true");
    session.send("red").send("blue");
    session.wait("red", "request").send("red");
    session.wait("admin", "left").send("admin").finish();
    let mut session = Session::start("testmode", |_| {});
    session.send("admin").send("admin").finish();
}

#[test]
fn refusals_go_as_recorded() {
    for (name, role) in [
        ("bad_game_type", "red"),
        ("bad_password", "admin"),
        ("bad_reservation", "red"),
    ] {
        Session::start(name, |_| {}).send(role).finish();
    }
}
