//! Clients that misbehave: their connections end, and the games of others go on.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use wabe_contest::protocol::{ClientMessage, ServerMessage, WireMove};
use wabe_contest::server::Config;

use super::admin::sync;
use super::peer::Peer;
use super::referee::{Referee, slot};

/// Plays one ply of a game that nobody should be able to disturb.
fn goes_on([red, blue]: &mut [Peer; 2]) {
    let (mover, other) = match red.position().turn() % 2 {
        0 => (red, blue),
        _ => (blue, red),
    };
    mover.answer(1);
    other.skip_to("request");
    let turn = other.position().turn();
    mover.skip_to(&format!("state {turn}"));
}

fn referee(change: impl FnOnce(&mut Config)) -> (Referee, [Peer; 2]) {
    let referee = Referee::start(change);
    let players = referee.joined_players();
    (referee, players)
}

/// An administrator that reads none of its answers, until it is disconnected.
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
fn meaningless_messages_end_the_connection() {
    let (referee, mut players) = referee(|config| config.limits.ignored_messages = 100);
    let mut flooder = referee.connect();
    flooder.send_text(&"<cancel roomId=\"r\"/>".repeat(101));
    assert_eq!(flooder.rest(), ["close"]);
    goes_on(&mut players);
}

#[test]
fn floods_of_moves_end_the_connection() {
    let (referee, mut players) = referee(|_| {});
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
    goes_on(&mut players);
}

#[test]
fn endless_messages_end_the_connection() {
    let (referee, mut players) = referee(|config| config.limits.message_bytes = 10_000);
    for beginning in ["<x a=\"", "<x>", "<!--", "<x><![CDATA["] {
        let mut talker = referee.connect();
        talker.send_text(beginning);
        talker.send_text(&"a".repeat(20_000));
        assert_eq!(talker.rest(), [""; 0], "{beginning}");
        goes_on(&mut players);
    }
}

#[test]
fn incomplete_messages_share_a_limit() {
    let (referee, mut players) = referee(|config| config.limits.total_queue_bytes = 80_000);
    let long = |bytes: usize| format!("<cancel a=\"{}", "a".repeat(bytes));
    let mut modest = referee.connect();
    modest.send_text(&long(60_000));
    let mut greedy = referee.connect();
    greedy.send_text(&long(100_000));
    assert_eq!(greedy.rest(), [""; 0]);
    modest.send_text("\"/>");
    modest.join();
    modest.skip_to("joined");
    goes_on(&mut players);
}

#[test]
fn deeply_nested_elements_end_the_connection() {
    let (referee, mut players) = referee(|_| {});
    let mut nester = referee.connect();
    nester.send_text(&"<x>".repeat(100));
    assert_eq!(nester.rest(), [""; 0]);
    goes_on(&mut players);
}

#[test]
fn endless_white_space_disturbs_no_game() {
    let (referee, mut players) = referee(|_| {});
    let mut talker = referee.connect();
    for _ in 0..20 {
        talker.send_text(&" ".repeat(100_000));
        goes_on(&mut players);
    }
    talker.join();
    talker.skip_to("joined");
}

#[test]
fn idle_unauthenticated_clients_are_disconnected() {
    let (referee, mut players) =
        referee(|config| config.limits.greeting_timeout = Duration::from_millis(200));
    // Who waits for an opponent, or is an administrator, has said it.
    let mut waiting = referee.connect();
    waiting.join();
    waiting.skip_to("joined");
    let mut admin = referee.administrator();
    sync(&mut admin);
    // Who comes later is sent away later.
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
    goes_on(&mut players);
}

#[test]
fn full_queues_end_the_connection() {
    let (referee, mut players) = referee(|config| config.limits.queue_bytes = 200_000);
    ask_without_reading(&referee);
    goes_on(&mut players);
}

#[test]
fn queues_of_all_clients_share_a_limit() {
    let (referee, mut players) = referee(|config| {
        config.limits.queue_bytes = usize::MAX;
        config.limits.write_timeout = Duration::from_secs(3600);
        config.limits.total_queue_bytes = 300_000;
    });
    for _ in 0..3 {
        ask_without_reading(&referee);
        goes_on(&mut players);
    }
}

#[test]
fn slow_writes_end_the_connection() {
    let (referee, mut players) = referee(|config| {
        config.limits.queue_bytes = usize::MAX;
        config.limits.write_timeout = Duration::from_millis(50);
    });
    ask_without_reading(&referee);
    goes_on(&mut players);
}

