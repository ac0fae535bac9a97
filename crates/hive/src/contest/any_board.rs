//! Moves in states that no game by the rules reaches.
//!
//! The contest's server lets some forged moves through, after which the hive is torn or a side has
//! too many pieces. Its checks of a single move still make sense there.

use super::{Move, Position, Setup};
use crate::Color;
use crate::hex::ContestBoard;
use crate::movegen::is_connected;

/// The moves that the contest's server accepts from `mover` in any state, each with the position
/// after it. Where the rules allow the state these are the legal moves, also in a game
/// that is over.
fn moves_to(setup: &Setup, mover: Color) -> Vec<(Move, Position)> {
    let Some(position) = setup.build_unchecked(mover) else {
        return Vec::new();
    };
    let is_whole = is_connected::<ContestBoard>(position.occupied());
    let mut moves = Vec::new();
    position.for_each_successor(|mv, next| {
        // Without the moving piece, the hive must be whole.
        if is_whole || !matches!(mv, Move::Drag { .. }) {
            moves.push((mv, *next));
        }
    });
    if moves.is_empty() {
        moves.push((Move::Pass, position.after(Move::Pass)));
    }
    moves
}

/// The move of `mover` that the contest's server accepts in any state, and that leaves the other
/// side's bee the fewest free fields compared to the mover's.
pub fn best_on_any_board(setup: &Setup, mover: Color) -> Move {
    let lead = |next: &Position| {
        let [own, other] =
            [mover, mover.opponent()].map(|color| next.free_around_bee(color).map_or(0, i64::from));
        other - own
    };
    let best = moves_to(setup, mover)
        .into_iter()
        .min_by_key(|(_, next)| lead(next));
    best.map_or(Move::Pass, |(mv, _)| mv)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contest::MoveList;
    use crate::random_games::for_each_position;

    fn sorted(moves: impl IntoIterator<Item = Move>) -> Vec<String> {
        let mut texts: Vec<String> = moves.into_iter().map(|mv| mv.to_string()).collect();
        texts.sort_unstable();
        texts
    }

    fn moves(setup: &str, mover: Color) -> Vec<String> {
        let moves = moves_to(&setup.parse().unwrap(), mover);
        sorted(moves.into_iter().map(|(mv, _)| mv))
    }

    #[test]
    fn agrees_with_the_rules_on_possible_boards() {
        let check = |position: &Position| {
            if position.outcome().is_some() {
                return;
            }
            let mut legal = MoveList::new();
            position.legal_moves(&mut legal);
            let (setup, mover) = (position.to_setup(), position.side_to_move());
            let moves = moves_to(&setup, mover).into_iter().map(|(mv, _)| mv);
            assert_eq!(sorted(moves), sorted(legal), "{position}");
            position.check(best_on_any_board(&setup, mover)).unwrap();
        };
        for_each_position(40, check, |_| ());
    }

    #[test]
    fn torn_hive_allows_placements() {
        let torn = "8 - 0,0:rQ;1,0:bQ;4,0:rG;0,-1:bA A/A";
        let moves = moves(torn, Color::Red);
        assert!(moves.contains(&"set A 5,-1".to_owned()), "{moves:?}");
        // Without the grasshopper, the hive is whole, but it has nothing to jump over.
        assert!(!moves.iter().any(|mv| mv.starts_with("drag")), "{moves:?}");
    }

    #[test]
    fn torn_hive_is_mended_by_a_lone_piece() {
        let torn = "8 - 0,0:rQ;1,0:bQ;4,0:rB -/A";
        // A beetle on its own has no contact on any step.
        assert_eq!(moves(torn, Color::Red), ["skip"]);
    }

    #[test]
    fn wrong_counts_are_no_obstacle() {
        for many in [
            "9 - 0,0:rQbB;1,0:bQbA;2,0:bBbBbBbBbBbBbB;3,0:rQrA QQAAAA/AAAA",
            "65535 9,9;0,0 0,0:rQ;9,9:bQ -/-",
            "0 - - -/-",
        ] {
            for color in Color::ALL {
                assert!(!moves(many, color).is_empty());
            }
        }
        let pile = "9 - 0,0:bQbBbBbBbBbBbBbB;0,1:rA -/-";
        assert!(moves(pile, Color::Blue).contains(&"drag 0,0 0,1".to_owned()));
    }

    #[test]
    fn best_move_closes_in_on_the_bee() {
        let setup: Setup = "9 - 0,0:bQ;-2,0:rA;-1,0:rQ -/A".parse().unwrap();
        let mv = best_on_any_board(&setup, Color::Red);
        let next = setup.build_unchecked(Color::Red).unwrap().after(mv);
        assert_eq!(next.free_around_bee(Color::Blue), Some(4));
    }
}
