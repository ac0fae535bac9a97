//! Perft: counts move sequences, to check the rules and to measure their speed.
//!
//! `perft(n)` is the number of move sequences of exactly `n` plies. A finished game has no
//! continuation, so it counts only at its own length; a pass counts as a move.

use std::hint::black_box;

use super::{Position, RuleBook};

/// Counts the move sequences of `depth` plies. Makes every move, including those of the last ply.
pub fn perft<R: RuleBook>(position: &Position<R>, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    if position.outcome().is_some() {
        return 0;
    }
    if depth == 1 {
        let mut nodes = 0;
        position.for_each_successor(|_, after| {
            // Keeps the optimiser from removing the move.
            black_box(after);
            nodes += 1;
        });
        return nodes;
    }
    sum_over_successors(position, depth, perft)
}

/// The sum of `count` over all positions after one ply; 0 when the game is over.
#[inline]
fn sum_over_successors<R: RuleBook>(
    position: &Position<R>,
    depth: u32,
    count: impl Fn(&Position<R>, u32) -> u64,
) -> u64 {
    if position.outcome().is_some() {
        return 0;
    }
    let mut nodes = 0;
    position.for_each_successor(|_, after| nodes += count(after, depth - 1));
    nodes
}

/// Like [`perft`], but counts the moves of the last ply without making them (bulk counting).
pub fn perft_bulk<R: RuleBook>(position: &Position<R>, depth: u32) -> u64 {
    match depth {
        0 => 1,
        1 => position.count_legal_moves() as u64,
        _ => sum_over_successors(position, depth, perft_bulk),
    }
}
