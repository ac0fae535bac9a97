//! The free list of the tree's arena.

/// Number of nodes in the smallest block. All blocks are multiples of it, so that freed blocks can be reused.
const UNIT: usize = 8;

/// Allocates and frees blocks of an arena.
#[derive(Debug)]
pub(super) struct FreeList {
    /// Largest number of nodes in the arena.
    capacity: usize,
    /// High-water mark.
    end: usize,
    /// The first nodes of the free blocks, by size in units.
    free: Vec<Vec<u32>>,
}

/// The size of a block for that many nodes, in units.
fn units(count: usize) -> usize {
    count.div_ceil(UNIT)
}

impl FreeList {
    /// The free list of an arena of `capacity` nodes, with blocks of at most `largest` nodes.
    pub(super) fn new(capacity: usize, largest: usize) -> FreeList {
        FreeList {
            capacity,
            end: 0,
            free: vec![Vec::new(); units(largest) + 1],
        }
    }

    /// Frees all blocks.
    pub(super) fn reset(&mut self) {
        self.end = 0;
        self.free.iter_mut().for_each(Vec::clear);
    }

    /// The high-water mark, in nodes.
    pub(super) fn handed_out(&self) -> usize {
        self.end
    }

    /// The size of the best block for `count` nodes, in units, and true if it is on the free list; `None` if there is none.
    fn best_fit(&self, count: usize) -> Option<(usize, bool)> {
        let wanted = units(count);
        let is_free = |size: &usize| self.free.get(*size).is_some_and(|free| !free.is_empty());
        if is_free(&wanted) {
            return Some((wanted, true));
        }
        if wanted < self.free.len() && self.end + wanted * UNIT <= self.capacity {
            return Some((wanted, false));
        }
        (wanted + 1..self.free.len())
            .find(is_free)
            .map(|size| (size, true))
    }

    /// True if there is a block for `count` nodes.
    pub(super) fn has_block_for(&self, count: usize) -> bool {
        self.best_fit(count).is_some()
    }

    /// Allocates a block for `count` nodes and returns its first index.
    pub(super) fn take(&mut self, count: usize) -> Option<usize> {
        let (size, is_free) = self.best_fit(count)?;
        if !is_free {
            let first = self.end;
            self.end += size * UNIT;
            return Some(first);
        }
        let first = self.free.get_mut(size)?.pop()? as usize;
        let wanted = units(count);
        self.put_free(first + wanted * UNIT, size - wanted);
        Some(first)
    }

    /// Frees a block that was allocated for `count` nodes.
    pub(super) fn give_back(&mut self, first: usize, count: usize) {
        self.put_free(first, units(count));
    }

    fn put_free(&mut self, first: usize, size: usize) {
        if let (Some(free), Ok(first)) = (self.free.get_mut(size), u32::try_from(first))
            && size > 0
        {
            free.push(first);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_do_not_overlap_and_are_used_again() {
        let mut list = FreeList::new(80, 40);
        assert_eq!(list.take(1), Some(0));
        assert_eq!(list.take(17), Some(8));
        assert_eq!(list.take(40), Some(32));
        assert!(list.has_block_for(8) && !list.has_block_for(9));
        list.give_back(8, 17);
        assert_eq!(list.take(20), Some(8));
        assert!(!list.has_block_for(20));
        list.give_back(32, 40);
        // The rest of a larger block stays free.
        assert_eq!(list.take(24), Some(32));
        assert_eq!(list.take(16), Some(56));
        assert_eq!(list.take(8), Some(72));
        assert_eq!(list.take(1), None);
        list.reset();
        assert_eq!(list.take(40), Some(0));
    }

    #[test]
    fn nothing_larger_than_announced_is_handed_out() {
        let mut list = FreeList::new(1000, 40);
        assert_eq!(list.take(41), None);
        assert_eq!(list.take(40), Some(0));
    }
}
