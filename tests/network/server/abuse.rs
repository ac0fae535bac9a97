//! Clients that misbehave: their connections end, and the games of others go on.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use wabe_contest::protocol::{ClientMessage, WireMove};
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

/// Writes until the other end has had enough.
fn write_without_reading(mut stream: TcpStream, text: &str) {
    stream
        .set_write_timeout(Some(Duration::from_secs(30)))
        .unwrap();
    loop {
        match stream.write_all(text.as_bytes()) {
            Ok(()) => {}
            Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => {
                panic!("the server neither reads nor closes")
            }
            Err(_) => return,
        }
    }
}

#[test]
fn a_flood_of_messages_that_mean_nothing_ends_the_connection() {
    let (referee, mut players) = referee(|config| config.limits.ignored_messages = 100);
    let mut flooder = referee.connect();
    flooder.send_text(&"<cancel roomId=\"r\"/>".repeat(101));
    assert_eq!(flooder.rest(), ["close"]);
    goes_on(&mut players);
}

#[test]
fn a_flood_of_moves_ends_the_connection_with_the_first() {
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
fn a_message_without_end_ends_the_connection() {
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
fn elements_nested_too_deep_end_the_connection() {
    let (referee, mut players) = referee(|_| {});
    let mut nester = referee.connect();
    nester.send_text(&"<x>".repeat(100));
    assert_eq!(nester.rest(), [""; 0]);
    goes_on(&mut players);
}

#[test]
fn white_space_without_end_disturbs_nobody() {
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
fn who_talks_without_end_has_to_wait() {
    // 64 MiB would take more than an hour; players need a few hundred bytes a ply.
    let (referee, mut players) = referee(|config| config.limits.bytes_per_second = 10_000);
    let mut talker = TcpStream::connect(referee.address).unwrap();
    talker.write_all(b"<protocol>").unwrap();
    talker
        .set_write_timeout(Some(Duration::from_millis(300)))
        .unwrap();
    let spaces = [b' '; 64 << 10];
    let error = (0..1024).find_map(|_| talker.write_all(&spaces).err());
    assert_eq!(error.unwrap().kind(), std::io::ErrorKind::WouldBlock);
    goes_on(&mut players);
}

#[test]
fn a_client_that_never_says_what_it_wants_is_sent_away() {
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
fn a_client_that_does_not_read_loses_its_connection_when_too_much_waits_for_it() {
    let (referee, mut players) = referee(|config| config.limits.queue_bytes = 200_000);
    let mut lazy = TcpStream::connect(referee.address).unwrap();
    lazy.write_all(b"<protocol><authenticate password=\"examplepassword\"/>")
        .unwrap();
    let name = "x".repeat(50_000);
    let request = format!("<scoreForPlayer displayName=\"{name}\"/>");
    write_without_reading(lazy, &request);
    goes_on(&mut players);
}

#[test]
fn clients_that_do_not_read_share_a_limit() {
    let (referee, mut players) = referee(|config| {
        config.limits.queue_bytes = usize::MAX;
        config.limits.write_timeout = Duration::from_secs(3600);
        config.limits.total_queue_bytes = 300_000;
    });
    let name = "x".repeat(50_000);
    let request = format!("<scoreForPlayer displayName=\"{name}\"/>");
    for _ in 0..3 {
        let mut lazy = TcpStream::connect(referee.address).unwrap();
        lazy.write_all(b"<protocol><authenticate password=\"examplepassword\"/>")
            .unwrap();
        write_without_reading(lazy, &request);
        goes_on(&mut players);
    }
}

#[test]
fn a_client_that_does_not_read_loses_its_connection_when_a_write_takes_too_long() {
    let (referee, mut players) = referee(|config| {
        config.limits.queue_bytes = usize::MAX;
        config.limits.write_timeout = Duration::from_millis(50);
    });
    let mut lazy = TcpStream::connect(referee.address).unwrap();
    lazy.write_all(b"<protocol><authenticate password=\"examplepassword\"/>")
        .unwrap();
    let name = "x".repeat(50_000);
    let request = format!("<scoreForPlayer displayName=\"{name}\"/>");
    write_without_reading(lazy, &request);
    goes_on(&mut players);
}

#[test]
fn a_player_that_reads_nothing_does_not_keep_its_opponent_from_playing() {
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
fn messages_may_come_byte_by_byte() {
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
fn connections_are_limited_in_number() {
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
fn rooms_are_limited_in_number() {
    let (referee, mut players) = referee(|config| config.limits.rooms = 1);
    let mut third = referee.connect();
    third.join();
    assert_eq!(third.rest(), ["close"]);
    goes_on(&mut players);
}

#[test]
fn seats_of_one_connection_are_limited_in_number() {
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
fn a_whole_crowd_of_misbehaving_clients_does_not_stop_a_game() {
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
