//! All administrator requests in the protocol's table.

use super::peer::Peer;
use super::referee::{Prepared, Referee, slot};
use wabe_contest::protocol::ServerMessage;

/// Joins a prepared room with both players.
pub fn enter(referee: &Referee, prepared: &Prepared) -> [Peer; 2] {
    let mut players = [referee.connect(), referee.connect()];
    for (player, code) in players.iter_mut().zip(&prepared.codes) {
        player.join_prepared(code);
    }
    players[0].skip_to("welcome red");
    players[1].skip_to("welcome blue");
    players
}

/// Waits until the server has handled all earlier requests, which it does in order.
pub fn sync(admin: &mut Peer) {
    admin.send_text("<testMode testMode=\"false\"/>");
    admin.skip_to("testing false");
}

#[test]
fn administration_requires_authentication() {
    let referee = Referee::start(|_| {});
    let [red, blue] = referee.joined_players();
    let mut client = referee.connect();
    client.observe(&red.room.clone().unwrap());
    client.send_text("<prepare gameType=\"swc_2020_hive\"/><testMode testMode=\"true\"/>");
    client.send_text("<close/>");
    assert_eq!(client.rest(), [""; 0]);
    drop(blue);
}

#[test]
fn administrators_are_notified_of_new_players() {
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
    // Players with a reservation are not announced.
    let prepared = admins[0].prepare(&["A", "B"].map(slot));
    let _players = enter(&referee, &prepared);
    admins[0].send_text("<testMode testMode=\"false\"/>");
    assert_eq!(admins[0].up_to("testing false").len(), 1);
}

#[test]
fn requests_for_unknown_rooms_are_errors() {
    let referee = Referee::start(|_| {});
    let mut admin = referee.administrator();
    let no_room = "unknown room r";
    for (request, error) in [
        ("observe roomId='r'", no_room),
        ("pause roomId='r' pause='true'", no_room),
        ("step roomId='r'", no_room),
        ("cancel roomId='r'", no_room),
        ("timeout roomId='r' activate='true' slot='0'", no_room),
        (
            "timeout roomId='r' activate='true' slot='2'",
            "slot 2: expected 0 or 1",
        ),
        (
            "freeReservation reservation='r'",
            "unknown reservation code",
        ),
        (
            "prepare gameType='swc_1999_ludo'",
            "unknown game type `swc_1999_ludo`",
        ),
    ] {
        admin.send_text(&format!("<{request}/>"));
        assert_eq!(admin.up_to(&format!("error: {error}")).len(), 1);
    }
}

#[test]
fn administrators_stay_connected_after_a_game() {
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
fn prepared_rooms_without_players_expire() {
    let referee = Referee::start(|config| {
        config.limits.waiting_timeout = std::time::Duration::from_millis(1);
        config.limits.rooms = 1;
    });
    let mut admin = referee.administrator();
    admin.prepare(&[]);
    // At most one room may exist, so another can be prepared as soon as the first has expired.
    loop {
        admin.send_text("<prepare gameType=\"swc_2020_hive\"/>");
        match admin.next() {
            Some(ServerMessage::Prepared { .. }) => break,
            Some(ServerMessage::Error { .. }) => {}
            other => panic!("{other:?}"),
        }
    }
}
