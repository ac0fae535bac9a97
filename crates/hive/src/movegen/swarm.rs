//! The one-hive rule: which pieces can leave their field without splitting the hive.

use super::super::{CellSetOf, Color, Position, RuleBook};
use super::slides::between;
use crate::hex::{Cell, CellSet, Direction, Grid};

impl<R: RuleBook> Position<R> {
    /// The fields of `color` whose top piece can be removed without splitting the hive.
    #[inline]
    pub fn unpinned(&self, color: Color) -> CellSetOf<R> {
        self.unpinned_among(self.tops(color))
    }

    /// The subset of `candidates`, all occupied, whose top piece can be removed without splitting
    /// the hive.
    #[inline]
    pub fn unpinned_among(&self, candidates: CellSetOf<R>) -> CellSetOf<R> {
        candidates
            - articulation_points_among::<R::Grid>(self.occupied(), candidates - self.stacked())
    }
}

/// The articulation points of `occupied`, a connected set: the fields whose removal would
/// disconnect it.
#[inline]
pub fn articulation_points<G: Grid>(occupied: G::Set) -> G::Set {
    articulation_points_among::<G>(occupied, occupied)
}

/// The articulation points of `hive` plus `cell`, given the `points` of `hive`. The hive must be
/// connected and `cell` a free neighbour of it, or the hive empty.
///
/// The new cell pins a piece only if that piece is its only neighbour. It unpins a piece only by
/// opening a second path around it. If its neighbours form one arc, it can unpin only the pieces
/// inside the arc, otherwise any piece. Only those pieces are checked again.
#[inline]
pub fn articulation_points_with<G: Grid>(hive: G::Set, points: G::Set, cell: Cell) -> G::Set {
    let ring = G::ring(hive, cell);
    if ring.is_power_of_two() {
        let only = G::cells_of_ring(cell, ring);
        return if only == hive { points } else { points | only };
    }
    let affected = if ONE_ARC[usize::from(ring) & 63] {
        points & G::cells_of_ring(cell, ring & between(ring))
    } else {
        points
    };
    if affected.is_empty() {
        return points;
    }
    let remaining = articulation_points_among::<G>(hive | CellSet::single(cell), affected);
    (points - affected) | remaining
}

/// The subset of `candidates` that are articulation points of `occupied`, a connected set.
#[inline]
fn articulation_points_among<G: Grid>(occupied: G::Set, candidates: G::Set) -> G::Set {
    // For each direction, the cells whose neighbour there is occupied.
    let towards = Direction::ALL.map(|d| G::shift_unmasked(occupied, d.opposite()));
    let mut points = candidates & with_several_arcs(towards);
    let [east, north_east, north_west, ..] = towards;
    if points.is_empty() || has_no_holes(occupied, [east, north_east, north_west]) {
        // Arcs that stay connected without the cell enclose a hole. Without holes, all cells with
        // several arcs are articulation points.
        return points;
    }
    for cell in points {
        if stays_connected_without::<G>(occupied, cell) {
            points.remove(cell);
        }
    }
    points
}

/// The cells whose neighbours form several arcs around them. Only these can be articulation points.
#[inline]
fn with_several_arcs<S: CellSet>(towards: [S; 6]) -> S {
    // An arc begins at a neighbour without another one to its right.
    let begins = |d: usize| towards[d] - towards[(d + 5) % 6];
    let (mut once, mut twice) = (begins(0), S::EMPTY);
    for d in 1..6 {
        let begin = begins(d);
        twice |= once & begin;
        once |= begin;
    }
    twice
}

/// True if a connected set has no hole. By Euler's formula, cells − adjacent pairs + triangles =
/// components − holes.
///
/// `towards` contains, for east, north-east and north-west, the cells whose neighbour there is
/// occupied.
#[inline]
pub(in super::super) fn has_no_holes<S: CellSet>(occupied: S, towards: [S; 3]) -> bool {
    let [east, north_east, north_west] = towards.map(|set| set & occupied);
    let borders = east.count_cells() + north_east.count_cells() + north_west.count_cells();
    let corners = (east & north_east).count_cells() + (north_east & north_west).count_cells();
    occupied.count_cells() + corners == borders + 1
}

