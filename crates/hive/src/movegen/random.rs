//! Random moves, drawn without listing all of them.

use arrayvec::ArrayVec;
use rand::{Rng, RngExt};

use super::super::{CellSetOf, KindOf, Move, Position, RuleBook};
use crate::hex::{Cell, CellSet, Grid};

/// More than the number of kinds and top pieces of any position.
const MAX_GROUPS: usize = 64;

/// The moves of one piece on the board, or the placements of one kind.
#[derive(Clone, Copy)]
struct Group<R: RuleBook> {
    source: Source<R>,
    /// Number of moves, or an upper bound.
    count: usize,
}

#[derive(Clone, Copy)]
enum Source<R: RuleBook> {
    Reserve(KindOf<R>),
    Board(Cell),
}

struct Groups<R: RuleBook> {
    list: ArrayVec<Group<R>, MAX_GROUPS>,
    /// The sum of all counts.
    total: usize,
    /// Where pieces from the reserve may be placed, of any kind.
    zone: CellSetOf<R>,
}

impl<R: RuleBook> Groups<R> {
    /// The moves of `position`, with upper bounds for those of pieces on the board.
    #[inline]
    fn new(position: &Position<R>) -> Groups<R> {
        let mut groups = Groups {
            list: ArrayVec::new(),
            total: 0,
            zone: CellSet::EMPTY,
        };
        position.generate_placements(|kind, to| {
            groups.zone = to;
            groups.add(Source::Reserve(kind), to.count_cells());
        });
        if R::may_move_pieces(position) {
            let beside_hive = R::Grid::neighbours(position.occupied()) & position.free();
            let beside_hive = beside_hive.count_cells();
            for from in R::movers(position) {
                if let Some(piece) = position.top(from) {
                    let count = R::max_destinations(position, from, piece.kind, beside_hive);
                    groups.add(Source::Board(from), count);
                }
            }
        }
        groups
    }

    #[inline]
    fn add(&mut self, source: Source<R>, count: usize) {
        self.list.push(Group { source, count });
        self.total += count;
    }

    /// The group of the move with this index, and the index in the group.
    #[inline]
    fn find(&mut self, mut index: usize) -> Option<(&mut Group<R>, usize)> {
        for group in &mut self.list {
            if index < group.count {
                return Some((group, index));
            }
            index -= group.count;
        }
        None
    }
}

impl<R: RuleBook> Position<R> {
    /// A uniformly random legal move; `None` when the game is over.
    ///
    /// Rejection sampling: a piece on the board first counts with an upper bound on its
    /// destinations. If the draw falls beyond its actual destinations, the count is corrected and
    /// the draw repeated. So all moves are equally likely, but the destinations of most pieces are
    /// never computed.
    pub fn random_move(&self, rng: &mut impl Rng) -> Option<Move<R>> {
        if self.outcome().is_some() {
            return None;
        }
        let mut groups = Groups::new(self);
        while groups.total > 0 {
            let drawn = rng.random_range(0..groups.total);
            let zone = groups.zone;
            let (group, index) = groups.find(drawn)?;
            match group.source {
                Source::Reserve(kind) => {
                    let to = zone.into_iter().nth(index)?;
                    return Some(Move::Place { kind, to });
                }
                Source::Board(from) => {
                    let destinations = self.destinations(from);
                    if let Some(to) = destinations.into_iter().nth(index) {
                        return Some(Move::Drag { from, to });
                    }
                    let excess = group.count - destinations.count_cells();
                    group.count -= excess;
                    groups.total -= excess;
                }
            }
        }
        Some(Move::Pass)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use rand::SeedableRng;
    use rand_xoshiro::Xoshiro256PlusPlus;

    use super::*;

    use crate::random_games::for_each_position;

    fn assert_bounds_hold<R: RuleBook>(position: &Position<R>) {
        let beside_hive = R::Grid::neighbours(position.occupied()) & position.free();
        for from in R::movers(position) {
            let kind = position.top(from).unwrap().kind;
            let bound = R::max_destinations(position, from, kind, beside_hive.count_cells());
            assert!(
                position.destinations(from).count_cells() <= bound,
                "{position}"
            );
        }
    }

    #[test]
    fn numbers_of_destinations_have_bounds() {
        for_each_position(15, assert_bounds_hold, assert_bounds_hold);
    }

    /// Tests the frequencies in a twentieth of the positions with chi-squared.
    fn assert_uniform<R: RuleBook>(position: &Position<R>) {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(position.hash());
        let moves = position.legal_moves();
        if moves.is_empty() || !position.hash().is_multiple_of(20) {
            let drawn = position.random_move(&mut rng);
            assert_eq!(drawn.is_none(), moves.is_empty(), "{position}");
            return;
        }
        const EXPECTED: usize = 100;
        let mut counts: HashMap<Move<R>, usize> = moves.iter().map(|&mv| (mv, 0)).collect();
        for _ in 0..EXPECTED * moves.len() {
            let drawn = position.random_move(&mut rng).unwrap();
            *counts.get_mut(&drawn).expect("a legal move") += 1;
        }
        let deviation = |count: usize| (count as f64 - EXPECTED as f64).powi(2) / EXPECTED as f64;
        let chi_squared: f64 = counts.into_values().map(deviation).sum();
        let degrees = moves.len() as f64 - 1.0;
        // Six standard deviations.
        let limit = degrees + 6.0 * (2.0 * degrees).sqrt();
        assert!(chi_squared <= limit + 10.0, "{chi_squared} in {position}");
    }

    #[test]
    fn random_moves_are_uniform() {
        for_each_position(13, assert_uniform, assert_uniform);
    }
}
