//! The free list of the tree's arena.
//!
//! Adjacent free blocks are merged, so that dropping many small families makes room for large ones.
//! A free block stores its data in its own nodes (boundary tags, Knuth 1973): the size at both
//! ends, the links of the list at the start.

use super::node::Node;

/// Number of nodes in a unit. Blocks are whole units.
pub(super) const UNIT: usize = 8;

/// Marks the end of a list. Unit 0 belongs to the root and is never free.
const NONE: u32 = 0;

/// Allocates and frees blocks of an arena.
#[derive(Debug)]
pub(super) struct FreeList {
    /// Size of the arena, in units.
    capacity: u32,
    /// High-water mark, in units: the block below it is in use.
    end: u32,
    /// The first block of each list of free blocks, by size in units. The last list holds blocks of
    /// that size or larger.
    heads: Vec<u32>,
}

/// The size in units of a block for `count` nodes.
fn units(count: usize) -> u32 {
    count.div_ceil(UNIT) as u32
}

/// The first node of a unit.
fn node(nodes: &[Node], unit: u32) -> &Node {
    &nodes[unit as usize * UNIT]
}

impl FreeList {
    /// The free list of an arena of `capacity` nodes, with blocks of at most `max_block` nodes. The
    /// first block is never freed.
    pub(super) fn new(capacity: usize, max_block: usize) -> FreeList {
        FreeList {
            capacity: u32::try_from(capacity / UNIT).unwrap_or(u32::MAX),
            end: 0,
            heads: vec![NONE; units(max_block) as usize + 1],
        }
    }

    /// Number of nodes in the arena.
    pub(super) fn capacity(&self) -> usize {
        self.capacity as usize * UNIT
    }

    /// Number of nodes below the high-water mark, the only ones that have been written.
    pub(super) fn written(&self) -> usize {
        self.end as usize * UNIT
    }

    /// Frees all blocks.
    pub(super) fn reset(&mut self) {
        self.end = 0;
        self.heads.fill(NONE);
    }

    /// The index of the list for blocks of this size.
    fn class(&self, size: u32) -> usize {
        (size as usize).min(self.heads.len() - 1)
    }

    /// The best source of a block of `size` units: a free block of that size, otherwise unused
    /// memory, otherwise a larger block.
    fn source(&self, size: u32) -> Option<Source> {
        let class = size as usize;
        let has_block = |class: &usize| self.heads[*class] != NONE;
        if class >= self.heads.len() {
            None
        } else if has_block(&class) {
            Some(Source::List(class))
        } else if self.end + size <= self.capacity {
            Some(Source::Unused)
        } else {
            (class + 1..self.heads.len())
                .find(has_block)
                .map(Source::List)
        }
    }

    /// True if a block for `count` nodes can be allocated.
    pub(super) fn has_block_for(&self, count: usize) -> bool {
        self.source(units(count)).is_some()
    }

    /// Allocates a block for `count` nodes of the arena and returns its first index.
    pub(super) fn allocate(&mut self, nodes: &[Node], count: usize) -> Option<usize> {
        let size = units(count);
        let first = match self.source(size)? {
            Source::Unused => {
                self.end += size;
                self.end - size
            }
            Source::List(class) => {
                let first = self.heads[class];
                let block_size = node(nodes, first).note();
                self.remove(nodes, first, block_size);
                if block_size > size {
                    self.insert(nodes, first + size, block_size - size);
                }
                first
            }
        };
        set_tags(nodes, first, size, 0);
        Some(first as usize * UNIT)
    }

    /// Frees a block that was allocated for `count` nodes, and merges it with adjacent free blocks.
    pub(super) fn free(&mut self, nodes: &[Node], first: usize, count: usize) {
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
        set_tags(nodes, first, size, size);
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

/// Where a block is taken from.
enum Source {
    /// A list of free blocks.
    List(usize),
    /// The memory above the high-water mark.
    Unused,
}

/// Tags both ends of a block: with its size if it is free, with 0 if it is in use.
fn set_tags(nodes: &[Node], first: u32, size: u32, tag: u32) {
    node(nodes, first).set_note(tag);
    node(nodes, first + size - 1).set_note(tag);
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::seq::SliceRandom;
    use rand::{RngExt, SeedableRng};
    use rand_xoshiro::Xoshiro256PlusPlus;

    struct Arena(Vec<Node>, FreeList);

    impl Arena {
        fn new(capacity: usize, max_block: usize) -> Arena {
            let nodes = (0..capacity).map(|_| Node::default()).collect();
            let mut arena = Arena(nodes, FreeList::new(capacity, max_block));
            assert_eq!(arena.allocate(1), Some(0));
            arena
        }

        fn allocate(&mut self, count: usize) -> Option<usize> {
            self.1.allocate(&self.0, count)
        }

        fn free(&mut self, first: usize, count: usize) {
            self.1.free(&self.0, first, count);
        }
    }

    #[test]
    fn random_blocks_never_overlap() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
        let mut arena = Arena::new(4096, 200);
        let mut allocated: Vec<(usize, usize)> = Vec::new();
        for round in 0..40 {
            loop {
                let count = rng.random_range(1..=200);
                let Some(first) = arena.allocate(count) else {
                    break;
                };
                let is_apart = |&(other, size): &(usize, usize)| {
                    first + count <= other || other + size <= first
                };
                assert!(
                    first + count <= 4096 && allocated.iter().all(is_apart),
                    "{round}"
                );
                allocated.push((first, count));
            }
            allocated.shuffle(&mut rng);
            let kept = if round % 4 == 3 {
                0
            } else {
                allocated.len() / 2
            };
            for (first, count) in allocated.drain(kept..) {
                arena.free(first, count);
            }
            if kept == 0 {
                assert_eq!(arena.1.end, 1, "only the first block remains");
                assert!(arena.1.heads.iter().all(|&head| head == NONE));
            }
        }
    }
}
