//! `wabe serve` as a process.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Lines, Read};
use std::process::{Child, ChildStderr, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use flate2::read::GzDecoder;
use tempfile::tempdir;

use super::peer::Peer;
use crate::common::wabe::{RECORDING, command, fail, file_with};
use wabe_contest::protocol::{Cause, WireState};
use wabe_hive::contest::{Contest, Position};
use wabe_records::Replay;

pub struct Server {
    pub child: Child,
    lines: Lines<BufReader<ChildStdout>>,
    pub address: String,
}

impl Server {
    pub fn start(options: &str) -> Server {
        Server::start_with(options, |_| {})
    }

    pub fn start_with(options: &str, change: impl FnOnce(&mut Command)) -> Server {
        let mut command = command(&format!("serve --port 0 {options}"));
        command.env_remove("WABE_PASSWORD").stdout(Stdio::piped());
        change(&mut command);
        let mut child = command.spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let first = lines.next().unwrap().unwrap();
        let address = first.strip_prefix("listening on ").unwrap().to_owned();
        Server {
            child,
            lines,
            address,
        }
    }

    /// Starts a server with the default log level. Also returns its log.
    pub fn start_logging(options: &str) -> (Server, Lines<BufReader<ChildStderr>>) {
        let mut server = Server::start_with(options, |command| {
            command.stderr(Stdio::piped());
        });
        let log = BufReader::new(server.child.stderr.take().unwrap()).lines();
        (server, log)
    }

    pub fn line(&mut self) -> String {
        self.lines.next().unwrap().unwrap()
    }

    pub fn connect(&self) -> Peer {
        Peer::connect(self.address.parse().unwrap())
    }

    pub fn joined_players(&self) -> [Peer; 2] {
        [(); 2].map(|()| {
            let mut peer = self.connect();
            peer.join();
            peer.skip_to("joined");
            peer
        })
    }

    /// True if this password is accepted for an administrator.
    fn accepts(&self, password: &str) -> bool {
        let mut peer = self.connect();
        peer.authenticate(password);
        peer.send_text("<testMode testMode=\"true\"/><close/>");
        match &peer.rest()[..] {
            [answer] if answer == "testing true" => true,
            [answer] if answer == "close" => false,
            other => panic!("{other:?}"),
        }
    }

    /// Starts a game and returns its first state.
    fn first_state(&self) -> WireState {
        let mut players = self.joined_players();
        while players[0].state.is_none() {
            players[0].next().unwrap();
        }
        *players[0].state.take().unwrap()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn first_position(options: &str) -> Position {
    Server::start(options).first_state().position().unwrap()
}

fn read_replay(path: &str) -> Replay<Contest> {
    let replays = wabe_records::read(File::open(path).unwrap());
    replays.unwrap().remove(0)
}

#[test]
fn serve_reports_finished_games() {
    let folder = tempdir().unwrap();
    let replays = folder.path().join("deep/inside");
    let options = format!("--seed 5 --time 0 --replays '{}'", replays.display());
    let mut server = Server::start(&options);
    assert_eq!(server.line(), "seed 5");
    let [mut red, mut blue] = server.joined_players();
    let blue = std::thread::spawn(move || blue.play_to_end(1));
    let result = red.play_to_end(2);
    assert_eq!(blue.join().unwrap(), result);
    let line = server.line();
    let beginning = format!("{}: red \"Unknown\" ", red.room.unwrap());
    assert!(line.starts_with(&beginning), "{line}");
    let replay = read_replay(line.rsplit(", ").next().unwrap());
    assert_eq!(replay.damage, None);
    assert_eq!(replay.stated, Some(result.into()));
    assert!(replay.record.position().outcome().is_some());
}

#[test]
fn serve_rejects_unusable_options() {
    let (_folder, empty) = file_with("");
    let (_folder, position) = file_with("12 - - -");
    let last = read_replay(RECORDING).record.position().turn();
    let load = format!("--load-game '{RECORDING}'");
    let server = Server::start("");
    let port = server.address.rsplit(':').next().unwrap();
    for (options, code, part) in [
        ("--time -1", 2, "-1"),
        ("--game Base", 2, "expected contest or rulebook"),
        (&*format!("{load} --game rulebook"), 2, "--game"),
        (&format!("{load} --ply {last}"), 1, ""),
        (&format!("--load-game '{empty}'"), 1, "the file is empty"),
        (&format!("--load-game '{position}'"), 1, ""),
        ("--load-game /does/not/exist", 1, "/does/not/exist"),
        (
            &format!("--password-file '{empty}'"),
            1,
            "the password is empty",
        ),
        ("--password-file /no/such/file", 1, "/no/such/file"),
        (&format!("--replays '{empty}'"), 1, "cannot write to"),
        ("--listen 'no such host'", 2, "'--listen <ADDRESS>'"),
        ("--listen 203.0.113.1", 1, "cannot listen on 203.0.113.1:0"),
    ] {
        let error = fail(&format!("serve --port 0 {options}"), code);
        assert!(error.contains(part), "{options}: {error}");
    }
    let in_use = fail(&format!("serve --port {port} --board 0"), 1);
    assert!(in_use.contains(port), "{in_use}");
    assert!(!in_use.contains("watch at"), "{in_use}");
}

#[cfg(unix)]
#[test]
fn signals_stop_the_referee() {
    for signal in ["TERM", "INT"] {
        let mut server = Server::start("");
        let mut peer = server.connect();
        peer.join();
        peer.skip_to("joined");
        assert!(crate::common::wabe::kill(signal, server.child.id()));
        assert_eq!(peer.rest(), ["left"]);
        assert_eq!(server.child.wait().unwrap().code(), Some(0));
    }
}

/// Suspends the server, calls `meanwhile`, and resumes the server after 2.2 s.
#[cfg(target_os = "linux")]
fn pause_server(server: &Server, meanwhile: impl FnOnce()) {
    use crate::common::wabe::kill;

    let id = server.child.id();
    assert!(kill("STOP", id));
    let is_stopped = || {
        let stat = fs::read_to_string(format!("/proc/{id}/stat")).unwrap();
        stat.contains(") T ")
    };
    while !is_stopped() {
        std::thread::sleep(Duration::from_millis(1));
    }
    meanwhile();
    std::thread::sleep(Duration::from_millis(2_200));
    assert!(kill("CONT", id));
}

/// Plays two plies on a server that is suspended during each. Returns `None` if the test itself was
/// too slow, because only the server's own pauses are compensated.
#[cfg(target_os = "linux")]
fn play_across_pauses() -> Option<()> {
    let (mut server, log) = Server::start_logging("--time 2000");
    let mut players = server.joined_players();
    for player in &mut players {
        player.skip_to("request");
        let requested = Instant::now();
        let mut elapsed = Duration::ZERO;
        pause_server(&server, || {
            player.answer(3);
            elapsed = requested.elapsed();
        });
        if elapsed > Duration::from_secs(1) {
            return None;
        }
    }
    players[0].skip_to("state 2");
    // A player that does not answer must still lose.
    let result = players[0].result();
    let causes = [&result.scores.red, &result.scores.blue].map(|score| score.cause);
    assert_eq!(causes, [Cause::HardTimeout, Cause::Regular]);
    server.child.kill().unwrap();
    let log: Vec<String> = log.map_while(Result::ok).collect();
    let is_report = |line: &&String| line.contains("wabe itself was paused for ");
    assert!(log.iter().filter(is_report).count() >= 2, "{log:?}");
    Some(())
}

#[cfg(target_os = "linux")]
#[test]
fn server_pauses_do_not_count() {
    let mut attempts = std::iter::repeat_with(play_across_pauses);
    assert!(attempts.by_ref().take(10).any(|played| played.is_some()));
}

#[test]
fn games_start_from_recordings_or_positions() {
    let recording = read_replay(RECORDING);
    let empty = "0 -1,0;2,3;5,-5 - AAABBGGGQSS/AAABBGGGQSS";
    let position = first_position(&format!("--load-game '{empty}'"));
    assert_eq!(position.to_string(), empty);
    let rulebook = first_position("--game rulebook").to_string();
    assert!(rulebook.ends_with("AAABBGGGQSS/AAABBGGGQSS"), "{rulebook}");
    let start = first_position(&format!("--load-game '{RECORDING}'"));
    assert_eq!(start, *recording.record.start());
    let state = Server::start(&format!("--load-game '{RECORDING}' --ply 11")).first_state();
    let record = recording.at_turn(11).unwrap();
    assert_eq!(state.position().as_ref(), Ok(record.position()));
    let last_move = state.last_move.unwrap().to_move(state.player.opponent());
    assert_eq!(last_move.ok(), record.plies().last().map(|ply| ply.mv));
    assert_eq!(state.setup.turn, 11);

    // A recording that is truncated after this position.
    let mut bytes = Vec::new();
    let file = File::open(RECORDING).unwrap();
    GzDecoder::new(file).read_to_end(&mut bytes).unwrap();
    let (_folder, cut) = file_with(&bytes[..100_000]);
    let start = first_position(&format!("--load-game '{cut}' --ply 7"));
    assert_eq!(start, *recording.at_turn(7).unwrap().position());
    fail(&format!("serve --load-game '{cut}' --ply 40"), 1);

    let position = *recording.at_turn(20).unwrap().position();
    let (_folder, text) = file_with(format!("\n{position}\n"));
    assert_eq!(first_position(&format!("--load-game '{text}'")), position);
    fail(&format!("serve --load-game '{text}' --ply 21"), 1);
}

#[test]
fn password_options_override_the_environment() {
    let (_folder, file) = file_with("secret\nnot this\n");
    for (options, variable) in [
        (&*format!("--password-file '{file}'"), None),
        ("", Some("secret")),
        // The option takes precedence over the environment.
        (&format!("--password-file '{file}'"), Some("other")),
    ] {
        let server = Server::start_with(options, |command| {
            command.envs(variable.map(|value| ("WABE_PASSWORD", value)));
        });
        assert!(server.accepts("secret"));
        assert!(!server.accepts("examplepassword"));
    }
    assert!(Server::start("").accepts("examplepassword"));
}

#[test]
fn passwords_are_never_logged() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let log = file.reopen().unwrap();
    let mut server = Server::start_with("", |command| {
        command.env("WABE_PASSWORD", "right-secret");
        command.env("RUST_LOG", "trace").stderr(log);
    });
    assert!(server.line().starts_with("seed "));
    assert!(server.accepts("right-secret"));
    assert!(!server.accepts("wrong-secret"));
    // Unreadable messages that contain a password.
    for text in [
        "<authenticate password=\"wrong-secret\"><x></authenticate>",
        "<authenticate passwort=\"wrong-secret\"/>",
        "<future password=\"wrong-secret\"/><close/>",
    ] {
        let mut peer = server.connect();
        peer.send_text(text);
        peer.rest();
    }
    // The log is written by a separate thread.
    let log = (0..6000).find_map(|_| {
        std::thread::sleep(Duration::from_millis(10));
        let log = fs::read_to_string(file.path()).unwrap();
        log.contains("client 4: closed").then_some(log)
    });
    let log = log.expect("the last client is logged within a minute");
    assert!(!log.contains("secret"), "{log}");
}

#[test]
fn client_faults_are_reported() {
    let folder = tempdir().unwrap();
    let options = format!("--time 0 --replays '{}'", folder.path().display());
    let (mut server, mut log) = Server::start_logging(&options);
    assert!(server.line().starts_with("seed "));
    assert!(!server.accepts("guess"));
    let logged = log.next().unwrap().unwrap();
    let expected = "client 0, from 127.0.0.1: wrong password";
    assert!(logged.contains("WARN") && logged.ends_with(expected));

    let [mut red, mut blue] = server.joined_players();
    blue.send_text("<room roomId='x'><oops></room>");
    blue.rest();
    let room = red.room.clone().unwrap();
    let assert_named = |line: &str| {
        let fault = "blue sent a malformed message (message 2 at byte ";
        let text = "in `<room roomId='x'><oops></room>`)";
        assert!(line.contains(fault) && line.contains(text), "{line}");
    };
    // Players receive the contest server's reason.
    let reason = red.result().scores.blue.reason.unwrap();
    assert_eq!(reason, "Der Spieler hat das Spiel verlassen");
    let line = server.line();
    assert!(line.starts_with(&format!("{room}: ")), "{line}");
    assert_named(&line);
    let logged = log.next().unwrap().unwrap();
    assert!(logged.contains("WARN") && logged.contains(&format!("room {room}: ")));
    assert_named(&logged);
    let sentence = read_replay(line.rsplit(", ").next().unwrap()).result_line();
    assert_named(&sentence);
    assert!(!sentence.contains("left"), "{sentence}");
}

#[test]
fn lines_say_why_a_player_was_disconnected() {
    let mut server = Server::start("--time 0");
    assert!(server.line().starts_with("seed "));
    for (sent, fault) in [
        ("<room roomId='x'/>", "sent a move for another room (`x`)"),
        ("<authenticate password='guess'/>", "sent a wrong password"),
        (
            "<joinPrepared reservationCode='guess'/>",
            "requested an unavailable seat (unknown reservation code)",
        ),
    ] {
        let [_red, mut blue] = server.joined_players();
        blue.send_text(sent);
        let line = server.line();
        assert!(line.contains(&format!("blue {fault}")), "{line}");
    }
}

#[test]
fn the_log_quotes_messages_without_an_end() {
    let (mut server, mut log) = Server::start_logging("--time 20");
    assert!(server.line().starts_with("seed "));
    let [mut red, mut blue] = [server.connect(), server.connect()];
    red.join();
    red.skip_to("joined");
    red.send_text("<room roomId='x><data class='sc.plugin2020.SetMove'/></room>");
    blue.join();
    let line = server.line();
    assert!(line.contains("HARD_TIMEOUT"), "{line}");
    let quoted = |line: &String| line.contains("did not finish a message: `<room roomId='x>");
    assert!(log.any(|line| quoted(&line.unwrap())));
}

#[test]
fn serve_applies_its_options() {
    let server = Server::start("--listen 0.0.0.0 --paused");
    let port = server.address.strip_prefix("0.0.0.0:").unwrap();
    let connect = || Peer::connect(format!("127.0.0.1:{port}").parse().unwrap());
    let [mut admin, mut red, mut blue] = [connect(), connect(), connect()];
    admin.authenticate("examplepassword");
    red.join();
    red.skip_to("joined");
    blue.join();
    let room = red.room.clone().unwrap();
    assert_eq!(red.up_to("welcome red"), ["welcome red"]);
    admin.send_text(&format!("<step roomId=\"{room}\" forced=\"false\"/>"));
    assert_eq!(red.up_to("request"), ["state 0", "request"]);

    assert!(Server::start("").address.starts_with("127.0.0.1:"));
    let brambles = |seed| first_position(&format!("--seed {seed}")).obstacles();
    assert_eq!(brambles(7), brambles(7));
    assert_ne!(brambles(7), brambles(8));
}
