use rand::seq::IndexedRandom;
use rand::{Rng, RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::*;
use crate::hive::contest::{Deal, Kind, Move, MoveList, Position, random_brambles};
use crate::hive::{ByColor, Color, Piece};
use crate::protocol::{RoomId, WireAction, WirePlace};
use crate::protocol::{ServerData, ServerMessage, WireField, WireMove, WireState};

fn names() -> ByColor<String> {
    ByColor {
        red: "Rot".to_owned(),
        blue: "Blau".to_owned(),
    }
}

/// A state in the middle of a game, with a stack.
fn state() -> WireState {
    let position: Position = "12 -4,0;3,1;5,0 1,2:bB;2,0:bArB;2,1:bQ;3,-1:rQ AAAGGSS/AABGSSS"
        .parse()
        .unwrap();
    WireState::new(&position, names(), None)
}

fn field(state: &mut WireState, x: i64, y: i64) -> &mut Option<WireField> {
    let index = |c: i64| usize::try_from(c + 5).unwrap();
    &mut state.board[index(x)][index(y)]
}

fn error(change: impl FnOnce(&mut WireState)) -> String {
    let mut state = state();
    change(&mut state);
    state.position().unwrap_err().to_string()
}

fn random_game(rng: &mut impl Rng, deal: Deal, mut visit: impl FnMut(&Position, Option<Move>)) {
    let mut position = deal.start(random_brambles(rng));
    visit(&position, None);
    loop {
        let mut moves = MoveList::new();
        position.legal_moves(&mut moves);
        let Some(&mv) = moves.choose(rng) else {
            return;
        };
        position.play(mv);
        visit(&position, Some(mv));
    }
}

#[test]
fn positions_of_random_games_survive_the_wire() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    for deal in [Deal::Server, Deal::Rulebook] {
        for _ in 0..3 {
            random_game(&mut rng, deal, |position, last_move| {
                let mover = position.side_to_move().opponent();
                let wire = last_move.map(|mv| WireMove::new(mv, mover, None));
                let message = ServerMessage::Room {
                    room: RoomId("7".to_owned()),
                    data: ServerData::State(Box::new(WireState::new(position, names(), wire))),
                };
                let read = ServerMessage::read(&message.to_xml()).unwrap();
                assert_eq!(read, message);
                let ServerMessage::Room {
                    data: ServerData::State(state),
                    ..
                } = read
                else {
                    panic!("{read:?}");
                };
                assert_eq!(state.position().as_ref(), Ok(position));
                assert_eq!(state.last_move(), Ok(last_move));
            });
        }
    }
}

#[test]
fn boards_of_another_shape_are_refused() {
    assert_eq!(
        error(|s| s.board.truncate(10)),
        "the board has 10 groups of fields, not 11"
    );
    assert_eq!(
        error(|s| s.board[3].push(None)),
        "the board's group of fields with x = -2 has 12 entries, not 11"
    );
    assert_eq!(
        error(|s| *field(s, 2, 3) = None),
        "the board has no field at (2,3)"
    );
    assert_eq!(
        error(|s| *field(s, 5, 5) = field(s, 0, 0).clone()),
        "the board has a field at (5,5), which is outside of it"
    );
    assert_eq!(
        error(|s| s.board.swap(0, 10)),
        "the board has a field at (-5,-5), which is outside of it"
    );
}

#[test]
fn fields_at_the_wrong_place_are_refused() {
    assert_eq!(
        error(|s| *field(s, 0, 0) = field(s, 0, 1).clone()),
        "the field at (0,0) says that it is at (0,1,-1)"
    );
    assert_eq!(
        error(|s| field(s, 0, 0).as_mut().unwrap().at.z = i64::MIN),
        format!("the field at (0,0) says that it is at (0,0,{})", i64::MIN)
    );
}

