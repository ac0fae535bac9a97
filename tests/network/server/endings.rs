//! Everything that can go wrong, and what everybody is told.

use std::time::Duration;

use wabe_contest::protocol::{Cause, GameResult};
use wabe_contest::room::TimeLimits;
use wabe_contest::server::Config;

use super::referee::{Referee, slot};

fn time_limits(soft: Duration, hard: Duration) -> impl FnOnce(&mut Config) {
    move |config| config.time_limits = Some(TimeLimits::new(soft, hard).unwrap())
}

/// Cause, match points and free fields of both sides.
fn scores(result: &GameResult) -> [(Cause, i64, i64); 2] {
    [&result.scores.red, &result.scores.blue]
        .map(|score| (score.cause, score.match_points, score.free_fields))
}

#[test]
fn an_illegal_move_loses() {
    let referee = Referee::start(|_| {});
    let [mut admin, mut red, mut blue] = referee.prepared_players();
    red.play("set A 0,0");
    blue.skip_to("request");
    blue.play("set A 3,0");
    let complaint = "Your first piece has to touch the piece of the other player; \
                     move was Set BLUE ANT to (3,0,-3)";
    let expected = [(Cause::Regular, 2, -1), (Cause::RuleViolation, 0, -1)];
    blue.skip_to(&format!("error: Ungueltiger Zug von 'Blau'.\n{complaint}"));
    let result = blue.result();
    assert_eq!(scores(&result), expected);
    assert_eq!(result.scores.blue.reason.as_deref(), Some(complaint));
    assert_eq!(blue.rest(), ["left", "close"]);
    assert_eq!(red.rest(), ["state 1", "result", "left"]);
    admin.skip_to(&format!("error: {complaint}"));
    assert_eq!(admin.result(), result);
    admin.skip_to("left");
}

#[test]
fn a_late_reply_loses() {
    let referee = Referee::start(time_limits(Duration::ZERO, Duration::from_secs(600)));
    let [mut admin, mut red, mut blue] = referee.prepared_players();
    red.outlast_request();
    red.play("set A 0,0");
    let expected = [(Cause::SoftTimeout, 0, -1), (Cause::Regular, 2, -1)];
    for peer in [&mut red, &mut blue, &mut admin] {
        let result = peer.result();
        assert_eq!(scores(&result), expected);
        assert_eq!(
            result.scores.red.reason.as_deref(),
            Some("Der Spieler hat innerhalb von 0 Sekunden nach Aufforderung keinen Zug gesendet")
        );
        peer.skip_to("left");
    }
    assert_eq!(blue.rest(), [""; 0]);
}

#[test]
fn no_reply_loses() {
    let referee = Referee::start(time_limits(Duration::ZERO, Duration::ZERO));
    let mut players = referee.joined_players();
    for peer in &mut players {
        let expected = [(Cause::HardTimeout, 0, -1), (Cause::Regular, 2, -1)];
        assert_eq!(scores(&peer.result()), expected);
        assert_eq!(peer.rest(), ["left"]);
    }
}

#[test]
fn slots_that_cannot_time_out_take_their_time() {
    let referee = Referee::start(time_limits(Duration::ZERO, Duration::ZERO));
    let mut admin = referee.administrator();
    let mut slots = ["A", "B"].map(slot);
    slots[0].can_timeout = false;
    let prepared = admin.prepare(&slots);
    let [mut red, mut blue] = [referee.connect(), referee.connect()];
    red.join_prepared(&prepared.codes[0]);
    blue.join_prepared(&prepared.codes[1]);
    red.skip_to("request");
    red.outlast_request();
    red.play("set A 0,0");
    blue.skip_to("request");
    assert_eq!(scores(&blue.result())[1].0, Cause::HardTimeout);
}

#[test]
fn a_lost_connection_loses() {
    let referee = Referee::start(|_| {});
    let [mut admin, mut red, blue] = referee.prepared_players();
    red.play("set A 0,0");
    drop(blue);
    let expected = [(Cause::Regular, 2, -1), (Cause::Left, 0, -1)];
    for peer in [&mut red, &mut admin] {
        let result = peer.result();
        assert_eq!(scores(&result), expected);
        assert_eq!(
            result.scores.blue.reason.as_deref(),
            Some("Der Spieler hat das Spiel verlassen")
        );
    }
    assert_eq!(red.rest(), ["left"]);
}

#[test]
fn saying_goodbye_in_mid_game_loses() {
    for goodbye in [
        "<sc.protocol.responses.CloseConnection/></protocol>",
        "<close/>",
        "</protocol>",
    ] {
        let referee = Referee::start(|_| {});
        let [mut red, mut blue] = referee.joined_players();
        blue.send_text(goodbye);
        assert_eq!(blue.rest(), [""; 0], "{goodbye}");
        let expected = [(Cause::Regular, 2, -1), (Cause::Left, 0, -1)];
        assert_eq!(scores(&red.result()), expected);
        assert_eq!(red.rest(), ["left"]);
    }
}

