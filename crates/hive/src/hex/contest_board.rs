//! The contest's board: a hexagon of 91 fields, six along each edge. Sets of fields take 128 bits.

use super::{BitSet, Cell, Direction, Grid, Hex};

/// The hexagon of 91 fields: `x`, `y` and `z` each in -5..=5.
///
/// A field's index is `12 · (x + 5) + (y + 5)`. Column 11 of every row and the corners without a
/// field are guard bits. They keep steps from wrapping around, so a step in any direction is one
/// shift by 1, 11 or 12 bits and one mask.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ContestBoard;

/// A set of fields of the [`ContestBoard`].
///
/// Two words instead of one `u128`: testing or changing a single field then touches one word.
pub type BoardSet = BitSet<2>;

const RADIUS: i8 = 5;
const ROW: u32 = 12;

const fn field_mask() -> u128 {
    let mut mask = 0;
    let mut x = -RADIUS;
    while x <= RADIUS {
        let mut y = -RADIUS;
        while y <= RADIUS {
            if x + y >= -RADIUS && x + y <= RADIUS {
                mask |= 1 << bit_index(x, y);
            }
            y += 1;
        }
        x += 1;
    }
    mask
}

const fn bit_index(x: i8, y: i8) -> u32 {
    ROW * (x + RADIUS) as u32 + (y + RADIUS) as u32
}

/// For each index, the directions in which the field has a neighbour on the board, as bits of a
/// ring.
const RINGS_ON_BOARD: [u8; 128] = {
    let mut rings = [0; 128];
    let mut index = 0;
    while index < 128 {
        let field = 1u128 << index;
        if field & field_mask() != 0 {
            let mut i = 0;
            while i < 6 {
                if shifted(field, Direction::ALL[i]) & field_mask() != 0 {
                    rings[index] |= 1 << i;
                }
                i += 1;
            }
        }
        index += 1;
    }
    rings
};

/// A cell's neighbours lie 1, 11 and 12 bits before and after it. They fit in a window of 25 bits
/// that begins 12 bits before the cell.
const WINDOW_START: usize = ROW as usize;

/// The bit of a window for each direction of a ring.
const WINDOW_BITS: [u32; 6] = [23, 24, 13, 1, 0, 11];

/// For each ring, the window in which the same neighbours are set.
const WINDOW_OF_RING: [u32; 64] = {
    let mut windows = [0; 64];
    let mut ring = 0;
    while ring < 64 {
        let mut i = 0;
        while i < 6 {
            if ring >> i & 1 != 0 {
                windows[ring] |= 1 << WINDOW_BITS[i];
            }
            i += 1;
        }
        ring += 1;
    }
    windows
};

/// Gathers the bits of the six neighbours in the low seven bits.
#[inline]
const fn packed(window: u32) -> usize {
    (window & 0b11 | window >> 9 & 0b10100 | window >> 18 & 0b110_0000) as usize
}

/// The inverse of [`WINDOW_OF_RING`], after packing.
const RING_OF_PACKED: [u8; 128] = {
    let mut rings = [0; 128];
    let mut ring = 0;
    while ring < 64 {
        rings[packed(WINDOW_OF_RING[ring])] = ring as u8;
        ring += 1;
    }
    rings
};

#[inline]
const fn shifted(bits: u128, direction: Direction) -> u128 {
    match direction {
        Direction::East => bits << 11,
        Direction::NorthEast => bits << 12,
        Direction::NorthWest => bits << 1,
        Direction::West => bits >> 11,
        Direction::SouthWest => bits >> 12,
        Direction::SouthEast => bits >> 1,
    }
}

impl ContestBoard {
    /// Maximum absolute value of a coordinate.
    pub const RADIUS: i8 = RADIUS;

    /// [`Grid::cell`] for constant tables.
    pub const fn cell_at(hex: Hex) -> Option<Cell> {
        const fn in_range(coordinate: i16) -> bool {
            -(RADIUS as i16) <= coordinate && coordinate <= RADIUS as i16
        }
        if in_range(hex.x as i16) && in_range(hex.y as i16) && in_range(hex.z()) {
            Some(Cell::from_index(bit_index(hex.x, hex.y) as u16))
        } else {
            None
        }
    }

    /// [`Grid::hex`] for constant tables.
    pub const fn hex_at(cell: Cell) -> Hex {
        let index = cell.index() as i8;
        Hex::new(index / ROW as i8 - RADIUS, index % ROW as i8 - RADIUS)
    }
}

impl Grid for ContestBoard {
    type Set = BoardSet;

    const INDEX_BOUND: usize = 128;

    const FIELDS: BoardSet = BoardSet::from_bits(field_mask());

    fn cell(hex: Hex) -> Option<Cell> {
        ContestBoard::cell_at(hex)
    }

    fn hex(cell: Cell) -> Hex {
        ContestBoard::hex_at(cell)
    }

    #[inline]
    fn shift(set: BoardSet, direction: Direction) -> BoardSet {
        Self::shift_unmasked(set, direction) & Self::FIELDS
    }

    #[inline]
    fn shift_unmasked(set: BoardSet, direction: Direction) -> BoardSet {
        BoardSet::from_bits(shifted(set.bits(), direction))
    }

    #[inline]
    fn ring_of_fields(cell: Cell) -> u8 {
        RINGS_ON_BOARD[cell.index() & 127]
    }

    // A window that reaches past either end wraps around; masking with the fields on the board
    // clears the wrapped bits.

    #[inline]
    fn ring(set: BoardSet, cell: Cell) -> u8 {
        let [window, _] = set.window((cell.index().wrapping_sub(WINDOW_START)) & 127);
        RING_OF_PACKED[packed(window as u32)] & Self::ring_of_fields(cell)
    }

    #[inline]
    fn cells_of_ring(cell: Cell, ring: u8) -> BoardSet {
        let window = WINDOW_OF_RING[usize::from(ring & Self::ring_of_fields(cell))];
        let start = cell.index().wrapping_sub(WINDOW_START) & 127;
        BoardSet::from_bits(u128::from(window).rotate_left(start as u32))
    }

    #[inline]
    fn neighbours(set: BoardSet) -> BoardSet {
        BoardSet::from_bits(neighbour_bits(set.bits())) & Self::FIELDS
    }

    #[inline]
    fn spread(set: BoardSet, within: BoardSet) -> BoardSet {
        set | (BoardSet::from_bits(neighbour_bits(set.bits())) & within)
    }
}

/// The union of the six shifts.
#[inline]
const fn neighbour_bits(bits: u128) -> u128 {
    let north_west = bits << 1;
    let south_east = bits >> 1;
    let up = (bits | south_east) << ROW;
    let down = (bits | north_west) >> ROW;
    north_west | south_east | up | down
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hex::CellSet;

    #[test]
    fn board_has_91_fields() {
        let fields = ContestBoard::FIELDS;
        assert_eq!(fields.count_cells(), 91);
        let indices = || fields.into_iter().map(Cell::index);
        assert_eq!((indices().min(), indices().max()), (Some(5), Some(125)));
        let plane = (-8..=8).flat_map(|x| (-8..=8).map(move |y| Hex::new(x, y)));
        assert_eq!(plane.filter_map(ContestBoard::cell).count(), 91);
        for (x, y) in [(127, 127), (-128, -128), (-128, 127)] {
            assert_eq!(ContestBoard::cell(Hex::new(x, y)), None);
        }
    }
}
