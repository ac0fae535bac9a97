//! Counting move sequences: the standard check of rules and yardstick of their speed.
//!
//! `perft(n)` is the number of move sequences of exactly `n` plies. A finished game has no continuation, so it counts only
//! at its own length; a pass counts as a move.

use std::hint::black_box;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::{Move, MoveList, Position, RuleBook};

/// Counts by making every move, those of the last ply included.
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
            // Keeps the optimiser from leaving out the move.
            black_box(after);
            nodes += 1;
        });
        return nodes.max(1);
    }
    through_successors(position, depth, perft)
}

/// The sum of `count` over all positions after one ply; 0 when the game is over.
#[inline]
fn through_successors<R: RuleBook>(
    position: &Position<R>,
    depth: u32,
    count: impl Fn(&Position<R>, u32) -> u64,
) -> u64 {
    if position.outcome().is_some() {
        return 0;
    }
    let (mut nodes, mut has_moves) = (0, false);
    position.for_each_successor(|_, after| {
        has_moves = true;
        nodes += count(after, depth - 1);
    });
    if has_moves {
        nodes
    } else {
        count(&position.after(Move::Pass), depth - 1)
    }
}

/// Counts the moves of the last ply without making them ("bulk counting"): the same number, faster.
pub fn perft_bulk<R: RuleBook>(position: &Position<R>, depth: u32) -> u64 {
    match depth {
        0 => 1,
        1 => position.count_legal_moves() as u64,
        _ => through_successors(position, depth, perft_bulk),
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

/// [`divide`] on several threads, which share the positions after two plies. The result does not depend on their number.
pub fn divide_on_threads<R: RuleBook>(
    position: &Position<R>,
    depth: u32,
    threads: usize,
    count: impl Fn(&Position<R>, u32) -> u64 + Sync,
) -> Vec<(Move<R>, u64)> {
    let mut counted: Vec<(Move<R>, u64)> = divide(position, depth, |_, _| 0);
    let roots = counted.len();
    let tasks = tasks(position, depth);
    let next = AtomicUsize::new(0);
    let work = || {
        let mut nodes = vec![0; roots];
        while let Some((root, position, rest)) = tasks.get(next.fetch_add(1, Ordering::Relaxed)) {
            nodes[*root] += count(position, *rest);
        }
        nodes
    };
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads.clamp(1, tasks.len().max(1)))
            .map(|_| scope.spawn(work))
            .collect();
        for worker in workers {
            match worker.join() {
                Ok(nodes) => {
                    for ((_, sum), nodes) in counted.iter_mut().zip(nodes) {
                        *sum += nodes;
                    }
                }
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
    });
    counted
}

/// The tasks of a count: the index of the first move, a position, and the plies left there.
fn tasks<R: RuleBook>(position: &Position<R>, depth: u32) -> Vec<(usize, Position<R>, u32)> {
    let mut tasks = Vec::new();
    let mut replies = MoveList::new();
    for (root, (mv, _)) in divide(position, depth, |_, _| 0).into_iter().enumerate() {
        let after = position.after(mv);
        if depth < 3 {
            tasks.push((root, after, depth - 1));
            continue;
        }
        after.legal_moves(&mut replies);
        for &reply in replies.iter() {
            tasks.push((root, after.after(reply), depth - 2));
        }
    }
    tasks
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hive::contest::Position;

    fn midgame() -> Position {
        "12 -4,0;3,1;5,0 1,2:bB;2,0:bArB;2,1:bQ;2,2:bG;3,-1:rQ;4,-1:rS;5,-2:rB AAAGGSS/AABGSSS"
            .parse()
            .unwrap()
    }

    #[test]
    fn bulk_counting_and_any_number_of_threads_give_the_same_counts() {
        let position = midgame();
        for depth in 0..=3 {
            let expected = divide(&position, depth, perft);
            assert_eq!(divide(&position, depth, perft_bulk), expected);
            for threads in [1, 2, 7] {
                let counted = divide_on_threads(&position, depth, threads, perft_bulk);
                assert_eq!(counted, expected);
            }
            let sum: u64 = expected.iter().map(|(_, nodes)| nodes).sum();
            if depth > 0 {
                assert_eq!(sum, perft(&position, depth));
            }
        }
    }

    #[test]
    fn a_finished_game_has_no_continuation() {
        let over: Position = "60 - 0,0:rQ;1,0:bQ -/-".parse().unwrap();
        assert_eq!(perft(&over, 0), 1);
        assert_eq!(perft(&over, 1), 0);
        assert_eq!(perft_bulk(&over, 1), 0);
        assert_eq!(divide_on_threads(&over, 3, 2, perft), []);
    }
}
