//! The search tree, in one preallocated arena that all threads of a search share.
//!
//! Nodes of the same position share their children, which makes the tree an acyclic graph. Each
//! node has its own move, visits and values, but benefits from searches below the others.

use std::ops::Index;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use zerocopy::FromZeros;

use super::free_list::{FreeList, UNIT};
use super::node::{Family, Node, NodeId};

/// Minimum size of an allocation for an arena, in bytes. The C library keeps freed blocks of up to
/// 32 MiB for the thread and returns larger ones to the system. Memory that is never written costs
/// nothing.
const MIN_RESERVED: usize = 33 << 20;

/// Number of nodes in the smallest arena.
const MIN_NODES: usize = 64;

/// Allocates an arena of `wanted` nodes, or fewer if memory is short, and returns it with its
/// capacity. The nodes are zero and not yet mapped.
fn allocate_arena(wanted: usize) -> (Box<[Node]>, usize) {
    let mut capacity = wanted;
    while capacity > MIN_NODES {
        let reserved = capacity.max(MIN_RESERVED / size_of::<Node>());
        for count in [reserved, capacity] {
            if let Ok(nodes) = <[Node]>::new_box_zeroed_with_elems(count) {
                return (nodes, capacity);
            }
        }
        capacity /= 2;
    }
    let nodes = (0..MIN_NODES).map(|_| Node::default()).collect();
    (nodes, MIN_NODES)
}

/// Number of dropped families to free per expansion. An expansion allocates only one family.
const RECLAIMED_PER_EXPANSION: usize = 2;

/// Maximum number of dropped families to free when the arena is full, which takes a few hundred
/// microseconds.
const MAX_RECLAIMED: usize = 256;

/// Minimum visits for a node to keep its children in the first pruning.
const MIN_VISITS: u32 = 2;

/// Pruning ends once one in this many nodes has been dropped.
const PRUNED_FRACTION: usize = 4;

/// Most positions have at most this many children.
const TYPICAL_CHILDREN: usize = 64;

/// Data about a family, stored in the notes of the first unit of its block. The note of the first
/// node belongs to the free list.
pub(super) struct FamilyHeader<'a>(&'a [Node; UNIT]);

impl FamilyHeader<'_> {
    /// Reference count, including dropped references not yet reclaimed.
    pub(super) fn references(&self) -> u32 {
        self.0[1].note()
    }

    fn set_references(&self, count: u32) {
        self.0[1].set_note(count);
    }

    /// The key of the position, or [`UNSHARED`].
    fn key(&self) -> u64 {
        u64::from(self.0[2].note()) << 32 | u64::from(self.0[3].note())
    }

    fn set_key(&self, key: u64) {
        self.0[2].set_note((key >> 32) as u32);
        self.0[3].set_note(key as u32);
    }

    /// Number of the last pruning that visited the family.
    fn pruning(&self) -> u32 {
        self.0[4].note()
    }

    fn set_pruning(&self, number: u32) {
        self.0[4].set_note(number);
    }
}

/// The key of a family that is not shared.
const UNSHARED: u64 = 0;

/// The arena of nodes. The root is the first node; the children of a node are adjacent.
///
/// The arena is allocated once. A new root only records the families that it drops. Later
/// expansions free them gradually, so that no move has to wait. A full arena accepts no more
/// children until it is pruned.
///
/// Threads read and write nodes without a lock. Allocation takes a lock for tens of
/// nanoseconds.
#[derive(Debug)]
pub(super) struct Tree {
    nodes: Box<[Node]>,
    free_space: Mutex<FreeSpace>,
    /// Set when an allocation fails.
    is_full: AtomicBool,
    /// Minimum visits for a node to keep its children in the next pruning.
    min_visits: u32,
    /// A hash table from position keys to the first node and the number of their children. Entries
    /// may be outdated: see [`acquire`](Tree::acquire). Empty if no families are shared.
    families: Box<[AtomicU64]>,
    /// Number of pruning walks through the tree.
    prunings: u32,
}

/// The unused part of the arena.
#[derive(Debug)]
struct FreeSpace {
    free_list: FreeList,
    /// Dropped families that are not reclaimed yet, one entry per node that dropped them, without
    /// their descendants.
    dropped: Vec<Family>,
}

