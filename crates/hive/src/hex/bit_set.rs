//! Sets of fields, one bit per field.

use std::fmt;
use std::ops::{BitAnd, BitOr, BitOrAssign, BitXor, Sub};

use super::{Cell, CellSet};

/// A set of fields of a [`Grid`](super::Grid) whose indices are below `64 · WORDS`. Iterates in the
/// order of the indices.
#[derive(Clone, Copy, Eq)]
pub struct BitSet<const WORDS: usize>([u64; WORDS]);

/// The word and the bit of a field.
#[inline]
const fn word_and_bit<const WORDS: usize>(cell: Cell) -> (usize, u64) {
    ((cell.index() >> 6) % WORDS, 1 << (cell.index() & 63))
}

impl BitSet<2> {
    #[inline]
    pub(super) const fn from_bits(bits: u128) -> BitSet<2> {
        BitSet([bits as u64, (bits >> 64) as u64])
    }

    #[inline]
    pub(super) const fn bits(self) -> u128 {
        self.0[0] as u128 | (self.0[1] as u128) << 64
    }
}

impl<const WORDS: usize> BitSet<WORDS> {
    pub(super) const FULL: BitSet<WORDS> = BitSet([u64::MAX; WORDS]);

    #[inline]
    fn zip(self, other: BitSet<WORDS>, f: impl Fn(u64, u64) -> u64) -> BitSet<WORDS> {
        BitSet(std::array::from_fn(|i| f(self.0[i], other.0[i])))
    }

    /// Adds `by` to every index, modulo `64 · WORDS`. `by` must be below `64 · WORDS`.
    #[inline]
    pub(super) fn rotated(self, by: usize) -> BitSet<WORDS> {
        let (words, bits) = (by / 64, by % 64);
        let word = |i: usize| self.0[(i + 2 * WORDS - words) % WORDS];
        BitSet(std::array::from_fn(|i| {
            if bits == 0 {
                word(i)
            } else {
                word(i) << bits | word(i + WORDS - 1) >> (64 - bits)
            }
        }))
    }

    /// The cells of `pattern`, each index increased by `by`, modulo `64 · WORDS`. `by` must be
    /// below `64 · WORDS`.
    ///
    /// Computes every word, although most are 0: vector instructions are faster here than a store
    /// to a single word.
    #[inline]
    pub(super) fn placed(pattern: u128, by: usize) -> BitSet<WORDS> {
        let (low, high) = (pattern as u64, (pattern >> 64) as u64);
        let (first, offset) = (by >> 6, by & 63);
        let moved_out = |half: u64| half >> 1 >> (63 - offset);
        let parts = [
            low << offset,
            high << offset | moved_out(low),
            moved_out(high),
        ];
        BitSet(std::array::from_fn(|i| {
            let place = if i >= first {
                i - first
            } else {
                i + WORDS - first
            };
            let part = |n: usize| if place == n { parts[n] } else { 0 };
            part(0) | part(1) | part(2)
        }))
    }

    /// The bits of the 128 cells that begin at index `start`, which is below `64 · WORDS`.
    #[inline]
    pub(super) fn window(self, start: usize) -> [u64; 2] {
        let next = |word: usize| if word + 1 >= WORDS { 0 } else { word + 1 };
        let (first, offset) = ((start >> 6) % WORDS, start & 63);
        let second = next(first);
        let third = next(second);
        let joined = |low: u64, high: u64| low >> offset | high << 1 << (63 - offset);
        [
            joined(self.0[first], self.0[second]),
            joined(self.0[second], self.0[third]),
        ]
    }
}

/// Not derived: comparing arrays goes through memory, but a flood fill keeps its set in registers.
impl<const WORDS: usize> PartialEq for BitSet<WORDS> {
    #[inline]
    fn eq(&self, other: &BitSet<WORDS>) -> bool {
        (*self ^ *other).is_empty()
    }
}

impl<const WORDS: usize> Default for BitSet<WORDS> {
    fn default() -> BitSet<WORDS> {
        BitSet::EMPTY
    }
}

impl<const WORDS: usize> CellSet for BitSet<WORDS> {
    const EMPTY: BitSet<WORDS> = BitSet([0; WORDS]);

