//! Time limits.

use super::*;

#[test]
fn replies_within_the_soft_limit_count_and_later_ones_lose() {
    let mut table = Table::playing(|_| {});
    table.pass(2_000);
    table.play(RED, Color::Red, "set A 0,0");
    assert_eq!(table.result(), None);
    table.pass(2_001);
    table.play(BLUE, Color::Blue, "set A 1,0");
    assert_eq!(table.causes(), Some([Cause::Regular, Cause::SoftTimeout]));
    assert_eq!(table.match_points(), Some([2, 0]));
    assert_eq!(table.heard(BLUE).last().unwrap(), "released");
}

#[test]
fn the_time_counts_until_the_last_byte_has_arrived_not_until_it_is_looked_at() {
    let mut table = Table::playing(|_| {});
    let arrived = table.now + Duration::from_millis(1_999);
    table.pass(5_000);
    let mv = WireMove::new("set A 0,0".parse().unwrap(), Color::Red, None);
    table.tell(|room, now| room.play(RED, mv, arrived, now));
    assert_eq!(table.result(), None);
}

#[test]
fn the_time_counts_from_when_the_request_went_out() {
    let mut table = Table::playing(|_| {});
    table.pass(900);
    table.room.request_sent(table.now);
    table.pass(2_000);
    table.play(RED, Color::Red, "set A 0,0");
    assert_eq!(table.result(), None);
}

#[test]
fn without_a_reply_the_hard_limit_ends_the_game() {
    let mut table = Table::new(|_| {});
    table.join(RED, Color::Red);
    table.join(BLUE, Color::Blue);
    assert_eq!(table.alarm(), Some(table.now + Duration::from_secs(10)));
    table.pass(10_000);
    table.tell(Room::wake);
    assert_eq!(table.causes(), Some([Cause::HardTimeout, Cause::Regular]));
    let reason = table.result().unwrap().scores.red.reason.as_deref();
    assert!(reason.unwrap().contains("10 Sekunden"), "{reason:?}");
}

#[test]
fn waking_too_early_sets_the_alarm_again() {
    let mut table = Table::playing(|_| {});
    let start = table.now;
    table.pass(300);
    table.room.request_sent(table.now);
    table.pass(9_800);
    table.tell(Room::wake);
    assert_eq!(table.result(), None);
    assert_eq!(table.alarm(), Some(start + Duration::from_millis(10_300)));
}

#[test]
fn a_reply_stops_the_alarm_of_its_request() {
    let mut table = Table::playing(|_| {});
    table.pass(1_000);
    table.play(RED, Color::Red, "set A 0,0");
    assert_eq!(table.alarm(), Some(table.now + Duration::from_secs(10)));
    table.play(BLUE, Color::Blue, "set A 5,0");
    assert_eq!(table.alarm(), None);
}

#[test]
fn sides_that_cannot_time_out_have_no_alarm_and_no_limit() {
    let mut table = Table::playing(|setup| setup.seats.red.can_timeout = false);
    assert_eq!(table.alarm(), None);
    table.pass(60_000);
    table.play(RED, Color::Red, "set A 0,0");
    assert_eq!(table.result(), None);
    assert!(table.alarm().is_some());
}

#[test]
fn each_side_has_its_own_limits_and_its_replies_are_timed() {
    let second = Duration::from_secs(1);
    let mut table = Table::playing(|setup| {
        setup.time_limits.blue = TimeLimits::new(second, second).ok();
    });
    table.pass(1_500);
    table.play(RED, Color::Red, "set A 0,0");
    table.pass(1_001);
    table.play(BLUE, Color::Blue, "set A 1,0");
    assert_eq!(table.causes(), Some([Cause::Regular, Cause::SoftTimeout]));
    let times = table.effects.iter().find_map(|effect| match effect {
        Effect::GameOver(game) => Some(game.times.clone()),
        _ => None,
    });
    assert_eq!(times, Some(vec![Duration::from_millis(1_500)]));
}

#[test]
fn switched_limits_hold_from_the_next_request_on() {
    let mut table = Table::playing(|_| {});
    table.room.set_timeout(Color::Red, false);
    table.room.set_timeout(Color::Blue, false);
    table.pass(3_000);
    table.play(RED, Color::Red, "set A 0,0");
    assert_eq!(table.causes(), Some([Cause::SoftTimeout, Cause::Regular]));

    let mut table = Table::playing(|_| {});
    table.room.set_timeout(Color::Blue, false);
    table.play(RED, Color::Red, "set A 0,0");
    table.pass(30_000);
    table.play(BLUE, Color::Blue, "set A 1,0");
    assert_eq!(table.result(), None);
}

#[test]
fn the_time_stands_still_between_the_plies_of_a_paused_game() {
    let mut table = Table::playing(|_| {});
    table.tell(|room, now| room.pause(true, now));
    table.play(RED, Color::Red, "set A 0,0");
    assert_eq!(table.alarm(), None);
    table.pass(60_000);
    table.tell(|room, now| room.step(false, now));
    table.pass(1_000);
    table.play(BLUE, Color::Blue, "set A 1,0");
    assert_eq!(table.result(), None);
}