impl Tree {
    /// A tree with only a root, of `memory_mib` MiB (at least 1), or less if memory is short. Nodes
    /// have at most `max_children` children.
    pub(super) fn new(memory_mib: usize, max_children: usize) -> Tree {
        let bytes = memory_mib.max(1).saturating_mul(1 << 20);
        let wanted = (bytes / size_of::<Node>()).min(u32::MAX as usize - 1);
        let (nodes, capacity) = allocate_arena(wanted);
        if capacity < wanted {
            let allocated_mib = (capacity * size_of::<Node>()) >> 20;
            log::warn!(
                "cannot allocate {memory_mib} MiB for the search tree, using {allocated_mib} MiB"
            );
        }
        let free_space = FreeSpace {
            free_list: FreeList::new(capacity, max_children),
            dropped: Vec::new(),
        };
        let mut tree = Tree {
            nodes,
            free_space: Mutex::new(free_space),
            is_full: AtomicBool::new(false),
            min_visits: MIN_VISITS,
            families: Box::default(),
            prunings: 0,
        };
        tree.reset();
        tree
    }

    /// Allows families to be [shared](Tree::share).
    pub(super) fn with_sharing(mut self) -> Tree {
        let capacity = self.free_space().free_list.capacity();
        let count = (capacity / TYPICAL_CHILDREN).next_power_of_two();
        self.families = (0..count).map(|_| AtomicU64::new(0)).collect();
        self
    }

    fn free_space(&self) -> MutexGuard<'_, FreeSpace> {
        self.free_space
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Empties the tree, except for an unvisited root.
    pub(super) fn reset(&mut self) {
        let mut free_space = self.free_space();
        free_space.dropped.clear();
        free_space.free_list.reset();
        let _root = free_space.free_list.allocate(&self.nodes, 1);
        drop(free_space);
        self[NodeId::ROOT].begin_root();
        for family in &mut self.families {
            *family.get_mut() = 0;
        }
        self.is_full = AtomicBool::new(false);
        self.min_visits = MIN_VISITS;
    }

    /// The children of a node; empty for a leaf.
    pub(super) fn children(&self, parent: NodeId) -> &[Node] {
        self[parent]
            .family()
            .map_or(&[], |family| self.nodes(family))
    }

    /// The ids of the children of a node; empty for a leaf.
    pub(super) fn child_ids(&self, parent: NodeId) -> impl Iterator<Item = NodeId> + use<> {
        let family = self[parent].family();
        family.into_iter().flat_map(Family::ids)
    }

    /// The nodes of a family.
    pub(super) fn nodes(&self, family: Family) -> &[Node] {
        &self.nodes[family.range()]
    }

    /// True if `count` more children of one node fit.
    pub(super) fn has_room_for(&self, count: usize) -> bool {
        self.try_twice(|free_space| free_space.free_list.has_block_for(count).then_some(()))
            .is_some()
    }

    /// Memory written since the last [`reset`](Tree::reset), in bytes.
    pub(super) fn memory_bytes(&self) -> usize {
        self.free_space().free_list.written() * size_of::<Node>() + size_of_val(&*self.families)
    }

    /// Allocates a family for one node; `None` if it does not fit. The caller must initialise its
    /// nodes.
    pub(super) fn allocate(&self, count: usize) -> Option<Family> {
        let first = self.try_twice(|free_space| {
            let first = free_space.free_list.allocate(&self.nodes, count)?;
            let header = self.header(first);
            header.set_references(1);
            header.set_key(UNSHARED);
            Some(first)
        });
        if first.is_none() {
            self.is_full.store(true, Ordering::Relaxed);
        }
        Family::new(first?, count)
    }

    /// Makes the initialised children of a position available to other nodes with the same key.
    pub(super) fn share(&self, family: Family, key: u64) {
        let (first, count) = family.parts();
        let entry = u64::from(first) << 16 | u64::from(count);
        // A thread that finds the key under the lock also sees the children.
        let _lock = self.free_space();
        self.header(family.range().start).set_key(key);
        if let Some(place) = self.entry(key) {
            place.store(entry, Ordering::Relaxed);
        }
    }

    /// Adds a reference to the children of the position with this key; `None` if they are not in
    /// the tree.
    pub(super) fn acquire(&self, key: u64) -> Option<Family> {
        let entry = self.entry(key)?.load(Ordering::Relaxed);
        let (first, count) = ((entry >> 16) as usize, (entry & 0xffff) as usize);
        if count == 0 || key == UNSHARED {
            return None;
        }
        // The block may have been freed and reused. The lock prevents further changes.
        let _lock = self.free_space();
        let header = self.header(first);
        if header.key() != key || header.references() == 0 {
            return None;
        }
        header.set_references(header.references().checked_add(1)?);
        Family::new(first, count)
    }

