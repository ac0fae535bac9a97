//! Caches of an evaluator.

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

/// Binary logarithm of the number of values: 256 KiB. A larger cache finds more of them, but leaves the processor's second-level cache.
const VALUES_LOG2: u32 = 15;

/// A direct-mapped cache of expected scores by the hash of the position: many positions of a search are reached by several orders of
/// the same moves. 47 bits of the hash stand for the position: of a search's lookups one in four billion finds a value of another one.
pub(super) struct ValueCache(Box<[Cell<(u32, f32)>]>);

/// The clone is empty.
impl Clone for ValueCache {
    fn clone(&self) -> ValueCache {
        ValueCache::default()
    }
}

impl Default for ValueCache {
    fn default() -> ValueCache {
        ValueCache(vec![Cell::new((0, 0.5)); 1 << VALUES_LOG2].into())
    }
}

impl ValueCache {
    /// The value of the position with that hash; `evaluate` is asked if it is not known.
    #[inline]
    pub(super) fn value(&self, hash: u64, evaluate: impl FnOnce() -> f32) -> f32 {
        // One part of the hash is the place, the other one tells positions of that place apart.
        let (entry, key) = (&self.0[(hash >> (64 - VALUES_LOG2)) as usize], hash as u32);
        let (known, value) = entry.get();
        if known == key {
            return value;
        }
        let value = evaluate();
        entry.set((key, value));
        value
    }
}
