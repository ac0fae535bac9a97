//! Time limits.

use super::*;

#[test]
fn replies_after_the_soft_limit_lose() {
    let mut table = Table::start_game(|_| {});
    table.advance_clock(2_000);
    table.play(RED, Color::Red, "set A 0,0");
    assert_eq!(table.result(), None);
    table.advance_clock(2_001);
    table.play(BLUE, Color::Blue, "set A 1,0");
    assert_eq!(table.causes(), Some([Cause::Regular, Cause::SoftTimeout]));
    assert_eq!(table.match_points(), Some([2, 0]));
    assert_eq!(table.received(BLUE).last().unwrap(), "released");
}

#[test]
fn time_ends_with_the_arrival_of_the_reply() {
    let mut table = Table::start_game(|_| {});
    let arrived = table.now + Duration::from_millis(1_999);
    table.advance_clock(5_000);
    let mv = WireMove::new("set A 0,0".parse().unwrap(), Color::Red, None);
    table.act(|room, now| room.play(RED, mv, arrived, now));
    assert_eq!(table.result(), None);
}

#[test]
fn time_starts_when_the_request_is_written() {
    let mut table = Table::start_game(|_| {});
    table.advance_clock(900);
    table.room.request_sent(RED, table.now);
    table.advance_clock(2_000);
    table.play(RED, Color::Red, "set A 0,0");
    assert_eq!(table.result(), None);
}

#[test]
fn old_requests_do_not_move_the_opponents_clock() {
    let mut table = Table::start_game(|_| {});
    table.play(RED, Color::Red, "set A 0,0");
    table.advance_clock(1_500);
    table.room.request_sent(RED, table.now);
    table.advance_clock(1_500);
    table.play(BLUE, Color::Blue, "set A 5,0");
    assert_eq!(table.causes(), Some([Cause::Regular, Cause::SoftTimeout]));
}

#[test]
fn early_wakes_set_the_alarm_again() {
    let mut table = Table::start_game(|_| {});
    let start = table.now;
    table.advance_clock(300);
    table.room.request_sent(RED, table.now);
    table.advance_clock(9_800);
    table.act(Room::wake);
    assert_eq!(table.result(), None);
    assert_eq!(table.alarm(), Some(start + Duration::from_millis(10_300)));
}

#[test]
fn replies_stop_the_alarm() {
    let mut table = Table::start_game(|_| {});
    table.advance_clock(1_000);
    table.play(RED, Color::Red, "set A 0,0");
    assert_eq!(table.alarm(), Some(table.now + Duration::from_secs(10)));
    table.play(BLUE, Color::Blue, "set A 5,0");
    assert_eq!(table.alarm(), None);
}

#[test]
fn sides_without_timeout_have_no_limit() {
    let mut table = Table::start_game(|setup| setup.seats.red.can_timeout = false);
    assert_eq!(table.alarm(), None);
    table.advance_clock(60_000);
    table.play(RED, Color::Red, "set A 0,0");
    assert_eq!(table.result(), None);
    assert!(table.alarm().is_some());
}

#[test]
fn sides_have_their_own_limits() {
    let second = Duration::from_secs(1);
    let mut table = Table::start_game(|setup| {
        let [soft, hard] = [second; 2];
        setup.time_limits.blue = Some(TimeLimits { soft, hard });
    });
    table.advance_clock(1_500);
    table.play(RED, Color::Red, "set A 0,0");
    table.advance_clock(1_001);
    table.play(BLUE, Color::Blue, "set A 1,0");
    assert_eq!(table.causes(), Some([Cause::Regular, Cause::SoftTimeout]));
    let times = table.effects.iter().find_map(|effect| match effect {
        Effect::GameOver(game) => Some(game.times.clone()),
        _ => None,
    });
    assert_eq!(times, Some(vec![Duration::from_millis(1_500)]));
}

#[test]
fn switched_limits_start_with_the_next_request() {
    let mut table = Table::start_game(|_| {});
    table.room.set_timeout(Color::Red, false);
    table.room.set_timeout(Color::Blue, false);
    table.advance_clock(3_000);
    table.play(RED, Color::Red, "set A 0,0");
    assert_eq!(table.causes(), Some([Cause::SoftTimeout, Cause::Regular]));

    let mut table = Table::start_game(|_| {});
    table.room.set_timeout(Color::Blue, false);
    table.play(RED, Color::Red, "set A 0,0");
    table.advance_clock(30_000);
    table.play(BLUE, Color::Blue, "set A 1,0");
    assert_eq!(table.result(), None);
}

#[test]
fn pauses_between_plies_take_no_time() {
    let mut table = Table::start_game(|_| {});
    table.act(|room, now| room.pause(true, now));
    table.play(RED, Color::Red, "set A 0,0");
    assert_eq!(table.alarm(), None);
    table.advance_clock(60_000);
    table.act(|room, now| room.step(false, now));
    table.advance_clock(1_000);
    table.play(BLUE, Color::Blue, "set A 1,0");
    assert_eq!(table.result(), None);
}
