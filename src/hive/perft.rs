//! Counting move sequences: the standard check of rules and yardstick of their speed.
//!
//! `perft(n)` is the number of move sequences of exactly `n` plies. A finished game has no continuation, so it counts only
//! at its own length; a pass counts as a move.

use super::{Move, MoveList, Position, RuleBook};

/// Counts by making every move, those of the last ply included.
pub fn perft<R: RuleBook>(position: &Position<R>, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    let mut moves = MoveList::new();
    position.legal_moves(&mut moves);
    moves
        .iter()
        .map(|&mv| perft(&position.after(mv), depth - 1))
        .sum()
}

/// Counts the moves of the last ply without making them ("bulk counting"): the same number, faster.
pub fn perft_bulk<R: RuleBook>(position: &Position<R>, depth: u32) -> u64 {
    match depth {
        0 => 1,
        1 => position.count_legal_moves() as u64,
        _ => {
            let mut moves = MoveList::new();
            position.legal_moves(&mut moves);
            moves
                .iter()
                .map(|&mv| perft_bulk(&position.after(mv), depth - 1))
                .sum()
        }
    }
}

/// The moves of `position`, each with the number of sequences of `depth` plies that begin with it, counted by `count` from
/// the position after the move. Empty for depth 0.
pub fn divide<R: RuleBook>(
    position: &Position<R>,
    depth: u32,
    count: impl Fn(&Position<R>, u32) -> u64,
) -> Vec<(Move<R>, u64)> {
    let Some(rest) = depth.checked_sub(1) else {
        return Vec::new();
    };
    let mut moves = MoveList::new();
    position.legal_moves(&mut moves);
    moves
        .iter()
        .map(|&mv| (mv, count(&position.after(mv), rest)))
        .collect()
}
