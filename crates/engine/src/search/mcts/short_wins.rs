//! Exhaustive searches for short wins.
//!
//! The win that the tree proves is often not the shortest one. Once a win is proven, an exhaustive
//! search with rising depth looks for a shorter one. A search for a win of a few plies also runs
//! early, because the tree may find it late.

use super::node::{Node, NodeId};
use super::tree::Tree;
use crate::search::Solver;
use crate::search::choice::Solved;
use wabe_hive::{Move, Position, RuleBook};

/// Maximum number of positions to search for one win.
const MAX_POSITIONS: u32 = 60_000;

/// The PV of a win for the side to move in fewer than `plies` plies, with the longest defence.
/// `None` if no shorter win was found in time.
pub(super) fn shorter_win<R: RuleBook>(
    position: &Position<R>,
    plies: u16,
    is_time_up: &dyn Fn() -> bool,
) -> Option<Vec<Move<R>>> {
    let mut solver = Solver::new(position.side_to_move(), MAX_POSITIONS, is_time_up);
    (1..plies).find_map(|depth| solver.win(position, depth))
}

/// The visits from which the root is searched exhaustively for a win, with the maximum number of
/// plies and of positions. Levels up to 8 search fewer iterations.
const SHORT_WINS: [(u32, u16, u32); 2] = [(100, 3, 400), (512, 5, 2_000)];

/// Makes the search of [`SHORT_WINS`] that is due before the next visit of the root, if there is one
/// after the first `done`. Proves a child if it finds a win, which the tree finds late if the priors
/// of its moves are small. Returns the number of searches that are done.
///
/// The search is [quick](Solver::quick), so it costs nothing while the bee is not in danger.
pub(super) fn prove_short_win<R: RuleBook>(
    tree: &Tree,
    root: &Position<R>,
    done: usize,
    is_time_up: &dyn Fn() -> bool,
) -> usize {
    let visits = tree[NodeId::ROOT].visits().saturating_add(1);
    let next = SHORT_WINS.get(done).filter(|(at, ..)| visits >= *at);
    let Some(&(_, plies, positions)) = next else {
        return done;
    };
    let done = done + 1;
    let mut solver = Solver::new(root.side_to_move(), positions, is_time_up).quick();
    let win = solver.win(root, plies);
    let Some([mv, continuation @ ..]) = win.as_deref() else {
        return done;
    };
    // The next backup proves the root by its child.
    let children = tree.children(NodeId::ROOT).iter();
    let is_meant = |child: &&Node| child.mv::<R>() == *mv && child.proof().is_none();
    if let Some(child) = children.into_iter().find(is_meant) {
        child.set_proof_and_plies(Some(Solved::Win), continuation.len() as u8);
    }
    done
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;
    use rand_xoshiro::Xoshiro256PlusPlus;
    use wabe_hive::contest::{Contest, Deal, random_brambles};
    use wabe_hive::hex::Grid;
    use wabe_hive::{Color, MoveList};

    /// Plies of the shortest forced win of `winner`, at most `plies`, by plain minimax.
    fn minimax_plies(position: &Position<Contest>, winner: Color, plies: u16) -> Option<u16> {
        if let Some(outcome) = position.outcome() {
            return (outcome.winner() == Some(winner)).then_some(0);
        }
        if plies == 0 {
            return None;
        }
        let mut moves = MoveList::new();
        position.legal_moves(&mut moves);
        let mut after = moves
            .iter()
            .map(|&mv| minimax_plies(&position.after(mv), winner, plies - 1));
        if position.side_to_move() == winner {
            after.flatten().min().map(|plies| plies + 1)
        } else {
            after
                .try_fold(0, |longest: u16, plies| Some(longest.max(plies?)))
                .map(|plies| plies + 1)
        }
    }

    /// At 600 visits both are due. The search for five plies may end before it finds a win in three.
    #[test]
    fn reused_roots_get_all_searches() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
        let root = Deal::Contest.start(random_brambles(&mut rng));
        let tree = Tree::new(1, 200);
        (0..600).for_each(|_| tree[NodeId::ROOT].count_visit());
        let after = |done| prove_short_win(&tree, &root, done, &|| false);
        assert_eq!([0, 1, 2].map(after), [1, 2, 2]);
    }

    #[test]
    fn shortest_wins_match_minimax() {
        let mut found = [0; 4];
        for seed in 0..100 {
            let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
            let mut position = Deal::Contest.start(random_brambles(&mut rng));
            while let Some(mv) = position.random_move(&mut rng) {
                let side = position.side_to_move();
                let may_win = position.bee(side.opponent()).is_some_and(|bee| {
                    wabe_hive::hex::ContestBoard::ring(position.free(), bee).count_ones() <= 2
                });
                if may_win {
                    let expected = minimax_plies(&position, side, 2);
                    let win = shorter_win(&position, 3, &|| false);
                    assert_eq!(
                        win.as_ref().map(Vec::len),
                        expected.map(usize::from),
                        "{position}"
                    );
                    if let Some(win) = win {
                        let end = win
                            .iter()
                            .fold(position, |position, &mv| position.after(mv));
                        assert_eq!(end.outcome().and_then(|end| end.winner()), Some(side));
                        found[win.len()] += 1;
                    }
                }
                position.play(mv);
            }
        }
        assert!(found[1] > 5 && found[2] > 5, "{found:?}");
    }
}
