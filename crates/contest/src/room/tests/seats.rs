//! Seats and observers.

use super::*;

#[test]
fn prepared_rooms_keep_quiet_until_both_players_are_there() {
    let mut table = Table::new(|_| {});
    table.tell(|room, _| room.observe(ADMIN));
    table.join(BLUE, Color::Blue);
    assert_eq!(table.heard(BLUE), [""; 0]);
    table.join(RED, Color::Red);
    assert_eq!(
        table.heard(RED),
        ["joined", "welcome red", "state 0", "request"]
    );
    assert_eq!(table.heard(BLUE), ["joined", "welcome blue", "state 0"]);
    assert_eq!(table.heard(ADMIN), ["observed", "state 0"]);
}

#[test]
fn rooms_opened_by_joining_answer_at_once() {
    let mut table = Table::new(|setup| setup.origin = Origin::Joined);
    table.join(RED, Color::Red);
    assert_eq!(table.heard(RED), ["joined"]);
    table.join(BLUE, Color::Blue);
    assert_eq!(
        table.heard(RED),
        ["joined", "welcome red", "state 0", "request"]
    );
    assert_eq!(table.heard(BLUE), ["joined", "welcome blue", "state 0"]);
}

#[test]
fn a_prepared_seat_left_before_the_game_is_lost_when_the_game_starts() {
    let mut table = Table::new(|_| {});
    table.join(RED, Color::Red);
    table.tell(|room, now| room.leave(RED, now));
    assert!(!table.room.is_over());
    table.join(BLUE, Color::Blue);
    assert_eq!(
        table.heard(BLUE),
        [
            "joined",
            "welcome blue",
            "state 0",
            "result",
            "left",
            "released"
        ]
    );
    assert_eq!(table.causes(), Some([Cause::Left, Cause::Regular]));
}

#[test]
fn a_joined_seat_left_before_the_game_is_open_again() {
    let mut table = Table::new(|setup| setup.origin = Origin::Joined);
    table.join(RED, Color::Red);
    table.tell(|room, now| room.leave(RED, now));
    let seat_opened = Effect::SeatOpened(Color::Red);
    assert!(table.effects.ends_with(&[seat_opened, Effect::Unused]));
    table.join(BLUE, Color::Blue);
    table.join(RED, Color::Red);
    assert_eq!(table.heard(RED).last().unwrap(), "request");
}

#[test]
fn leaving_observers_hear_nothing_more_and_disturb_nobody() {
    let mut table = Table::playing(|_| {});
    table.tell(|room, now| room.leave(ADMIN, now));
    table.play(RED, Color::Red, "set A 0,0");
    assert_eq!(table.heard(ADMIN), [""; 0]);
    assert_eq!(table.heard(BLUE), ["state 1", "request"]);
}

#[test]
fn late_observers_hear_nothing_until_the_next_ply() {
    let mut table = Table::playing(|_| {});
    let late = ClientId(9);
    table.tell(|room, _| room.observe(late));
    table.tell(|room, _| room.observe(late));
    assert_eq!(table.heard(late), ["observed", "observed"]);
    table.effects.clear();
    table.play(RED, Color::Red, "set A 0,0");
    assert_eq!(table.heard(late), ["state 1"]);
}

#[test]
fn one_client_may_play_both_sides() {
    let mut table = Table::new(|_| {});
    table.join(RED, Color::Red);
    table.join(RED, Color::Blue);
    table.play(RED, Color::Red, "set A 0,0");
    table.play(RED, Color::Blue, "set A 1,0");
    assert_eq!(table.result(), None);
    assert_eq!(
        table.heard(RED)[4..],
        [
            "state 0", "request", "state 1", "request", "state 2", "request"
        ]
    );
    table.tell(|room, now| room.leave(RED, now));
    assert_eq!(table.causes(), Some([Cause::Left, Cause::Left]));
}

#[test]
fn a_loaded_position_begins_with_its_own_side_to_move() {
    let mut position = Deal::Server.start(CellSet::EMPTY);
    position.play("set A 0,0".parse().unwrap());
    let mut table = Table::new(|setup| setup.start.position = position);
    table.join(RED, Color::Red);
    table.join(BLUE, Color::Blue);
    assert_eq!(table.heard(BLUE).last().unwrap(), "request");
}

#[test]
fn a_loaded_position_that_is_over_ends_at_once() {
    let over = Setup {
        turn: 60,
        ..Deal::Server.start(CellSet::EMPTY).to_setup()
    };
    let mut table = Table::new(|setup| setup.start.position = over.build().unwrap());
    table.join(RED, Color::Red);
    table.join(BLUE, Color::Blue);
    assert_eq!(
        table.heard(RED)[2..],
        ["state 60", "result", "left", "released"]
    );
    assert_eq!(table.match_points(), Some([1, 1]));
}
