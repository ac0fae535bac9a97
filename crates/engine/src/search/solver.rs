//! Exhaustive search for a forced win.
//!
//! It tries a move only if it can still end the game in time: a ply fills at most one field, so a
//! bee that stays where it is cannot be surrounded with more free fields around it than there are
//! plies left. Wins for which it has to move, or is thrown by a pillbug, may be missed.
//!
//! Different orders of the same moves lead to the same position, so verdicts are kept by position.
//! The move that last decided a position with as many plies left is tried first, then moves that
//! fill a field around the loser's bee. Replies are ordered by how often one to the same field
//! avoided the loss.

use std::cmp::{Ordering, Reverse};
use std::collections::HashMap;

use wabe_hive::hex::{CellSet, Grid};
use wabe_hive::{CellSetOf, Color, Move, Position, RuleBook};

/// Positions between two checks of the clock.
const POSITIONS_PER_CLOCK_CHECK: u32 = 256;

/// An exhaustive search for a forced win of one side.
#[derive(Debug)]
pub struct Solver<R: RuleBook> {
    winner: Color,
    /// Positions that may still be searched.
    left: u32,
    /// True if the clock ended the last search.
    is_cut_off: bool,
    /// True to assume that the loser fills no field around its own bee.
    is_quick: bool,
    /// The number of plies within which each move of the winner must threaten to win; `None` to try
    /// all moves.
    threat_plies: Option<u16>,
    /// By hash of the position.
    verdicts: HashMap<u64, Verdict<R>>,
    /// By plies left: the move that last won or avoided the loss.
    killers: Vec<Option<Move<R>>>,
    /// By target field: the number of times that a reply avoided the loss.
    refutations: Vec<u32>,
}

/// The results of the searches of one position.
#[derive(Debug)]
struct Verdict<R: RuleBook> {
    /// The winner cannot win within this number of plies.
    no_win_within: u16,
    /// The moves of a win.
    win: Option<Vec<Move<R>>>,
}

impl<R: RuleBook> Solver<R> {
    /// Looks for wins of `winner` until it has searched this number of positions in all.
    pub fn new(winner: Color, positions: u32) -> Self {
        Solver {
            winner,
            left: positions,
            is_cut_off: false,
            is_quick: false,
            threat_plies: None,
            verdicts: HashMap::new(),
            killers: Vec::new(),
            refutations: vec![0; R::Grid::INDEX_BOUND],
        }
    }

    /// Misses the rare wins in which the loser must fill a field around its own bee. Those it finds
    /// are wins. Many times faster.
    #[must_use]
    pub fn quick(mut self) -> Self {
        self.is_quick = true;
        self
    }

    /// Tries only moves that threaten to win within `plies` plies. It may miss wins, but those that
    /// it finds are wins. Faster if few moves threaten to win.
    #[must_use]
    pub fn with_threats(mut self, plies: u16) -> Self {
        self.threat_plies = Some(plies);
        self
    }

    /// True if the positions are used up: then a search without a win proves nothing.
    pub fn is_exhausted(&self) -> bool {
        self.left == 0
    }

    /// True if the clock ended the last search. The same search continues it.
    pub fn is_cut_off(&self) -> bool {
        self.is_cut_off
    }

    /// The principal variation of a win within `plies` plies against every reply, with the replies
    /// that last longest. `None` without a win, if the time is up, or if the search is exhausted.
    pub fn win(
        &mut self,
        position: &Position<R>,
        plies: u16,
        is_time_up: &dyn Fn() -> bool,
    ) -> Option<Vec<Move<R>>> {
        self.is_cut_off = false;
        self.search(position, plies, is_time_up)
    }

    fn search(
        &mut self,
        position: &Position<R>,
        plies: u16,
        is_time_up: &dyn Fn() -> bool,
    ) -> Option<Vec<Move<R>>> {
        if let Some(outcome) = position.outcome() {
            return (outcome.winner() == Some(self.winner)).then(Vec::new);
        }
        if plies == 0 {
            return None;
        }
        let reach = self.reach(position, plies);
        if reach == Reach::Out {
            return None;
        }
        if let Some(known) = self.verdicts.get(&position.hash()) {
            let win = known.win.as_ref();
            if let Some(win) = win.filter(|win| win.len() <= usize::from(plies)) {
                return Some(win.clone());
            }
            if known.no_win_within >= plies {
                return None;
            }
        }
        if !self.may_search(is_time_up) {
            return None;
        }
        let win = if position.side_to_move() == self.winner {
            self.winning_move(position, plies, reach, is_time_up)
        } else {
            self.longest_defence(position, plies, is_time_up)
        };
        if win.is_none() && self.is_stopped() {
            return None;
        }
        let verdict = self.verdicts.entry(position.hash()).or_insert(Verdict {
            no_win_within: 0,
            win: None,
        });
        match &win {
            Some(_) => verdict.win.clone_from(&win),
            None => verdict.no_win_within = plies,
        }
        win
    }

    fn winning_move(
        &mut self,
        position: &Position<R>,
        plies: u16,
        reach: Reach,
        is_time_up: &dyn Fn() -> bool,
    ) -> Option<Vec<Move<R>>> {
        let gaps = self.gaps(position);
        let fills = |mv: &Move<R>| mv.destination().is_some_and(|to| gaps.contains(to));
        let mut moves = position.legal_moves();
        if reach == Reach::Tight {
            moves.retain(|mv| fills(mv));
        }
        let killer = self.killer(plies);
        moves.sort_by_key(|mv| (killer != Some(*mv), !fills(mv)));
        for &mv in &moves {
            let after = position.after(mv);
            if !self.threatens(&after, plies, is_time_up) {
                continue;
            }
            if let Some(rest) = self.search(&after, plies - 1, is_time_up) {
                self.set_killer(plies, mv);
                return Some([vec![mv], rest].concat());
            }
        }
        None
    }

