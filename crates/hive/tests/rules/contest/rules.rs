//! Outcomes of games and errors for illegal moves.

use wabe_hive::Color::{Blue, Red};
use wabe_hive::contest::Position;
use wabe_hive::hex::Hex;
use wabe_hive::{IllegalMove, Outcome};

fn position(text: &str) -> Position {
    text.parse().unwrap()
}

/// Red's bee at the origin and blue's two fields to the east, each surrounded or not.
fn with_bees(turn: u16, red_surrounded: bool, blue_surrounded: bool) -> Position {
    let mut fields = vec!["0,0:rQ", "1,-1:rA", "2,-2:bQ"];
    if red_surrounded {
        fields.extend(["1,0:rA", "0,1:rA", "-1,1:rS", "-1,0:rG", "0,-1:rG"]);
    }
    if blue_surrounded {
        fields.extend(["3,-3:bA", "3,-2:bA", "2,-1:bA", "1,-2:bS", "2,-3:bG"]);
    }
    position(&format!("{turn} - {} -/-", fields.join(";")))
}

#[test]
fn surrounded_bees_end_the_game_after_blues_ply() {
    for (red, blue, expected) in [
        (true, false, Some(Outcome::Surrounded(Blue))),
        (false, true, Some(Outcome::Surrounded(Red))),
        (true, true, Some(Outcome::BothSurrounded)),
        (false, false, None),
    ] {
        for turn in [8, 30, 58] {
            assert_eq!(with_bees(turn, red, blue).outcome(), expected);
            let after_red = with_bees(turn + 1, red, blue);
            assert_eq!(after_red.outcome(), None);
            assert!(!after_red.legal_moves().is_empty());
        }
    }
}

#[test]
fn free_fields_decide_after_thirty_rounds() {
    for (rest, expected) in [
        ("- 0,0:rQ;1,-1:rA;2,-2:bQ -/-", Outcome::EqualFreeFields),
        // Brambles occupy free fields; an unplaced bee counts as -1.
        (
            "-1,0;0,-1 0,0:rQ;1,-1:rA;2,-2:bQ -/-",
            Outcome::MoreFreeFields(Blue),
        ),
        ("- 0,0:rQ;1,0:bA -/Q", Outcome::MoreFreeFields(Red)),
    ] {
        let at_turn = |turn: u16| position(&format!("{turn} {rest}"));
        assert_eq!(
            [58, 59].map(|turn| at_turn(turn).outcome()),
            [None; 2],
            "{rest}"
        );
        assert_eq!(at_turn(60).outcome(), Some(expected), "{rest}");
        assert!(at_turn(60).legal_moves().is_empty());
    }
}

#[test]
fn illegal_moves_name_the_broken_rule() {
    let row = "8 4,0 -1,0:rA;0,0:rQ;1,0:bQ;2,0:bA AB/AB";
    let without_bees = "6 - 0,0:rA;1,0:bA AQ/Q";
    let (from, to) = (Hex::new(-1, 0), Hex::new(5, 0));
    for (text, mv, expected) in [
        ("60 - 0,0:rQ;1,0:bQ -/-", "skip", IllegalMove::GameOver),
        (row, "skip", IllegalMove::Pass),
        (row, "set G -2,0", IllegalMove::NotInReserve),
        (without_bees, "drag 0,0 0,1", IllegalMove::BeeFirst),
        (without_bees, "set A -1,0", IllegalMove::BeeDue),
        (row, "set A 1,-1", IllegalMove::Placement(Hex::new(1, -1))),
        (row, "drag 2,0 3,0", IllegalMove::NoOwnPiece(Hex::new(2, 0))),
        (row, "drag 0,0 0,1", IllegalMove::Pinned(Hex::new(0, 0))),
        (row, "drag -1,0 5,0", IllegalMove::Destination(from, to)),
    ] {
        let result = position(text).check(mv.parse().unwrap());
        assert_eq!(result, Err(expected), "{mv} in {text}");
    }
}
