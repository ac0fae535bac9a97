//! The incremental hash.

use std::collections::HashMap;

use proptest::prelude::*;

use wabe_hive::contest::Position;

use super::games::{legal_moves, scripts, setups};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn the_hash_after_any_game_is_the_hash_computed_afresh(script in scripts(62)) {
        script.play(|position, _| {
            prop_assert_eq!(position.hash(), position.recomputed_hash(), "{}", position);
            Ok::<(), TestCaseError>(())
        })?;
    }

    #[test]
    fn the_hash_after_any_move_of_any_position_is_the_hash_computed_afresh(setup in setups()) {
        let position = setup.build()?;
        for &mv in legal_moves(&position).iter() {
            let next = position.after(mv);
            prop_assert_eq!(next.hash(), next.recomputed_hash(), "{} after {}", position, mv);
        }
    }

    #[test]
    fn positions_near_each_other_have_distinct_hashes(script in scripts(40)) {
        let root = script.last_position();
        let mut known: HashMap<u64, Position> = HashMap::from([(root.hash(), root)]);
        for &mv in legal_moves(&root).iter() {
            let next = root.after(mv);
            let other = *known.entry(next.hash()).or_insert(next);
            prop_assert_eq!(next, other);
        }
    }
}

/// Hashes are kept in files and compared between versions: they may not change by accident.
#[test]
fn hashes_are_stable() {
    let position: Position =
        "12 -4,0;3,1;5,0 1,2:bB;2,0:bArB;2,1:bQ;2,2:bG;3,-1:rQ;4,-1:rS;5,-2:rB AAAGGSS/AABGSSS"
            .parse()
            .unwrap();
    assert_eq!(position.hash(), 1_673_045_217_366_694_088);
}
