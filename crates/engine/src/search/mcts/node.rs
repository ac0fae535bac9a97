//! A node of the search tree, which several threads share.

use std::ops::Range;
use std::sync::atomic::{AtomicU16, AtomicU32, Ordering};

use zerocopy::FromZeros;

use crate::search::choice::Solved;
use wabe_hive::hex::{Cell, Grid};
use wabe_hive::{Move, PieceKind, RuleBook};

/// The index of a node in the arena.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NodeId(u32);

impl NodeId {
    /// The first node of the arena.
    pub(super) const ROOT: NodeId = NodeId(0);

    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

/// Adjacent nodes of the arena: the children of one position, which nodes may share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Family {
    first: u32,
    count: u16,
}

impl Family {
    /// The `count` nodes from `first` on; `None` if the indices or the count overflow.
    pub(super) fn new(first: usize, count: usize) -> Option<Family> {
        u32::try_from(first + count).ok()?;
        Some(Family {
            first: u32::try_from(first).ok()?,
            count: u16::try_from(count).ok()?,
        })
    }

    /// The index of the first node, and the number of nodes.
    pub(super) fn parts(self) -> (u32, u16) {
        (self.first, self.count)
    }

    pub(super) fn range(self) -> Range<usize> {
        self.first as usize..self.first as usize + usize::from(self.count)
    }

    /// The ids of all nodes.
    pub(super) fn ids(self) -> impl DoubleEndedIterator<Item = NodeId> + ExactSizeIterator + Clone {
        (0..self.count).map(move |place| NodeId(self.first + u32::from(place)))
    }
}

/// A leaf's `first_child`. No family begins at the root.
const LEAF: u32 = 0;

/// The `first_child` of a leaf that a thread is expanding.
const CLAIMED: u32 = u32::MAX;

/// A float that several threads read and write, with relaxed ordering.
#[derive(Debug, Default, FromZeros)]
struct AtomicF32(AtomicU32);

impl AtomicF32 {
    #[inline]
    fn get(&self) -> f32 {
        f32::from_bits(self.0.load(Ordering::Relaxed))
    }

    #[inline]
    fn set(&self, value: f32) {
        self.0.store(value.to_bits(), Ordering::Relaxed);
    }
}

/// A move and the position after it. All values are for the side that makes the move.
///
/// Visits are counted on the way down the tree, so that other threads see them and prefer another
/// path. Values are recomputed on the way up. If two threads do so at the same time, one overwrites
/// the other's result, and later visits correct it.
#[derive(Debug, Default, FromZeros)]
pub(super) struct Node {
    mv: AtomicU32,
    /// Stored last, with release ordering: a thread that sees it also sees the children.
    first_child: AtomicU32,
    child_count: AtomicU16,
    /// Proof and plies together, so that no thread sees one without the other.
    proof_and_plies: AtomicU16,
    visits: AtomicU32,
    prior: AtomicF32,
    mean: AtomicF32,
    minimax: AtomicF32,
    /// Used by the arena, independent of the node: see [`Node::note`].
    note: AtomicU32,
}

const _: () = assert!(size_of::<Node>() == 32);

impl Node {
    /// Initialises an unvisited node.
    pub(super) fn begin<R: RuleBook>(&self, mv: Move<R>, value: f32, proof: Option<Solved>) {
        self.begin_with(pack(mv), value, proof);
    }

    /// Initialises an unvisited root. Its move is a pass.
    pub(super) fn begin_root(&self) {
        self.begin_with(0, 0.5, None);
    }

    fn begin_with(&self, mv: u32, value: f32, proof: Option<Solved>) {
        self.mv.store(mv, Ordering::Relaxed);
        self.first_child.store(LEAF, Ordering::Relaxed);
        self.child_count.store(0, Ordering::Relaxed);
        self.visits.store(0, Ordering::Relaxed);
        self.set_proof_and_plies(proof, 0);
        self.prior.set(1.0);
        self.mean.set(value);
        self.minimax.set(value);
    }

