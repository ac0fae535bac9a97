//! The search tree: nodes in one preallocated arena.

use std::num::NonZeroU32;
use std::ops::{Index, IndexMut, Range};

use super::super::Proof;
use crate::hive::{Move, MoveList, RuleBook};

/// Where a node lies in the arena. One more than the index, so that an `Option` of it takes no extra room.
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

/// A move and what the search knows of the position after it. All values are seen by the side that makes the move.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node<R: RuleBook> {
    pub(super) mv: Move<R>,
    /// The exact result, once it is known.
    pub(super) proof: Option<Proof>,
    child_count: u16,
    first_child: Option<NodeId>,
    /// Iterations that went through the node.
    pub(super) visits: u32,
    /// How promising the move looked among its siblings; siblings sum to 1.
    pub(super) prior: f32,
    /// Mean expected score over the visits; the evaluation's value before the first.
    pub(super) mean: f32,
    /// Expected score by minimax over the part of the tree below.
    pub(super) minimax: f32,
}

impl<R: RuleBook> Node<R> {
    /// A node that has never been visited.
    pub(super) fn new(mv: Move<R>, value: f32, proof: Option<Proof>) -> Node<R> {
        Node {
            mv,
            proof,
            child_count: 0,
            first_child: None,
            visits: 0,
            prior: 1.0,
            mean: value,
            minimax: value,
        }
    }

    /// Whether the node has children in the tree.
    pub(super) fn is_expanded(&self) -> bool {
        self.first_child.is_some()
    }

    fn child_range(&self) -> Range<usize> {
        match self.first_child {
            Some(first) => first.index()..first.index() + usize::from(self.child_count),
            None => 0..0,
        }
    }
}

/// An empty arena of `wanted` nodes, or of as many as there is memory for, and how many that is.
fn arena<R: RuleBook>(wanted: usize) -> (Vec<Node<R>>, usize) {
    let mut capacity = wanted;
    loop {
        let mut nodes = Vec::new();
        if nodes.try_reserve_exact(capacity).is_ok() || capacity == 0 {
            return (nodes, capacity);
        }
        capacity /= 2;
    }
}

/// The children of one node, where they lie in the arena and where they go.
#[derive(Clone, Copy, Debug)]
struct Siblings {
    first: usize,
    count: usize,
    goes_to: usize,
}

/// The arena and its root. Children of one node lie next to each other, behind their parent.
///
/// Room is set aside once; a full arena takes no more children. What is of no use any more is dropped when the game goes on, by moving
/// the rest together.
#[derive(Debug)]
pub(super) struct Tree<R: RuleBook> {
    nodes: Vec<Node<R>>,
    capacity: usize,
    root: NodeId,
}

impl<R: RuleBook> Tree<R> {
    /// A tree of a lone root within `memory_mib` MiB, at least 1. Where the system has less, it is smaller.
    pub(super) fn new(memory_mib: usize) -> Tree<R> {
        let bytes = memory_mib.max(1).saturating_mul(1 << 20);
        let wanted = (bytes / size_of::<Node<R>>()).min(u32::MAX as usize - 1);
        let root = NodeId(NonZeroU32::MIN);
        let (nodes, capacity) = arena(wanted);
        if capacity < wanted {
            let had = (capacity * size_of::<Node<R>>()) >> 20;
            log::warn!("there are no {memory_mib} MiB for the search tree; it gets {had} MiB");
        }
        let mut tree = Tree {
            nodes,
            capacity,
            root,
        };
        tree.reset();
        tree
    }

    /// Forgets everything but an unvisited root.
    pub(super) fn reset(&mut self) {
        self.nodes.clear();
        self.root = NodeId(NonZeroU32::MIN);
        self.nodes.push(Node::new(Move::Pass, 0.5, None));
    }

