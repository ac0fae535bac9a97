//! Faults of players.

use super::*;

#[test]
fn an_illegal_move_loses_with_an_error_to_the_culprit_and_the_observers() {
    let mut table = Table::playing(|_| {});
    table.play(RED, Color::Red, "set A 0,0");
    table.effects.clear();
    table.play(BLUE, Color::Blue, "set A 3,0");
    let complaint = "Your first piece has to touch the piece of the other player; \
                     move was Set BLUE ANT to (3,0,-3)";
    let to_culprit = format!("error Ungueltiger Zug von 'B'.\n{complaint}");
    assert_eq!(
        table.heard(BLUE),
        [to_culprit.as_str(), "result", "left", "expelled"]
    );
    assert_eq!(
        table.heard(ADMIN),
        [format!("error {complaint}").as_str(), "result", "left"]
    );
    assert_eq!(table.heard(RED), ["result", "left", "released"]);
    assert_eq!(table.causes(), Some([Cause::Regular, Cause::RuleViolation]));
    let reason = &table.result().unwrap().scores.blue.reason;
    assert_eq!(reason.as_deref(), Some(complaint));
}

#[test]
fn who_moves_out_of_turn_is_thrown_out_and_has_left_when_its_turn_comes() {
    let mut table = Table::playing(|_| {});
    table.play(BLUE, Color::Blue, "set A 0,0");
    assert_eq!(
        table.heard(BLUE),
        ["error It's not your turn yet.", "expelled"]
    );
    assert_eq!(table.heard(RED), [""; 0]);
    assert_eq!(table.heard(ADMIN), [""; 0]);
    table.tell(|room, now| room.leave(BLUE, now));
    assert_eq!(table.result(), None);
    table.play(RED, Color::Red, "set A 0,0");
    assert_eq!(table.heard(RED), ["state 1", "result", "left", "released"]);
    assert_eq!(table.causes(), Some([Cause::Regular, Cause::Left]));
}

#[test]
fn who_leaves_a_running_game_loses() {
    for (client, causes, points) in [
        (RED, [Cause::Left, Cause::Regular], [0, 2]),
        (BLUE, [Cause::Regular, Cause::Left], [2, 0]),
    ] {
        let mut table = Table::playing(|_| {});
        table.tell(|room, now| room.leave(client, now));
        assert_eq!(table.causes(), Some(causes));
        assert_eq!(table.match_points(), Some(points));
        assert_eq!(table.heard(client), [""; 0]);
        assert!(table.room.is_over());
    }
}

#[test]
fn a_malformed_message_is_told_of_the_side_that_has_sent_it() {
    let mut table = Table::playing(|_| {});
    table.room.blame(RED, "at byte 3");
    table.tell(|room, now| room.leave(RED, now));
    assert_eq!(table.causes(), Some([Cause::Left, Cause::Regular]));
    let expected = "red sent a malformed message (at byte 3)";
    assert_eq!(table.reason(Color::Red), Some(expected));
    // A seat that somebody else takes before the game has no past.
    let mut table = Table::new(|setup| setup.origin = Origin::Joined);
    table.join(RED, Color::Red);
    table.room.blame(RED, "at byte 3");
    table.tell(|room, now| room.leave(RED, now));
    table.join(RED, Color::Red);
    table.join(BLUE, Color::Blue);
    table.tell(|room, now| room.leave(RED, now));
    let expected = "Der Spieler hat das Spiel verlassen";
    assert_eq!(table.reason(Color::Red), Some(expected));
}

#[test]
fn strangers_are_thrown_out_and_disturb_nobody() {
    let mut table = Table::playing(|_| {});
    let stranger = ClientId(99);
    table.play(stranger, Color::Red, "set A 0,0");
    assert_eq!(table.effects, [Effect::Expel(stranger)]);
}