    /// Copies `other` and takes its children.
    pub(super) fn take_from(&self, other: &Node) {
        let relaxed = Ordering::Relaxed;
        self.mv.store(other.mv.load(relaxed), relaxed);
        self.proof_and_plies
            .store(other.proof_and_plies.load(relaxed), relaxed);
        self.visits.store(other.visits(), relaxed);
        self.prior.set(other.prior());
        self.mean.set(other.mean());
        self.minimax.set(other.minimax());
        match other.family() {
            Some(family) => self.adopt(family),
            None => self.first_child.store(LEAF, relaxed),
        }
        other.drop_children();
    }

    /// The move that leads to the node.
    #[inline]
    pub(super) fn mv<R: RuleBook>(&self) -> Move<R> {
        unpack(self.mv.load(Ordering::Relaxed))
    }

    /// The exact result, if proven.
    #[inline]
    pub(super) fn proof(&self) -> Option<Solved> {
        decode_proof(self.proof_and_plies.load(Ordering::Relaxed))
    }

    /// The exact result and, for a win or loss, the number of plies from the position to the end of
    /// the game, at most 255: the shortest win found or the longest defence.
    #[inline]
    pub(super) fn proof_and_plies(&self) -> (Option<Solved>, u8) {
        let packed = self.proof_and_plies.load(Ordering::Relaxed);
        (decode_proof(packed), (packed >> 8) as u8)
    }

    pub(super) fn set_proof_and_plies(&self, proof: Option<Solved>, plies: u8) {
        let proof = proof.map_or(0, |proof| proof as u16 + 1);
        let packed = proof | u16::from(plies) << 8;
        self.proof_and_plies.store(packed, Ordering::Relaxed);
    }

    /// Number of iterations through the node, including unfinished ones.
    #[inline]
    pub(super) fn visits(&self) -> u32 {
        self.visits.load(Ordering::Relaxed)
    }

    /// Counts a visit, up to about two billion.
    #[inline]
    pub(super) fn count_visit(&self) {
        if self.visits() < u32::MAX / 2 {
            self.visits.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// The prior; those of siblings sum to 1.
    #[inline]
    pub(super) fn prior(&self) -> f32 {
        self.prior.get()
    }

    #[inline]
    pub(super) fn set_prior(&self, prior: f32) {
        self.prior.set(prior);
    }

    /// Mean expected score over the visits; the evaluation's value before the first.
    #[inline]
    pub(super) fn mean(&self) -> f32 {
        self.mean.get()
    }

    /// Adds the value of a visit, which is already counted, to the mean.
    #[inline]
    pub(super) fn add_value(&self, value: f32) {
        let mean = self.mean();
        self.mean.set(mean + (value - mean) / self.visits() as f32);
    }

    /// Minimax value of the subtree.
    #[inline]
    pub(super) fn minimax(&self) -> f32 {
        self.minimax.get()
    }

    #[inline]
    pub(super) fn set_minimax(&self, value: f32) {
        self.minimax.set(value);
    }

    /// The children; `None` for a leaf.
    #[inline]
    pub(super) fn family(&self) -> Option<Family> {
        let first = self.first_child.load(Ordering::Acquire);
        (first != LEAF && first != CLAIMED).then(|| Family {
            first,
            count: self.child_count.load(Ordering::Relaxed),
        })
    }

    /// Turns the node into a leaf that keeps its visits and values. No other thread may use the
    /// tree.
    pub(super) fn drop_children(&self) {
        self.first_child.store(LEAF, Ordering::Relaxed);
    }

    /// True if the node is not a leaf.
    pub(super) fn is_expanded(&self) -> bool {
        self.family().is_some()
    }

    /// True while a thread expands the node.
    #[inline]
    pub(super) fn is_claimed(&self) -> bool {
        self.first_child.load(Ordering::Relaxed) == CLAIMED
    }

    /// Reserves a leaf for the calling thread to expand; `None` if another thread was first.
    pub(super) fn claim(&self) -> Option<Claim<'_>> {
        let (claimed, relaxed) = (CLAIMED, Ordering::Relaxed);
        let exchanged = (self.first_child).compare_exchange(LEAF, claimed, relaxed, relaxed);
        // `then_some` would drop a claim, and so free the leaf, if another thread has claimed it.
        exchanged.is_ok().then(|| Claim(self))
    }

    /// Data about the block that contains the node. The first node of the block's first unit and
    /// that of its last unit store the tag of the free list: the size of a free block in units, or
    /// 0 for a block in use. The nodes after the first one store the family header of the tree. In
    /// all other nodes the note is meaningless.
    pub(super) fn note(&self) -> u32 {
        self.note.load(Ordering::Relaxed)
    }

    pub(super) fn set_note(&self, number: u32) {
        self.note.store(number, Ordering::Relaxed);
    }

    /// The next and the previous block in the free list, stored in the first node of a free block.
    /// They reuse fields that only nodes in use need.
    pub(super) fn free_links(&self) -> [u32; 2] {
        [&self.mv, &self.visits].map(|link| link.load(Ordering::Relaxed))
    }

    pub(super) fn set_free_links(&self, [next, before]: [u32; 2]) {
        self.mv.store(next, Ordering::Relaxed);
        self.visits.store(before, Ordering::Relaxed);
    }

    /// Publishes the children, which must be initialised.
    fn adopt(&self, family: Family) {
        self.child_count.store(family.count, Ordering::Relaxed);
        self.first_child.store(family.first, Ordering::Release);
    }
}

/// The exclusive right to expand a leaf. If it is dropped without children, even by a panic, the
/// leaf becomes free again.
#[derive(Debug)]
pub(super) struct Claim<'a>(&'a Node);

