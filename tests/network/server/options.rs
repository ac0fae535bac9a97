//! The options of `wabe serve`, beyond where games start from.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::process::Stdio;
use std::time::Duration;

use wabe_hive::contest::Contest;

use super::binary::{Server, exit_code};
use super::peer::Peer;

fn joined_players(server: &Server) -> [Peer; 2] {
    [(); 2].map(|()| {
        let mut peer = server.connect();
        peer.join();
        peer.skip_to("joined");
        peer
    })
}

fn accepts(server: &Server, password: &str) -> bool {
    let mut peer = server.connect();
    peer.authenticate(password);
    peer.send_text("<testMode testMode=\"true\"/><close/>");
    match &peer.rest()[..] {
        [answer] if answer == "testing true" => true,
        [answer] if answer == "close" => false,
        other => panic!("{other:?}"),
    }
}

#[test]
fn password_sources_have_an_order() {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), "secret\nnot this\n").unwrap();
    let path = file.path().to_str().unwrap();
    let variable = |value: &'static str| {
        move |command: &mut std::process::Command| {
            command.env("WABE_PASSWORD", value);
        }
    };
    for server in [
        Server::start(&["--password", "secret"]),
        Server::start(&["--password-file", path]),
        Server::start_with(&[], variable("secret")),
        // Options count for more than the environment.
        Server::start_with(&["--password", "secret"], variable("other")),
        Server::start_with(&["--password-file", path], variable("other")),
    ] {
        assert!(accepts(&server, "secret"));
        assert!(!accepts(&server, "examplepassword"));
    }
    assert!(accepts(&Server::start(&[]), "examplepassword"));
    assert_eq!(exit_code(&["--password-file", "/does/not/exist"]), Some(1));
}

#[test]
fn passwords_are_never_logged() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let log = file.reopen().unwrap();
    let mut server = Server::start_with(&["--password", "right-secret"], |command| {
        command.env("RUST_LOG", "trace").stderr(log);
    });
    assert!(server.line().starts_with("seed "));
    assert!(accepts(&server, "right-secret"));
    assert!(!accepts(&server, "wrong-secret"));
    // Messages with a password in them that cannot be read.
    for text in [
        "<authenticate password=\"wrong-secret\"><x></authenticate>",
        "<authenticate passwort=\"wrong-secret\"/>",
        "<future password=\"wrong-secret\"/><close/>",
    ] {
        let mut peer = server.connect();
        peer.send_text(text);
        peer.rest();
    }
    // A thread of its own writes the log.
    let log = (0..6000).find_map(|_| {
        std::thread::sleep(Duration::from_millis(10));
        let log = std::fs::read_to_string(file.path()).unwrap();
        log.contains("client 4: closed").then_some(log)
    });
    let log = log.expect("the last client is logged within a minute");
    assert!(!log.contains("secret"), "{log}");
}

#[test]
fn wrong_passwords_are_logged_by_default() {
    let mut server = Server::start_with(&[], |command| {
        command.env_remove("RUST_LOG").stderr(Stdio::piped());
    });
    assert!(!accepts(&server, "guess"));
    let mut log = BufReader::new(server.child.stderr.take().unwrap()).lines();
    let line = log.next().unwrap().unwrap();
    let expected = "client 0, from 127.0.0.1: the password is wrong";
    assert!(line.contains("WARN") && line.ends_with(expected), "{line}");
}

#[test]
fn malformed_messages_are_reported_everywhere() {
    let folder = tempfile::tempdir().unwrap();
    let replays = folder.path().to_str().unwrap();
    let mut server = Server::start_with(&["--no-timeout", "--replays", replays], |command| {
        command.env_remove("RUST_LOG").stderr(Stdio::piped());
    });
    assert!(server.line().starts_with("seed "));
    let [mut red, mut blue] = joined_players(&server);
    blue.send_text("<room roomId='x'><oops></room>");
    blue.rest();
    let room = red.room.clone().unwrap();
    let told = "blue sent a malformed message (message 2: malformed XML at byte ";
    let text = "in `<room roomId='x'><oops></room>`)";
    let tells = |line: &str| line.contains(told) && line.contains(text);
    // Players hear what the contest's server says.
    let reason = red.result().scores.blue.reason.unwrap();
    assert_eq!(reason, "Der Spieler hat das Spiel verlassen");
    let line = server.line();
    assert!(
        line.starts_with(&format!("{room}: ")) && tells(&line),
        "{line}"
    );
    let mut log = BufReader::new(server.child.stderr.take().unwrap()).lines();
    let logged = log.next().unwrap().unwrap();
    let expected = format!("room {room}: blue sent a malformed message (");
    assert!(
        logged.contains("WARN") && logged.contains(&expected),
        "{logged}"
    );
    assert!(tells(&logged), "{logged}");
    let replay = File::open(line.rsplit(", ").next().unwrap()).unwrap();
    let replay = wabe_records::read::<Contest>(replay).unwrap().remove(0);
    let sentence = replay.result_line();
    assert!(tells(&sentence) && !sentence.contains("left"), "{sentence}");
}

#[test]
fn paused_option_pauses_new_games() {
    let server = Server::start(&["--paused"]);
    let mut admin = server.connect();
    admin.authenticate("examplepassword");
    let [mut red, _blue] = joined_players(&server);
    let room = red.room.clone().unwrap();
    assert_eq!(red.up_to("welcome red"), ["welcome red"]);
    admin.send_text(&format!("<step roomId=\"{room}\" forced=\"false\"/>"));
    assert_eq!(red.up_to("request"), ["state 0", "request"]);
}

#[test]
fn host_option_selects_the_address() {
    let loopback = Server::start(&[]);
    assert!(loopback.address.starts_with("127.0.0.1:"));
    let everywhere = Server::start(&["--host", "0.0.0.0"]);
    let port = everywhere.address.strip_prefix("0.0.0.0:").unwrap();
    Peer::connect(format!("127.0.0.1:{port}").parse().unwrap()).join();
    assert_eq!(exit_code(&["--host", "no such host"]), Some(1));
}

#[test]
fn seed_option_selects_the_brambles() {
    let brambles = |seed| {
        let server = Server::start(&["--seed", seed]);
        let mut players = joined_players(&server);
        players[0].skip_to("request");
        players[0].position().obstacles()
    };
    assert_eq!(brambles("7"), brambles("7"));
    assert_ne!(brambles("7"), brambles("8"));
}

#[test]
fn max_connections_refuses_further_clients() {
    let server = Server::start(&["--max-connections", "1"]);
    let mut first = server.connect();
    first.join();
    first.skip_to("joined");
    assert_eq!(server.connect().rest(), ["close"]);
}
