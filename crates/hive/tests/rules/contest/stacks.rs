//! Beetles on top of other pieces, and what comes to light when they leave.

use wabe_hive::Color;
use wabe_hive::contest::{Kind, Move, Position};
use wabe_hive::hex::{Cell, CellSet, ContestBoard, Grid, Hex};

use super::games::legal_moves;

fn cell(x: i8, y: i8) -> Cell {
    ContestBoard::cell(Hex::new(x, y)).unwrap()
}

fn position(text: &str) -> Position {
    text.parse().unwrap()
}

fn play(position: &mut Position, moves: &[&str]) {
    for mv in moves {
        position.try_play(mv.parse().unwrap()).unwrap();
    }
}

fn stack_text(position: &Position, x: i8, y: i8) -> String {
    position
        .stack(cell(x, y))
        .map(|piece| piece.to_string())
        .collect()
}

#[test]
fn pieces_come_to_light_in_the_reverse_order_of_their_covering() {
    let mut game = position("8 - -1,0:rQ;0,0:rA;0,-1:rB;1,0:bB;2,-1:bQ;1,-1:bA AG/AG");
    let before = stack_text(&game, 0, 0);
    assert_eq!(before, "rA");
    play(&mut game, &["drag 0,-1 0,0", "drag 1,0 0,0"]);
    assert_eq!(stack_text(&game, 0, 0), "rArBbB");
    assert_eq!(game.height(cell(0, 0)), 3);
    assert_eq!(game.top(cell(0, 0)).map(|p| p.kind), Some(Kind::Beetle));
    assert!(game.tops(Color::Blue).contains(cell(0, 0)));
    play(&mut game, &["set A -2,0", "drag 0,0 1,-1"]);
    assert_eq!(stack_text(&game, 0, 0), "rArB");
    assert_eq!(stack_text(&game, 1, -1), "bAbB");
    play(&mut game, &["drag 0,0 0,-1", "drag 1,-1 0,0"]);
    assert_eq!(stack_text(&game, 0, 0), "rAbB");
    assert_eq!(stack_text(&game, 0, -1), "rB");
    assert_eq!(stack_text(&game, 1, -1), "bA");
    assert_eq!(game.hash(), game.recomputed_hash());
}

#[test]
fn two_stacks_keep_their_orders_apart() {
    let text = "20 - -1,0:rArBbB;0,0:rQ;1,0:bAbBrB;2,0:bQ -/-";
    let mut game = position(text);
    assert_eq!(game.to_string(), text);
    game.play("drag 1,0 0,0".parse().unwrap());
    game.play("drag -1,0 0,0".parse().unwrap());
    assert_eq!(
        game.to_string(),
        "22 - -1,0:rArB;0,0:rQrBbB;1,0:bAbB;2,0:bQ -/-"
    );
    assert_eq!(game, position(&game.to_string()));
}

#[test]
fn a_beetle_may_climb_any_height_and_comes_down_from_it() {
    let game = position("20 - 0,0:rArBbBbB;1,0:rQ;2,0:bQ;0,1:rB -/-");
    let moves = legal_moves(&game);
    assert!(moves.contains(&"drag 0,1 0,0".parse().unwrap()));
    let tall = game.after("drag 0,1 0,0".parse().unwrap());
    assert_eq!(tall.height(cell(0, 0)), 5);
    assert_eq!(tall.covered_on(cell(0, 0)).count(), 4);
    let after_pass = tall.after(Move::Pass);
    assert!(legal_moves(&after_pass).contains(&"drag 0,0 -1,0".parse().unwrap()));
}

#[test]
fn a_covered_bee_still_loses_when_it_is_surrounded() {
    let game = position("20 - -1,0:rA;-1,1:rA;0,-1:rA;0,0:rQbB;0,1:rS;1,-1:bS;1,0:bQ -/-");
    assert_eq!(game.free_around_bee(Color::Red), Some(0));
    assert_eq!(game.outcome().and_then(|o| o.winner()), Some(Color::Blue));
}

#[test]
fn only_the_top_piece_of_a_stack_counts_for_placing() {
    // Blue's beetle sits on red's ant: the fields around it are blue's.
    let game = position("9 - 0,0:rAbB;-1,0:rQ;1,0:bQ -/A");
    let moves = legal_moves(&game);
    assert!(moves.contains(&"set A 1,-1".parse().unwrap()));
    assert!(!moves.contains(&"set A -1,1".parse().unwrap()));
}

#[test]
fn a_side_whose_pieces_are_all_covered_may_only_pass() {
    let game = position("10 - 0,0:rQbB;1,0:bQ;2,0:bA AAS/-");
    assert_eq!(*legal_moves(&game), [Move::Pass]);
    assert!(game.has_placed(Color::Red));
}

#[test]
fn a_covered_piece_stays_where_it_is() {
    let game = position("10 - 0,0:rAbB;-1,0:rQ;1,0:bQ -/-");
    assert!(
        legal_moves(&game)
            .iter()
            .all(|mv| !matches!(mv, Move::Drag { from, .. } if *from == cell(0, 0)))
    );
}