impl Claim<'_> {
    /// Publishes the children of the leaf, which must be initialised.
    pub(super) fn publish(self, family: Family) {
        self.0.adopt(family);
    }
}

impl Drop for Claim<'_> {
    fn drop(&mut self) {
        if self.0.is_claimed() {
            self.0.first_child.store(LEAF, Ordering::Relaxed);
        }
    }
}

/// Number of bits for a cell or a kind.
const CELL_BITS: u32 = 15;

const CELL_MASK: u32 = (1 << CELL_BITS) - 1;

/// Packs a move: two bits for its type, then a cell or a kind, then a cell.
fn pack<R: RuleBook>(mv: Move<R>) -> u32 {
    let (tag, from, to) = match mv {
        Move::Pass => (0, 0, 0),
        Move::Place { kind, to } => (1, kind.index() as u32, to.index() as u32),
        Move::Drag { from, to } => (2, from.index() as u32, to.index() as u32),
    };
    tag << (2 * CELL_BITS) | from << CELL_BITS | to
}

/// The inverse of [`pack`].
#[inline]
fn unpack<R: RuleBook>(number: u32) -> Move<R> {
    const { assert!(R::Grid::INDEX_BOUND <= 1 << CELL_BITS) };
    let from = number >> CELL_BITS & CELL_MASK;
    let to = Cell::from_index((number & CELL_MASK) as u16);
    match number >> (2 * CELL_BITS) {
        0 => Move::Pass,
        1 => Move::Place {
            kind: R::Kind::ALL[from as usize],
            to,
        },
        _ => Move::Drag {
            from: Cell::from_index(from as u16),
            to,
        },
    }
}

#[inline]
fn decode_proof(packed: u16) -> Option<Solved> {
    match packed & 0xff {
        0 => None,
        1 => Some(Solved::Loss),
        2 => Some(Solved::Draw),
        _ => Some(Solved::Win),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;
    use rand_xoshiro::Xoshiro256PlusPlus;

    use wabe_hive::standard::{OpeningRule, Standard};

    #[test]
    fn packed_moves_round_trip() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(3);
        let mut position: wabe_hive::Position<Standard> =
            wabe_hive::standard::GameType::ALL[7].start(OpeningRule::default());
        while let Some(mv) = position
            .random_move(&mut rng)
            .filter(|_| position.turn() < 60)
        {
            let moves = position.legal_moves();
            for &mv in moves.iter().chain([&Move::Pass]) {
                assert_eq!(unpack::<Standard>(pack(mv)), mv);
            }
            position.play(mv);
        }
    }

    #[test]
    fn leaves_are_claimed_once() {
        let node = Node::default();
        let claim = node.claim().unwrap();
        assert!(node.is_claimed() && node.claim().is_none() && !node.is_expanded());
        // The failed attempt has not freed the leaf.
        assert!(node.is_claimed() && node.claim().is_none());
        drop(claim);
        let family = Family::new(8, 3).unwrap();
        node.claim().unwrap().publish(family);
        assert_eq!(node.family(), Some(family));
        assert!(node.claim().is_none());
    }
}
