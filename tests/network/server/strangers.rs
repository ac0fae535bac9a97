//! Strangers take neither every place nor every room, and are told when they have to go.

use std::time::Duration;

use wabe_contest::protocol::ServerMessage;

use super::admin::sync;
use super::peer::Peer;
use super::referee::{Referee, slot};

#[test]
fn an_administrator_gets_in_when_strangers_have_taken_every_place() {
    let referee = Referee::start(|config| config.limits.connections = 2);
    let [mut red, mut blue] = referee.joined_players();
    // Those beyond the places have to be administrators.
    let mut third = referee.connect();
    third.join();
    assert_eq!(third.rest(), ["close"]);
    let mut guesser = referee.connect();
    guesser.authenticate("guess");
    assert_eq!(guesser.rest(), ["close"]);
    let mut administrator = referee.administrator();
    let prepared = administrator.prepare(&[slot("Rot"), slot("Blau")]);
    administrator.observe(&prepared.room);
    administrator.skip_to("observed");
    red.answer(1);
    blue.skip_to("request");
}

#[test]
fn wrong_passwords_of_others_do_not_keep_an_administrator_out() {
    let referee = Referee::start(|config| {
        config.limits.connections = 20;
        config.limits.password_delay = Duration::from_secs(3600);
    });
    let mut guessers: Vec<Peer> = (0..28).map(|_| referee.connect()).collect();
    for guesser in &mut guessers {
        guesser.authenticate("guess");
    }
    for guesser in &mut guessers {
        assert_eq!(guesser.rest(), ["close"]);
    }
    drop(guessers);
    // There is a place as soon as the server has noticed.
    loop {
        let mut administrator = referee.administrator();
        administrator.send_text("<testMode testMode=\"true\"/><close/>");
        match &administrator.rest()[..] {
            [answer] if answer == "testing true" => break,
            answer => assert_eq!(answer, ["close"]),
        }
    }
}

#[test]
fn an_address_that_has_guessed_too_often_is_not_listened_to() {
    let referee = Referee::start(|config| {
        config.limits.password_delay = Duration::from_secs(3600);
    });
    let mut administrator = referee.administrator();
    sync(&mut administrator);
    for _ in 0..32 {
        let mut guesser = referee.connect();
        guesser.authenticate("guess");
        assert_eq!(guesser.rest(), ["close"]);
    }
    let mut guesser = referee.administrator();
    assert_eq!(guesser.rest(), ["close"]);
    sync(&mut administrator);
}

/// Other systems have one loopback address.
#[cfg(target_os = "linux")]
#[test]
fn strangers_at_one_address_do_not_take_all_places_that_are_kept() {
    use std::net::SocketAddr;

    use socket2::{Domain, Socket, Type};

    let referee = Referee::start(|config| config.limits.connections = 1);
    let mut player = referee.connect();
    player.join();
    player.skip_to("joined");
    let strangers: Vec<Socket> = (0..20)
        .map(|_| {
            let stranger = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
            let address: SocketAddr = "127.0.0.2:0".parse().unwrap();
            stranger.bind(&address.into()).unwrap();
            stranger.connect(&referee.address.into()).unwrap();
            stranger
        })
        .collect();
    // Those who have said it do not count.
    let mut administrators: Vec<Peer> = Vec::new();
    for _ in 0..4 {
        let mut administrator = referee.administrator();
        sync(&mut administrator);
        administrators.push(administrator);
    }
    drop(strangers);
}

#[test]
fn a_refusal_arrives_although_the_client_has_said_much() {
    let referee = Referee::start(|config| {
        config.limits.connections = 1;
        config.limits.administrators = 0;
    });
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
fn a_player_whose_opponent_never_comes_is_let_go() {
    let referee = Referee::start(|config| config.limits.waiting_timeout = Duration::from_millis(1));
    let mut lonely = referee.connect();
    lonely.join();
    assert_eq!(lonely.rest(), ["joined", "left"]);
}

#[test]
fn rooms_of_an_administrator_who_left_make_room_for_others() {
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