    /// The root. Its move means nothing, and its values are those of the side that is not to move.
    pub(super) fn root(&self) -> NodeId {
        self.root
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

    /// Whether `count` more nodes fit.
    pub(super) fn has_room_for(&self, count: usize) -> bool {
        self.nodes.len() + count <= self.capacity
    }

    /// Whether the children of any position fit.
    pub(super) fn can_grow(&self) -> bool {
        self.has_room_for(MoveList::<R>::CAPACITY)
    }

    /// Gives `parent` its children; there must be room and it must have none yet.
    pub(super) fn add_children(
        &mut self,
        parent: NodeId,
        children: impl ExactSizeIterator<Item = Node<R>>,
    ) {
        debug_assert!(self.has_room_for(children.len()) && !self[parent].is_expanded());
        let first = NodeId::from_index(self.nodes.len());
        let Ok(count) = u16::try_from(children.len()) else {
            return;
        };
        self.nodes.extend(children);
        let node = &mut self[parent];
        node.first_child = first;
        node.child_count = count;
    }

    /// Makes `node` the root and, when the arena is more than half full, drops what does not hang below it.
    pub(super) fn reroot(&mut self, node: NodeId) {
        if node == self.root {
            return;
        }
        self.root = node;
        if self.nodes.len() > self.capacity / 2 {
            self.compact();
        }
    }

    /// Moves the root and what hangs below it to the front of the arena, and drops the rest.
    fn compact(&mut self) {
        let families = self.families();
        let goes_to = |first: NodeId| {
            let family = families.binary_search_by_key(&first.index(), |family| family.first);
            family
                .ok()
                .and_then(|place| NodeId::from_index(families[place].goes_to))
        };
        let mut root = self[self.root];
        root.first_child = root.first_child.and_then(goes_to);
        self.nodes[0] = root;
        self.root = NodeId(NonZeroU32::MIN);
        let mut end = 1;
        for family in &families {
            // Towards the front, and those in front first: nothing is overwritten that has not moved.
            self.nodes
                .copy_within(family.first..family.first + family.count, family.goes_to);
            end = family.goes_to + family.count;
            for node in &mut self.nodes[family.goes_to..end] {
                node.first_child = node.first_child.and_then(goes_to);
            }
        }
        self.nodes.truncate(end);
    }

    /// All siblings below the root in the order in which they lie, and where they go so that they lie close together behind the root.
    fn families(&self) -> Vec<Siblings> {
        let mut families = Vec::new();
        let mut parents = vec![self.root];
        while let Some(parent) = parents.pop() {
            let range = self[parent].child_range();
            if range.is_empty() {
                continue;
            }
            families.push(Siblings {
                first: range.start,
                count: range.len(),
                goes_to: 0,
            });
            parents.extend(
                range
                    .filter(|&index| self.nodes[index].is_expanded())
                    .filter_map(NodeId::from_index),
            );
        }
        families.sort_unstable_by_key(|family| family.first);
        let mut end = 1;
        for family in &mut families {
            family.goes_to = end;
            end += family.count;
        }
        families
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

    #[test]
    fn a_subtree_moves_to_the_front_and_keeps_its_shape() {
        let mut tree = Tree::new(1);
        let root = tree.root();
        add(&mut tree, root, &[0.1, 0.2, 0.3]);
        let [first, second, third] = [0, 1, 2].map(|i| tree.child_id(root, i).unwrap());
        // The families of the subtree that stays lie between others, and not in the order of their parents.
        add(&mut tree, third, &[0.31, 0.32]);
        add(&mut tree, second, &[0.21, 0.22, 0.23]);
        add(&mut tree, first, &[0.11]);
        let [_, _, last] = [0, 1, 2].map(|i| tree.child_id(second, i).unwrap());
        add(&mut tree, last, &[0.231]);
        let other = tree.child_id(third, 0).unwrap();
        add(&mut tree, other, &[0.311]);
        let start = tree.child_id(second, 0).unwrap();
        add(&mut tree, start, &[0.211, 0.212]);
        tree.root = second;
        tree.compact();
        let root = tree.root();
        assert_eq!(tree.nodes.len(), 1 + 3 + 1 + 2);
        assert_eq!(tree[root].mean, 0.2);
        assert_eq!(values(&tree, root), [0.21, 0.22, 0.23]);
        let [first, second, third] = [0, 1, 2].map(|i| tree.child_id(root, i).unwrap());
        assert_eq!(values(&tree, first), [0.211, 0.212]);
        assert!(values(&tree, second).is_empty());
        assert_eq!(values(&tree, third), [0.231]);
    }

    #[test]
    fn a_lone_root_is_all_that_is_left_of_a_tree_without_a_future() {
        let mut tree = Tree::new(1);
        let root = tree.root();
        add(&mut tree, root, &[0.1, 0.2]);
        tree.root = tree.child_id(root, 1).unwrap();
        tree.compact();
        assert_eq!(tree.nodes.len(), 1);
        assert_eq!(tree[tree.root()].mean, 0.2);
        assert!(tree.children(tree.root()).is_empty());
    }
}
