//! What holds the hive together, remembered from position to position.

use std::cell::Cell;
use std::fmt;

use crate::hex::{BoardSet, CellSet, ContestBoard};
use crate::hive::links;

/// A set of occupied fields, and those of them that hold it together.
type Entry = (BoardSet, BoardSet);

/// Binary logarithm of the number of sets that are remembered: 256 KiB, which stay close to the core.
const SIZE_LOG2: u32 = 13;

/// Finding the links of a hive is the most expensive part of the evaluation, and most of the positions that a search looks at
/// share their occupied fields with others. A newer set takes the place of an older one.
#[derive(Clone)]
pub(super) struct LinksCache(Box<[Cell<Entry>]>);

impl Default for LinksCache {
    fn default() -> LinksCache {
        // Nothing holds the empty set together, so that an unused entry is true as well.
        LinksCache(vec![Cell::new((BoardSet::EMPTY, BoardSet::EMPTY)); 1 << SIZE_LOG2].into())
    }
}

impl LinksCache {
    /// The fields that hold `occupied` together.
    #[inline]
    pub(super) fn links(&self, occupied: BoardSet) -> BoardSet {
        let entry = &self.0[(occupied.scrambled() >> (64 - SIZE_LOG2)) as usize];
        let (known, found) = entry.get();
        if known == occupied {
            return found;
        }
        let found = links::<ContestBoard>(occupied);
        entry.set((occupied, found));
        found
    }
}

impl fmt::Debug for LinksCache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("LinksCache")
    }
}
