//! Caches of an evaluator.

use std::cell::Cell;

use super::MoveEval;

/// A direct-mapped cache of `2^LOG2` values. Unused entries hold the default key and value.
#[derive(Debug)]
pub(super) struct Cache<K: Copy, V: Copy, const LOG2: u32>(Box<[Cell<(K, V)>]>);

/// Clones start empty.
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
    /// The index of a hash: its high bits.
    #[inline]
    fn index(hash: u64) -> usize {
        (hash >> (64 - LOG2)) as usize
    }

    /// The value of `key`, from `compute` if it is not cached. `hash` determines the entry.
    #[inline]
    pub(super) fn get(&self, hash: u64, key: K, compute: impl FnOnce() -> V) -> V {
        let entry = &self.0[Self::index(hash)];
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
const LOG2_OUTPUTS: u32 = 15;

/// Outputs of the network, in logits, by the hash of the position: a search reaches many positions
/// by transposition. An entry stores 32 bits of the hash besides its index, so about one in four
/// billion lookups returns the outputs of another position.
///
/// Takes 256 KiB, plus 128 KiB for a policy. A larger cache has more hits, but does not fit the L2
/// cache.
#[derive(Debug)]
pub(super) struct OutputCache {
    values: Cache<u32, f32, LOG2_OUTPUTS>,
    /// At the same indices; empty for a network without a policy.
    policies: Box<[Cell<f32>]>,
}

/// Clones start empty.
impl Clone for OutputCache {
    fn clone(&self) -> OutputCache {
        OutputCache::new(!self.policies.is_empty())
    }
}

impl OutputCache {
    /// An empty cache; with `has_policy` it also stores policy outputs.
    pub(super) fn new(has_policy: bool) -> OutputCache {
        let count = if has_policy { 1 << LOG2_OUTPUTS } else { 0 };
        OutputCache {
            values: Cache::default(),
            policies: vec![Cell::default(); count].into(),
        }
    }

    /// The outputs for the position with this hash, from `evaluate` if they are not cached.
    #[inline]
    pub(super) fn outputs(&self, hash: u64, evaluate: impl FnOnce() -> MoveEval) -> MoveEval {
        let policy = self
            .policies
            .get(Cache::<u32, f32, LOG2_OUTPUTS>::index(hash));
        // The high bits of the hash are the index, the low bits identify the position.
        let value = self.values.get(hash, hash as u32, || {
            let eval = evaluate();
            if let Some(policy) = policy {
                policy.set(eval.policy);
            }
            eval.value
        });
        MoveEval {
            value,
            policy: policy.map_or(0.0, Cell::get),
        }
    }
}
