//! No input text makes the rules panic.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;

use super::games::{conceivable_moves, setups};
use wabe_hive::contest::{Move, Position};
use wabe_hive::perft::perft_bulk;

/// Plays some moves and counts the successors.
fn exercise(position: &Position, choices: &[Index]) {
    let mut position = *position;
    for choice in choices {
        let moves = position.legal_moves();
        if moves.is_empty() {
            break;
        }
        position.play(moves[choice.index(moves.len())]);
    }
    perft_bulk(&position, 1);
}

/// The text with some characters replaced, deleted or inserted.
fn damaged(text: &str, damages: &[(Index, u8, char)]) -> String {
    let mut letters: Vec<char> = text.chars().collect();
    for (index, how, with) in damages {
        if letters.is_empty() {
            break;
        }
        let at = index.index(letters.len());
        let replaced = usize::from(how % 3 != 1);
        let with = (how % 3 != 2).then_some(*with);
        drop(letters.splice(at..at + replaced, with));
    }
    letters.into_iter().collect()
}

fn any_letter() -> impl Strategy<Value = char> {
    let valid: Vec<char> = "rbQSBGA0123456789-,;:/ ".chars().collect();
    prop_oneof![4 => proptest::sample::select(valid), 1 => any::<char>()]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn damaged_positions_fail_or_are_playable(
        setup in setups(),
        damages in vec((any::<Index>(), any::<u8>(), any_letter()), 1..4),
        choices in vec(any::<Index>(), 0..4),
    ) {
        let text = damaged(&setup.build()?.to_string(), &damages);
        match text.parse::<Position>() {
            Ok(position) => exercise(&position, &choices),
            Err(error) => prop_assert!(!error.to_string().is_empty()),
        }
    }

    #[test]
    fn arbitrary_text_fails_or_is_playable(
        letters in vec(any_letter(), 0..60),
        choices in vec(any::<Index>(), 0..4),
    ) {
        let text: String = letters.into_iter().collect();
        if let Ok(position) = text.parse::<Position>() {
            exercise(&position, &choices);
        }
        if let Ok(mv) = text.parse::<Move>() {
            prop_assert_eq!(mv.to_string().parse(), Ok(mv));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(50))]

    /// The positions are meaningless but safe to use.
    #[test]
    fn illegal_moves_do_not_panic(setup in setups(), choices in vec(any::<Index>(), 0..40)) {
        let mut position = setup.build()?;
        let moves: Vec<Move> = conceivable_moves().collect();
        for choice in choices {
            position.play(moves[choice.index(moves.len())]);
            position.legal_moves();
            let _ = position.outcome();
            let _ = position.to_string();
        }
    }
}
