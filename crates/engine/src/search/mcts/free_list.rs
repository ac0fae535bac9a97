//! The free list of the tree's arena.
//!
//! Free neighbours are joined, so that a tree full of small families has room for large ones once
//! they are dropped. A free block is described in its own nodes (boundary tags, Knuth 1973): its
//! size at either end, its neighbours in the list at its beginning.

use super::node::Node;

/// Number of nodes in a unit. Blocks are whole units.
pub(super) const UNIT: usize = 8;

/// The end of a list. The root's unit is never free.
const NONE: u32 = 0;

/// Allocates and frees blocks of an arena.
#[derive(Debug)]
pub(super) struct FreeList {
    /// Largest number of units in the arena.
    capacity: u32,
    /// High-water mark, in units: the block below it is in use.
    end: u32,
    /// The first units of the lists of free blocks, by size in units. The last list has all that
    /// are as large or larger.
    heads: Vec<u32>,
}

/// The size of a block for that many nodes, in units.
fn units(count: usize) -> u32 {
    count.div_ceil(UNIT) as u32
}

/// The first node of a unit.
fn node(nodes: &[Node], unit: u32) -> &Node {
    &nodes[unit as usize * UNIT]
}

impl FreeList {
    /// The free list of an arena of `capacity` nodes, with blocks of at most `largest` nodes. The
    /// first block is never freed.
    pub(super) fn new(capacity: usize, largest: usize) -> FreeList {
        FreeList {
            capacity: u32::try_from(capacity / UNIT).unwrap_or(u32::MAX),
            end: 0,
            heads: vec![NONE; units(largest) as usize + 1],
        }
    }

    /// Number of nodes in the arena.
    pub(super) fn capacity(&self) -> usize {
        self.capacity as usize * UNIT
    }

    /// Frees all blocks.
    pub(super) fn reset(&mut self) {
        self.end = 0;
        self.heads.fill(NONE);
    }

    /// The list of the blocks of that size.
    fn class(&self, size: u32) -> usize {
        (size as usize).min(self.heads.len() - 1)
    }

    /// The source of the best block for `size` units: one of that size, then unused memory, then a
    /// larger one.
    fn source(&self, size: u32) -> Option<Source> {
        let wanted = size as usize;
        let has_block = |class: &usize| self.heads[*class] != NONE;
        if wanted >= self.heads.len() {
            None
        } else if has_block(&wanted) {
            Some(Source::List(wanted))
        } else if self.end + size <= self.capacity {
            Some(Source::Unused)
        } else {
            (wanted + 1..self.heads.len())
                .find(has_block)
                .map(Source::List)
        }
    }

    /// True if there is a block for `count` nodes.
    pub(super) fn has_block_for(&self, count: usize) -> bool {
        self.source(units(count)).is_some()
    }

    /// Allocates a block for `count` nodes of the arena and returns its first index.
    pub(super) fn take(&mut self, nodes: &[Node], count: usize) -> Option<usize> {
        let size = units(count);
        let first = match self.source(size)? {
            Source::Unused => {
                self.end += size;
                self.end - size
            }
            Source::List(class) => {
                let first = self.heads[class];
                let had = node(nodes, first).note();
                self.remove(nodes, first, had);
                if had > size {
                    self.insert(nodes, first + size, had - size);
                }
                first
            }
        };
        mark(nodes, first, size, 0);
        Some(first as usize * UNIT)
    }

    /// Frees a block of the arena that was allocated for `count` nodes, and joins it with free
    /// neighbours.
    pub(super) fn give_back(&mut self, nodes: &[Node], first: usize, count: usize) {
        let (mut first, mut size) = ((first / UNIT) as u32, units(count));
        let left = node(nodes, first - 1).note();
        if left > 0 {
            first -= left;
            size += left;
            self.remove(nodes, first, left);
        }
        if first + size < self.end {
            let right = node(nodes, first + size).note();
            if right > 0 {
                self.remove(nodes, first + size, right);
                size += right;
            }
        }
        if first + size == self.end {
            self.end = first;
        } else {
            self.insert(nodes, first, size);
        }
    }

    fn insert(&mut self, nodes: &[Node], first: u32, size: u32) {
        mark(nodes, first, size, size);
        let class = self.class(size);
        let next = self.heads[class];
        self.heads[class] = first;
        node(nodes, first).set_free_links([next, NONE]);
        if next != NONE {
            let [after, _] = node(nodes, next).free_links();
            node(nodes, next).set_free_links([after, first]);
        }
    }

    fn remove(&mut self, nodes: &[Node], first: u32, size: u32) {
        let [next, before] = node(nodes, first).free_links();
        if before == NONE {
            let class = self.class(size);
            self.heads[class] = next;
        } else {
            let [_, further] = node(nodes, before).free_links();
            node(nodes, before).set_free_links([next, further]);
        }
        if next != NONE {
            let [after, _] = node(nodes, next).free_links();
            node(nodes, next).set_free_links([after, before]);
        }
    }
}

/// The place that a block is taken from.
enum Source {
    /// A list of free blocks.
    List(usize),
    /// The memory above the high-water mark.
    Unused,
}

/// Notes at both ends of a block that it is free with that size, or in use with 0.
fn mark(nodes: &[Node], first: u32, size: u32, free: u32) {
    node(nodes, first).set_note(free);
    node(nodes, first + size - 1).set_note(free);
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::seq::SliceRandom;
    use rand::{RngExt, SeedableRng};
    use rand_xoshiro::Xoshiro256PlusPlus;

    struct Arena(Vec<Node>, FreeList);

    impl Arena {
        fn new(capacity: usize, largest: usize) -> Arena {
            let nodes = (0..capacity).map(|_| Node::default()).collect();
            let mut arena = Arena(nodes, FreeList::new(capacity, largest));
            assert_eq!(arena.take(1), Some(0));
            arena
        }

        fn take(&mut self, count: usize) -> Option<usize> {
            self.1.take(&self.0, count)
        }

        fn give_back(&mut self, first: usize, count: usize) {
            self.1.give_back(&self.0, first, count);
        }
    }

    #[test]
    fn random_blocks_never_overlap() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
        let mut arena = Arena::new(4096, 200);
        let mut taken: Vec<(usize, usize)> = Vec::new();
        for round in 0..40 {
            loop {
                let count = rng.random_range(1..=200);
                let Some(first) = arena.take(count) else {
                    break;
                };
                let is_apart = |&(other, size): &(usize, usize)| {
                    first + count <= other || other + size <= first
                };
                assert!(
                    first + count <= 4096 && taken.iter().all(is_apart),
                    "{round}"
                );
                taken.push((first, count));
            }
            taken.shuffle(&mut rng);
            let kept = if round % 4 == 3 { 0 } else { taken.len() / 2 };
            for (first, count) in taken.drain(kept..) {
                arena.give_back(first, count);
            }
            if kept == 0 {
                assert_eq!(arena.1.end, 1, "only the first block remains");
                assert!(arena.1.heads.iter().all(|&head| head == NONE));
            }
        }
    }
}
