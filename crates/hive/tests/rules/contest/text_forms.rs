//! The text forms of positions and moves.

use proptest::prelude::*;

use wabe_hive::contest::{Move, Position, Setup};

use super::games::{conceivable_moves, legal_moves, scripts, setups};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn positions_and_moves_of_games_read_back_as_themselves(script in scripts(62)) {
        script.play(|position, _| {
            let text = position.to_string();
            prop_assert_eq!(text.parse::<Position>(), Ok(*position), "{}", text);
            for &mv in legal_moves(position).iter() {
                prop_assert_eq!(mv.to_string().parse::<Move>(), Ok(mv));
            }
            Ok(())
        })?;
    }

    #[test]
    fn any_possible_position_reads_back_as_itself(setup in setups()) {
        let position = setup.build()?;
        let text = position.to_string();
        prop_assert_eq!(text.parse::<Position>(), Ok(position), "{}", &text);
        prop_assert_eq!(position.to_setup().build(), Ok(position));
        prop_assert!(!text.contains('\n'));
    }

    #[test]
    fn the_order_of_fields_and_letters_does_not_matter(setup in setups()) {
        let mut reversed = setup.clone();
        reversed.obstacles.reverse();
        reversed.stacks.reverse();
        let (one, other) = (setup.build()?, reversed.build()?);
        prop_assert_eq!(one.to_string(), other.to_string());
        prop_assert_eq!(one, other);
        prop_assert_eq!(one.hash(), other.hash());
    }
}

#[test]
fn every_conceivable_move_reads_back_as_itself() {
    for mv in conceivable_moves() {
        assert_eq!(mv.to_string().parse(), Ok(mv));
    }
}

#[test]
fn setups_are_read_without_being_checked() {
    let setup: Setup = "99 9,9;9,9 7,7:rQrQ -/QQQ".parse().unwrap();
    assert_eq!(setup.turn, 99);
    assert_eq!(setup.obstacles.len(), 2);
    assert_eq!(setup.stacks[0].pieces.len(), 2);
    assert!(setup.build().is_err());
}
