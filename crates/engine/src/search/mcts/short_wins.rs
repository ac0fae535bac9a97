//! Exhaustive searches for short wins.
//!
//! The win that the tree proves is often not the shortest one. Once a win is proven, an exhaustive
//! search with rising depth looks for a shorter one. Before, the root is searched for a win of a few
//! plies several times, because the tree may find it late.

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
    let mut solver = Solver::new(position.side_to_move(), MAX_POSITIONS);
    (1..plies).find_map(|depth| solver.win(position, depth, is_time_up))
}

/// A search for a forced win at the root.
struct WinSearch {
    /// Minimum number of visits of the root.
    visits: u32,
    /// Maximum number of plies of the win.
    plies: u16,
    /// Maximum number of positions.
    positions: u32,
    /// The number of plies within which each move must threaten to win; `None` to try all moves.
    threat_plies: Option<u16>,
}

/// Levels up to 8 search fewer than 100 iterations, level 9 fewer than 512.
const WIN_SEARCHES: [WinSearch; 4] = [
    WinSearch {
        visits: 100,
        plies: 3,
        positions: 400,
        threat_plies: None,
    },
    WinSearch {
        visits: 512,
        plies: 5,
        positions: 2_000,
        threat_plies: None,
    },
    WinSearch {
        visits: 2_048,
        plies: 9,
        positions: 8_000,
        threat_plies: Some(3),
    },
    WinSearch {
        visits: 8_192,
        plies: 7,
        positions: 32_000,
        threat_plies: None,
    },
];

/// The number of searches in games with a last turn. Before it, free fields decide, no move can be
/// pruned, and the larger searches cost more than they gain.
const SEARCHES_WITH_LAST_TURN: usize = 2;

impl WinSearch {
    /// The solver is [quick](Solver::quick), so searches of a few plies cost nothing while the bee is
    /// not in danger.
    fn solver<R: RuleBook>(&self, root: &Position<R>) -> Solver<R> {
        let solver = Solver::new(root.side_to_move(), self.positions).quick();
        match self.threat_plies {
            Some(plies) => solver.with_threats(plies),
            None => solver,
        }
    }

    /// The moves of a win for the side to move.
    fn win<R: RuleBook>(
        &self,
        solver: &mut Solver<R>,
        root: &Position<R>,
        is_time_up: &dyn Fn() -> bool,
    ) -> Option<Vec<Move<R>>> {
        for plies in (1..=self.plies).step_by(2) {
            let win = solver.win(root, plies, is_time_up);
            if win.is_some() || solver.is_cut_off() {
                return win;
            }
        }
        None
    }
}

/// The searches for forced wins at one root.
#[derive(Debug)]
pub(super) struct WinSearches<R: RuleBook> {
    /// The number of searches that are finished.
    done: usize,
    /// The solver of the search that the clock interrupted.
    solver: Option<Solver<R>>,
    /// The moves of the win that was found.
    pub(super) win: Option<Vec<Move<R>>>,
}

impl<R: RuleBook> Default for WinSearches<R> {
    fn default() -> Self {
        WinSearches {
            done: 0,
            solver: None,
            win: None,
        }
    }
}

