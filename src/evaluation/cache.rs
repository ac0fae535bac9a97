//! Caches of an evaluator.

use std::cell::Cell;

use crate::hex::{CellSet, Grid};
use crate::hive::articulation_points;

/// A direct-mapped cache of `2^LOG2` values. An entry that was not used yet holds the default key and value.
#[derive(Debug)]
struct Cache<K: Copy, V: Copy, const LOG2: u32>(Box<[Cell<(K, V)>]>);

/// The clone is empty.
impl<K: Copy + Default, V: Copy + Default, const LOG2: u32> Clone for Cache<K, V, LOG2> {
    fn clone(&self) -> Self {
        Cache::default()
    }
}

impl<K: Copy + Default, V: Copy + Default, const LOG2: u32> Default for Cache<K, V, LOG2> {
    fn default() -> Self {
        Cache(vec![Cell::default(); 1 << LOG2].into())
    }
}

impl<K: Copy + Eq, V: Copy, const LOG2: u32> Cache<K, V, LOG2> {
    /// The value of `key`, which `compute` finds if it is not known. The high bits of `hash` are its place.
    #[inline]
    fn get(&self, hash: u64, key: K, compute: impl FnOnce() -> V) -> V {
        let entry = &self.0[(hash >> (64 - LOG2)) as usize];
        let (known, value) = entry.get();
        if known == key {
            return value;
        }
        let value = compute();
        entry.set((key, value));
        value
    }
}

/// The articulation points of sets of occupied fields: of positions, and of hives without a piece that is lifted. Many positions of a
/// search share them. 256 KiB on the contest's board, small enough for the processor's second-level cache.
#[derive(Clone, Debug)]
pub(super) struct ArticulationCache<S: CellSet>(Cache<S, S, 13>);

impl<S: CellSet> Default for ArticulationCache<S> {
    fn default() -> ArticulationCache<S> {
        // The empty set has no articulation points, so an unused entry is correct.
        ArticulationCache(Cache::default())
    }
}

impl<S: CellSet> ArticulationCache<S> {
    /// The articulation points of `occupied`.
    #[inline]
    pub(super) fn points<G: Grid<Set = S>>(&self, occupied: S) -> S {
        let compute = || articulation_points::<G>(occupied);
        self.0.get(occupied.scrambled(), occupied, compute)
    }
}

/// Outputs of the network, in logits, by the hash of the position: many positions of a search are reached by several orders of the same
/// moves. 47 bits of the hash stand for the position: of a search's lookups one in four billion finds a value of another one. 256 KiB: a
/// larger cache finds more of them, but leaves the processor's second-level cache.
#[derive(Clone, Debug, Default)]
pub(super) struct ValueCache(Cache<u32, f32, 15>);

impl ValueCache {
    /// The value of the position with that hash; `evaluate` is asked if it is not known.
    #[inline]
    pub(super) fn value(&self, hash: u64, evaluate: impl FnOnce() -> f32) -> f32 {
        // One part of the hash is the place, the other one tells positions of that place apart.
        self.0.get(hash, hash as u32, evaluate)
    }
}
