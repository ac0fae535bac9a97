//! What holds the hive together, remembered from position to position.

use std::cell::Cell;
use std::fmt;

use crate::hex::{CellSet, Grid};
use crate::hive::links;

/// A set of occupied fields, and those of them that hold it together.
type Entry<S> = (S, S);

/// Binary logarithm of the number of sets that are remembered: 256 KiB on the contest's board, which stay close to the core.
const SIZE_LOG2: u32 = 13;

/// Finding the links of a hive is the most expensive part of the evaluation, and most of the positions that a search looks at
/// share their occupied fields with others. A newer set takes the place of an older one.
pub(super) struct LinksCache<S>(Box<[Cell<Entry<S>>]>);

/// A clone knows nothing yet.
impl<S: CellSet> Clone for LinksCache<S> {
    fn clone(&self) -> LinksCache<S> {
        LinksCache::default()
    }
}

impl<S: CellSet> Default for LinksCache<S> {
    fn default() -> LinksCache<S> {
        // Nothing holds the empty set together, so that an unused entry is true as well.
        LinksCache(vec![Cell::new((S::EMPTY, S::EMPTY)); 1 << SIZE_LOG2].into())
    }
}

impl<S: CellSet> LinksCache<S> {
    /// The fields that hold `occupied` together.
    #[inline]
    pub(super) fn links<G: Grid<Set = S>>(&self, occupied: S) -> S {
        let entry = &self.0[(occupied.scrambled() >> (64 - SIZE_LOG2)) as usize];
        let (known, found) = entry.get();
        if known == occupied {
            return found;
        }
        let found = links::<G>(occupied);
        entry.set((occupied, found));
        found
    }
}

impl<S> fmt::Debug for LinksCache<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("LinksCache")
    }
}
