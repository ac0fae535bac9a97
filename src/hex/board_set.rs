//! Sets of fields of the contest's board.

use std::fmt;
use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, Sub};

use super::{Cell, CellSet, ContestBoard, Grid};

/// A set of fields of the [`ContestBoard`]: 128 bits. Iterates in the order of the fields' indices.
///
/// Two words instead of one `u128`: looking at or changing a single field then touches one word.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct BoardSet([u64; 2]);

/// The word and the bit of a field.
#[inline]
const fn word_and_bit(cell: Cell) -> (usize, u64) {
    (cell.index() >> 6 & 1, 1 << (cell.index() & 63))
}

impl BoardSet {
    #[inline]
    pub(super) const fn from_bits(bits: u128) -> BoardSet {
        BoardSet([bits as u64, (bits >> 64) as u64])
    }

    #[inline]
    pub(super) const fn bits(self) -> u128 {
        self.0[0] as u128 | (self.0[1] as u128) << 64
    }

    /// The 32 bits from bit `start` on, taken modulo 128.
    #[inline]
    pub(super) fn window(self, start: u32) -> u32 {
        let first = self.0[start as usize >> 6 & 1];
        let second = self.0[(start as usize >> 6 & 1) ^ 1];
        let offset = start & 63;
        (first >> offset | second << 1 << (63 - offset)) as u32
    }
}

impl CellSet for BoardSet {
    const EMPTY: BoardSet = BoardSet([0; 2]);

    #[inline]
    fn scrambled(self) -> u64 {
        // Two odd numbers near 2^64 divided by the golden ratio and by the square root of 2.
        let [low, high] = self.0;
        let mixed =
            low.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ high.wrapping_mul(0xb504_f333_f9de_6485);
        (mixed ^ mixed >> 32).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }

    #[inline]
    fn single(cell: Cell) -> BoardSet {
        BoardSet::from_bits(1 << (cell.index() & 127))
    }

    #[inline]
    fn is_empty(self) -> bool {
        self.0[0] | self.0[1] == 0
    }

    #[inline]
    fn count_cells(self) -> usize {
        self.bits().count_ones() as usize
    }

    #[inline]
    fn contains(self, cell: Cell) -> bool {
        let (word, bit) = word_and_bit(cell);
        self.0[word] & bit != 0
    }

    #[inline]
    fn first(self) -> Option<Cell> {
        self.into_iter().next()
    }

    #[inline]
    fn insert(&mut self, cell: Cell) {
        let (word, bit) = word_and_bit(cell);
        self.0[word] |= bit;
    }

    #[inline]
    fn remove(&mut self, cell: Cell) {
        let (word, bit) = word_and_bit(cell);
        self.0[word] &= !bit;
    }
}

/// Iterator over the fields of a [`BoardSet`].
#[derive(Clone, Debug)]
pub struct BoardCells(BoardSet);

impl Iterator for BoardCells {
    type Item = Cell;

    #[inline]
    fn next(&mut self) -> Option<Cell> {
        let [low, high] = &mut self.0.0;
        let (word, base) = if *low != 0 { (low, 0) } else { (high, 64) };
        if *word == 0 {
            return None;
        }
        let cell = Cell::from_index(base + word.trailing_zeros() as u16);
        *word &= *word - 1;
        Some(cell)
    }

    #[inline]
    fn fold<B, F: FnMut(B, Cell) -> B>(self, init: B, mut f: F) -> B {
        let mut folded = init;
        for (mut word, base) in self.0.0.into_iter().zip([0, 64]) {
            while word != 0 {
                folded = f(
                    folded,
                    Cell::from_index(base + word.trailing_zeros() as u16),
                );
                word &= word - 1;
            }
        }
        folded
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.0.count_cells(), Some(self.0.count_cells()))
    }
}

impl ExactSizeIterator for BoardCells {}

impl IntoIterator for BoardSet {
    type Item = Cell;
    type IntoIter = BoardCells;

    #[inline]
    fn into_iter(self) -> BoardCells {
        BoardCells(self)
    }
}

impl FromIterator<Cell> for BoardSet {
    fn from_iter<I: IntoIterator<Item = Cell>>(cells: I) -> BoardSet {
        cells
            .into_iter()
            .fold(BoardSet::EMPTY, |set, cell| set | BoardSet::single(cell))
    }
}

impl BitOr for BoardSet {
    type Output = BoardSet;

    #[inline]
    fn bitor(self, other: BoardSet) -> BoardSet {
        BoardSet([self.0[0] | other.0[0], self.0[1] | other.0[1]])
    }
}

impl BitAnd for BoardSet {
    type Output = BoardSet;

    #[inline]
    fn bitand(self, other: BoardSet) -> BoardSet {
        BoardSet([self.0[0] & other.0[0], self.0[1] & other.0[1]])
    }
}

impl BitXor for BoardSet {
    type Output = BoardSet;

    #[inline]
    fn bitxor(self, other: BoardSet) -> BoardSet {
        BoardSet([self.0[0] ^ other.0[0], self.0[1] ^ other.0[1]])
    }
}

impl Sub for BoardSet {
    type Output = BoardSet;

    #[inline]
    fn sub(self, other: BoardSet) -> BoardSet {
        BoardSet([self.0[0] & !other.0[0], self.0[1] & !other.0[1]])
    }
}

impl BitOrAssign for BoardSet {
    #[inline]
    fn bitor_assign(&mut self, other: BoardSet) {
        *self = *self | other;
    }
}

impl BitAndAssign for BoardSet {
    #[inline]
    fn bitand_assign(&mut self, other: BoardSet) {
        *self = *self & other;
    }
}

impl fmt::Debug for BoardSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set()
            .entries(
                self.into_iter()
                    .map(|cell| ContestBoard::hex(cell).to_string()),
            )
            .finish()
    }
}
