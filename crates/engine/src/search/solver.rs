//! Exhaustive search for a forced win.
//!
//! It tries a move only if it can still end the game in time: a ply fills at most one field, so no
//! bee is surrounded with more free fields around it than there are plies left.

use wabe_hive::hex::Grid;
use wabe_hive::{Color, Move, MoveList, Position, RuleBook};

/// Positions between two checks of the clock.
const POSITIONS_PER_CLOCK_CHECK: u32 = 256;

/// An exhaustive search for a forced win of one side.
pub struct Solver<'a> {
    winner: Color,
    /// Positions that may still be searched.
    left: u32,
    is_time_up: &'a dyn Fn() -> bool,
    /// True to assume that the loser fills no field around its own bee.
    is_quick: bool,
}

impl<'a> Solver<'a> {
    /// Looks for wins of `winner` until it has searched this number of positions, or the time is
    /// up.
    pub fn new(winner: Color, positions: u32, is_time_up: &'a dyn Fn() -> bool) -> Solver<'a> {
        Solver {
            winner,
            left: positions,
            is_time_up,
            is_quick: false,
        }
    }

    /// Misses the rare wins in which the loser must fill a field around its own bee. Those it finds
    /// are wins. Many times faster.
    #[must_use]
    pub fn quick(mut self) -> Solver<'a> {
        self.is_quick = true;
        self
    }

    /// True if the last search was cut off by a limit: then that it found no win proves nothing.
    pub fn is_exhausted(&self) -> bool {
        self.left == 0
    }

    /// The principal variation of a win within `plies` plies against every reply, with the replies
    /// that last longest. `None` if there is none, or if the search was cut off.
    pub fn win<R: RuleBook>(&mut self, position: &Position<R>, plies: u16) -> Option<Vec<Move<R>>> {
        if let Some(outcome) = position.outcome() {
            return (outcome.winner() == Some(self.winner)).then(Vec::new);
        }
        if plies == 0 || !self.is_in_reach(position, plies) || !self.may_search() {
            return None;
        }
        let mut moves = MoveList::new();
        position.legal_moves(&mut moves);
        if position.side_to_move() == self.winner {
            return moves.iter().find_map(|&mv| {
                let rest = self.win(&position.after(mv), plies - 1)?;
                Some([vec![mv], rest].concat())
            });
        }
        let mut longest = Vec::new();
        for &mv in moves.iter() {
            let rest = self.win(&position.after(mv), plies - 1)?;
            if rest.len() >= longest.len() {
                longest = [vec![mv], rest].concat();
            }
        }
        Some(longest)
    }

    /// True if the game can end within `plies`.
    fn is_in_reach<R: RuleBook>(&self, position: &Position<R>, plies: u16) -> bool {
        let ends_by_turn = position.turn().saturating_add(plies) >= R::MAX_TURN;
        ends_by_turn
            || position.bee(self.winner.opponent()).is_some_and(|bee| {
                let free = R::Grid::ring(position.free(), bee).count_ones();
                free <= u32::from(self.filling_plies(position, plies))
            })
    }

    /// The number of the next plies that may fill a field around the loser's bee.
    fn filling_plies<R: RuleBook>(&self, position: &Position<R>, plies: u16) -> u16 {
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
