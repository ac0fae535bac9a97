//! Strangers take neither every place nor every room, and are told when they have to go.

use std::time::Duration;

use wabe::protocol::ServerMessage;

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