impl<R: RuleBook> WinSearches<R> {
    /// Makes or continues the search that is due before the next visit of the root, if there is one.
    /// Proves a child if it finds a win, which the tree finds late if the priors of its moves are
    /// small. Does nothing if the first move of that win is excluded.
    pub(super) fn run(&mut self, tree: &Tree, root: &Position<R>, is_time_up: &dyn Fn() -> bool) {
        let visits = tree[NodeId::ROOT].visits().saturating_add(1);
        let searches = if R::MAX_TURN < u16::MAX {
            &WIN_SEARCHES[..SEARCHES_WITH_LAST_TURN]
        } else {
            &WIN_SEARCHES[..]
        };
        let next = searches.get(self.done);
        let Some(due) = next.filter(|search| visits >= search.visits) else {
            return;
        };
        let solver = self.solver.get_or_insert_with(|| due.solver(root));
        let win = due.win(solver, root, is_time_up);
        if win.is_none() && solver.is_cut_off() {
            return;
        }
        self.done += 1;
        self.solver = None;
        let Some([mv, continuation @ ..]) = win.as_deref() else {
            return;
        };
        // The next backup proves the root by its child.
        let children = tree.children(NodeId::ROOT).iter();
        let is_meant = |child: &&Node| child.mv::<R>() == *mv && child.proof().is_none();
        if let Some(child) = children.into_iter().find(is_meant) {
            child.set_proof_and_plies(Some(Solved::Win), continuation.len() as u8);
            self.win = win;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::minimax_wins;
    use crate::{NarrowBoard, SearchBoard};
    use rand::SeedableRng;
    use rand_xoshiro::Xoshiro256PlusPlus;
    use std::cell::Cell;
    use wabe_hive::Color;
    use wabe_hive::contest::{Contest, Deal, random_brambles};
    use wabe_hive::hex::Grid;
    use wabe_hive::standard::{OpeningRule, Standard, StandardRecord};

    /// Plies of the shortest forced win of `winner`, at most `plies`, by plain minimax.
    fn minimax_plies(position: &Position<Contest>, winner: Color, plies: u16) -> Option<u16> {
        (0..=plies).find(|&plies| minimax_wins(position, winner, plies))
    }

    /// The searches for three and for five plies are both due.
    #[test]
    fn reused_roots_get_all_searches() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
        let root = Deal::Contest.start(random_brambles(&mut rng));
        let tree = Tree::new(1, 200);
        (0..600).for_each(|_| tree[NodeId::ROOT].count_visit());
        let mut searches = WinSearches::default();
        let done = [(); 3].map(|()| {
            searches.run(&tree, &root, &|| false);
            searches.done
        });
        assert_eq!(done, [1, 2, 2]);
    }

    #[test]
    fn shortest_wins_match_minimax() {
        let mut found = [0; 4];
        let mut found_by_threats = 0;
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
                    let mut solver = Solver::new(side, u32::MAX).with_threats(1);
                    if let Some(win) = solver.win(&position, 3, &|| false) {
                        found_by_threats += 1;
                        let plies = minimax_plies(&position, side, 3);
                        assert!(plies.is_some_and(|plies| usize::from(plies) <= win.len()));
                    }
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
        assert!(found_by_threats > 5, "{found_by_threats}");
    }

    /// A win in seven plies that the tree does not prove within 236,000 iterations.
    fn win_in_seven() -> Position<<NarrowBoard as SearchBoard<Standard>>::Rules> {
        let game = concat!(
            r"Base;InProgress;White[13];wB1;bG1 /wB1;wS1 wB1/;bQ /bG1;wA1 wS1\;bG2 /bQ;wQ wA1/;",
            r"bG2 \wQ;wQ bG2-;bA1 -bG1;wA1 -bA1;bB1 \bG2;wA2 -wS1;bB1 bG2;wS2 /wA1;bB1 wQ;",
            r"wS2 bQ\;bA2 bB1/;wG1 wS2-;bS1 bB1\;wG1 /bQ;bA2 wB1\;wA1 \bA1;bA2 -wA2"
        );
        let record = StandardRecord::from_game_string(game, OpeningRule::default()).unwrap();
        let frame = NarrowBoard::around(record.position(), None).unwrap();
        frame.narrow(record.position()).unwrap()
    }

    #[test]
    fn the_last_search_finds_seven_plies() {
        let root = win_in_seven();
        let win = |search: &WinSearch| search.win(&mut search.solver(&root), &root, &|| false);
        let plies = WIN_SEARCHES
            .each_ref()
            .map(|search| win(search).map(|win| win.len()));
        assert_eq!(plies[1], None);
        assert_eq!(plies[3], Some(7));
    }

    /// The clock ends the search after every 256 positions.
    #[test]
    fn searches_continue_where_the_clock_ended_them() {
        let root = win_in_seven();
        let search = &WIN_SEARCHES[3];
        let mut solver = search.solver(&root);
        let is_first_check = Cell::new(true);
        let mut pauses = 0;
        let win = loop {
            is_first_check.set(true);
            let win = search.win(&mut solver, &root, &|| !is_first_check.replace(false));
            if !solver.is_cut_off() {
                break win;
            }
            pauses += 1;
        };
        assert_eq!(win.map(|win| win.len()), Some(7));
        assert!(pauses > 20, "{pauses}");
    }
}
