//! Caches of an evaluator.

use std::cell::Cell;

use super::MoveEval;

/// A direct-mapped cache of `2^LOG2` values. An entry that was not used yet holds the default key
/// and value.
#[derive(Debug)]
pub(super) struct Cache<K: Copy, V: Copy, const LOG2: u32>(Box<[Cell<(K, V)>]>);

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
    /// The place of that hash: its high bits.
    #[inline]
    fn place(hash: u64) -> usize {
        (hash >> (64 - LOG2)) as usize
    }

    /// The value of `key`, found by `compute` if it is not cached. `hash` gives its place.
    #[inline]
    pub(super) fn get(&self, hash: u64, key: K, compute: impl FnOnce() -> V) -> V {
        let entry = &self.0[Self::place(hash)];
        let (known, value) = entry.get();
        if known == key {
            return value;
        }
        let value = compute();
        entry.set((key, value));
        value
    }
}

/// Binary logarithm of the number of positions in an [`OutputCache`].
const OUTPUTS: u32 = 15;

/// Outputs of the network, in logits, by the hash of the position: many positions of a search are
/// reached by several orders of the same moves. 47 bits of the hash identify a position: one in
/// four billion lookups of a search finds the outputs of another one. 256 KiB, and 128 KiB for a
/// policy: a larger cache has more hits, but does not fit the processor's second-level cache.
#[derive(Debug)]
pub(super) struct OutputCache {
    values: Cache<u32, f32, OUTPUTS>,
    /// At the same places; empty for a network without a policy.
    policies: Box<[Cell<f32>]>,
}

/// The clone is empty.
impl Clone for OutputCache {
    fn clone(&self) -> OutputCache {
        OutputCache::new(!self.policies.is_empty())
    }
}

impl OutputCache {
    /// An empty cache, with room for a policy's outputs or without.
    pub(super) fn new(has_policy: bool) -> OutputCache {
        let count = if has_policy { 1 << OUTPUTS } else { 0 };
        OutputCache {
            values: Cache::default(),
            policies: vec![Cell::default(); count].into(),
        }
    }

    /// The outputs for the position with that hash, found by `evaluate` if they are not cached.
    #[inline]
    pub(super) fn outputs(&self, hash: u64, evaluate: impl FnOnce() -> MoveEval) -> MoveEval {
        let policy = self.policies.get(Cache::<u32, f32, OUTPUTS>::place(hash));
        // One part of the hash is the place, the other one distinguishes the positions of that
        // place.
        let value = self.values.get(hash, hash as u32, || {
            let judgement = evaluate();
            if let Some(policy) = policy {
                policy.set(judgement.policy);
            }
            judgement.value
        });
        MoveEval {
            value,
            policy: policy.map_or(0.0, Cell::get),
        }
    }
}
