//! Everything that can go wrong, and what everybody is told.

use wabe_contest::protocol::Cause;

use super::referee::Referee;

#[test]
fn closing_only_the_own_direction_loses_too() {
    let referee = Referee::start(|_| {});
    let [mut red, mut blue] = referee.joined_players();
    red.close_writing();
    assert_eq!(red.rest(), [""; 0]);
    let scores = blue.result().scores;
    assert_eq!(scores.red.cause, Cause::Left);
    assert_eq!(scores.blue.match_points, 2);
}

#[test]
fn unknown_credentials_end_the_connection() {
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
fn moves_in_other_rooms_end_the_connection() {
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
fn stopping_referee_closes_all_connections() {
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
