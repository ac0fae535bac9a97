//! Traits for boards: fields, sets of fields, and steps of whole sets.

use std::fmt::Debug;
use std::hash::Hash;
use std::ops::{BitAnd, BitOr, BitOrAssign, BitXor, Sub};

use super::{Cell, Direction, Hex};

/// A set of fields of one grid. The operators are union `|`, intersection `&`, symmetric difference
/// `^` and difference `-`.
pub trait CellSet:
    Copy
    + Eq
    + Debug
    + Default
    + Send
    + Sync
    + BitOr<Output = Self>
    + BitAnd<Output = Self>
    + BitXor<Output = Self>
    + Sub<Output = Self>
    + BitOrAssign
    + IntoIterator<Item = Cell>
{
    /// The empty set.
    const EMPTY: Self;

    /// The set of one field.
    fn single(cell: Cell) -> Self;

    /// True if the set contains no field.
    fn is_empty(self) -> bool;

    /// Number of fields.
    fn count_cells(self) -> usize;

    /// True if `cell` is in the set.
    fn contains(self, cell: Cell) -> bool;

    /// A hash whose high bits depend on every field.
    fn mixed_hash(self) -> u64;

    /// Some field of the set; `None` if it is empty.
    fn first(self) -> Option<Cell>;

    /// Adds `cell`.
    #[inline]
    fn insert(&mut self, cell: Cell) {
        *self |= Self::single(cell);
    }

    /// Removes `cell`.
    #[inline]
    fn remove(&mut self, cell: Cell) {
        *self = *self - Self::single(cell);
    }

    /// True if the two sets share a field.
    #[inline]
    fn intersects(self, other: Self) -> bool {
        !(self & other).is_empty()
    }
}

/// A hexagonal board.
pub trait Grid: Copy + Debug + Default + Eq + Hash + Send + Sync + 'static {
    /// Sets of fields of this board.
    type Set: CellSet;

    /// One more than the largest [`Cell::index`].
    const INDEX_BOUND: usize;

    /// All fields.
    const FIELDS: Self::Set;

    /// True if the board has no edge: it wraps around, so every field has six neighbours.
    const IS_UNBOUNDED: bool = false;

    /// The field at `hex`; `None` off the board.
    fn cell(hex: Hex) -> Option<Cell>;

    /// The coordinates of `cell`.
    fn hex(cell: Cell) -> Hex;

    /// The displacement from one field to another, the shortest one where the board wraps around.
    #[inline]
    fn displacement(from: Cell, to: Cell) -> Hex {
        let (from, to) = (Self::hex(from), Self::hex(to));
        Hex::new(to.x - from.x, to.y - from.y)
    }

    /// Moves every field of the set one step; fields that would leave the board are dropped.
    fn shift(set: Self::Set, direction: Direction) -> Self::Set;

    /// [`shift`](Grid::shift) without the final mask: fields that leave the board may appear
    /// anywhere outside [`FIELDS`](Grid::FIELDS), so the caller has to mask the result.
    #[inline]
    fn shift_unmasked(set: Self::Set, direction: Direction) -> Self::Set {
        Self::shift(set, direction)
    }

    /// The field one step away, if it is on the board.
    #[inline]
    fn neighbour(cell: Cell, direction: Direction) -> Option<Cell> {
        Self::shift(CellSet::single(cell), direction).first()
    }

    /// The neighbours of `cell` that are in `set`, as a ring: bit `i` stands for the direction with
    /// index `i`.
    fn ring(set: Self::Set, cell: Cell) -> u8;

    /// The directions in which `cell` has a neighbour on the board, as a ring.
    fn ring_of_fields(cell: Cell) -> u8;

    /// The neighbours of `cell` on the board in the directions of `ring`.
    fn cells_of_ring(cell: Cell, ring: u8) -> Self::Set;

    /// The union of the six shifts: all fields adjacent to one of the set.
    fn neighbours(set: Self::Set) -> Self::Set;

    /// One step of a flood fill: the set and its neighbours in `within`.
    #[inline]
    fn spread(set: Self::Set, within: Self::Set) -> Self::Set {
        set | (Self::neighbours(set) & within)
    }
}
