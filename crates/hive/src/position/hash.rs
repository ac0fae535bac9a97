//! Zobrist hashing with sums instead of XOR. A position's hash is the sum, modulo 2^64, of these
//! keys:
//!
//! - one per piece on the board: owner, kind, field and height in its stack;
//! - one per piece in reserve: owner and kind;
//! - one per obstacle;
//! - one for the turn and one for the rule state.

use super::super::{Color, KindOf, PieceKind, PieceOf, Position, RuleBook};
use crate::hex::Cell;

/// The output function of SplitMix64 (Steele, Lea, Flood 2014): a bijection that spreads small
/// differences over all bits.
#[inline]
pub(in super::super) const fn mix(seed: u64) -> u64 {
    let mut z = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

// Tags keep the seeds of different types of key apart.
const CELL_TAG: u64 = 1 << 40;
const PIECE_TAG: u64 = 2 << 40;
const RESERVE_TAG: u64 = 3 << 40;
const OBSTACLE_TAG: u64 = 4 << 40;

/// Maximum number of indices of a grid.
const CELLS: usize = 1 << 10;

/// Maximum number of kinds per colour, and of heights.
const KINDS: usize = 8;
const PIECES: usize = 2 * KINDS;
const HEIGHTS: usize = 8;

const fn keys<const N: usize>(tag: u64, odd: u64) -> [u64; N] {
    let mut keys = [0; N];
    let mut i = 0;
    while i < N {
        keys[i] = mix(tag | i as u64) | odd;
        i += 1;
    }
    keys
}

/// The key of a piece is the product of a random number for its field and a random odd number for
/// its owner, kind and height: one multiplication per key. Different positions have the same hash
/// only if random 64-bit numbers happen to cancel out.
static CELL_NUMBERS: [u64; CELLS] = keys(CELL_TAG, 0);
static PIECE_NUMBERS: [u64; PIECES * HEIGHTS] = keys(PIECE_TAG, 1);
static RESERVE_KEYS: [u64; PIECES] = keys(RESERVE_TAG, 0);

#[inline]
fn piece_index<K: PieceKind>(color: Color, kind: K) -> usize {
    const { assert!(K::ALL.len() <= KINDS) };
    2 * (kind.index() % KINDS) + color as usize
}

#[inline]
pub(in super::super) fn piece_key<K: PieceKind>(
    piece: super::Piece<K>,
    cell: Cell,
    height: usize,
) -> u64 {
    let piece = piece_index(piece.color, piece.kind) + height % HEIGHTS * PIECES;
    CELL_NUMBERS[cell.index() % CELLS].wrapping_mul(PIECE_NUMBERS[piece])
}

#[inline]
pub(super) fn reserve_key<K: PieceKind>(color: Color, kind: K) -> u64 {
    RESERVE_KEYS[piece_index(color, kind)]
}

impl<R: RuleBook> Position<R> {
    /// The hash computed from scratch; always equal to [`hash`](Position::hash).
    pub fn recomputed_hash(&self) -> u64 {
        let mut hash = R::turn_key(self.turn).wrapping_add(R::rule_state_key(self.rule_state));
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