#[test]
fn closing_only_the_own_direction_loses_too() {
    let referee = Referee::start(|_| {});
    let [mut red, mut blue] = referee.joined_players();
    red.close_writing();
    assert_eq!(red.rest(), [""; 0]);
    let expected = [(Cause::Left, 0, -1), (Cause::Regular, 2, -1)];
    assert_eq!(scores(&blue.result()), expected);
}

#[test]
fn garbage_loses() {
    for garbage in [
        "<room roomId=\"r\"><data class=\"nonsense\"><foo></data></room>",
        "<room roomId=\"r\"><data class=\"nonsense\"/></room>",
        "this is < no XML>",
        "<room><data class=\"setmove\"/></room>",
        "<!DOCTYPE lolz [<!ENTITY lol \"lol\">]><room roomId=\"&lol;\"/>",
        "<room roomId=\"&unknown;\"/>",
    ] {
        let referee = Referee::start(|_| {});
        let [mut red, mut blue] = referee.joined_players();
        red.send_text(garbage);
        assert_eq!(red.rest(), [""; 0], "{garbage}");
        let expected = [(Cause::Left, 0, -1), (Cause::Regular, 2, -1)];
        assert_eq!(scores(&blue.result()), expected, "{garbage}");
        assert_eq!(blue.rest(), ["left"]);
    }
}

#[test]
fn moving_out_of_turn_ends_the_connection_and_the_game_at_the_next_turn() {
    let referee = Referee::start(|_| {});
    let [mut admin, mut red, mut blue] = referee.prepared_players();
    blue.play("set A 0,0");
    assert_eq!(blue.rest(), ["error: It's not your turn yet.", "close"]);
    red.play("set A 0,0");
    assert_eq!(red.rest(), ["state 1", "result", "left"]);
    let expected = [(Cause::Regular, 2, -1), (Cause::Left, 0, -1)];
    assert_eq!(scores(&admin.result()), expected);
}

#[test]
fn unknown_games_reservations_and_passwords_end_the_connection() {
    let referee = Referee::start(|_| {});
    for request in [
        "<join gameType=\"swc_1999_ludo\"/>",
        "<joinPrepared reservationCode=\"nope\"/>",
        "<authenticate password=\"wrong\"/>",
    ] {
        let mut peer = referee.connect();
        peer.send_text(request);
        assert_eq!(peer.rest(), ["close"], "{request}");
    }
}

#[test]
fn reservations_are_used_up() {
    let referee = Referee::start(|_| {});
    let prepared = referee.administrator().prepare(&[slot("A"), slot("B")]);
    let mut first = referee.connect();
    first.join_prepared(&prepared.codes[0]);
    let mut second = referee.connect();
    second.join_prepared(&prepared.codes[1]);
    first.skip_to("request");
    let mut third = referee.connect();
    third.join_prepared(&prepared.codes[0]);
    assert_eq!(third.rest(), ["close"]);
}

#[test]
fn speaking_to_a_room_of_others_ends_the_connection() {
    let referee = Referee::start(|_| {});
    let [mut red, mut blue] = referee.joined_players();
    let mut stranger = referee.connect();
    stranger.room = red.room.clone();
    stranger.color = red.color;
    stranger.play("set A 0,0");
    assert_eq!(stranger.rest(), ["close"]);
    red.play("set A 0,0");
    blue.skip_to("request");
}

#[test]
fn a_player_that_leaves_before_the_game_makes_room_for_the_next_one() {
    let referee = Referee::start(|_| {});
    let mut gone = referee.connect();
    gone.join();
    gone.skip_to("joined");
    gone.send_text("</protocol>");
    assert_eq!(gone.rest(), [""; 0]);
    // Who comes before the server has noticed gets the other seat.
    let mut players = [referee.connect(), referee.connect()];
    for player in &mut players {
        player.join();
        player.skip_to("joined");
    }
    for player in &mut players {
        player.skip_to("state 0");
    }
    assert_eq!(players[0].room, players[1].room);
}

#[test]
fn a_stopping_referee_lets_everybody_go() {
    let referee = Referee::start(|_| {});
    let [mut red, mut blue] = referee.joined_players();
    let mut waiting = referee.connect();
    waiting.join();
    waiting.skip_to("joined");
    let mut admin = referee.administrator();
    admin.send_text("<testMode testMode=\"true\"/>");
    admin.skip_to("testing true");
    drop(referee);
    for peer in [&mut red, &mut blue, &mut waiting] {
        assert_eq!(peer.rest(), ["left"]);
    }
    assert_eq!(admin.rest(), ["close"]);
}