    #[inline]
    fn single(cell: Cell) -> BitSet<WORDS> {
        // Computes every word; see `placed`.
        let (word, bit) = word_and_bit::<WORDS>(cell);
        BitSet(std::array::from_fn(|i| if i == word { bit } else { 0 }))
    }

    #[inline]
    fn mixed_hash(self) -> u64 {
        // An odd number near 2^64 divided by the golden ratio.
        const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
        let mixed = self.0.into_iter().fold(0u64, |mixed, word| {
            (mixed ^ word).wrapping_mul(FACTOR).rotate_left(29)
        });
        (mixed ^ mixed >> 32).wrapping_mul(FACTOR)
    }

    #[inline]
    fn is_empty(self) -> bool {
        self.0.into_iter().fold(0, |all, word| all | word) == 0
    }

    #[inline]
    fn count_cells(self) -> usize {
        self.0.into_iter().map(|w| w.count_ones() as usize).sum()
    }

    #[inline]
    fn contains(self, cell: Cell) -> bool {
        let (word, bit) = word_and_bit::<WORDS>(cell);
        self.0[word] & bit != 0
    }

    #[inline]
    fn first(self) -> Option<Cell> {
        self.into_iter().next()
    }
}

/// Iterator over the cells of a [`BitSet`].
#[derive(Clone, Debug)]
pub struct BitCells<const WORDS: usize> {
    rest: BitSet<WORDS>,
    word: usize,
}

/// The cell of the lowest bit of a word.
#[inline]
fn lowest(word: usize, bits: u64) -> Cell {
    Cell::from_index((word << 6) as u16 + bits.trailing_zeros() as u16)
}

impl<const WORDS: usize> Iterator for BitCells<WORDS> {
    type Item = Cell;

    #[inline]
    fn next(&mut self) -> Option<Cell> {
        while let Some(bits) = self.rest.0.get_mut(self.word) {
            if *bits != 0 {
                let cell = lowest(self.word, *bits);
                *bits &= *bits - 1;
                return Some(cell);
            }
            self.word += 1;
        }
        None
    }

    #[inline]
    fn fold<B, F: FnMut(B, Cell) -> B>(self, init: B, mut f: F) -> B {
        let mut folded = init;
        for (i, mut bits) in self.rest.0.into_iter().enumerate() {
            while bits != 0 {
                folded = f(folded, lowest(i, bits));
                bits &= bits - 1;
            }
        }
        folded
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.rest.count_cells(), Some(self.rest.count_cells()))
    }
}

impl<const WORDS: usize> ExactSizeIterator for BitCells<WORDS> {}

impl<const WORDS: usize> FromIterator<Cell> for BitSet<WORDS> {
    fn from_iter<I: IntoIterator<Item = Cell>>(cells: I) -> BitSet<WORDS> {
        cells
            .into_iter()
            .fold(BitSet::EMPTY, |set, cell| set | BitSet::single(cell))
    }
}

impl<const WORDS: usize> IntoIterator for BitSet<WORDS> {
    type Item = Cell;
    type IntoIter = BitCells<WORDS>;

    #[inline]
    fn into_iter(self) -> BitCells<WORDS> {
        BitCells {
            rest: self,
            // Many sets are empty.
            word: if self.is_empty() { WORDS } else { 0 },
        }
    }
}

macro_rules! operator {
    ($operator:ident, $function:ident, $word_operation:expr) => {
        impl<const WORDS: usize> $operator for BitSet<WORDS> {
            type Output = BitSet<WORDS>;

            #[inline]
            fn $function(self, other: BitSet<WORDS>) -> BitSet<WORDS> {
                self.zip(other, $word_operation)
            }
        }
    };
}

operator!(BitOr, bitor, |a, b| a | b);
operator!(BitAnd, bitand, |a, b| a & b);
operator!(BitXor, bitxor, |a, b| a ^ b);
operator!(Sub, sub, |a, b| a & !b);

impl<const WORDS: usize> BitOrAssign for BitSet<WORDS> {
    #[inline]
    fn bitor_assign(&mut self, other: BitSet<WORDS>) {
        *self = *self | other;
    }
}

impl<const WORDS: usize> fmt::Debug for BitSet<WORDS> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set()
            .entries(self.into_iter().map(Cell::index))
            .finish()
    }
}
