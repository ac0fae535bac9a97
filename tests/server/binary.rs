//! `wabe serve` as a program.

use std::io::{BufRead, BufReader, Lines};
use std::process::{Child, ChildStdout, Command, Stdio};

use crate::peer::Peer;

struct Server {
    child: Child,
    lines: Lines<BufReader<ChildStdout>>,
    address: String,
}

impl Server {
    fn start(arguments: &[&str]) -> Server {
        let mut child = Command::new(env!("CARGO_BIN_EXE_wabe"))
            .args(["serve", "--port", "0"])
            .args(arguments)
            .env_remove("WABE_PASSWORD")
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let first = lines.next().unwrap().unwrap();
        let address = first.strip_prefix("listening on ").unwrap().to_owned();
        Server {
            child,
            lines,
            address,
        }
    }

    fn line(&mut self) -> String {
        self.lines.next().unwrap().unwrap()
    }

    fn connect(&self) -> Peer {
        Peer::connect(self.address.parse().unwrap())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn exit_code(arguments: &[&str]) -> Option<i32> {
    let output = Command::new(env!("CARGO_BIN_EXE_wabe"))
        .arg("serve")
        .args(arguments)
        .output()
        .unwrap();
    assert!(!output.stderr.is_empty());
    output.status.code()
}

#[test]
fn a_game_on_the_program_ends_with_a_line_and_a_replay() {
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
    let replay = wabe::replay::read(std::fs::File::open(path).unwrap()).unwrap();
    assert!(replay.last().position.outcome().is_some());
}

#[test]
fn the_password_comes_from_the_option_the_environment_or_a_file() {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), "secret\nnot this\n").unwrap();
    let file = file.path().to_str().unwrap();
    for arguments in [["--password", "secret"], ["--password-file", file]] {
        let server = Server::start(&arguments);
        let mut admin = server.connect();
        admin.authenticate("secret");
        admin.send_text("<testMode testMode=\"true\"/>");
        admin.skip_to("testing true");
        let mut other = server.connect();
        other.authenticate("examplepassword");
        assert_eq!(other.rest(), ["close"]);
    }
}

#[test]
fn senseless_options_are_usage_errors() {
    assert_eq!(
        exit_code(&["--soft-timeout", "2", "--hard-timeout", "1"]),
        Some(2)
    );
    assert_eq!(exit_code(&["--soft-timeout", "2", "--no-timeout"]), Some(2));
    assert_eq!(exit_code(&["--deal", "poker"]), Some(2));
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
