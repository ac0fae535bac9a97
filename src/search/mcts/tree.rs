//! The search tree, in one preallocated arena.

use std::num::NonZeroU32;
use std::ops::{Index, IndexMut, Range};

use super::free_list::FreeList;
use crate::hive::{Move, MoveList, RuleBook};
use crate::search::choice::Proof;

/// A node's index in the arena plus one, so that an `Option` of it has the same size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NodeId(NonZeroU32);

impl NodeId {
    fn from_index(index: usize) -> Option<NodeId> {
        u32::try_from(index + 1)
            .ok()
            .and_then(NonZeroU32::new)
            .map(NodeId)
    }

    fn index(self) -> usize {
        self.0.get() as usize - 1
    }
}

/// A move and the position after it. All values are for the side that makes the move.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node<R: RuleBook> {
    pub(super) mv: Move<R>,
    /// The exact result, once it is known.
    pub(super) proof: Option<Proof>,
    /// Plies from the position to the end of the game where a win or a loss is proven, at most 255: those of the shortest win found,
    /// or of the longest defence.
    pub(super) plies: u8,
    child_count: u16,
    first_child: Option<NodeId>,
    /// Number of iterations through the node.
    pub(super) visits: u32,
    /// The priors of siblings sum to 1.
    pub(super) prior: f32,
    /// Mean expected score over the visits; the evaluation's value before the first.
    pub(super) mean: f32,
    /// Minimax value of the subtree.
    pub(super) minimax: f32,
}

impl<R: RuleBook> Node<R> {
    /// A node that has never been visited.
    pub(super) fn new(mv: Move<R>, value: f32, proof: Option<Proof>) -> Node<R> {
        Node {
            mv,
            proof,
            plies: 0,
            child_count: 0,
            first_child: None,
            visits: 0,
            prior: 1.0,
            mean: value,
            minimax: value,
        }
    }

    /// True if the node has children in the tree.
    pub(super) fn is_expanded(&self) -> bool {
        self.first_child.is_some()
    }

    /// The node's children.
    fn family(&self) -> Option<Siblings> {
        self.first_child.map(|first| Siblings {
            first,
            count: self.child_count,
        })
    }

    fn child_range(&self) -> Range<usize> {
        match self.first_child {
            Some(first) => first.index()..first.index() + usize::from(self.child_count),
            None => 0..0,
        }
    }
}

/// Least memory to reserve for an arena, in bytes. The C library keeps freed blocks of up to 32 MiB for its thread and gives larger ones
/// back to the system. Memory that is never written costs nothing.
const LEAST_RESERVED: usize = 33 << 20;

/// Allocates an arena of `wanted` nodes, or of fewer if memory is short; returns it with its capacity.
fn arena<R: RuleBook>(wanted: usize) -> (Vec<Node<R>>, usize) {
    let mut capacity = wanted;
    loop {
        let mut nodes = Vec::new();
        let most = capacity.max(LEAST_RESERVED / size_of::<Node<R>>());
        let mut can_have = |count| nodes.try_reserve_exact(count).is_ok();
        if can_have(most) || can_have(capacity) || capacity == 0 {
            return (nodes, capacity);
        }
        capacity /= 2;
    }
}

/// The children of one node: adjacent nodes of the arena.
#[derive(Clone, Copy, Debug)]
struct Siblings {
    first: NodeId,
    count: u16,
}

/// Number of dropped families that are freed on every expansion: twice as many as it needs.
const RECLAIMED_EACH_TIME: usize = 2;

/// Largest number of dropped families that are freed when the arena is full: some hundred microseconds of work.
const RECLAIMED_IN_NEED: usize = 256;

/// Number of children that most positions do not exceed.
const USUAL_CHILDREN: usize = 64;

/// The arena. The root is its first node; children of one node lie next to each other.
///
/// The arena is allocated once. A new root only records the families that it drops; they are freed little by little with every
/// expansion, so that no move waits for it. A full arena takes no more children.
#[derive(Debug)]
pub(super) struct Tree<R: RuleBook> {
    nodes: Vec<Node<R>>,
    free: FreeList,
    /// Dropped families that are not freed yet, without their descendants.
    dropped: Vec<Siblings>,
}

