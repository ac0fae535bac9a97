//! Administrators' requests.

use super::*;

#[test]
fn paused_games_go_on_step_by_step() {
    let mut table = Table::new(|setup| setup.paused = true);
    table.tell(|room, _| room.observe(ADMIN));
    table.join(RED, Color::Red);
    table.join(BLUE, Color::Blue);
    assert_eq!(table.heard(RED), ["joined", "welcome red"]);
    table.effects.clear();
    table.tell(|room, now| room.step(false, now));
    assert_eq!(table.heard(RED), ["state 0", "request"]);
    table.tell(|room, now| room.step(false, now));
    assert_eq!(table.heard(RED).len(), 2, "one request at a time");
    table.effects.clear();
    table.play(RED, Color::Red, "set A 0,0");
    assert_eq!(table.heard(RED), [""; 0]);
    assert_eq!(table.heard(ADMIN), [""; 0]);
    table.tell(|room, now| room.pause(false, now));
    assert_eq!(table.heard(BLUE), ["state 1", "request"]);
    assert_eq!(table.heard(ADMIN), ["state 1"]);
}

#[test]
fn pausing_lets_a_pending_request_be_answered() {
    let mut table = Table::playing(|_| {});
    table.tell(|room, now| room.pause(true, now));
    table.play(RED, Color::Red, "set A 0,0");
    assert_eq!(table.heard(BLUE), [""; 0]);
    table.tell(|room, now| room.pause(false, now));
    assert_eq!(table.heard(BLUE), ["state 1", "request"]);
    table.tell(|room, now| room.pause(false, now));
    assert_eq!(table.heard(BLUE).len(), 2, "nothing to let go on");
}

#[test]
fn moving_in_a_paused_game_without_a_request_is_leaving_it() {
    let mut table = Table::playing(|setup| setup.paused = true);
    table.play(RED, Color::Red, "set A 0,0");
    assert_eq!(
        table.heard(RED),
        ["error We didn't request a data from you yet.", "expelled"]
    );
    assert_eq!(table.causes(), Some([Cause::Left, Cause::Regular]));
}

#[test]
fn a_forced_step_ends_a_game_whose_player_never_came() {
    let mut table = Table::new(|_| {});
    table.tell(|room, _| room.observe(ADMIN));
    table.join(RED, Color::Red);
    table.tell(|room, now| room.step(false, now));
    assert_eq!(table.heard(RED), [""; 0]);
    table.tell(|room, now| room.step(true, now));
    assert_eq!(table.causes(), Some([Cause::Regular, Cause::Left]));
    assert_eq!(table.heard(ADMIN).last().unwrap(), "left");
}

#[test]
fn a_forced_step_ends_a_game_to_which_nobody_came_without_a_winner() {
    let mut table = Table::new(|_| {});
    table.tell(|room, _| room.observe(ADMIN));
    table.tell(|room, now| room.step(true, now));
    assert_eq!(table.causes(), Some([Cause::Left, Cause::Left]));
    assert_eq!(table.match_points(), Some([0, 0]));
    assert_eq!(table.result().unwrap().winner, None);
}

#[test]
fn cancelling_ends_a_game_without_a_result() {
    let mut table = Table::playing(|_| {});
    table.tell(|room, _| room.cancel());
    for client in [RED, BLUE] {
        assert_eq!(table.heard(client), ["left", "released"]);
    }
    assert_eq!(table.heard(ADMIN), ["left"]);
    assert_eq!(table.result(), None);
    assert!(table.room.is_over());
    table.effects.clear();
    table.tell(|room, _| room.cancel());
    assert_eq!(table.effects, []);
}
