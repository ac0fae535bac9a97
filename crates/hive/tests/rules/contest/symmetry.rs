//! The rules are the same from all twelve sides of the board.

use std::collections::HashSet;

use proptest::prelude::*;
use proptest::test_runner::TestCaseError;

use wabe_hive::contest::{Move, Position};
use wabe_hive::hex::{ContestBoard, Grid, Symmetry};

use super::games::{legal_moves, scripts, setups};

fn image_of(mv: Move, symmetry: Symmetry) -> Option<Move> {
    let field = |cell| ContestBoard::cell(symmetry.apply(ContestBoard::hex(cell)));
    mv.on_fields(field)
}

fn assert_symmetric(position: &Position) -> Result<(), TestCaseError> {
    let moves = legal_moves(position);
    for symmetry in Symmetry::ALL {
        let Some(image) = position.transformed(symmetry) else {
            return Err(TestCaseError::fail("a symmetry leads off the board"));
        };
        let expected: Option<HashSet<Move>> =
            moves.iter().map(|&mv| image_of(mv, symmetry)).collect();
        let found: HashSet<Move> = legal_moves(&image).iter().copied().collect();
        prop_assert_eq!(Some(found), expected, "{} / {}", position, image);
        prop_assert_eq!(image.outcome(), position.outcome());
        prop_assert!(
            Symmetry::ALL
                .iter()
                .any(|&back| image.transformed(back) == Some(*position))
        );
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn symmetries_map_move_lists_onto_move_lists_along_games(script in scripts(62)) {
        script.play(|position, _| assert_symmetric(position))?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(250))]

    #[test]
    fn symmetries_map_move_lists_onto_move_lists_in_any_position(setup in setups()) {
        assert_symmetric(&setup.build()?)?;
    }
}
