use rand::seq::IndexedRandom;
use rand::{Rng, RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::*;
use crate::protocol::moves::{WireAction, WirePlace};
use crate::protocol::server_message::{ServerData, ServerMessage};
use crate::protocol::values::RoomId;
use wabe_hive::contest::{Deal, Move, MoveList, random_brambles};

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

fn text(state: WireState) -> String {
    let room = RoomId("7".to_owned());
    let data = ServerData::State(Box::new(state));
    ServerMessage::Room { room, data }.to_xml()
}

/// The error from reading [`state`] after replacing the first `from` in its text by `to`.
fn error(from: &str, to: &str) -> String {
    let text = text(state());
    assert!(text.contains(from), "{from}");
    error_of(&text.replacen(from, to, 1))
}

/// The error from reading a state, or from making a position of it.
fn error_of(text: &str) -> String {
    match ServerMessage::read(text) {
        Ok(ServerMessage::Room {
            data: ServerData::State(state),
            ..
        }) => state.position().unwrap_err().to_string(),
        other => other.unwrap_err().to_string(),
    }
}

/// The error from reading [`state`] after adding pieces to a field.
fn error_with_pieces(x: i8, y: i8, pieces: &str) -> String {
    let hex = Hex::new(x, y);
    let field = format!("<field x=\"{x}\" y=\"{y}\" z=\"{}\" isObstructed", hex.z());
    let text = text(state());
    let at = text.find(&field).unwrap();
    let end = at + text[at..].find('>').unwrap();
    let changed = match text[..end].strip_suffix('/') {
        Some(open) => format!("{open}>{pieces}</field>{}", &text[end + 1..]),
        None => {
            let close = end + text[end..].find("</field>").unwrap();
            format!("{}{pieces}{}", &text[..close], &text[close..])
        }
    };
    error_of(&changed)
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
                let written = WireState::new(position, names(), wire);
                let read = ServerMessage::read(&text(written.clone())).unwrap();
                let ServerMessage::Room {
                    data: ServerData::State(state),
                    ..
                } = read
                else {
                    panic!("{read:?}");
                };
                assert_eq!(*state, written);
                assert_eq!(state.position().as_ref(), Ok(position));
            });
        }
    }
}

#[test]
fn boards_of_another_shape_are_refused() {
    let path = "in room/data/state/board";
    assert_eq!(
        error("<board>", "<board><fields/>"),
        format!("{path}/fields: the group of fields with x = -5 has 0 entries, not 11")
    );
    assert_eq!(
        error("</board>", "<fields/></board>"),
        format!("{path}: the board has 12 groups of fields, not 11")
    );
    assert_eq!(
        error("</fields>", "<null/></fields>"),
        format!("{path}/fields: the group of fields with x = -5 has 12 entries, not 11")
    );
    assert_eq!(
        error("<field x=\"2\" y=\"3\"", "<null/><field x=\"2\" y=\"3\""),
        format!("{path}/fields/null: the board has no field at (2,3)")
    );
    assert_eq!(
        error("<null/>", "<field x=\"-5\" y=\"-5\" z=\"10\"/>"),
        format!("{path}/fields/field: (-5,-5) is not a field of the board")
    );
}

#[test]
fn fields_at_the_wrong_place_are_refused() {
    let path = "in room/data/state/board/fields/field";
    let field = "x=\"0\" y=\"0\" z=\"0\"";
    assert_eq!(
        error(field, "x=\"0\" y=\"1\" z=\"-1\""),
        format!("{path}: the field at (0,0) has the coordinates (0,1,-1)")
    );
    assert_eq!(
        error(field, &format!("x=\"0\" y=\"0\" z=\"{}\"", i64::MIN)),
        format!(
            "{path}: the field at (0,0) has the coordinates (0,0,{})",
            i64::MIN
        )
    );
}

#[test]
fn impossible_stacks_and_reserves_are_refused() {
    let spider = "<piece owner=\"RED\" type=\"SPIDER\"/>";
    let bee = "<piece owner=\"BLUE\" type=\"BEE\"/>";
    let ant = "<piece owner=\"BLUE\" type=\"ANT\"/>";
    assert_eq!(
        error_with_pieces(2, 0, spider),
        "impossible stack at (2,0): rS cannot stand on another piece"
    );
    assert_eq!(
        error_with_pieces(3, 1, spider),
        "there is a piece on the obstacle at (3,1)"
    );
    assert_eq!(
        error_with_pieces(-5, 0, spider),
        "the pieces do not form one connected hive"
    );
    let reserve = "</undeployedBluePieces>";
    assert_eq!(
        error(reserve, &format!("{bee}{reserve}")),
        "blue has 2 pieces of kind Q; there are at most 1"
    );
    assert_eq!(
        error(reserve, &(ant.repeat(300) + reserve)),
        "blue has 256 pieces of kind A; there are at most 3"
    );
}

#[test]
fn turns_that_contradict_are_refused() {
    for (from, to, expected) in [
        (
            "currentPlayerColor=\"RED\"",
            "currentPlayerColor=\"BLUE\"",
            "at turn 12 it is not blue's turn",
        ),
        (
            "turn=\"12\"",
            "turn=\"1099511627776\"",
            "at turn 65535 it is not red's turn",
        ),
        (
            "turn=\"12\"",
            "turn=\"62\"",
            "turn 62 is beyond the last turn, 60",
        ),
    ] {
        assert_eq!(error(from, to), expected);
    }
}

#[test]
fn unreadable_last_moves_are_ignored() {
    for last_move in [
        "<lastMove/>",
        "<lastMove class='jump'/>",
        "<lastMove class='setmove'><piece owner='RED'/></lastMove>",
        "<lastMove class='dragmove'><start x='a' y='0' z='0'><a><b/></a></start></lastMove>",
    ] {
        let text = text(state()).replace("</state>", &format!("{last_move}</state>"));
        let ServerMessage::Room {
            data: ServerData::State(read),
            ..
        } = ServerMessage::read(&text).unwrap()
        else {
            panic!("{last_move}");
        };
        assert_eq!(*read, state(), "{last_move}");
    }
}

#[test]
fn undecodable_texts_are_kept_as_sent() {
    let sent = text(state()).replace("Rot", "&#0;&foo;").replace(
        "</state>",
        "<lastMove class='skipmove'><hint>a&#0;&#xD800;</hint></lastMove></state>",
    );
    let ServerMessage::Room {
        data: ServerData::State(read),
        ..
    } = ServerMessage::read(&sent).unwrap()
    else {
        panic!("{sent}");
    };
    assert_eq!(read.names.red, "&#0;&foo;");
    let hint = read.last_move.unwrap().hint;
    assert_eq!(hint.as_deref(), Some("a\u{fffd}\u{fffd}"));
}

#[test]
fn wire_moves_that_cannot_be_moves_are_refused() {
    let at = |x, y, z| WirePlace::plain(WireCoordinates { x, y, z });
    let piece = Piece::new(Color::Red, Kind::Ant).into();
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
fn no_changed_byte_makes_reading_a_state_panic() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(2);
    let text = text(state()).into_bytes();
    for _ in 0..2_000 {
        let mut changed = text.clone();
        let at = rng.random_range(0..changed.len());
        changed[at] = *b"0159-ab\"<> /=RBxyz".choose(&mut rng).unwrap();
        let _ = ServerMessage::read(&String::from_utf8(changed).unwrap());
    }
}
