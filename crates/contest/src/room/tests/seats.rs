//! Seats and observers.

use super::*;

#[test]
fn leaving_a_prepared_seat_forfeits_the_game() {
    let mut table = Table::new(|_| {});
    table.join(RED, Color::Red);
    table.act(|room, now| room.leave(RED, now));
    assert!(!table.room.is_over());
    table.join(BLUE, Color::Blue);
    assert_eq!(
        table.received(BLUE),
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
fn leaving_a_joined_seat_opens_it() {
    let mut table = Table::new(|setup| setup.origin = Origin::Joined);
    table.join(RED, Color::Red);
    table.act(|room, now| room.leave(RED, now));
    let seat_opened = Effect::SeatOpened(Color::Red);
    assert!(table.effects.ends_with(&[seat_opened, Effect::Unused]));
    table.join(BLUE, Color::Blue);
    table.join(RED, Color::Red);
    assert_eq!(table.received(RED).last().unwrap(), "request");
}

#[test]
fn observers_may_leave() {
    let mut table = Table::start_game(|_| {});
    table.act(|room, now| room.leave(ADMIN, now));
    table.play(RED, Color::Red, "set A 0,0");
    assert_eq!(table.received(ADMIN), [""; 0]);
    assert_eq!(table.received(BLUE), ["state 1", "request"]);
}

#[test]
fn late_observers_get_the_next_ply() {
    let mut table = Table::start_game(|_| {});
    let late = ClientId(9);
    table.act(|room, _| room.observe(late));
    table.act(|room, _| room.observe(late));
    assert_eq!(table.received(late), ["observed", "observed"]);
    table.effects.clear();
    table.play(RED, Color::Red, "set A 0,0");
    assert_eq!(table.received(late), ["state 1"]);
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
        table.received(RED)[4..],
        [
            "state 0", "request", "state 1", "request", "state 2", "request"
        ]
    );
    table.effects.clear();
    table.act(|room, now| room.leave(RED, now));
    assert_eq!(table.causes(), Some([Cause::Left, Cause::Left]));
    // The server's spectator gets them even if no client does.
    assert_eq!(table.sent(), ["result", "left"]);
}

#[test]
fn loaded_positions_keep_their_side_to_move() {
    let mut position = Deal::Contest.start(CellSet::EMPTY);
    position.play("set A 0,0".parse().unwrap());
    let mut table = Table::new(|setup| setup.start.position = position);
    table.join(RED, Color::Red);
    table.join(BLUE, Color::Blue);
    assert_eq!(table.received(BLUE).last().unwrap(), "request");
}

#[test]
fn loaded_positions_may_be_over() {
    let over = Setup {
        turn: 60,
        ..Deal::Contest.start(CellSet::EMPTY).to_setup()
    };
    let mut table = Table::new(|setup| setup.start.position = over.build().unwrap());
    table.join(RED, Color::Red);
    table.join(BLUE, Color::Blue);
    assert_eq!(
        table.received(RED)[2..],
        ["state 60", "result", "left", "released"]
    );
    assert_eq!(table.match_points(), Some([1, 1]));
}
