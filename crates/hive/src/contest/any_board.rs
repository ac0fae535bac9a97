//! Moves in states that legal play cannot reach.
//!
//! The contest's server accepts some forged moves, after which the hive may be disconnected or a
//! side may have too many pieces. The server's checks of a single move still apply there.

use super::{Move, Position, Setup};
use crate::Color;
use crate::hex::ContestBoard;
use crate::movegen::is_connected;

/// The moves that the contest's server accepts from `mover` in any state, each with the position
/// after it. In a valid position these are the legal moves, even after the end of the game.
fn accepted_moves(setup: &Setup, mover: Color) -> Vec<(Move, Position)> {
    let Some(position) = setup.build_unchecked(mover) else {
        return Vec::new();
    };
    let is_hive_connected = is_connected::<ContestBoard>(position.occupied());
    let mut moves = Vec::new();
    position.for_each_successor(|mv, next| {
        // The server rejects drags if the other pieces are not connected.
        if is_hive_connected || !matches!(mv, Move::Drag { .. }) {
            moves.push((mv, *next));
        }
    });
    if moves.is_empty() {
        moves.push((Move::Pass, position.after(Move::Pass)));
    }
    moves
}

/// Picks a move that the contest's server accepts, in any state. Minimises the number of free
/// fields around the opponent's bee minus the number around the mover's.
pub fn best_on_any_board(setup: &Setup, mover: Color) -> Move {
    let balance = |next: &Position| {
        let [own, other] =
            [mover, mover.opponent()].map(|color| next.free_around_bee(color).map_or(0, i64::from));
        other - own
    };
    let best = accepted_moves(setup, mover)
        .into_iter()
        .min_by_key(|(_, next)| balance(next));
    best.map_or(Move::Pass, |(mv, _)| mv)
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::random_games::for_each_position;

    fn sorted(moves: impl IntoIterator<Item = Move>) -> Vec<String> {
        let mut texts: Vec<String> = moves.into_iter().map(|mv| mv.to_string()).collect();
        texts.sort_unstable();
        texts
    }

    fn moves(setup: &str, mover: Color) -> Vec<String> {
        let moves = accepted_moves(&setup.parse().unwrap(), mover);
        sorted(moves.into_iter().map(|(mv, _)| mv))
    }

    #[test]
    fn valid_positions_accept_legal_moves() {
        let check = |position: &Position| {
            if position.outcome().is_some() {
                return;
            }
            let legal = position.legal_moves();
            let (setup, mover) = (position.to_setup(), position.side_to_move());
            let moves = accepted_moves(&setup, mover).into_iter().map(|(mv, _)| mv);
            assert_eq!(sorted(moves), sorted(legal), "{position}");
            position.check(best_on_any_board(&setup, mover)).unwrap();
        };
        for_each_position(40, check, |_| ());
    }

    #[test]
    fn disconnected_hive_allows_placements() {
        let disconnected = "8 - 0,0:rQ;1,0:bQ;4,0:rG;0,-1:bA A/A";
        let moves = moves(disconnected, Color::Red);
        assert!(moves.contains(&"set A 5,-1".to_owned()), "{moves:?}");
        // The hive is connected without the grasshopper, but there is nothing to jump over.
        assert!(!moves.iter().any(|mv| mv.starts_with("drag")), "{moves:?}");
    }

    #[test]
    fn disconnected_hive_forbids_drags() {
        let disconnected = "8 - 0,0:rQ;1,0:bQ;4,0:rB -/A";
        // A beetle on its own has no contact on any step.
        assert_eq!(moves(disconnected, Color::Red), ["skip"]);
    }

    #[test]
    fn impossible_piece_counts_are_accepted() {
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
    fn best_move_surrounds_the_bee() {
        let setup: Setup = "9 - 0,0:bQ;-2,0:rA;-1,0:rQ -/A".parse().unwrap();
        let mv = best_on_any_board(&setup, Color::Red);
        let next = setup.build_unchecked(Color::Red).unwrap().after(mv);
        assert_eq!(next.free_around_bee(Color::Blue), Some(4));
    }
}
