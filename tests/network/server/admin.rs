//! What administrators ask for: every row of the protocol's table.

use wabe_contest::protocol::ServerMessage;

use super::peer::Peer;
use super::referee::{Prepared, Referee, slot};

pub fn enter(referee: &Referee, prepared: &Prepared) -> [Peer; 2] {
    let mut players = [referee.connect(), referee.connect()];
    for (player, code) in players.iter_mut().zip(&prepared.codes) {
        player.join_prepared(code);
    }
    players[0].skip_to("welcome red");
    players[1].skip_to("welcome blue");
    players
}

/// Waits until the server has dealt with everything that came before: it answers in the order of the requests.
pub fn sync(admin: &mut Peer) {
    admin.send_text("<testMode testMode=\"false\"/>");
    admin.skip_to("testing false");
}

/// Descriptions of everything that the server says until it has dealt with everything that came before.
pub fn heard(admin: &mut Peer) -> Vec<String> {
    heard_after(admin, "")
}

/// Descriptions of everything that the server says until it has dealt with a request.
pub fn heard_after(admin: &mut Peer, request: &str) -> Vec<String> {
    admin.send_text(request);
    admin.send_text("<testMode testMode=\"false\"/>");
    let mut heard = admin.up_to("testing false");
    heard.pop();
    heard
}

#[test]
fn only_administrators_administer() {
    let referee = Referee::start(|_| {});
    let [red, blue] = referee.joined_players();
    let mut stranger = referee.connect();
    stranger.observe(&red.room.clone().unwrap());
    stranger.send_text("<prepare gameType=\"swc_2020_hive\"/><testMode testMode=\"true\"/>");
    stranger.send_text("<close/>");
    assert_eq!(stranger.rest(), [""; 0]);
    drop(blue);
}

#[test]
fn every_administrator_hears_of_players_that_join() {
    let referee = Referee::start(|_| {});
    let mut admins = [referee.administrator(), referee.administrator()];
    for admin in &mut admins {
        sync(admin);
    }
    let players = referee.joined_players();
    for admin in &mut admins {
        for expected in [false, true] {
            match admin.next() {
                Some(ServerMessage::JoinedGameRoom { room, existing }) => {
                    assert_eq!((Some(room), existing), (players[0].room.clone(), expected));
                }
                other => panic!("{other:?}"),
            }
        }
    }
    // Who comes with a reservation is no news.
    let prepared = admins[0].prepare(&["A", "B"].map(slot));
    let _players = enter(&referee, &prepared);
    assert_eq!(heard(&mut admins[0]), [""; 0]);
}

#[test]
fn games_continue_without_their_administrator() {
    let referee = Referee::start(|_| {});
    let [admin, mut red, mut blue] = referee.prepared_players();
    drop(admin);
    red.play("set A 0,0");
    blue.skip_to("request");
    blue.play("set A 1,0");

    let heard = red.up_to_one_of(&["request", "left"]);
    assert!(["request", "left"].contains(&heard.last().unwrap().as_str()));
}

#[test]
fn requests_for_unknown_rooms_are_errors() {
    let referee = Referee::start(|_| {});
    let mut admin = referee.administrator();
    for request in [
        "<observe roomId=\"r\"/>",
        "<pause roomId=\"r\" pause=\"true\"/>",
        "<step roomId=\"r\"/>",
        "<cancel roomId=\"r\"/>",
        "<timeout roomId=\"r\" activate=\"true\" slot=\"0\"/>",
    ] {
        admin.send_text(request);
        assert_eq!(
            admin.up_to("error: there is no room r").len(),
            1,
            "{request}"
        );
    }
    for (request, error) in [
        (
            "<freeReservation reservation=\"r\"/>",
            "error: there is no such reservation",
        ),
        (
            "<timeout roomId=\"r\" activate=\"true\" slot=\"2\"/>",
            "error: there is no slot 2",
        ),
        (
            "<prepare gameType=\"swc_1999_ludo\"/>",
            "error: there is no game `swc_1999_ludo` here",
        ),
    ] {
        admin.send_text(request);
        assert_eq!(admin.up_to(error).len(), 1);
    }
}

#[test]
fn administrators_stay_connected_when_they_play_too() {
    let referee = Referee::start(|_| {});
    let mut admin = referee.administrator();
    admin.join();
    admin.skip_to("joined");
    let mut other = referee.connect();
    other.join();
    admin.skip_to("request");
    drop(other);
    admin.skip_to("left");
    sync(&mut admin);
}

#[test]
fn prepared_rooms_to_which_nobody_comes_are_given_up() {
    let referee = Referee::start(|config| {
        config.limits.reservation_timeout = std::time::Duration::from_millis(1);
        config.limits.rooms = 1;
    });
    let mut admin = referee.administrator();
    admin.prepare(&[]);
    // There is room for another one as soon as the first has been given up.
    loop {
        admin.send_text("<prepare gameType=\"swc_2020_hive\"/>");
        match admin.next() {
            Some(ServerMessage::Prepared { .. }) => break,
            Some(ServerMessage::Error { .. }) => {}
            other => panic!("{other:?}"),
        }
    }
}
