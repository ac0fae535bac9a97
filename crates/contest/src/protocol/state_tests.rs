use rand::seq::IndexedRandom;
use rand::{Rng, RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::*;
use crate::protocol::moves::{WireAction, WirePlace};
use crate::protocol::server_message::{ServerData, ServerMessage};
use crate::protocol::values::RoomId;
use wabe_hive::contest::{Deal, Move, random_brambles};

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

/// Reads a state from its text.
fn read(text: &str) -> Result<Box<WireState>, ReadError> {
    match ServerMessage::read(text)? {
        ServerMessage::Room {
            data: ServerData::State(state),
            ..
        } => Ok(state),
        other => panic!("{other:?}"),
    }
}

fn random_game(rng: &mut impl Rng, deal: Deal, mut visit: impl FnMut(&Position, Option<Move>)) {
    let mut position = deal.start(random_brambles(rng));
    visit(&position, None);
    loop {
        let moves = position.legal_moves();
        let Some(&mv) = moves.choose(rng) else {
            return;
        };
        position.play(mv);
        visit(&position, Some(mv));
    }
}

#[test]
fn states_of_random_games_round_trip() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    for deal in [Deal::Contest, Deal::Rulebook] {
        for _ in 0..3 {
            random_game(&mut rng, deal, |position, last_move| {
                let mover = position.side_to_move().opponent();
                let wire = last_move.map(|mv| WireMove::new(mv, mover, None));
                let written = WireState::new(position, names(), wire);
                let state = read(&text(written.clone())).unwrap();
                assert_eq!(*state, written);
                assert_eq!(state.position().as_ref(), Ok(position));
            });
        }
    }
}

#[test]
fn malformed_states_are_rejected() {
    let board = "in room/data/state/board";
    let field = format!("{board}/fields/field");
    let reserve = "</undeployedBluePieces>";
    let ant = "<piece owner=\"BLUE\" type=\"ANT\"/>";
    for (from, to, expected) in [
        (
            "<null/>",
            "<field x=\"-5\" y=\"-5\" z=\"10\"/>",
            format!("{field}: (-5,-5,10) is not a field of the board, or occurs twice"),
        ),
        (
            "x=\"0\" y=\"0\" z=\"0\"",
            "x=\"0\" y=\"0\" z=\"-9223372036854775808\"",
            format!(
                "{field}: (0,0,{}) is not a field of the board, or occurs twice",
                i64::MIN
            ),
        ),
        (
            "x=\"0\" y=\"0\" z=\"0\"",
            "x=\"1\" y=\"0\" z=\"-1\"",
            format!("{field}: (1,0,-1) is not a field of the board, or occurs twice"),
        ),
        (
            "<field x=\"5\" y=\"0\" z=\"-5\" isObstructed=\"true\"/>",
            "<null/>",
            format!("{board}: missing fields: 1"),
        ),
        (
            reserve,
            &(ant.repeat(300) + reserve),
            "blue has 256 pieces of kind A, expected at most 3".to_owned(),
        ),
        (
            "currentPlayerColor=\"RED\"",
            "currentPlayerColor=\"BLUE\"",
            "at turn 12 it is not blue's turn".to_owned(),
        ),
        (
            "turn=\"12\"",
            "turn=\"1099511627776\"",
            "at turn 65535 it is not red's turn".to_owned(),
        ),
        (
            "turn=\"12\"",
            "turn=\"62\"",
            "turn 62 is beyond the last turn, 60".to_owned(),
        ),
    ] {
        let text = text(state());
        assert!(text.contains(from), "{from}");
        let error = match read(&text.replacen(from, to, 1)) {
            Ok(state) => state.position().unwrap_err().to_string(),
            Err(error) => error.to_string(),
        };
        assert_eq!(error, expected);
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
        assert_eq!(read(&text), Ok(Box::new(state())), "{last_move}");
    }
}

#[test]
fn undecodable_texts_are_kept_as_sent() {
    let sent = text(state()).replace("Rot", "&#0;&foo;").replace(
        "</state>",
        "<lastMove class='skipmove'><hint>a&#0;&#xD800;</hint></lastMove></state>",
    );
    let read = read(&sent).unwrap();
    assert_eq!(read.names.red, "&#0;&foo;");
    let hint = read.last_move.unwrap().hint;
    assert_eq!(hint.as_deref(), Some("a\u{fffd}\u{fffd}"));
}

#[test]
fn impossible_moves_are_rejected() {
    let at = |x, y, z| WirePlace::plain(WireCoordinates { x, y, z });
    let piece = Piece::new(Color::Red, Kind::Ant).into();
    let set = |destination| WireAction::Set { piece, destination };
    let drag = WireAction::Drag {
        start: at(-6, 0, 6),
        destination: at(0, 0, 0),
    };
    for (action, mover, expected) in [
        (
            set(at(256, 0, -256)),
            Color::Red,
            "the destination (256,0,-256) is not on the board",
        ),
        (
            set(at(i64::MAX, 1, 1)),
            Color::Red,
            "the destination (9223372036854775807,1,1) does not satisfy x + y + z = 0",
        ),
        (
            set(at(1, 2, -3)),
            Color::Blue,
            "blue cannot place a piece of the other side",
        ),
        (drag, Color::Red, "the start (-6,0,6) is not on the board"),
    ] {
        let mv = WireMove { hint: None, action };
        assert_eq!(mv.to_move(mover).unwrap_err().to_string(), expected);
    }
}

#[test]
fn reading_changed_states_never_panics() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(2);
    let text = text(state()).into_bytes();
    for _ in 0..2_000 {
        let mut changed = text.clone();
        let at = rng.random_range(0..changed.len());
        changed[at] = *b"0159-ab\"<> /=RBxyz".choose(&mut rng).unwrap();
        let _ = ServerMessage::read(&String::from_utf8(changed).unwrap());
    }
}