#[test]
fn unread_output_does_not_delay_the_opponent() {
    let referee = Referee::start(|_| {});
    let prepared = referee.administrator().prepare(&["A", "B"].map(slot));
    let mut red = referee.connect();
    red.join_prepared(&prepared.codes[0]);
    let mut blue = TcpStream::connect(referee.address).unwrap();
    let join = format!(
        "<protocol><joinPrepared reservationCode=\"{}\"/>",
        prepared.codes[1]
    );
    blue.write_all(join.as_bytes()).unwrap();
    red.skip_to("request");
    red.answer(3);
    red.skip_to("state 1");
    drop(blue);
    assert_eq!(red.rest(), ["result", "left"]);
}

#[test]
fn messages_may_arrive_byte_by_byte() {
    let referee = Referee::start(|_| {});
    let mut red = referee.connect();
    for byte in "<join gameType='swc_2020_hive'/>".chars() {
        red.send_text(&byte.to_string());
    }
    red.skip_to("joined");
    let mut blue = referee.connect();
    blue.join();
    red.skip_to("request");
}

#[test]
fn connections_are_limited() {
    let referee = Referee::start(|config| config.limits.connections = 2);
    let mut players = referee.joined_players();
    let mut stream = TcpStream::connect(referee.address).unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).unwrap();
    assert!(text.contains("CloseConnection"), "{text}");
    goes_on(&mut players);
    let [red, mut blue] = players;
    drop(red);
    blue.skip_to("left");
    drop(blue);
    // There is room again, as soon as the server has noticed.
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
fn rooms_are_limited() {
    let (referee, mut players) = referee(|config| config.limits.rooms = 1);
    let mut third = referee.connect();
    third.join();
    assert_eq!(third.rest(), ["close"]);
    goes_on(&mut players);
}

#[test]
fn seats_per_connection_are_limited() {
    let (referee, mut players) = referee(|config| config.limits.seats_per_connection = 3);
    let mut greedy = referee.connect();
    for _ in 0..4 {
        greedy.join();
    }
    assert_eq!(greedy.rest().last().unwrap(), "close");
    // Nobody is left in the rooms that it opened.
    let mut others = referee.joined_players();
    goes_on(&mut others);
    goes_on(&mut players);
}

#[test]
fn forty_hostile_clients_do_not_stop_a_game() {
    let (mut referee, players) =
        referee(|config| config.limits.greeting_timeout = Duration::from_millis(100));
    let address = referee.address;
    let crowd: Vec<_> = (0..40)
        .map(|number| {
            std::thread::spawn(move || {
                let Ok(mut stream) = TcpStream::connect(address) else {
                    return;
                };
                let text: &[u8] = match number % 4 {
                    0 => b"<protocol><join gameType=\"swc_1999_ludo\"/>",
                    1 => b"<protocol><x><y></x>",
                    2 => b"\xff\xfe\x00",
                    _ => b"",
                };
                let _ = stream.write_all(text);
                let mut rest = Vec::new();
                let _ = stream.read_to_end(&mut rest);
            })
        })
        .collect();
    let [mut red, mut blue] = players;
    red.answer(4);
    let blue = std::thread::spawn(move || blue.play_to_the_end(4));
    let result = red.play_to_the_end(4);
    assert_eq!(blue.join().unwrap(), result);
    assert_eq!(referee.report().game.result, result);
    for client in crowd {
        client.join().unwrap();
    }
}

#[test]
fn refusals_arrive_despite_unread_input() {
    let referee = Referee::start(|config| config.limits.connections = 1);
    let mut first = referee.connect();
    first.join();
    first.skip_to("joined");
    for _ in 0..20 {
        let mut second = referee.connect();
        second.send_text(&"<x/>".repeat(10_000));
        assert_eq!(second.rest(), ["close"]);
    }
}

#[test]
fn players_without_an_opponent_are_disconnected() {
    let referee = Referee::start(|config| config.limits.waiting_timeout = Duration::from_millis(1));
    let mut lonely = referee.connect();
    lonely.join();
    assert_eq!(lonely.rest(), ["joined", "left"]);
}

#[test]
fn rooms_of_a_gone_administrator_expire() {
    let referee = Referee::start(|config| {
        config.limits.rooms = 1;
        config.limits.abandoned_timeout = Duration::from_millis(1);
    });
    let mut first = referee.administrator();
    first.prepare(&[slot("Rot"), slot("Blau")]);
    first.close_writing();
    first.rest();
    let player = loop {
        let mut player = referee.connect();
        player.join();
        match player.next() {
            Some(ServerMessage::Joined(_)) => break player,
            Some(ServerMessage::CloseConnection) => std::thread::yield_now(),
            other => panic!("{other:?}"),
        }
    };
    player.close_writing();
}
