//! When a game is over, and who has won.

use wabe_hive::Color::{Blue, Red};
use wabe_hive::Outcome;
use wabe_hive::contest::Position;

use super::games::legal_moves;

/// Red's bee at the origin, blue's two to the east of it, and on each of the other neighbours either a piece or not.
fn with_bees(turn: u16, red_surrounded: bool, blue_surrounded: bool) -> Position {
    let mut fields = vec!["0,0:rQ", "1,-1:rA", "2,-2:bQ"];
    if red_surrounded {
        fields.extend(["1,0:rA", "0,1:rA", "-1,1:rS", "-1,0:rG", "0,-1:rG"]);
    }
    if blue_surrounded {
        fields.extend(["3,-3:bA", "3,-2:bA", "2,-1:bA", "1,-2:bS", "2,-3:bG"]);
    }
    let text = format!("{turn} - {} -/-", fields.join(";"));
    text.parse().unwrap()
}

#[test]
fn surrounded_bees_end_the_game_after_blues_ply() {
    for turn in [8, 30, 58, 60] {
        let outcome = |red, blue| with_bees(turn, red, blue).outcome();
        assert_eq!(outcome(true, false), Some(Outcome::Surrounded(Blue)));
        assert_eq!(outcome(false, true), Some(Outcome::Surrounded(Red)));
        assert_eq!(outcome(true, true), Some(Outcome::BothSurrounded));
    }
    assert_eq!(with_bees(8, false, false).outcome(), None);
}

#[test]
fn no_game_ends_after_reds_ply() {
    for turn in [9, 31, 59] {
        for (red, blue) in [(true, false), (false, true), (true, true)] {
            let position = with_bees(turn, red, blue);
            assert_eq!(position.outcome(), None);
            assert!(!legal_moves(&position).is_empty());
        }
    }
}

#[test]
fn after_thirty_rounds_the_freer_bee_wins() {
    let cases = [
        // Both have five free fields.
        ("0,0:rQ;1,-1:rA;2,-2:bQ", Some(Outcome::EqualFreeFields)),
        (
            "0,0:rQ;1,-1:rA;2,-2:bQ;0,1:bA",
            Some(Outcome::MoreFreeFields(Blue)),
        ),
        (
            "0,0:rQ;1,-1:rA;2,-2:bQ;2,-3:bA",
            Some(Outcome::MoreFreeFields(Red)),
        ),
        // A piece on top of the bee takes no field away.
        ("0,0:rQbB;1,-1:rA;2,-2:bQ", Some(Outcome::EqualFreeFields)),
        // Fields off the board are not free: blue's bee lies in a corner.
        ("4,0:rQ;5,0:bQ", Some(Outcome::MoreFreeFields(Red))),
    ];
    for (fields, expected) in cases {
        let at = |turn: u16| -> Position { format!("{turn} - {fields} -/-").parse().unwrap() };
        assert_eq!(at(58).outcome(), None, "{fields}");
        assert_eq!(at(59).outcome(), None, "{fields}");
        assert_eq!(at(60).outcome(), expected, "{fields}");
        assert!(legal_moves(&at(60)).is_empty());
    }
}

#[test]
fn brambles_take_free_fields_away() {
    let position: Position = "60 -1,0;0,-1 0,0:rQ;1,-1:rA;2,-2:bQ -/-".parse().unwrap();
    assert_eq!(position.free_around_bee(Red), Some(3));
    assert_eq!(position.outcome(), Some(Outcome::MoreFreeFields(Blue)));
}

#[test]
fn brambles_can_complete_a_surround() {
    let position: Position = "20 1,0;0,1;-1,1;-1,0;0,-1 0,0:rQ;1,-1:rA;2,-2:bQ -/-"
        .parse()
        .unwrap();
    assert_eq!(position.outcome(), Some(Outcome::Surrounded(Blue)));
}

#[test]
fn an_unplaced_bee_counts_as_minus_one_free_fields() {
    let outcome = |text: &str| text.parse::<Position>().unwrap().outcome();
    assert_eq!(
        outcome("60 - 0,0:rQ;1,0:bA -/Q"),
        Some(Outcome::MoreFreeFields(Red))
    );
    assert_eq!(
        outcome("60 - 0,0:rA;1,0:bQ Q/-"),
        Some(Outcome::MoreFreeFields(Blue))
    );
    assert_eq!(
        outcome("60 - 0,0:rA;1,0:bA Q/Q"),
        Some(Outcome::EqualFreeFields)
    );
    assert_eq!(outcome("20 - 0,0:rA;1,0:bA Q/Q"), None);
    let unplaced: Position = "20 - 0,0:rA;1,0:bA Q/Q".parse().unwrap();
    assert_eq!(unplaced.free_around_bee(Red), None);
}

#[test]
fn a_bee_that_is_due_but_has_no_field_leaves_only_the_pass() {
    // Every field next to blue's ant touches red or is a bramble.
    let position: Position = "7 5,-4;5,-3 3,-3:rQ;3,-2:rA;4,-3:rS;4,-4:rG;5,-5:bA -/AQ"
        .parse()
        .unwrap();
    let texts: Vec<String> = legal_moves(&position)
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(texts, ["skip"]);
}

#[test]
fn outcomes_say_what_happened() {
    let text = |outcome: Option<Outcome>| outcome.unwrap().to_string();
    assert_eq!(
        text(with_bees(8, true, false).outcome()),
        "blue wins: red's bee is surrounded"
    );
    assert_eq!(
        text(with_bees(8, true, true).outcome()),
        "draw: both bees are surrounded"
    );
    assert_eq!(
        text(with_bees(60, false, false).outcome()),
        "draw: equally many free fields around the bees after the last round"
    );
}
