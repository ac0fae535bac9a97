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

/// Two empty arenas of `wanted` nodes each, or of as many as there is memory for, and how many that is.
fn two_arenas<R: RuleBook>(wanted: usize) -> (Vec<Node<R>>, Vec<Node<R>>, usize) {
    let mut capacity = wanted;
    loop {
        let (mut nodes, mut spare) = (Vec::new(), Vec::new());
        let reserved = nodes
            .try_reserve_exact(capacity)
            .and_then(|()| spare.try_reserve_exact(capacity));
        if reserved.is_ok() || capacity == 0 {
            return (nodes, spare, capacity);
        }
        capacity /= 2;
    }
}

/// The arena and its root. Children of one node lie next to each other.
///
/// Room is set aside once; a full arena takes no more children. Half of the memory is a second arena to which what remains
/// useful moves when the game goes on: dropping the rest node by node would take longer.
#[derive(Debug)]
pub(super) struct Tree<R: RuleBook> {
    nodes: Vec<Node<R>>,
    spare: Vec<Node<R>>,
    capacity: usize,
    root: NodeId,
}

impl<R: RuleBook> Tree<R> {
    /// A tree of a lone root within `memory_mib` MiB, at least 1. Where the system has less, it is smaller.
    pub(super) fn new(memory_mib: usize) -> Tree<R> {
        let bytes = memory_mib.max(1).saturating_mul(1 << 20);
        let wanted = (bytes / 2 / size_of::<Node<R>>()).min(u32::MAX as usize - 1);
        let root = NodeId(NonZeroU32::MIN);
        let (nodes, spare, capacity) = two_arenas(wanted);
        if capacity < wanted {
            let had = (2 * capacity * size_of::<Node<R>>()) >> 20;
            log::warn!("there are no {memory_mib} MiB for the search tree; it gets {had} MiB");
        }
        let mut tree = Tree {
            nodes,
            spare,
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

    /// Makes `node` the root and, when the arena is more than half full, moves what hangs below it to the other arena.
    pub(super) fn reroot(&mut self, node: NodeId) {
        if node == self.root {
            return;
        }
        self.root = node;
        if self.nodes.len() <= self.capacity / 2 {
            return;
        }
        self.spare.clear();
        self.spare.push(self[node]);
        // Breadth first: the queue is the new arena itself.
        let mut next = 0;
        while next < self.spare.len() {
            let range = self.spare[next].child_range();
            if !range.is_empty() {
                self.spare[next].first_child = NodeId::from_index(self.spare.len());
                self.spare.extend_from_slice(&self.nodes[range]);
            }
            next += 1;
        }
        std::mem::swap(&mut self.nodes, &mut self.spare);
        self.root = NodeId(NonZeroU32::MIN);
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
