//! Faults by players.

use super::*;

#[test]
fn malformed_messages_are_the_reason_for_leaving() {
    let mut table = Table::start_game(|_| {});
    table
        .room
        .blame(RED, "sent a malformed message (at byte 3)");
    table.act(|room, now| room.leave(RED, now));
    assert_eq!(table.causes(), Some([Cause::Left, Cause::Regular]));
    let expected = "red sent a malformed message (at byte 3)";
    assert_eq!(table.reason(Color::Red), Some(expected));
    // A new player in the seat must not be blamed for its predecessor's message.
    let mut table = Table::new(|setup| setup.origin = Origin::Joined);
    table.join(RED, Color::Red);
    table
        .room
        .blame(RED, "sent a malformed message (at byte 3)");
    table.act(|room, now| room.leave(RED, now));
    table.join(RED, Color::Red);
    table.join(BLUE, Color::Blue);
    table.act(|room, now| room.leave(RED, now));
    let expected = "Der Spieler hat das Spiel verlassen";
    assert_eq!(table.reason(Color::Red), Some(expected));
}

#[test]
fn moves_of_other_clients_expel_them() {
    let mut table = Table::start_game(|_| {});
    let outsider = ClientId(99);
    table.play(outsider, Color::Red, "set A 0,0");
    assert_eq!(table.effects, [Effect::Expel(outsider)]);
}
