//! The library agrees with the plainly written rules.

use std::collections::BTreeSet;

use proptest::prelude::*;
use proptest::test_runner::TestCaseError;

use wabe_hive::Color;
use wabe_hive::contest::Position;

use super::games::{Script, Style, legal_moves, scripts, setups};
use super::slow_rules::Game;

fn assert_agreement(position: &Position, game: &Game) -> Result<(), TestCaseError> {
    let moves = legal_moves(position);
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

fn assert_agreement_along(script: &Script) -> Result<(), TestCaseError> {
    let mut game = Game::from_text(&script.start().to_string());
    script.play(|position, mv| {
        assert_agreement(position, &game)?;
        if let Some(mv) = mv {
            game.play(&mv.to_string());
        }
        Ok(())
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn agrees_with_the_slow_generator_along_random_games(script in scripts(62)) {
        assert_agreement_along(&script)?;
    }

    #[test]
    fn agrees_with_the_slow_generator_in_whole_clustered_games(script in scripts(62)) {
        let script = Script { style: Style::Clustered, ..script };
        assert_agreement_along(&script)?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn agrees_with_the_slow_generator_in_positions_that_no_game_leads_to(setup in setups()) {
        let position = setup.build()?;
        assert_agreement(&position, &Game::from_text(&position.to_string()))?;
    }
}