    /// The header of the family that begins with this node.
    pub(super) fn header(&self, first: usize) -> FamilyHeader<'_> {
        let (units, _) = self.nodes.as_chunks();
        FamilyHeader(&units[first / UNIT])
    }

    /// The hash table entry for a key; `None` without a table.
    fn entry(&self, key: u64) -> Option<&AtomicU64> {
        let mask = self.families.len().wrapping_sub(1);
        self.families.get(key as usize & mask)
    }

    /// True if an allocation has failed since the last [`prune`](Tree::prune),
    /// [`reroot`](Tree::reroot) or [`reset`](Tree::reset).
    pub(super) fn is_full(&self) -> bool {
        self.is_full.load(Ordering::Relaxed)
    }

    /// Drops the children of the least visited nodes until a quarter of the arena is dropped. Their
    /// parents become leaves that keep their values. Proven nodes keep their children. Drops less
    /// if `is_time_up`, or if no more nodes can be dropped. Returns `false` if nothing was dropped.
    pub(super) fn prune(&mut self, is_time_up: impl Fn() -> bool) -> bool {
        self.is_full = AtomicBool::new(false);
        let min_dropped = self.free_space().free_list.capacity() / PRUNED_FRACTION;
        let mut count = 0;
        loop {
            count += self.drop_below(self.min_visits, &is_time_up);
            if count >= min_dropped || is_time_up() || self.min_visits > u32::MAX / 2 {
                return count > 0;
            }
            self.min_visits *= 2;
        }
    }

    /// Drops the children of all nodes with fewer visits, except the root and proven nodes. Returns
    /// the number of dropped children.
    fn drop_below(&mut self, visits: u32, is_time_up: impl Fn() -> bool) -> usize {
        let mut dropped = Vec::new();
        self.prunings = self.prunings.wrapping_add(1);
        let mut kept: Vec<Family> = self[NodeId::ROOT].family().into_iter().collect();
        while let Some(family) = kept.pop()
            && !is_time_up()
        {
            // A family may have several parents.
            let header = self.header(family.range().start);
            if header.pruning() == self.prunings {
                continue;
            }
            header.set_pruning(self.prunings);
            for node in self.nodes(family) {
                let Some(below) = node.family() else {
                    continue;
                };
                if node.visits() < visits && node.proof().is_none() {
                    node.drop_children();
                    dropped.push(below);
                } else {
                    kept.push(below);
                }
            }
        }
        let count = dropped.iter().map(|family| family.range().len()).sum();
        self.free_space().dropped.extend(dropped);
        count
    }

    /// Frees a few dropped families and tries; if that fails, frees many and tries again.
    fn try_twice<T>(&self, mut attempt: impl FnMut(&mut FreeSpace) -> Option<T>) -> Option<T> {
        [RECLAIMED_PER_EXPANSION, MAX_RECLAIMED]
            .into_iter()
            .find_map(|families| {
                self.reclaim(families);
                attempt(&mut self.free_space())
            })
    }

    /// Removes up to this many dropped references to families, and frees the families without
    /// remaining references.
    fn reclaim(&self, families: usize) {
        for _ in 0..families {
            let mut free_space = self.free_space();
            let Some(family) = free_space.dropped.pop() else {
                return;
            };
            let header = self.header(family.range().start);
            let references = header.references() - 1;
            header.set_references(references);
            drop(free_space);
            if references > 0 {
                continue;
            }
            // Their memory is cold, so it is read without holding the lock.
            let below: Vec<Family> = self.nodes(family).iter().filter_map(Node::family).collect();
            let mut free_space = self.free_space();
            free_space.dropped.extend(below);
            let range = family.range();
            free_space
                .free_list
                .free(&self.nodes, range.start, range.len());
        }
    }

    /// Makes `node` the root and drops everything outside its subtree.
    pub(super) fn reroot(&mut self, node: NodeId) {
        if node == NodeId::ROOT {
            return;
        }
        self.is_full = AtomicBool::new(false);
        self.min_visits = MIN_VISITS;
        let family = self[NodeId::ROOT].family();
        self.free_space().dropped.extend(family);
        // The old node is dropped with its siblings, but its children are kept.
        self[NodeId::ROOT].take_from(&self[node]);
    }
}

impl Index<NodeId> for Tree {
    type Output = Node;

