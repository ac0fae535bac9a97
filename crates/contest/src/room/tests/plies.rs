//! States, requests and results.

use super::*;

#[test]
fn every_ply_goes_to_everybody_and_the_request_to_the_side_to_move() {
    let mut table = Table::playing(|_| {});
    table.play(RED, Color::Red, "set A 0,0");
    assert_eq!(table.heard(RED), ["state 1"]);
    assert_eq!(table.heard(BLUE), ["state 1", "request"]);
    assert_eq!(table.heard(ADMIN), ["state 1"]);
}

#[test]
fn moves_are_echoed_as_they_came() {
    let mut table = Table::playing(|_| {});
    let hint = Some("a <hint>".to_owned());
    let mv = WireMove::new("set A 0,0".parse().unwrap(), Color::Red, hint);
    let sent = mv.clone();
    table.tell(|room, now| room.play(RED, sent, now, now));
    let echoed = table.effects.iter().find_map(|effect| match effect {
        Effect::Send {
            message:
                ServerMessage::Room {
                    data: ServerData::State(state),
                    ..
                },
            ..
        } => state.last_move.clone(),
        _ => None,
    });
    assert_eq!(echoed, Some(mv));
}

#[test]
fn hints_of_a_game_are_kept_up_to_a_limit() {
    let mut table = Table::playing(|_| {});
    let mut position = Deal::Server.start(CellSet::EMPTY);
    while table.result().is_none() {
        let mut moves = MoveList::new();
        position.legal_moves(&mut moves);
        let color = position.side_to_move();
        let hint = Some("x".repeat(4_000));
        let mv = WireMove::new(moves[0], color, hint);
        let player = [RED, BLUE][usize::from(color == Color::Blue)];
        table.tell(|room, now| room.play(player, mv, now, now));
        position.play(moves[0]);
    }
    let kept = table.effects.iter().find_map(|effect| match effect {
        Effect::GameOver(game) => Some(game.moves.iter().filter_map(|mv| mv.hint.as_ref())),
        _ => None,
    });
    assert_eq!(kept.unwrap().map(String::len).sum::<usize>(), 32_000);
}

#[test]
fn whole_games_end_by_the_rules() {
    let mut table = Table::playing(|_| {});
    let mut position = Deal::Server.start(CellSet::EMPTY);
    while position.outcome().is_none() {
        let mut moves = MoveList::new();
        position.legal_moves(&mut moves);
        let mv = moves[usize::from(position.turn()) * 7 % moves.len()];
        let color = position.side_to_move();
        let from = if color == Color::Red { RED } else { BLUE };
        table.play(from, color, &mv.to_string());
        position.play(mv);
    }
    assert_eq!(table.causes(), Some([Cause::Regular, Cause::Regular]));
    let outcome = position.outcome().unwrap();
    let result = table.result().unwrap();
    let winner = result.winner.as_ref().map(|winner| winner.color);
    assert_eq!(winner, outcome.winner());
    let game = table.effects.iter().find_map(|effect| match effect {
        Effect::GameOver(game) => Some(game),
        _ => None,
    });
    let states: Vec<_> = game.unwrap().states().collect();
    assert_eq!(states.len(), usize::from(position.turn()) + 1);
    assert_eq!(states.last().unwrap().position(), Ok(position));
}
