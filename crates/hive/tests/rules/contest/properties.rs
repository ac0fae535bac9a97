//! Properties of random games and of random valid positions.

use std::collections::{BTreeSet, HashMap, HashSet};

use proptest::prelude::*;

use super::games::{conceivable_moves, scripts, setups};
use super::slow_rules::Game;
use wabe_hive::Color;
use wabe_hive::contest::{Move, Position};
use wabe_hive::hex::{ContestBoard, Grid, Symmetry};

type Checked = Result<(), TestCaseError>;

/// Compares the library with the reference implementation.
fn assert_matches_reference(position: &Position, game: &Game) -> Checked {
    let moves = position.legal_moves();
    let texts: BTreeSet<String> = moves.iter().map(ToString::to_string).collect();
    prop_assert_eq!(texts.len(), moves.len(), "a move is listed twice");
    prop_assert_eq!(&texts, &game.moves(), "{}", position);
    prop_assert_eq!(moves.len(), position.count_legal_moves());
    for color in Color::ALL {
        let free = position.free_around_bee(color).map_or(-1, i64::from);
        prop_assert_eq!(free, game.free_around_bee(color.letter()), "{}", position);
    }
    let result = position.outcome().map(|outcome| match outcome.winner() {
        Some(winner) => winner.to_string(),
        None => "draw".to_owned(),
    });
    prop_assert_eq!(result.as_deref(), game.result(), "{}", position);
    Ok(())
}

/// The position round-trips through its text, and its hash equals the recomputed one.
fn assert_round_trip(position: &Position) -> Checked {
    let text = position.to_string();
    prop_assert_eq!(text.parse::<Position>(), Ok(*position), "{}", text);
    prop_assert_eq!(position.hash(), position.recomputed_hash(), "{}", text);
    Ok(())
}

/// The hashes of the successors are correct and distinct.
fn assert_successor_hashes(position: &Position) -> Checked {
    let mut known = HashMap::from([(position.hash(), *position)]);
    for &mv in position.legal_moves().iter() {
        let next = position.after(mv);
        prop_assert_eq!(next.hash(), next.recomputed_hash(), "{} {}", position, mv);
        prop_assert_eq!(next, *known.entry(next.hash()).or_insert(next));
    }
    Ok(())
}

/// `check` accepts exactly the listed moves.
fn assert_check_agrees(position: &Position) -> Checked {
    let legal: HashSet<Move> = position.legal_moves().iter().copied().collect();
    for mv in conceivable_moves() {
        let accepted = position.check(mv).is_ok();
        prop_assert_eq!(accepted, legal.contains(&mv), "{} in {}", mv, position);
    }
    Ok(())
}

/// Moves and outcome are invariant under all twelve symmetries.
fn assert_symmetric(position: &Position) -> Checked {
    let moves = position.legal_moves();
    for symmetry in Symmetry::ALL {
        let Some(image) = position.transformed(symmetry) else {
            return Err(TestCaseError::fail("the image lies off the board"));
        };
        let field = |cell| ContestBoard::cell(symmetry.apply(ContestBoard::hex(cell)));
        let expected: Option<HashSet<Move>> = moves.iter().map(|mv| mv.on_fields(field)).collect();
        let found: HashSet<Move> = image.legal_moves().iter().copied().collect();
        prop_assert_eq!(Some(found), expected, "{} / {}", position, image);
        prop_assert_eq!(image.outcome(), position.outcome());
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn games_match_the_reference(script in scripts(62)) {
        let mut game = Game::from_text(&script.start.to_string());
        script.play(|position, mv| {
            assert_matches_reference(position, &game)?;
            assert_round_trip(position)?;
            if let Some(mv) = mv {
                game.play(&mv.to_string());
            }
            Ok::<(), TestCaseError>(())
        })?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn positions_match_the_reference(setup in setups()) {
        let position = setup.build()?;
        assert_matches_reference(&position, &Game::from_text(&position.to_string()))?;
        assert_round_trip(&position)?;
        assert_successor_hashes(&position)?;
        prop_assert_eq!(position.to_setup().build(), Ok(position));
        let mut reversed = setup.clone();
        reversed.obstacles.reverse();
        reversed.stacks.reverse();
        prop_assert_eq!(reversed.build(), Ok(position), "order changed the position");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn games_are_symmetric(script in scripts(62)) {
        script.play(|position, _| assert_symmetric(position))?;
        assert_successor_hashes(&script.last_position())?;
        assert_check_agrees(&script.last_position())?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn positions_are_symmetric(setup in setups()) {
        let position = setup.build()?;
        assert_symmetric(&position)?;
        assert_check_agrees(&position)?;
    }
}

#[test]
fn all_moves_round_trip() {
    for mv in conceivable_moves() {
        assert_eq!(mv.to_string().parse(), Ok(mv));
    }
}

/// Hashes are stored in files and compared between versions, so they must not change by accident.
#[test]
fn hashes_are_stable() {
    let position: Position =
        "12 -4,0;3,1;5,0 1,2:bB;2,0:bArB;2,1:bQ;2,2:bG;3,-1:rQ;4,-1:rS;5,-2:rB AAAGGSS/AABGSSS"
            .parse()
            .unwrap();
    assert_eq!(position.hash(), 1_673_045_217_366_694_088);
}
