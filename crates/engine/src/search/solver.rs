//! Exhaustive search for a forced win.
//!
//! It tries a move only if it can still end the game in time: a ply fills at most one field, so a
//! bee that stays where it is cannot be surrounded with more free fields around it than there are
//! plies left. Wins for which it has to move, or is thrown by a pillbug, may be missed. The move that
//! last decided a position with as many plies left is tried first.

use std::cmp::Ordering;

use wabe_hive::hex::{CellSet, Grid};
use wabe_hive::{Color, Move, MoveList, Position, RuleBook};

/// Positions between two checks of the clock.
const POSITIONS_PER_CLOCK_CHECK: u32 = 256;

/// An exhaustive search for a forced win of one side.
pub struct Solver<'a, R: RuleBook> {
    winner: Color,
    /// Positions that may still be searched.
    left: u32,
    is_time_up: &'a dyn Fn() -> bool,
    /// True to assume that the loser fills no field around its own bee.
    is_quick: bool,
    /// By plies left: the move that last won or avoided the loss.
    killers: Vec<Option<Move<R>>>,
}

impl<'a, R: RuleBook> Solver<'a, R> {
    /// Looks for wins of `winner` until it has searched this number of positions, or the time is
    /// up.
    pub fn new(winner: Color, positions: u32, is_time_up: &'a dyn Fn() -> bool) -> Self {
        Solver {
            winner,
            left: positions,
            is_time_up,
            is_quick: false,
            killers: Vec::new(),
        }
    }

    /// Misses the rare wins in which the loser must fill a field around its own bee. Those it finds
    /// are wins. Many times faster.
    #[must_use]
    pub fn quick(mut self) -> Self {
        self.is_quick = true;
        self
    }

    /// True if the last search was cut off by a limit: then that it found no win proves nothing.
    pub fn is_exhausted(&self) -> bool {
        self.left == 0
    }

    /// The principal variation of a win within `plies` plies against every reply, with the replies
    /// that last longest. `None` without a win, or if the search was cut off.
    pub fn win(&mut self, position: &Position<R>, plies: u16) -> Option<Vec<Move<R>>> {
        if let Some(outcome) = position.outcome() {
            return (outcome.winner() == Some(self.winner)).then(Vec::new);
        }
        if plies == 0 {
            return None;
        }
        let reach = self.reach(position, plies);
        if reach == Reach::Out || !self.may_search() {
            return None;
        }
        let mut moves = MoveList::new();
        position.legal_moves(&mut moves);
        let depth = usize::from(plies);
        if self.killers.len() <= depth {
            self.killers.resize(depth + 1, None);
        }
        let killer = self.killers[depth].filter(|killer| moves.contains(killer));
        let rest = moves.iter().copied().filter(|&mv| Some(mv) != killer);
        let ordered = killer.into_iter().chain(rest);
        if position.side_to_move() == self.winner {
            let gaps = self.gaps(position);
            let may_win = |mv: &Move<R>| {
                reach == Reach::Loose || mv.destination().is_some_and(|to| gaps.contains(to))
            };
            for mv in ordered.filter(may_win) {
                if let Some(rest) = self.win(&position.after(mv), plies - 1) {
                    self.killers[depth] = Some(mv);
                    return Some([vec![mv], rest].concat());
                }
            }
            return None;
        }
        let mut longest = Vec::new();
        for mv in ordered {
            let Some(rest) = self.win(&position.after(mv), plies - 1) else {
                self.killers[depth] = Some(mv);
                return None;
            };
            if rest.len() >= longest.len() {
                longest = [vec![mv], rest].concat();
            }
        }
        Some(longest)
    }

    /// The free fields around the loser's bee.
    fn gaps(&self, position: &Position<R>) -> <R::Grid as Grid>::Set {
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

    fn may_search(&mut self) -> bool {
        if self.left > 0
            && self.left.is_multiple_of(POSITIONS_PER_CLOCK_CHECK)
            && (self.is_time_up)()
        {
            self.left = 0;
        }
        self.left = self.left.saturating_sub(1);
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