    fn longest_defence(
        &mut self,
        position: &Position<R>,
        plies: u16,
        is_time_up: &dyn Fn() -> bool,
    ) -> Option<Vec<Move<R>>> {
        let mut moves = position.legal_moves();
        let killer = self.killer(plies);
        moves.sort_by_key(|mv| {
            let refutations = mv.destination().map(|to| self.refutations[to.index()]);
            (killer != Some(*mv), Reverse(refutations))
        });
        let mut longest = Vec::new();
        for &mv in &moves {
            let Some(rest) = self.search(&position.after(mv), plies - 1, is_time_up) else {
                if !self.is_stopped() {
                    self.set_killer(plies, mv);
                    if let Some(to) = mv.destination() {
                        self.refutations[to.index()] += 1;
                    }
                }
                return None;
            };
            if rest.len() >= longest.len() {
                longest = [vec![mv], rest].concat();
            }
        }
        Some(longest)
    }

    /// True if the winner would win by moving again after its move with `plies` plies left. Its last
    /// move needs no threat.
    fn threatens(
        &mut self,
        after: &Position<R>,
        plies: u16,
        is_time_up: &dyn Fn() -> bool,
    ) -> bool {
        let Some(threat_plies) = self.threat_plies.filter(|_| plies > 2) else {
            return true;
        };
        let plies = threat_plies.min(plies - 2);
        after.outcome().is_some()
            || self
                .search(&after.after(Move::Pass), plies, is_time_up)
                .is_some()
    }

    fn killer(&self, plies: u16) -> Option<Move<R>> {
        self.killers.get(usize::from(plies)).copied().flatten()
    }

    fn set_killer(&mut self, plies: u16, mv: Move<R>) {
        let depth = usize::from(plies);
        if self.killers.len() <= depth {
            self.killers.resize(depth + 1, None);
        }
        self.killers[depth] = Some(mv);
    }

    /// The free fields around the loser's bee.
    fn gaps(&self, position: &Position<R>) -> CellSetOf<R> {
        position
            .bee(self.winner.opponent())
            .map_or(CellSet::EMPTY, |bee| {
                let ring = R::Grid::ring(position.free(), bee);
                R::Grid::cells_of_ring(bee, ring)
            })
    }

    fn reach(&self, position: &Position<R>, plies: u16) -> Reach {
        if position.turn().saturating_add(plies) >= R::MAX_TURN {
            return Reach::Loose;
        }
        let free = position.free_around_bee(self.winner.opponent());
        let fillings = u32::from(self.filling_plies(position, plies));
        match free.map(|free| free.cmp(&fillings)) {
            None | Some(Ordering::Greater) => Reach::Out,
            Some(Ordering::Equal) => Reach::Tight,
            Some(Ordering::Less) => Reach::Loose,
        }
    }

    /// The number of the next plies that may fill a field around the loser's bee.
    fn filling_plies(&self, position: &Position<R>, plies: u16) -> u16 {
        match position.side_to_move() == self.winner {
            _ if !self.is_quick => plies,
            true => plies.div_ceil(2),
            false => plies / 2,
        }
    }

    fn is_stopped(&self) -> bool {
        self.is_cut_off || self.is_exhausted()
    }

    fn may_search(&mut self, is_time_up: &dyn Fn() -> bool) -> bool {
        if self.left > 0 && self.left.is_multiple_of(POSITIONS_PER_CLOCK_CHECK) && is_time_up() {
            self.is_cut_off = true;
        }
        if self.is_stopped() {
            return false;
        }
        self.left -= 1;
        self.left > 0
    }
}

/// The chance that a game ends in time.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reach {
    /// Impossible.
    Out,
    /// Possible only if every move that may fill a field around the loser's bee does.
    Tight,
    Loose,
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use rand::SeedableRng;
    use rand_xoshiro::Xoshiro256PlusPlus;
    use wabe_hive::contest::{Contest, Deal, random_brambles};

    /// True if `winner` wins within `plies`, by plain minimax.
    pub(crate) fn wins(position: &Position<Contest>, winner: Color, plies: u16) -> bool {
        if let Some(outcome) = position.outcome() {
            return outcome.winner() == Some(winner);
        }
        if plies == 0 {
            return false;
        }
        let moves = position.legal_moves();
        let mut after = moves
            .iter()
            .map(|&mv| wins(&position.after(mv), winner, plies - 1));
        if position.side_to_move() == winner {
            after.any(|wins| wins)
        } else {
            after.all(|wins| wins)
        }
    }

    /// In the last turns, where a win by free fields may begin with any move.
    #[test]
    fn rising_depths_match_minimax() {
        let mut found = [0; 5];
        for seed in 0..25 {
            let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
            let mut position = Deal::Contest.start(random_brambles(&mut rng));
            while let Some(mv) = position.random_move(&mut rng) {
                if position.turn() >= 56 {
                    for winner in [Color::Red, Color::Blue] {
                        let mut solver = Solver::new(winner, u32::MAX);
                        let mut quick = Solver::new(winner, u32::MAX).quick();
                        for plies in 1..=4 {
                            let expected = wins(&position, winner, plies);
                            let win = solver.win(&position, plies, &|| false);
                            assert_eq!(win.is_some(), expected, "{plies} {position}");
                            assert!(expected || quick.win(&position, plies, &|| false).is_none());
                            if let Some(win) = win {
                                assert!(win.len() <= usize::from(plies));
                                found[win.len()] += 1;
                            }
                        }
                    }
                }
                position.play(mv);
            }
        }
        assert!(found[1..].iter().all(|&count| count > 5), "{found:?}");
    }
}
