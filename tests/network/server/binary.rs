//! `wabe serve` as a program.

use std::io::{BufRead, BufReader, Lines, Read};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use flate2::read::GzDecoder;
use wabe_contest::protocol::{Cause, WireState};
use wabe_hive::contest::{Contest, Position};
use wabe_records::Replay;

use super::peer::Peer;

pub struct Server {
    pub child: Child,
    lines: Lines<BufReader<ChildStdout>>,
    pub address: String,
}

impl Server {
    pub fn start(arguments: &[&str]) -> Server {
        Server::start_with(arguments, |_| {})
    }

    pub fn start_with(arguments: &[&str], change: impl FnOnce(&mut Command)) -> Server {
        let mut command = Command::new(env!("CARGO_BIN_EXE_wabe"));
        command
            .args(["serve", "--port", "0"])
            .args(arguments)
            .env_remove("WABE_PASSWORD")
            .stdout(Stdio::piped());
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

    pub fn line(&mut self) -> String {
        self.lines.next().unwrap().unwrap()
    }

    pub fn connect(&self) -> Peer {
        Peer::connect(self.address.parse().unwrap())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub fn exit_code(arguments: &[&str]) -> Option<i32> {
    let output = Command::new(env!("CARGO_BIN_EXE_wabe"))
        .arg("serve")
        .args(arguments)
        .output()
        .unwrap();
    assert!(!output.stderr.is_empty());
    output.status.code()
}

#[test]
fn serve_reports_finished_games() {
    let directory = tempfile::tempdir().unwrap();
    let replays = directory.path().to_str().unwrap();
    let mut server = Server::start(&["--seed", "5", "--no-timeout", "--replays", replays]);
    assert_eq!(server.line(), "seed 5");
    let [mut red, mut blue] = [(); 2].map(|()| {
        let mut peer = server.connect();
        peer.join();
        peer.skip_to("joined");
        peer
    });
    let blue = std::thread::spawn(move || blue.play_to_the_end(1));
    red.play_to_the_end(2);
    blue.join().unwrap();
    let line = server.line();
    let room = red.room.unwrap();
    assert!(
        line.starts_with(&format!("{room}: red \"Unknown\" ")),
        "{line}"
    );
    let path = line.rsplit(", ").next().unwrap();
    let replay = wabe_records::read::<Contest>(std::fs::File::open(path).unwrap()).unwrap();
    assert!(replay[0].record.position().outcome().is_some());
}

#[test]
fn contradictory_serve_options_are_usage_errors() {
    assert_eq!(
        exit_code(&["--soft-timeout", "2", "--hard-timeout", "1"]),
        Some(2)
    );
    assert_eq!(exit_code(&["--soft-timeout", "2", "--no-timeout"]), Some(2));
    assert_eq!(exit_code(&["--deal", "poker"]), Some(2));
    for option in ["--soft-timeout", "--hard-timeout", "--max-connections"] {
        assert_eq!(exit_code(&[option, "0"]), Some(2), "{option}");
    }
}

#[test]
fn serve_rejects_unusable_options() {
    let folder = tempfile::tempdir().unwrap();
    let empty = folder.path().join("empty");
    std::fs::write(&empty, "").unwrap();
    let empty = empty.to_str().unwrap();
    for (arguments, expected) in [
        (["--password", ""], "the password is empty"),
        (["--password-file", empty], "the password is empty"),
        (["--password-file", "/no/such/file"], "/no/such/file"),
        (["--replays", empty], "cannot write replays into"),
        (["--load-game", empty], "it is empty"),
        (["--host", "no such host"], "cannot listen on"),
    ] {
        let output = Command::new(env!("CARGO_BIN_EXE_wabe"))
            .args(["serve", "--port", "0"])
            .args(arguments)
            .env_remove("WABE_PASSWORD")
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(1), "{arguments:?}");
        let message = String::from_utf8(output.stderr).unwrap();
        assert!(message.contains(expected), "{message}");
        assert_eq!(message.lines().count(), 1, "{message}");
    }
}

#[test]
fn a_port_in_use_is_a_failure() {
    let server = Server::start(&[]);
    let port = server.address.rsplit(':').next().unwrap();
    assert_eq!(exit_code(&["--port", port]), Some(1));
}

#[cfg(unix)]
#[test]
fn signals_end_the_program_properly() {
    for signal in ["-TERM", "-INT"] {
        let mut server = Server::start(&[]);
        let mut peer = server.connect();
        peer.join();
        peer.skip_to("joined");
        let id = server.child.id().to_string();
        let sent = Command::new("kill").args([signal, &id]).status().unwrap();
        assert!(sent.success());
        assert_eq!(peer.rest(), ["left"]);
        assert_eq!(server.child.wait().unwrap().code(), Some(0));
    }
}

/// Stops the server, calls `meanwhile`, and lets the server continue after 2.2 s.
#[cfg(target_os = "linux")]
fn stop_for_a_while(server: &Server, meanwhile: impl FnOnce()) {
    let id = server.child.id();
    let signal = |name: &str| {
        let sent = Command::new("kill").args([name, &id.to_string()]).status();
        assert!(sent.unwrap().success());
    };
    signal("-STOP");
    let is_stopped = || {
        let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).unwrap();
        stat.contains(") T ")
    };
    while !is_stopped() {
        std::thread::sleep(Duration::from_millis(1));
    }
    meanwhile();
    std::thread::sleep(Duration::from_millis(2_200));
    signal("-CONT");
}

/// Plays two plies on a server that is stopped during each. `None` if this test was too slow itself: only the server's own pauses cost
/// nothing.
#[cfg(target_os = "linux")]
fn play_across_pauses() -> Option<()> {
    let options = ["--soft-timeout", "2000", "--hard-timeout", "2000"];
    let mut server = Server::start_with(&options, |command| {
        command.stderr(Stdio::piped()).env_remove("RUST_LOG");
    });
    let mut players = [server.connect(), server.connect()];
    for player in &mut players {
        player.join();
        player.skip_to("joined");
    }
    for player in &mut players {
        player.skip_to("request");
        let requested = Instant::now();
        let mut slowness = Duration::ZERO;
        stop_for_a_while(&server, || {
            player.answer(3);
            slowness = requested.elapsed();
        });
        if slowness > Duration::from_secs(1) {
            return None;
        }
    }
    players[0].skip_to("state 2");
    // A player that never answers still loses.
    let result = players[0].result();
    let causes = [&result.scores.red, &result.scores.blue].map(|score| score.cause);
    assert_eq!(causes, [Cause::HardTimeout, Cause::Regular]);
    server.child.kill().unwrap();
    let mut log = String::new();
    let stderr = server.child.stderr.as_mut().unwrap();
    stderr.read_to_string(&mut log).unwrap();
    let reports = log.matches("wabe itself was paused for ").count();
    assert!(reports >= 2, "{log}");
    Some(())
}

#[cfg(target_os = "linux")]
#[test]
fn server_pauses_do_not_count() {
    let mut attempts = std::iter::repeat_with(play_across_pauses);
    assert!(attempts.by_ref().take(10).any(|played| played.is_some()));
}

/// The first state of a game on a program with these options.
fn first_state(options: &[&str]) -> WireState {
    let server = Server::start(options);
    let mut players = [server.connect(), server.connect()];
    for player in &mut players {
        player.join();
        player.skip_to("joined");
    }
    while players[0].state.is_none() {
        players[0].next().unwrap();
    }
    *players[0].state.take().unwrap()
}

fn first_position(options: &[&str]) -> Position {
    first_state(options).position().unwrap()
}

const RECORDING: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/tests/data/transcripts/replay_1.xml.gz"
);

