//! Zobrist-style hashing with sums instead of exclusive-ors: a position's hash is the sum, modulo 2^64, of one key for each
//! piece on the board (owner, kind, field, height in its stack), one for each piece in reserve (owner, kind), one for each
//! obstacle, one for the turn, and one for what the position remembers of the last ply.

use super::super::{Color, KindOf, PieceKind, PieceOf, Position, RuleBook};
use crate::hex::Cell;

/// The output function of SplitMix64 (Steele, Lea, Flood 2014): a bijection that spreads small differences over all bits.
#[inline]
pub(in super::super) const fn mix(seed: u64) -> u64 {
    let mut z = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

// The tags keep the seeds of different sorts of key apart; a piece's seed stays below 2^40.
const RESERVE_TAG: u64 = 1 << 40;
const OBSTACLE_TAG: u64 = 2 << 40;

#[inline]
fn piece_bits(color: Color, kind: usize) -> u64 {
    (kind as u64) << 1 | color as u64
}

#[inline]
pub(super) fn piece_key<K: PieceKind>(piece: super::Piece<K>, cell: Cell, height: usize) -> u64 {
    let place = (cell.index() as u64) << 8 | (height as u64) << 24;
    mix(1 << 32 | place | piece_bits(piece.color, piece.kind.index()))
}

#[inline]
pub(super) fn reserve_key<K: PieceKind>(color: Color, kind: K) -> u64 {
    mix(RESERVE_TAG | piece_bits(color, kind.index()))
}

impl<R: RuleBook> Position<R> {
    /// The hash computed from nothing but the position; always equal to [`hash`](Position::hash).
    pub fn recomputed_hash(&self) -> u64 {
        let mut hash = R::turn_key(self.turn).wrapping_add(R::memory_key(self.memory));
        for cell in self.occupied() {
            for (height, piece) in self.stack(cell).enumerate() {
                let piece: PieceOf<R> = piece;
                hash = hash.wrapping_add(piece_key(piece, cell, height));
            }
        }
        for cell in self.obstacles() {
            hash = hash.wrapping_add(mix(OBSTACLE_TAG | cell.index() as u64));
        }
        for color in Color::ALL {
            for &kind in KindOf::<R>::ALL {
                let count = u64::from(self.reserve[color].count(kind));
                hash = hash.wrapping_add(reserve_key(color, kind).wrapping_mul(count));
            }
        }
        hash
    }
}
