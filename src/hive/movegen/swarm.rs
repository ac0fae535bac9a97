//! The one-hive rule: which pieces may leave their field without splitting the hive.

use super::super::{CellSetOf, Color, Position, RuleBook};
use crate::hex::{Cell, CellSet, Grid};

/// For a ring of six neighbours, bit `i` set where the neighbour in direction `i` is occupied: whether the occupied ones
/// form at most one unbroken arc. A piece with such neighbours holds nothing together that they do not.
const ONE_ARC: [bool; 64] = {
    let mut table = [false; 64];
    let mut ring = 0;
    while ring < 64 {
        let turned = ((ring << 1) | (ring >> 5)) & 63;
        let arc_starts = (ring & !turned) as u32;
        table[ring] = arc_starts.count_ones() <= 1;
        ring += 1;
    }
    table
};

impl<R: RuleBook> Position<R> {
    /// The fields of `color` whose top piece may be taken off without splitting the hive.
    pub fn unpinned(&self, color: Color) -> CellSetOf<R> {
        let mut unpinned = self.tops(color) & self.stacked();
        for cell in self.tops(color) - unpinned {
            let ring = R::Grid::ring(self.occupied(), cell);
            if ONE_ARC[usize::from(ring) & 63] || !self.splits_without(cell) {
                unpinned.insert(cell);
            }
        }
        unpinned
    }

    /// Whether the hive falls apart when `cell` becomes empty: a flood fill from one of its neighbours that stops as soon as
    /// it has met them all.
    fn splits_without(&self, cell: Cell) -> bool {
        let rest = self.occupied() - CellSet::single(cell);
        let around = R::Grid::neighbours(CellSet::single(cell)) & rest;
        let Some(start) = around.first() else {
            return false;
        };
        let mut reached = CellSetOf::<R>::single(start);
        loop {
            let grown = reached | (R::Grid::neighbours(reached) & rest);
            if (around - grown).is_empty() {
                return false;
            }
            if grown == reached {
                return true;
            }
            reached = grown;
        }
    }
}

/// Whether the fields form one connected group; the empty set does.
pub(in super::super) fn is_connected<G: Grid>(cells: G::Set) -> bool {
    let Some(start) = cells.first() else {
        return true;
    };
    let mut reached = G::Set::single(start);
    loop {
        let grown = reached | (G::neighbours(reached) & cells);
        if grown == reached {
            return reached == cells;
        }
        reached = grown;
    }
}

#[cfg(test)]
mod tests {
    use super::ONE_ARC;

    #[test]
    fn arcs_are_counted_around_the_ring() {
        assert!(ONE_ARC[0]);
        assert!(ONE_ARC[0b111111]);
        assert!(ONE_ARC[0b100001]);
        assert!(ONE_ARC[0b011100]);
        assert!(!ONE_ARC[0b001001]);
        assert!(!ONE_ARC[0b101010]);
    }
}
