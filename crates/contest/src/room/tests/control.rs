//! Requests by administrators.

use super::*;

#[test]
fn pause_waits_for_the_pending_reply() {
    let mut table = Table::start_game(|_| {});
    table.act(|room, now| room.pause(true, now));
    table.play(RED, Color::Red, "set A 0,0");
    assert_eq!(table.received(BLUE), [""; 0]);
    table.act(|room, now| room.pause(false, now));
    assert_eq!(table.received(BLUE), ["state 1", "request"]);
    table.act(|room, now| room.pause(false, now));
    assert_eq!(table.received(BLUE).len(), 2, "resumed twice");
}

#[test]
fn unrequested_moves_in_a_pause_lose() {
    let mut table = Table::start_game(|setup| setup.paused = true);
    table.play(RED, Color::Red, "set A 0,0");
    assert_eq!(
        table.received(RED),
        ["error We didn't request a data from you yet.", "expelled"]
    );
    assert_eq!(table.causes(), Some([Cause::Left, Cause::Regular]));
    let reason = table.reason(Color::Red);
    assert_eq!(reason, Some("red sent a move without a request"));
}

#[test]
fn forced_step_starts_without_missing_players() {
    for (players, causes) in [
        (&[RED][..], [Cause::Regular, Cause::Left]),
        (&[], [Cause::Left; 2]),
    ] {
        let mut table = Table::new(|_| {});
        table.act(|room, _| room.observe(ADMIN));
        for &player in players {
            table.join(player, Color::Red);
        }
        table.act(|room, now| room.step(false, now));
        assert_eq!(table.result(), None);
        table.act(|room, now| room.step(true, now));
        assert_eq!(table.causes(), Some(causes));
        let points = [2 * players.len() as i64, 0];
        assert_eq!(table.match_points(), Some(points));
        assert_eq!(table.received(ADMIN).last().unwrap(), "left");
    }
}