impl<R: RuleBook> Tree<R> {
    /// A tree with only a root, in `memory_mib` MiB, at least 1. It is smaller if the system has less memory.
    pub(super) fn new(memory_mib: usize) -> Tree<R> {
        let bytes = memory_mib.max(1).saturating_mul(1 << 20);
        let wanted = (bytes / size_of::<Node<R>>()).min(u32::MAX as usize - 1);
        let (nodes, capacity) = arena(wanted);
        if capacity < wanted {
            let had = (capacity * size_of::<Node<R>>()) >> 20;
            log::warn!("cannot allocate {memory_mib} MiB for the search tree; it gets {had} MiB");
        }
        let mut tree = Tree {
            nodes,
            free: FreeList::new(capacity, MoveList::<R>::CAPACITY),
            dropped: Vec::new(),
        };
        tree.reset();
        tree
    }

    /// Forgets everything but an unvisited root.
    pub(super) fn reset(&mut self) {
        self.nodes.clear();
        self.dropped.clear();
        self.free.reset();
        // The root has its own block, even if no arena could be allocated.
        let block = self.free.take(1).map_or(1, |_| self.free.handed_out());
        self.nodes.resize(block, Node::new(Move::Pass, 0.5, None));
    }

    /// The root. Its move has no meaning, and its values are for the side that is not to move.
    pub(super) fn root(&self) -> NodeId {
        NodeId(NonZeroU32::MIN)
    }

    pub(super) fn children(&self, parent: NodeId) -> &[Node<R>] {
        &self.nodes[self[parent].child_range()]
    }

    pub(super) fn children_mut(&mut self, parent: NodeId) -> &mut [Node<R>] {
        let range = self[parent].child_range();
        &mut self.nodes[range]
    }

    /// The child at `position` among the children of `parent`.
    pub(super) fn child_id(&self, parent: NodeId, position: usize) -> Option<NodeId> {
        let range = self[parent].child_range();
        (position < range.len())
            .then(|| NodeId::from_index(range.start + position))
            .flatten()
    }

    /// True if `count` more children of one node fit.
    pub(super) fn has_room_for(&mut self, count: usize) -> bool {
        self.reclaim(RECLAIMED_EACH_TIME);
        if self.free.has_block_for(count) {
            return true;
        }
        self.reclaim(RECLAIMED_IN_NEED);
        self.free.has_block_for(count)
    }

    /// True if the children of most positions fit.
    pub(super) fn can_grow(&mut self) -> bool {
        self.has_room_for(USUAL_CHILDREN)
    }

    /// Frees at most this number of dropped families.
    fn reclaim(&mut self, families: usize) {
        for _ in 0..families {
            let Some(Siblings { first, count }) = self.dropped.pop() else {
                return;
            };
            let range = first.index()..first.index() + usize::from(count);
            let nodes = &self.nodes[range.clone()];
            self.dropped.extend(nodes.iter().filter_map(Node::family));
            self.free.give_back(range.start, range.len());
        }
    }

    /// Adds the children of `parent`, which must have none. Does nothing if they do not fit.
    pub(super) fn add_children(
        &mut self,
        parent: NodeId,
        children: impl ExactSizeIterator<Item = Node<R>>,
    ) {
        debug_assert!(!self[parent].is_expanded());
        let Ok(count) = u16::try_from(children.len()) else {
            return;
        };
        let Some(at) = self.free.take(children.len()) else {
            return;
        };
        if at == self.nodes.len() {
            self.nodes.extend(children);
            let filler = Node::new(Move::Pass, 0.5, None);
            self.nodes.resize(self.free.handed_out(), filler);
        } else {
            let block = &mut self.nodes[at..at + children.len()];
            for (slot, child) in block.iter_mut().zip(children) {
                *slot = child;
            }
        }
        let node = &mut self[parent];
        node.first_child = NodeId::from_index(at);
        node.child_count = count;
    }

    /// Makes `node` the root and drops everything outside its subtree.
    pub(super) fn reroot(&mut self, node: NodeId) {
        let root = self.root();
        if node == root {
            return;
        }
        self.dropped.extend(self[root].family());
        self[root] = self[node];
        // Its old place is dropped with its siblings; its children are not.
        self[node].first_child = None;
        self[node].child_count = 0;
    }
}

