//! Misbehaving clients are disconnected without disturbing other games.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use super::admin::sync;
use super::peer::Peer;
use super::referee::Referee;
use wabe_contest::protocol::{ClientMessage, WireMove};
use wabe_contest::server::{Config, ResourceLimits};

/// Plays one ply of a game that must not be disturbed.
fn check_game_continues([red, blue]: &mut [Peer; 2]) {
    let (mover, other) = match red.position().turn() % 2 {
        0 => (red, blue),
        _ => (blue, red),
    };
    mover.answer(1);
    other.skip_to("request");
    let turn = other.position().turn();
    mover.skip_to(&format!("state {turn}"));
}

fn start_game(change: impl FnOnce(&mut Config)) -> (Referee, [Peer; 2]) {
    let referee = Referee::start(change);
    let players = referee.joined_players();
    (referee, players)
}

/// Sends requests as an administrator that never reads, until it is disconnected.
fn ask_without_reading(referee: &Referee) {
    let mut stream = TcpStream::connect(referee.address).unwrap();
    stream
        .write_all(b"<protocol><authenticate password=\"examplepassword\"/>")
        .unwrap();
    let timeout = Some(Duration::from_secs(30));
    stream.set_write_timeout(timeout).unwrap();
    let name = "x".repeat(50_000);
    let request = format!("<scoreForPlayer displayName=\"{name}\"/>");
    let error = loop {
        if let Err(error) = stream.write_all(request.as_bytes()) {
            break error;
        }
    };
    assert_ne!(error.kind(), std::io::ErrorKind::WouldBlock);
}

#[test]
fn oversized_messages_close_the_connection() {
    let (referee, mut players) = start_game(|config| config.limits.message_bytes = 10_000);
    for beginning in ["<x a=\"", "<x>", "<!--", "<x><![CDATA["] {
        let mut client = referee.connect();
        client.send_text(beginning);
        client.send_text(&"a".repeat(20_000));
        assert_eq!(client.rest(), [""; 0], "{beginning}");
        check_game_continues(&mut players);
    }
}

#[test]
fn repeated_moves_close_the_connection() {
    let (referee, mut players) = start_game(|_| {});
    let [mut red, mut flooder] = referee.joined_players();
    let skip = WireMove::new("skip".parse().unwrap(), flooder.color.unwrap(), None);
    let skip = ClientMessage::Move {
        room: flooder.room.clone().unwrap(),
        mv: skip,
    };
    flooder.send_text(&skip.to_xml().repeat(1000));
    assert_eq!(flooder.rest(), ["error: It's not your turn yet.", "close"]);
    red.answer(1);
    assert_eq!(red.rest(), ["state 1", "result", "left"]);
    check_game_continues(&mut players);
}

#[test]
fn white_space_floods_do_not_disturb_games() {
    let (referee, mut players) = start_game(|_| {});
    let mut client = referee.connect();
    for _ in 0..20 {
        client.send_text(&" ".repeat(100_000));
        check_game_continues(&mut players);
    }
    client.join();
    client.skip_to("joined");
}

#[test]
fn idle_unauthenticated_clients_are_disconnected() {
    let (referee, mut players) =
        start_game(|config| config.limits.greeting_timeout = Duration::from_millis(200));
    // Waiting players and administrators are not idle.
    let mut waiting = referee.connect();
    waiting.join();
    waiting.skip_to("joined");
    let mut admin = referee.administrator();
    sync(&mut admin);
    // Clients that connect later are disconnected later.
    let texts = ["", "<jo", " <!-- hello --> <cancel/>"];
    let silent = texts.map(|text| {
        let mut silent = referee.connect();
        silent.send_text(text);
        silent
    });
    for (mut silent, text) in silent.into_iter().zip(texts) {
        assert_eq!(silent.rest(), ["close"], "{text}");
    }
    sync(&mut admin);
    let mut opponent = referee.connect();
    opponent.join();
    waiting.skip_to("welcome red");
    check_game_continues(&mut players);
}

#[test]
fn unread_output_closes_the_connection() {
    let full = |limits: &mut ResourceLimits| limits.queue_bytes = 200_000;
    let slow = |limits: &mut ResourceLimits| {
        limits.queue_bytes = usize::MAX;
        limits.write_timeout = Duration::from_millis(50);
    };
    let changes: [fn(&mut ResourceLimits); 2] = [full, slow];
    for change in changes {
        let (referee, mut players) = start_game(|config| change(&mut config.limits));
        ask_without_reading(&referee);
        check_game_continues(&mut players);
    }
}

#[test]
fn connections_are_limited() {
    let referee = Referee::start(|config| config.limits.connections = 2);
    let mut players = referee.joined_players();
    let mut stream = TcpStream::connect(referee.address).unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).unwrap();
    assert!(text.contains("CloseConnection"), "{text}");
    // The refusal arrives although the server has not read all of the input.
    for _ in 0..20 {
        let mut refused = referee.connect();
        refused.send_text(&"<x/>".repeat(10_000));
        assert_eq!(refused.rest(), ["close"]);
    }
    check_game_continues(&mut players);
    let [red, mut blue] = players;
    drop(red);
    blue.skip_to("left");
    drop(blue);
    // A place becomes free once the server notices that connections have closed.
    loop {
        let mut stream = TcpStream::connect(referee.address).unwrap();
        let mut text = [0; 64];
        let length = stream.read(&mut text).unwrap();
        if !String::from_utf8_lossy(&text[..length]).contains("Close") {
            break;
        }
    }
}

#[test]
fn players_without_an_opponent_are_disconnected() {
    let referee = Referee::start(|config| config.limits.waiting_timeout = Duration::from_millis(1));
    let mut player = referee.connect();
    player.join();
    assert_eq!(player.rest(), ["joined", "left"]);
}
