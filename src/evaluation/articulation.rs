//! A cache of articulation points.

use std::cell::Cell;
use std::fmt;

use crate::hex::{CellSet, Grid};
use crate::hive::articulation_points;

/// A set of occupied fields and its articulation points.
type Entry<S> = (S, S);

/// Binary logarithm of the number of entries: 256 KiB on the contest's board, small enough for the processor's second-level cache.
const SIZE_LOG2: u32 = 13;

/// A direct-mapped cache of the articulation points of sets of occupied fields. Finding them is the most expensive part of the
/// evaluation, and most positions of a search share their occupied fields with others.
pub(super) struct ArticulationCache<S>(Box<[Cell<Entry<S>>]>);

/// The clone is empty.
impl<S: CellSet> Clone for ArticulationCache<S> {
    fn clone(&self) -> ArticulationCache<S> {
        ArticulationCache::default()
    }
}

impl<S: CellSet> Default for ArticulationCache<S> {
    fn default() -> ArticulationCache<S> {
        // The empty set has no articulation points, so an unused entry is correct.
        ArticulationCache(vec![Cell::new((S::EMPTY, S::EMPTY)); 1 << SIZE_LOG2].into())
    }
}

impl<S: CellSet> ArticulationCache<S> {
    /// The articulation points of `occupied`.
    #[inline]
    pub(super) fn points<G: Grid<Set = S>>(&self, occupied: S) -> S {
        let entry = &self.0[(occupied.scrambled() >> (64 - SIZE_LOG2)) as usize];
        let (known, found) = entry.get();
        if known == occupied {
            return found;
        }
        let found = articulation_points::<G>(occupied);
        entry.set((occupied, found));
        found
    }
}

impl<S> fmt::Debug for ArticulationCache<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ArticulationCache")
    }
}