/// True if `cells` stay connected without `cell`, whose neighbours form several arcs. Two flood
/// fills, one from the first arc and one from the others, run until they meet or one of them stops
/// growing.
fn stays_connected_without<G: Grid>(cells: G::Set, cell: Cell) -> bool {
    let rest = cells - CellSet::single(cell);
    let ring = G::ring(rest, cell);
    let first_arc = FIRST_ARC[usize::from(ring) & 63];
    let mut one = G::cells_of_ring(cell, first_arc);
    let mut others = G::cells_of_ring(cell, ring & !first_arc);
    let around = one | others;
    loop {
        let (grown_one, grown_others) = (G::spread(one, rest), G::spread(others, rest));
        if grown_one.intersects(grown_others) {
            break;
        }
        if grown_one == one || grown_others == others {
            return false;
        }
        (one, others) = (grown_one, grown_others);
    }
    if ONE_ARC[usize::from(ring & !first_arc) & 63] {
        return true;
    }
    // There are three arcs. The first is connected to one of the others, but maybe not to both.
    is_connected_to::<G>(one, around, rest)
}

/// True if a flood fill from `start` that stays `within` reaches all of `goals`.
fn is_connected_to<G: Grid>(start: G::Set, goals: G::Set, within: G::Set) -> bool {
    let mut reached = start;
    loop {
        if (goals - reached).is_empty() {
            return true;
        }
        let grown = G::spread(reached, within);
        if grown == reached {
            return false;
        }
        reached = grown;
    }
}

/// The first direction of each arc of a ring, counter-clockwise.
const fn arc_begins(ring: usize) -> usize {
    ring & !(ring << 1 | ring >> 5) & 63
}

/// For each ring, whether it is at most one unbroken arc.
static ONE_ARC: [bool; 64] = {
    let mut table = [false; 64];
    let mut ring = 0;
    while ring < 64 {
        table[ring] = arc_begins(ring).count_ones() <= 1;
        ring += 1;
    }
    table
};

/// For each ring, one of its arcs; 0 for the empty and the full ring.
static FIRST_ARC: [u8; 64] = {
    let mut table = [0; 64];
    let mut ring = 0;
    while ring < 64 {
        let mut arc = arc_begins(ring) & arc_begins(ring).wrapping_neg();
        let mut i = 0;
        while i < 6 {
            arc |= (arc << 1 | arc >> 5) & ring;
            i += 1;
        }
        table[ring] = arc as u8;
        ring += 1;
    }
    table
};

/// True if the cells are connected. The empty set is.
pub(in super::super) fn is_connected<G: Grid>(cells: G::Set) -> bool {
    match cells.first() {
        Some(start) => is_connected_to::<G>(CellSet::single(start), cells, cells),
        None => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random_games::for_each_position;

    /// Adds a piece at each neighbour of the hive, also after removing each unpinned piece.
    fn assert_points_update<R: RuleBook>(position: &Position<R>) {
        let occupied = position.occupied();
        let leaving = position.unpinned_among(occupied) - position.stacked();
        let smaller_hives = leaving
            .into_iter()
            .map(|cell| occupied - CellSet::single(cell));
        for hive in smaller_hives.chain([occupied]) {
            let points = articulation_points::<R::Grid>(hive);
            for cell in R::Grid::neighbours(hive) - hive {
                assert_eq!(
                    articulation_points_with::<R::Grid>(hive, points, cell),
                    articulation_points::<R::Grid>(hive | CellSet::single(cell)),
                    "{cell:?} beside {hive:?}"
                );
            }
        }
    }

    #[test]
    fn articulation_points_update_with_a_new_field() {
        for_each_position(12, assert_points_update, assert_points_update);
    }
}