fn recording() -> Replay<Contest> {
    let replays = wabe_records::read(std::fs::File::open(RECORDING).unwrap());
    replays.unwrap().remove(0)
}

#[test]
fn brambles_can_be_given() {
    let position = first_position(&["--brambles", "-1,0;2,3;5,-5", "--deal", "rulebook"]);
    assert!(position.to_string().starts_with("0 -1,0;2,3;5,-5 - "));
    assert_eq!(exit_code(&["--brambles", "0,0;0,1"]), Some(2));
}

#[test]
fn games_start_from_recorded_ones() {
    let recording = recording();
    assert_eq!(
        first_position(&["--load-game", RECORDING]),
        *recording.record.start()
    );
    let state = first_state(&["--load-game", RECORDING, "--turn", "11"]);
    let record = recording.at_turn(11).unwrap();
    assert_eq!(state.position().as_ref(), Ok(record.position()));
    let last_move = state.last_move.unwrap().to_move(state.player.opponent());
    assert_eq!(last_move.ok(), record.plies().last().map(|ply| ply.mv));
    assert_eq!(state.setup.turn, 11);
}

#[test]
fn games_start_from_recordings_that_are_cut_off() {
    let mut bytes = Vec::new();
    GzDecoder::new(std::fs::File::open(RECORDING).unwrap())
        .read_to_end(&mut bytes)
        .unwrap();
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), &bytes[..100_000]).unwrap();
    let path = file.path().to_str().unwrap();
    let position = first_position(&["--load-game", path, "--turn", "7"]);
    assert_eq!(position, *recording().at_turn(7).unwrap().position());
    assert_eq!(exit_code(&["--load-game", path, "--turn", "40"]), Some(1));
}

#[test]
fn games_start_from_positions_in_text_form() {
    let position = *recording().at_turn(20).unwrap().position();
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), format!("\n{position}\n")).unwrap();
    let path = file.path().to_str().unwrap();
    assert_eq!(first_position(&["--load-game", path]), position);
    assert_eq!(exit_code(&["--load-game", path, "--turn", "21"]), Some(1));
}

#[test]
fn what_no_game_can_start_from_is_a_failure() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let path = file.path().to_str().unwrap();
    for text in ["", "nonsense", "12 - - -", "<protocol></protocol>"] {
        std::fs::write(file.path(), text).unwrap();
        assert_eq!(exit_code(&["--load-game", path]), Some(1), "{text}");
    }
    assert_eq!(exit_code(&["--load-game", "/does/not/exist"]), Some(1));
    let last = recording().record.position().turn().to_string();
    let options = ["--load-game", RECORDING, "--turn", &last];
    assert_eq!(exit_code(&options), Some(1), "the game is over there");
    let options = ["--load-game", RECORDING, "--deal", "server"];
    assert_eq!(exit_code(&options), Some(2));
}