impl<R: RuleBook> Index<NodeId> for Tree<R> {
    type Output = Node<R>;

    #[inline]
    fn index(&self, id: NodeId) -> &Node<R> {
        &self.nodes[id.index()]
    }
}

impl<R: RuleBook> IndexMut<NodeId> for Tree<R> {
    #[inline]
    fn index_mut(&mut self, id: NodeId) -> &mut Node<R> {
        &mut self.nodes[id.index()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hive::contest::Contest;

    /// Gives `parent` children with these values.
    fn add(tree: &mut Tree<Contest>, parent: NodeId, values: &[f32]) {
        let nodes: Vec<_> = values
            .iter()
            .map(|&value| Node::new(Move::Pass, value, None))
            .collect();
        tree.add_children(parent, nodes.into_iter());
    }

    fn values(tree: &Tree<Contest>, parent: NodeId) -> Vec<f32> {
        tree.children(parent).iter().map(|node| node.mean).collect()
    }

    /// A tree with room for 32,768 nodes, full of families of 100.
    fn full_tree() -> Tree<Contest> {
        let mut tree = Tree::new(1);
        let mut parents = vec![tree.root()];
        while let Some(parent) = parents.pop() {
            if !tree.has_room_for(100) {
                break;
            }
            add(&mut tree, parent, &[0.5; 100]);
            parents.splice(0..0, (0..100).filter_map(|i| tree.child_id(parent, i)));
        }
        tree
    }

    #[test]
    fn a_small_tree_reserves_so_much_that_its_memory_is_given_back() {
        let tree: Tree<Contest> = Tree::new(1);
        assert!(tree.nodes.capacity() * size_of::<Node<Contest>>() > 32 << 20);
    }

    #[test]
    fn a_new_root_keeps_what_hangs_below_it() {
        let mut tree = Tree::new(1);
        let root = tree.root();
        add(&mut tree, root, &[0.1, 0.2, 0.3]);
        let [first, second, third] = [0, 1, 2].map(|i| tree.child_id(root, i).unwrap());
        add(&mut tree, third, &[0.31, 0.32]);
        add(&mut tree, second, &[0.21, 0.22, 0.23]);
        add(&mut tree, first, &[0.11]);
        let last = tree.child_id(second, 2).unwrap();
        add(&mut tree, last, &[0.231]);
        let other = tree.child_id(third, 0).unwrap();
        add(&mut tree, other, &[0.311]);
        tree.reroot(second);
        // Everything of no use is taken back and used again.
        tree.reclaim(usize::MAX);
        let root = tree.root();
        let last = tree.child_id(root, 2).unwrap();
        let first = tree.child_id(root, 0).unwrap();
        add(&mut tree, first, &[0.9; 16]);
        let only = tree.child_id(last, 0).unwrap();
        add(&mut tree, only, &[0.8; 8]);
        assert_eq!(tree[root].mean, 0.2);
        assert_eq!(values(&tree, root), [0.21, 0.22, 0.23]);
        assert_eq!(values(&tree, last), [0.231]);
        assert_eq!(values(&tree, first), [0.9; 16]);
        assert_eq!(values(&tree, only), [0.8; 8]);
        assert!(values(&tree, tree.child_id(root, 1).unwrap()).is_empty());
    }

    #[test]
    fn a_full_tree_grows_again_where_something_was_dropped() {
        let mut tree = full_tree();
        let full = tree.nodes.len();
        assert!(!tree.has_room_for(100));
        let root = tree.root();
        tree.reroot(tree.child_id(root, 99).unwrap());
        let mut grown = 0;
        let mut parents: Vec<NodeId> = vec![tree.root()];
        while let Some(parent) = parents.pop() {
            if !tree[parent].is_expanded() {
                if !tree.has_room_for(100) {
                    break;
                }
                add(&mut tree, parent, &[0.7; 100]);
                grown += 1;
            }
            parents.splice(0..0, (0..100).filter_map(|i| tree.child_id(parent, i)));
        }
        assert!(grown > 200, "{grown}");
        assert_eq!(tree.nodes.len(), full);
    }
}
