//! A node of the search tree. Several threads read and write it at once.

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

/// Adjacent nodes of the arena: the children of one node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Family {
    first: u32,
    count: u16,
}

impl Family {
    /// The nodes from `first` on; `None` if their indices or their number do not fit.
    pub(super) fn new(first: usize, count: usize) -> Option<Family> {
        u32::try_from(first + count).ok()?;
        Some(Family {
            first: u32::try_from(first).ok()?,
            count: u16::try_from(count).ok()?,
        })
    }

    /// The index of its first node and its number of nodes.
    pub(super) fn parts(self) -> (u32, u16) {
        (self.first, self.count)
    }

    pub(super) fn range(self) -> Range<usize> {
        self.first as usize..self.first as usize + usize::from(self.count)
    }

    /// Every node.
    pub(super) fn ids(self) -> impl DoubleEndedIterator<Item = NodeId> + ExactSizeIterator + Clone {
        (0..self.count).map(move |place| NodeId(self.first + u32::from(place)))
    }
}

/// A leaf's `first_child`. No family begins at the root.
const LEAF: u32 = 0;

/// The `first_child` of a leaf that a thread is expanding.
const CLAIMED: u32 = u32::MAX;

/// A number that several threads read and write. Writes become visible eventually, in no particular
/// order.
#[derive(Debug, Default, FromZeros)]
struct Shared(AtomicU32);

impl Shared {
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
/// Visits are counted on the way down the tree, so that the next thread sees them and prefers
/// another way. The values are recomputed on the way up. Of two threads that do so at the same
/// time, one overwrites the other's result; later visits correct it.
#[derive(Debug, Default, FromZeros)]
pub(super) struct Node {
    mv: AtomicU32,
    /// Published last: a thread that sees it also sees the children.
    first_child: AtomicU32,
    child_count: AtomicU16,
    /// Proof and plies together, so that no thread sees one without the other.
    verdict: AtomicU16,
    visits: AtomicU32,
    prior: Shared,
    mean: Shared,
    minimax: Shared,
    /// Belongs to the arena, whatever the node is: see [`Node::note`].
    note: AtomicU32,
}

const _: () = assert!(size_of::<Node>() == 32);

impl Node {
    /// Makes it a node that has never been visited.
    pub(super) fn begin<R: RuleBook>(&self, mv: Move<R>, value: f32, proof: Option<Solved>) {
        self.begin_packed(packed(mv), value, proof);
    }

    /// Makes it an unvisited root. Its move is a pass.
    pub(super) fn begin_root(&self) {
        self.begin_packed(0, 0.5, None);
    }

    fn begin_packed(&self, mv: u32, value: f32, proof: Option<Solved>) {
        self.mv.store(mv, Ordering::Relaxed);
        self.first_child.store(LEAF, Ordering::Relaxed);
        self.child_count.store(0, Ordering::Relaxed);
        self.visits.store(0, Ordering::Relaxed);
        self.set_verdict(proof, 0);
        self.prior.set(1.0);
        self.mean.set(value);
        self.minimax.set(value);
    }