    #[inline]
    fn index(&self, id: NodeId) -> &Node {
        &self.nodes[id.index()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wabe_hive::Move;
    use wabe_hive::contest::Contest;

    const MAX_CHILDREN: usize = 200;

    /// Gives `parent` children with these values.
    fn add(tree: &Tree, parent: NodeId, values: &[f32]) {
        let family = tree.allocate(values.len()).unwrap();
        for (node, &value) in tree.nodes(family).iter().zip(values) {
            node.begin::<Contest>(Move::Pass, value, None);
        }
        tree[parent].claim().unwrap().publish(family);
    }

    fn values(tree: &Tree, parent: NodeId) -> Vec<f32> {
        tree.children(parent).iter().map(Node::mean).collect()
    }

    fn child(tree: &Tree, parent: NodeId, place: usize) -> NodeId {
        tree.child_ids(parent).nth(place).unwrap()
    }

    /// Adds families of that size, breadth first, until no more fit. Returns their number.
    fn fill(tree: &Tree, size: usize) -> usize {
        let mut added = 0;
        let mut parents = std::collections::VecDeque::from([NodeId::ROOT]);
        while let Some(parent) = parents.pop_front() {
            if !tree[parent].is_expanded() {
                if !tree.has_room_for(size) {
                    break;
                }
                add(tree, parent, &vec![0.5; size]);
                added += 1;
            }
            parents.extend(tree.child_ids(parent));
        }
        added
    }

    #[test]
    fn small_trees_reserve_unmapped_memory() {
        let tree = Tree::new(1, MAX_CHILDREN);
        assert!(size_of_val(&*tree.nodes) > 32 << 20);
    }

    #[test]
    fn reroot_keeps_the_subtree() {
        let mut tree = Tree::new(1, MAX_CHILDREN);
        let root = NodeId::ROOT;
        add(&tree, root, &[0.1, 0.2, 0.3]);
        let [first, second, third] = [0, 1, 2].map(|i| child(&tree, root, i));
        add(&tree, third, &[0.31, 0.32]);
        add(&tree, second, &[0.21, 0.22, 0.23]);
        add(&tree, first, &[0.11]);
        add(&tree, child(&tree, second, 2), &[0.231]);
        add(&tree, child(&tree, third, 0), &[0.311]);
        tree.reroot(second);
        // Reclaims and reuses everything outside the subtree.
        tree.reclaim(usize::MAX);
        let [first, last] = [0, 2].map(|i| child(&tree, root, i));
        add(&tree, first, &[0.9; 16]);
        let only = child(&tree, last, 0);
        add(&tree, only, &[0.8; 8]);
        assert_eq!(tree[root].mean(), 0.2);
        assert_eq!(values(&tree, root), [0.21, 0.22, 0.23]);
        assert_eq!(values(&tree, last), [0.231]);
        assert_eq!(values(&tree, first), [0.9; 16]);
        assert_eq!(values(&tree, only), [0.8; 8]);
        assert!(values(&tree, child(&tree, root, 1)).is_empty());
    }

    #[test]
    fn shared_children_are_freed_with_the_last_parent() {
        let mut tree = Tree::new(1, MAX_CHILDREN).with_sharing();
        let root = NodeId::ROOT;
        add(&tree, root, &[0.1, 0.2]);
        let [one, other] = [0, 1].map(|i| child(&tree, root, i));
        assert_eq!(tree.acquire(77), None);
        add(&tree, one, &[0.11, 0.12]);
        let family = tree[one].family().unwrap();
        tree.share(family, 77);
        // The same entry of the hash table.
        assert_eq!(tree.acquire(77 + (1 << 40)), None);
        assert_eq!(tree.acquire(77), Some(family));
        tree[other].claim().unwrap().publish(family);
        tree.reroot(other);
        tree.reclaim(usize::MAX);
        assert_eq!(values(&tree, root), [0.11, 0.12]);
        assert_eq!(tree.header(family.range().start).references(), 1);
        // A new reference, taken before the old one is reclaimed, keeps them.
        assert_eq!(tree.acquire(77), Some(family));
        tree.free_space().dropped.push(family);
        tree.reclaim(usize::MAX);
        assert_eq!(tree.header(family.range().start).references(), 1);
        tree.reroot(child(&tree, root, 0));
        tree.reclaim(usize::MAX);
        assert_eq!(tree.acquire(77), None);
        // The block is reused for other children.
        add(&tree, root, &[0.3, 0.4]);
        let parent = child(&tree, root, 0);
        add(&tree, parent, &[0.5, 0.6]);
        assert_eq!(tree[parent].family(), Some(family));
        assert_eq!(tree.acquire(77), None);
    }

    #[test]
    fn shared_nodes_are_pruned_in_one_walk() {
        let mut tree = Tree::new(1, MAX_CHILDREN).with_sharing();
        let mut parent = NodeId::ROOT;
        // 2 to the power of 60 paths.
        for depth in 0..60 {
            add(&tree, parent, &[0.5, 0.5]);
            let [one, other] = [0, 1].map(|i| child(&tree, parent, i));
            add(&tree, one, &[0.5, 0.5]);
            let family = tree[one].family().unwrap();
            tree.share(family, depth + 1);
            tree[other]
                .claim()
                .unwrap()
                .publish(tree.acquire(depth + 1).unwrap());
            parent = child(&tree, one, 0);
            for node in [one, other, parent] {
                (0..9).for_each(|_| tree[node].count_visit());
            }
        }
        assert_eq!(tree.drop_below(5, || false), 0);
        assert!(tree.prune(|| false));
        fill(&tree, 8);
    }

    #[test]
    fn full_trees_reuse_dropped_nodes() {
        // 32,768 nodes.
        let mut tree = Tree::new(1, MAX_CHILDREN);
        let full = fill(&tree, 100);
        assert!(!tree.has_room_for(100));
        tree.reroot(child(&tree, NodeId::ROOT, 99));
        // All families but one are dropped.
        assert_eq!(fill(&tree, 100), full - 1);
        assert!(!tree.has_room_for(100));
        // An eighth of the small families remains; the rest has room for 143 families of 200.
        let mut tree = Tree::new(1, MAX_CHILDREN);
        assert_eq!(fill(&tree, 8), 4095);
        tree.reroot(child(&tree, NodeId::ROOT, 0));
        assert!(fill(&tree, 200) > 120);
    }

    #[test]
    fn prune_drops_the_least_visited_nodes() {
        let mut tree = Tree::new(1, MAX_CHILDREN);
        let full = fill(&tree, 100);
        assert!(tree.allocate(100).is_none() && tree.is_full());
        let often = child(&tree, NodeId::ROOT, 7);
        (0..5).for_each(|_| tree[often].count_visit());
        let exact = child(&tree, NodeId::ROOT, 8);
        tree[exact].set_proof_and_plies(Some(crate::search::choice::Solved::Win), 3);
        assert!(!tree.prune(|| true));
        assert!(tree.prune(|| false) && !tree.is_full());
        for (place, id) in tree.child_ids(NodeId::ROOT).enumerate() {
            assert_eq!(tree[id].is_expanded(), [7, 8].contains(&place), "{place}");
        }
        // The families of the root and of these two nodes remain.
        assert_eq!(fill(&tree, 100), full - 3);
        tree.reset();
        add(&tree, NodeId::ROOT, &[0.5; 8]);
        assert!(!tree.prune(|| false));
        // That has raised the limit to its maximum. A new root begins with the smallest.
        let new_root = child(&tree, NodeId::ROOT, 0);
        add(&tree, new_root, &[0.5; 8]);
        tree.reroot(new_root);
        let twice = child(&tree, NodeId::ROOT, 0);
        add(&tree, twice, &[0.5; 8]);
        (0..MIN_VISITS).for_each(|_| tree[twice].count_visit());
        assert_eq!(tree.drop_below(tree.min_visits, || false), 0);
    }

    #[test]
    fn concurrent_families_never_overlap() {
        let mut tree = Tree::new(1, MAX_CHILDREN);
        fill(&tree, 20);
        tree.reroot(child(&tree, NodeId::ROOT, 19));
        let parents: Vec<NodeId> = tree.child_ids(NodeId::ROOT).collect();
        let added: Vec<Family> = std::thread::scope(|scope| {
            let threads = [30, 50, 70].map(|size| {
                let (tree, parents) = (&tree, &parents);
                scope.spawn(move || {
                    let mut added = Vec::new();
                    while let Some(family) = tree.allocate(size) {
                        for node in tree.nodes(family) {
                            node.begin::<Contest>(Move::Pass, 0.5, None);
                        }
                        added.push(family);
                        // Only the first thread publishes a family.
                        for claim in parents.iter().filter_map(|&id| tree[id].claim()) {
                            claim.publish(family);
                        }
                    }
                    added
                })
            });
            threads
                .into_iter()
                .flat_map(|thread| thread.join().unwrap())
                .collect()
        });
        let kept = tree[NodeId::ROOT].family();
        let mut ranges: Vec<_> = added.into_iter().chain(kept).map(Family::range).collect();
        ranges.sort_by_key(|range| range.start);
        assert!(ranges.len() > 400, "{}", ranges.len());
        assert!(ranges.windows(2).all(|pair| pair[0].end <= pair[1].start));
    }
}
