//! The search for shorter wins.
//!
//! The win that the tree proves is often not the shortest one. Once a win is proven, iterative
//! deepening without evaluation looks for a shorter one. It visits a position only if the game can
//! still end in time: a ply fills at most one field, so a bee with more free fields around it than
//! plies left cannot be surrounded.

use wabe_hive::hex::Grid;
use wabe_hive::{Color, Move, MoveList, Position, RuleBook};

/// Maximum number of positions to search for one win.
const MAX_POSITIONS: u32 = 60_000;

/// Positions between two checks of the clock.
const POSITIONS_PER_CLOCK_CHECK: u32 = 256;

/// The PV of a win for the side to move in fewer than `plies` plies, with the longest defence.
/// `None` if no shorter win was found in time.
pub(super) fn shorter_win<R: RuleBook>(
    position: &Position<R>,
    plies: u16,
    is_time_up: &dyn Fn() -> bool,
) -> Option<Vec<Move<R>>> {
    let mut search = ShortSearch {
        winner: position.side_to_move(),
        left: MAX_POSITIONS,
        is_time_up,
    };
    (1..plies).find_map(|depth| search.win(position, depth))
}

struct ShortSearch<'a> {
    winner: Color,
    /// Number of positions that may still be searched.
    left: u32,
    is_time_up: &'a dyn Fn() -> bool,
}

impl ShortSearch<'_> {
    /// The PV of a win within `plies` against every reply.
    fn win<R: RuleBook>(&mut self, position: &Position<R>, plies: u16) -> Option<Vec<Move<R>>> {
        if let Some(outcome) = position.outcome() {
            return (outcome.winner() == Some(self.winner)).then(Vec::new);
        }
        if plies == 0 || !self.is_in_reach(position, plies) || !self.count_position() {
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
                free <= u32::from(plies)
            })
    }

    fn count_position(&mut self) -> bool {
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

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;
    use rand_xoshiro::Xoshiro256PlusPlus;
    use wabe_hive::contest::{Contest, Deal, random_brambles};

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
