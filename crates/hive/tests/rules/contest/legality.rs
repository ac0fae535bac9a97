//! `check` and `try_play` against the list of legal moves.

use std::collections::HashSet;

use proptest::prelude::*;
use proptest::test_runner::TestCaseError;

use wabe_hive::IllegalMove;
use wabe_hive::contest::{Move, Position};

use super::games::{conceivable_moves, legal_moves, scripts, setups};

fn assert_check_agrees(position: &Position) -> Result<(), TestCaseError> {
    let legal: HashSet<Move> = legal_moves(position).iter().copied().collect();
    for mv in conceivable_moves() {
        let mut played = *position;
        match played.try_play(mv) {
            Ok(()) => {
                prop_assert!(legal.contains(&mv), "{} allows {}", position, mv);
                prop_assert_eq!(played, position.after(mv));
            }
            Err(error) => {
                prop_assert!(
                    !legal.contains(&mv),
                    "{} refuses {}: {}",
                    position,
                    mv,
                    error
                );
                prop_assert_eq!(played, *position, "a refused move changes nothing");
            }
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn check_allows_exactly_the_listed_moves_in_games(script in scripts(62)) {
        assert_check_agrees(&script.last_position())?;
    }

    #[test]
    fn check_allows_exactly_the_listed_moves_in_any_position(setup in setups()) {
        assert_check_agrees(&setup.build()?)?;
    }
}

fn refusal(position: &str, mv: &str) -> IllegalMove {
    let position: Position = position.parse().unwrap();
    position.check(mv.parse().unwrap()).unwrap_err()
}

#[test]
fn each_refusal_says_which_rule_is_broken() {
    use wabe_hive::hex::Hex;
    let row = "8 4,0 -1,0:rA;0,0:rQ;1,0:bQ;2,0:bA AB/AB";
    let cases = [
        ("60 - 0,0:rQ;1,0:bQ -/-", "skip", IllegalMove::GameOver),
        (row, "skip", IllegalMove::Pass),
        (row, "set G -2,0", IllegalMove::NotInReserve),
        (
            "6 - 0,0:rA;1,0:bA Q/Q",
            "drag 0,0 0,1",
            IllegalMove::BeeFirst,
        ),
        ("6 - 0,0:rA;1,0:bA AQ/Q", "set A -1,0", IllegalMove::BeeDue),
        (row, "set A 1,-1", IllegalMove::Placement(Hex::new(1, -1))),
        (row, "drag 2,0 3,0", IllegalMove::NoOwnPiece(Hex::new(2, 0))),
        (row, "drag 0,0 0,1", IllegalMove::Pinned(Hex::new(0, 0))),
        (
            row,
            "drag -1,0 5,0",
            IllegalMove::Destination {
                from: Hex::new(-1, 0),
                to: Hex::new(5, 0),
            },
        ),
    ];
    for (position, mv, expected) in cases {
        assert_eq!(refusal(position, mv), expected, "{mv} in {position}");
        assert!(!expected.to_string().is_empty());
    }
}
