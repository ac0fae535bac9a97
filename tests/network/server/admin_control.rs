//! What administrators do to a running game: pause, step, cancel, time limits.

use std::time::Duration;

use wabe_contest::protocol::{Cause, Slot};
use wabe_contest::room::TimeLimits;
use wabe_contest::server::Config;

use super::admin::{enter, heard, heard_after, observed_room, paused_slot, sync};
use super::referee::{Referee, slot};

/// Limits that nobody can keep: they count for whoever has any.
fn no_time(config: &mut Config) {
    config.time_limits = Some(TimeLimits::new(Duration::ZERO, Duration::ZERO).unwrap());
}

#[test]
fn paused_rooms_go_on_when_they_are_told_to() {
    let referee = Referee::start(|_| {});
    let slots = ["A", "B"].map(paused_slot);
    let (mut admin, prepared) = observed_room(&referee, &slots);
    let [mut red, mut blue] = enter(&referee, &prepared);
    let room = &prepared.room;
    admin.send_text(&format!("<step roomId=\"{room}\"/>"));
    assert_eq!(red.up_to("request"), ["state 0", "request"]);
    red.play("set A 0,0");
    admin.send_text(&format!("<pause roomId=\"{room}\" pause=\"false\"/>"));
    assert_eq!(blue.up_to("request"), ["state 0", "state 1", "request"]);
    assert_eq!(admin.up_to("state 1"), ["state 0", "state 1"]);
    admin.send_text(&format!("<pause roomId=\"{room}\" pause=\"true\"/>"));
    sync(&mut admin);
    blue.play("set A 1,0");
    // A step that comes before the move finds nothing to step.
    let step = format!("<step roomId=\"{room}\" forced=\"true\"/>");
    while !heard_after(&mut admin, &step).contains(&"state 2".to_owned()) {}
    assert_eq!(red.up_to("request"), ["state 1", "state 2", "request"]);
    admin.send_text(&format!("<cancel roomId=\"{room}\"/>"));
    assert_eq!(red.rest(), ["left"]);
    assert_eq!(blue.rest(), ["state 2", "left"]);
    assert_eq!(admin.up_to("left").last().unwrap(), "left");
}

#[test]
fn rooms_opened_by_joining_start_paused_if_the_server_says_so() {
    let referee = Referee::start(|config| config.paused = true);
    let mut admin = referee.administrator();
    sync(&mut admin);
    let [mut red, mut blue] = [referee.connect(), referee.connect()];
    red.join();
    red.skip_to("joined");
    blue.join();
    blue.skip_to("welcome blue");
    let room = blue.room.clone().unwrap();
    admin.send_text(&format!("<step roomId=\"{room}\"/>"));
    assert_eq!(red.up_to("request"), ["welcome red", "state 0", "request"]);
    assert_eq!(blue.up_to("state 0"), ["state 0"]);
}

#[test]
fn cancelled_rooms_end_without_a_result() {
    let mut referee = Referee::start(|_| {});
    let [mut admin, mut red, mut blue] = referee.prepared_players();
    let room = red.room.clone().unwrap();
    admin.send_text(&format!("<cancel roomId=\"{room}\"/>"));
    for peer in [&mut red, &mut blue] {
        assert_eq!(peer.rest(), ["left"]);
    }
    assert_eq!(admin.up_to("left"), ["left"]);
    sync(&mut admin);
    assert!(referee.reports.try_recv().is_err());
}

#[test]
fn cancelling_makes_unused_reservations_void() {
    let referee = Referee::start(|_| {});
    let (mut admin, prepared) = observed_room(&referee, &["A", "B"].map(slot));
    let mut red = referee.connect();
    red.join_prepared(&prepared.codes[0]);
    // The room knows of red before it is cancelled, or turns it away: either way red is let go.
    admin.send_text(&format!("<cancel roomId=\"{}\"/>", prepared.room));
    admin.skip_to("left");
    let mut blue = referee.connect();
    blue.join_prepared(&prepared.codes[1]);
    assert_eq!(blue.rest(), ["close"]);
    assert!(!red.rest().is_empty());
}

#[test]
fn time_limits_can_be_switched_for_each_slot() {
    let referee = Referee::start(no_time);
    let slots = ["A", "B"].map(paused_slot);
    let (mut admin, prepared) = observed_room(&referee, &slots);
    let [mut red, mut blue] = enter(&referee, &prepared);
    let room = &prepared.room;
    admin.send_text(&format!(
        "<timeout roomId=\"{room}\" activate=\"false\" slot=\"0\"/>"
    ));
    admin.send_text(&format!("<pause roomId=\"{room}\" pause=\"false\"/>"));
    red.skip_to("request");
    red.outlast_request();
    red.play("set A 0,0");
    blue.skip_to("request");
    assert_eq!(admin.result().scores.blue.cause, Cause::HardTimeout);
}

#[test]
fn a_pending_request_keeps_its_limit() {
    let referee = Referee::start(|config| {
        let [soft, hard] = [Duration::ZERO, Duration::from_secs(600)];
        config.time_limits = Some(TimeLimits::new(soft, hard).unwrap());
    });
    let [mut admin, mut red, _blue] = referee.prepared_players();
    let room = red.room.clone().unwrap();
    admin.send_text(&format!(
        "<timeout roomId=\"{room}\" activate=\"false\" slot=\"0\"/>"
    ));
    sync(&mut admin);
    red.outlast_request();
    red.play("set A 0,0");
    assert_eq!(red.result().scores.red.cause, Cause::SoftTimeout);
}

#[test]
fn time_limits_can_be_switched_on() {
    let referee = Referee::start(no_time);
    let slots = ["A", "B"].map(|name| Slot {
        can_timeout: false,
        ..paused_slot(name)
    });
    let (mut admin, prepared) = observed_room(&referee, &slots);
    let [mut red, mut blue] = enter(&referee, &prepared);
    let room = &prepared.room;
    admin.send_text(&format!(
        "<timeout roomId=\"{room}\" activate=\"true\" slot=\"1\"/>"
    ));
    admin.send_text(&format!("<pause roomId=\"{room}\" pause=\"false\"/>"));
    red.skip_to("request");
    red.outlast_request();
    red.play("set A 0,0");
    assert_eq!(blue.result().scores.blue.cause, Cause::HardTimeout);
}

#[test]
fn a_forced_step_ends_a_game_whose_player_does_not_come() {
    let referee = Referee::start(|_| {});
    let (mut admin, prepared) = observed_room(&referee, &["A", "B"].map(slot));
    admin.send_text(&format!("<step roomId=\"{}\"/>", prepared.room));
    assert_eq!(heard(&mut admin), [""; 0]);
    admin.send_text(&format!(
        "<step roomId=\"{}\" forced=\"true\"/>",
        prepared.room
    ));
    let result = admin.result();
    assert_eq!(result.scores.red.cause, Cause::Left);
    assert_eq!(result.scores.blue.cause, Cause::Left);
    assert_eq!(result.winner, None);
    admin.skip_to("left");
    let mut late = referee.connect();
    late.join_prepared(&prepared.codes[1]);
    assert_eq!(late.rest(), ["close"]);
}