    /// Becomes the same as `other`, its children included.
    pub(super) fn take_from(&self, other: &Node) {
        let relaxed = Ordering::Relaxed;
        self.mv.store(other.mv.load(relaxed), relaxed);
        self.verdict.store(other.verdict.load(relaxed), relaxed);
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

    /// The move.
    #[inline]
    pub(super) fn mv<R: RuleBook>(&self) -> Move<R> {
        unpacked(self.mv.load(Ordering::Relaxed))
    }

    /// The exact result, once it is known.
    #[inline]
    pub(super) fn proof(&self) -> Option<Solved> {
        proof_of(self.verdict.load(Ordering::Relaxed))
    }

    /// The exact result and the plies from the position to the end of the game where it is a win or
    /// a loss, at most 255: those of the shortest win found, or of the longest defence.
    #[inline]
    pub(super) fn verdict(&self) -> (Option<Solved>, u8) {
        let verdict = self.verdict.load(Ordering::Relaxed);
        (proof_of(verdict), (verdict >> 8) as u8)
    }

    pub(super) fn set_verdict(&self, proof: Option<Solved>, plies: u8) {
        let proof = proof.map_or(0, |proof| proof as u16 + 1);
        let verdict = proof | u16::from(plies) << 8;
        self.verdict.store(verdict, Ordering::Relaxed);
    }

    /// Number of iterations through the node, those under way included.
    #[inline]
    pub(super) fn visits(&self) -> u32 {
        self.visits.load(Ordering::Relaxed)
    }

    /// Counts a visit, up to some two billion.
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

    /// The node's children, if it has any in the tree.
    #[inline]
    pub(super) fn family(&self) -> Option<Family> {
        let first = self.first_child.load(Ordering::Acquire);
        (first != LEAF && first != CLAIMED).then(|| Family {
            first,
            count: self.child_count.load(Ordering::Relaxed),
        })
    }

    /// Becomes a leaf that keeps its visits and values. No other thread may use the tree.
    pub(super) fn drop_children(&self) {
        self.first_child.store(LEAF, Ordering::Relaxed);
    }

    /// True if the node has children in the tree.
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
        let was = (self.first_child).compare_exchange(LEAF, claimed, relaxed, relaxed);
        was.is_ok().then_some(Claim(self))
    }

    /// A note about the block that the node lies in. The first nodes of the block's first and last
    /// unit hold the free list's: the size of a free block in units, 0 in a block in use. The nodes
    /// after the first one hold the tree's; elsewhere it is meaningless.
    pub(super) fn note(&self) -> u32 {
        self.note.load(Ordering::Relaxed)
    }

    pub(super) fn set_note(&self, number: u32) {
        self.note.store(number, Ordering::Relaxed);
    }

    /// In the first node of a free block: its neighbours in the free list. They reuse fields of a
    /// node in use.
    pub(super) fn free_links(&self) -> [u32; 2] {
        [&self.mv, &self.visits].map(|link| link.load(Ordering::Relaxed))
    }

    pub(super) fn set_free_links(&self, [next, before]: [u32; 2]) {
        self.mv.store(next, Ordering::Relaxed);
        self.visits.store(before, Ordering::Relaxed);
    }

    /// Publishes the children, which are complete.
    fn adopt(&self, family: Family) {
        self.child_count.store(family.count, Ordering::Relaxed);
        self.first_child.store(family.first, Ordering::Release);
    }
}

/// The right to expand a leaf. Dropped without children, even by a panic, it leaves the leaf as it
/// was.
#[derive(Debug)]
pub(super) struct Claim<'a>(&'a Node);

impl Claim<'_> {
    /// Gives the leaf its children, which are complete.
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

/// Bits of a cell, or of the number of a kind.
const CELL_BITS: u32 = 15;

const CELL_MASK: u32 = (1 << CELL_BITS) - 1;

/// A move as a number: two bits for its form, then a cell or a kind, then a cell.
fn packed<R: RuleBook>(mv: Move<R>) -> u32 {
    let (form, from, to) = match mv {
        Move::Pass => (0, 0, 0),
        Move::Place { kind, to } => (1, kind.index() as u32, to.index() as u32),
        Move::Drag { from, to } => (2, from.index() as u32, to.index() as u32),
    };
    form << (2 * CELL_BITS) | from << CELL_BITS | to
}

/// The move of that number.
#[inline]
fn unpacked<R: RuleBook>(number: u32) -> Move<R> {
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
fn proof_of(verdict: u16) -> Option<Solved> {
    match verdict & 0xff {
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
    use wabe_hive::MoveList;
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
            let mut moves = MoveList::new();
            position.legal_moves(&mut moves);
            for &mv in moves.iter().chain([&Move::Pass]) {
                assert_eq!(unpacked::<Standard>(packed(mv)), mv);
            }
            position.play(mv);
        }
    }

    #[test]
    fn leaves_are_claimed_once() {
        let node = Node::default();
        let claim = node.claim().unwrap();
        assert!(node.is_claimed() && node.claim().is_none() && !node.is_expanded());
        drop(claim);
        let family = Family::new(8, 3).unwrap();
        node.claim().unwrap().publish(family);
        assert_eq!(node.family(), Some(family));
        assert!(node.claim().is_none());
    }
}
