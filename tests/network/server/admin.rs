//! What administrators ask for: every row of the protocol's table.

use wabe_contest::protocol::{ServerMessage, Slot};

use super::peer::Peer;
use super::referee::{Prepared, Referee, slot};

pub fn paused_slot(name: &str) -> Slot {
    Slot {
        should_be_paused: true,
        ..slot(name)
    }
}

/// An administrator that observes a room with these slots.
pub fn observed_room(referee: &Referee, slots: &[Slot]) -> (Peer, Prepared) {
    let mut admin = referee.administrator();
    let prepared = admin.prepare(slots);
    admin.observe(&prepared.room);
    admin.skip_to("observed");
    (admin, prepared)
}

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
fn only_administrators_can_prepare_and_observe() {
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
fn the_right_password_is_not_answered() {
    let referee = Referee::start(|_| {});
    assert_eq!(heard(&mut referee.administrator()), [""; 0]);
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
fn who_joins_gets_the_oldest_open_seat() {
    let referee = Referee::start(|_| {});
    let mut admin = referee.administrator();
    let rooms = [(); 3].map(|()| admin.prepare(&["A", "B"].map(slot)));
    // Freed in another order than they were prepared in.
    for prepared in rooms.iter().rev() {
        let code = &prepared.codes[1];
        admin.send_text(&format!("<freeReservation reservation=\"{code}\"/>"));
    }
    sync(&mut admin);
    for prepared in &rooms {
        let mut red = referee.connect();
        red.join_prepared(&prepared.codes[0]);
        let mut blue = referee.connect();
        blue.join();
        blue.skip_to("welcome blue");
        assert_eq!(blue.room.as_ref(), Some(&prepared.room));
    }
}

#[test]
fn freed_reservations_are_void_and_their_seats_open() {
    let referee = Referee::start(|_| {});
    let (mut admin, prepared) = observed_room(&referee, &["A", "B"].map(slot));
    let [red_code, blue_code] = &prepared.codes[..] else {
        panic!("two codes");
    };
    admin.send_text(&format!("<freeReservation reservation=\"{blue_code}\"/>"));
    sync(&mut admin);
    let mut late = referee.connect();
    late.join_prepared(blue_code);
    assert_eq!(late.rest(), ["close"]);
    let mut red = referee.connect();
    red.join_prepared(red_code);
    let mut blue = referee.connect();
    blue.join();
    assert_eq!(
        red.up_to("request"),
        ["joined", "welcome red", "state 0", "request"]
    );
    assert_eq!(blue.up_to("state 0"), ["joined", "welcome blue", "state 0"]);
    assert_eq!(blue.state.as_ref().unwrap().names.blue, "B");
    assert_eq!(admin.up_to("state 0"), ["joinedGameRoom true", "state 0"]);
}

#[test]
fn scores_are_kept_by_name_in_test_mode() {
    let referee = Referee::start(|_| {});
    let mut admin = referee.administrator();
    let ask = |admin: &mut Peer, name: &str| {
        admin.send_text(&format!("<scoreForPlayer displayName=\"{name}\"/>"));
        match admin.next() {
            Some(ServerMessage::PlayerScore(score)) => {
                Some((score.number_of_tests, score.values.join(" ")))
            }
            Some(ServerMessage::Error { .. }) => None,
            other => panic!("{other:?}"),
        }
    };
    let play = |admin: &mut Peer, names: [&str; 2]| {
        let prepared = admin.prepare(&names.map(slot));
        admin.observe(&prepared.room);
        let [mut red, _blue] = enter(&referee, &prepared);
        red.skip_to("request");
        red.play("set A 0,0");
        red.skip_to("state 1");
        drop(red);
        admin.skip_to("result");
        // Straight after the result the score must be there; the room may close before or after the answer.
        admin.send_text("<scoreForPlayer displayName=\"B\"/>");
        let (mut has_score, mut left) = (None, false);
        while has_score.is_none() || !left {
            match admin.next() {
                Some(ServerMessage::PlayerScore(_)) => has_score = Some(true),
                Some(ServerMessage::Error { .. }) => has_score = Some(false),
                Some(ServerMessage::Left(_)) => left = true,
                other => panic!("{other:?}"),
            }
        }
        has_score == Some(true)
    };
    assert!(!play(&mut admin, ["A", "B"]), "no scores without test mode");
    admin.send_text("<testMode testMode=\"true\"/>");
    admin.skip_to("testing true");
    assert!(play(&mut admin, ["A", "B"]));
    assert!(play(&mut admin, ["B", "A"]));
    assert!(play(&mut admin, ["A", "B"]));
    assert_eq!(ask(&mut admin, "A"), Some((3, "2 -1.000000".to_owned())));
    assert_eq!(ask(&mut admin, "B"), Some((3, "4 -1.000000".to_owned())));
    assert_eq!(ask(&mut admin, "nobody"), None);
}

#[test]
fn late_observers_hear_nothing_until_the_next_ply() {
    let referee = Referee::start(|_| {});
    let [mut red, _blue] = referee.joined_players();
    let mut admin = referee.administrator();
    admin.observe(&red.room.clone().unwrap());
    assert_eq!(heard(&mut admin), ["observed"]);
    red.play("set A 0,0");
    assert_eq!(admin.up_to("state 1"), ["state 1"]);
}

#[test]
fn an_administrator_that_leaves_leaves_its_games_alone() {
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
fn requests_about_rooms_that_do_not_exist_are_answered_with_an_error() {
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