#[test]
fn impossible_stacks_and_reserves_are_refused() {
    let put = |s: &mut WireState, x, y, kind| {
        let pieces = &mut field(s, x, y).as_mut().unwrap().pieces;
        pieces.push(Piece::new(Color::Red, kind));
    };
    assert_eq!(
        error(|s| put(s, 2, 0, Kind::Spider)),
        "impossible stack at (2,0): rS cannot stand on another piece"
    );
    assert_eq!(
        error(|s| put(s, 3, 1, Kind::Spider)),
        "there is a piece on the obstacle at (3,1)"
    );
    assert_eq!(
        error(|s| put(s, -5, 0, Kind::Spider)),
        "the pieces do not form one connected hive"
    );
    assert_eq!(
        error(|s| s.reserves.blue.push(Piece::new(Color::Blue, Kind::Bee))),
        "blue has 2 pieces of kind Q; there are at most 1"
    );
    assert_eq!(
        error(|s| s.reserves.blue = vec![Piece::new(Color::Blue, Kind::Ant); 300]),
        "blue has 256 pieces of kind A; there are at most 3"
    );
    assert_eq!(
        error(|s| s.reserves.blue.push(Piece::new(Color::Red, Kind::Ant))),
        "blue's undeployed pieces hold one of the other side"
    );
}

#[test]
fn turns_that_contradict_are_refused() {
    assert_eq!(
        error(|s| s.current_player = Color::Blue),
        "at turn 12 it is not blue's turn"
    );
    assert_eq!(
        error(|s| s.start_player = Color::Blue),
        "the game was begun by blue"
    );
    assert_eq!(error(|s| s.turn = -2), "-2 is not a turn of a game");
    assert_eq!(
        error(|s| s.turn = 1 << 40),
        "1099511627776 is not a turn of a game"
    );
    assert_eq!(
        error(|s| s.turn = 62),
        "turn 62 is beyond the last turn, 60"
    );
}

#[test]
fn wire_moves_that_cannot_be_moves_are_refused() {
    let at = |x, y, z| WirePlace::plain(WireCoordinates { x, y, z });
    let piece = Piece::new(Color::Red, Kind::Ant);
    let error = |action, mover| {
        let mv = WireMove { hint: None, action };
        mv.to_move(mover).unwrap_err().to_string()
    };
    let set = |destination| WireAction::Set { piece, destination };
    assert_eq!(
        error(set(at(9, 9, -18)), Color::Red),
        "the destination (9,9,-18) is not on the board"
    );
    assert_eq!(
        error(set(at(256, 0, -256)), Color::Red),
        "the destination (256,0,-256) is not on the board"
    );
    assert_eq!(
        error(set(at(i64::MAX, i64::MAX, i64::MAX)), Color::Red),
        format!(
            "the destination ({0},{0},{0}) does not satisfy x + y + z = 0",
            i64::MAX
        )
    );
    assert_eq!(
        error(set(at(1, 2, -3)), Color::Blue),
        "blue cannot place a piece of the other side"
    );
    let drag = WireAction::Drag {
        start: at(-6, 0, 6),
        destination: at(0, 0, 0),
    };
    assert_eq!(
        error(drag, Color::Red),
        "the start (-6,0,6) is not on the board"
    );
}

#[test]
fn every_change_of_a_number_gives_an_error_or_a_position() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(2);
    let message = ServerMessage::Room {
        room: RoomId("7".to_owned()),
        data: ServerData::State(Box::new(state())),
    };
    let text = message.to_xml().into_bytes();
    for _ in 0..2_000 {
        let mut changed = text.clone();
        let at = rng.random_range(0..changed.len());
        changed[at] = *b"0159-ab\"<> /=RBxyz".choose(&mut rng).unwrap();
        let changed = String::from_utf8(changed).unwrap();
        if let Ok(ServerMessage::Room {
            data: ServerData::State(state),
            ..
        }) = ServerMessage::read(&changed)
        {
            let _ = state.position();
        }
    }
}
