//! The contest's board: a hexagon of hexagons with edge length 6, in one `u128`.

use std::fmt;
use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, Sub};

use super::{Cell, CellSet, Direction, Grid, Hex};

/// The hexagon of 91 fields: `x`, `y` and `z` each in -5..=5.
///
/// A field's index is `12 · (x + 5) + (y + 5)`. Column 11 of every row and the corners without a field are guard bits:
/// with them each direction is one shift by 1, 11 or 12 and one mask, and no step wraps around.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ContestBoard;

/// A set of fields of the [`ContestBoard`]. Iterates in the order of the fields' indices.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct BoardSet(u128);

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

/// For each index, the directions in which a field there has neighbours on the board, as bits of a ring.
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
    /// Number of fields.
    pub const FIELD_COUNT: usize = 91;

    /// Largest absolute value of a coordinate.
    pub const RADIUS: i8 = RADIUS;
}

impl Grid for ContestBoard {
    type Set = BoardSet;

    const INDEX_BOUND: usize = 128;

    const FIELDS: BoardSet = BoardSet(field_mask());

    fn cell(hex: Hex) -> Option<Cell> {
        let bound = i16::from(RADIUS);
        let on_board = [i16::from(hex.x), i16::from(hex.y), hex.z()]
            .into_iter()
            .all(|coordinate| (-bound..=bound).contains(&coordinate));
        on_board.then(|| Cell::from_index(bit_index(hex.x, hex.y) as u16))
    }

    fn hex(cell: Cell) -> Hex {
        let index = cell.index() as i8;
        Hex::new(index / ROW as i8 - RADIUS, index % ROW as i8 - RADIUS)
    }

    #[inline]
    fn shift(set: BoardSet, direction: Direction) -> BoardSet {
        BoardSet(shifted(set.0, direction)) & Self::FIELDS
    }

    // A cell's neighbours lie 1, 11 and 12 bits before and after it: a window of 25 bits that begins 12 before the cell.
    // Windows that reach over an end of the word wrap around; the mask of what is on the board drops what they catch there.

    #[inline]
    fn ring(set: BoardSet, cell: Cell) -> u8 {
        let index = cell.index() & 127;
        let window = set.0.rotate_right((index as u32).wrapping_sub(ROW) & 127) as u32;
        let ring = (window >> 23 & 0b000011)
            | (window >> 11 & 0b000100)
            | (window << 2 & 0b001000)
            | (window << 4 & 0b010000)
            | (window >> 6 & 0b100000);
        ring as u8 & RINGS_ON_BOARD[index]
    }

    #[inline]
    fn cells_of_ring(cell: Cell, ring: u8) -> BoardSet {
        let index = cell.index() & 127;
        let ring = u128::from(ring & RINGS_ON_BOARD[index]);
        let window = (ring & 0b000011) << 23
            | (ring & 0b000100) << 11
            | (ring & 0b001000) >> 2
            | (ring & 0b010000) >> 4
            | (ring & 0b100000) << 6;
        BoardSet(window.rotate_left((index as u32).wrapping_sub(ROW) & 127))
    }

    #[inline]
    fn neighbours(set: BoardSet) -> BoardSet {
        let north_west = set.0 << 1;
        let south_east = set.0 >> 1;
        let up = (set.0 | south_east) << ROW;
        let down = (set.0 | north_west) >> ROW;
        BoardSet(north_west | south_east | up | down) & Self::FIELDS
    }
}

impl CellSet for BoardSet {
    const EMPTY: BoardSet = BoardSet(0);

    #[inline]
    fn single(cell: Cell) -> BoardSet {
        BoardSet(1 << (cell.index() & 127))
    }

    #[inline]
    fn is_empty(self) -> bool {
        self.0 == 0
    }

    #[inline]
    fn count_cells(self) -> usize {
        self.0.count_ones() as usize
    }

    #[inline]
    fn contains(self, cell: Cell) -> bool {
        self.0 >> (cell.index() & 127) & 1 != 0
    }

    #[inline]
    fn first(self) -> Option<Cell> {
        (self.0 != 0).then(|| Cell::from_index(self.0.trailing_zeros() as u16))
    }
}

/// Iterator over the fields of a [`BoardSet`].
#[derive(Clone, Debug)]
pub struct BoardCells(BoardSet);

impl Iterator for BoardCells {
    type Item = Cell;

    #[inline]
    fn next(&mut self) -> Option<Cell> {
        let cell = self.0.first()?;
        self.0.0 &= self.0.0 - 1;
        Some(cell)
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
        BoardSet(self.0 | other.0)
    }
}

impl BitAnd for BoardSet {
    type Output = BoardSet;

    #[inline]
    fn bitand(self, other: BoardSet) -> BoardSet {
        BoardSet(self.0 & other.0)
    }
}

impl BitXor for BoardSet {
    type Output = BoardSet;

    #[inline]
    fn bitxor(self, other: BoardSet) -> BoardSet {
        BoardSet(self.0 ^ other.0)
    }
}

impl Sub for BoardSet {
    type Output = BoardSet;

    #[inline]
    fn sub(self, other: BoardSet) -> BoardSet {
        BoardSet(self.0 & !other.0)
    }
}

impl BitOrAssign for BoardSet {
    #[inline]
    fn bitor_assign(&mut self, other: BoardSet) {
        self.0 |= other.0;
    }
}

impl BitAndAssign for BoardSet {
    #[inline]
    fn bitand_assign(&mut self, other: BoardSet) {
        self.0 &= other.0;
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

#[cfg(test)]
mod tests {
    use super::*;

    fn plane() -> impl Iterator<Item = Hex> {
        (-8..=8).flat_map(|x| (-8..=8).map(move |y| Hex::new(x, y)))
    }

    #[test]
    fn board_has_91_fields_between_bits_5_and_125() {
        let fields = ContestBoard::FIELDS;
        assert_eq!(fields.count_cells(), ContestBoard::FIELD_COUNT);
        assert_eq!(fields.into_iter().map(Cell::index).min(), Some(5));
        assert_eq!(fields.into_iter().map(Cell::index).max(), Some(125));
        assert_eq!(
            plane()
                .filter(|&hex| ContestBoard::cell(hex).is_some())
                .count(),
            91
        );
    }

    #[test]
    fn coordinates_far_outside_are_no_fields() {
        for hex in [
            Hex::new(127, 127),
            Hex::new(-128, -128),
            Hex::new(-128, 127),
        ] {
            assert_eq!(ContestBoard::cell(hex), None);
        }
    }

    #[test]
    fn shift_agrees_with_coordinate_arithmetic() {
        for hex in plane() {
            let Some(cell) = ContestBoard::cell(hex) else {
                continue;
            };
            assert_eq!(ContestBoard::hex(cell), hex);
            for direction in Direction::ALL {
                let (dx, dy) = direction.step();
                assert_eq!(
                    ContestBoard::neighbour(cell, direction),
                    ContestBoard::cell(Hex::new(hex.x + dx, hex.y + dy)),
                    "{direction:?} of {hex}"
                );
            }
        }
    }

    #[test]
    fn rings_agree_with_single_neighbours() {
        for cell in ContestBoard::FIELDS {
            for other in ContestBoard::FIELDS {
                let ring = ContestBoard::ring(BoardSet::single(other), cell);
                let direction = Direction::ALL
                    .into_iter()
                    .find(|&d| ContestBoard::neighbour(cell, d) == Some(other));
                assert_eq!(ring, direction.map_or(0, |d| 1 << d.index()));
            }
            for ring in 0..64 {
                let cells = ContestBoard::cells_of_ring(cell, ring);
                let expected: BoardSet = Direction::ALL
                    .into_iter()
                    .filter(|d| ring >> d.index() & 1 != 0)
                    .filter_map(|d| ContestBoard::neighbour(cell, d))
                    .collect();
                assert_eq!(cells, expected);
            }
        }
    }

    #[test]
    fn neighbours_of_a_set_are_the_neighbours_of_its_cells() {
        let corner = ContestBoard::cell(Hex::new(5, 0)).unwrap();
        assert_eq!(
            ContestBoard::neighbours(BoardSet::single(corner)).count_cells(),
            3
        );
        let centre = ContestBoard::cell(Hex::new(0, 0)).unwrap();
        let ring = ContestBoard::neighbours(BoardSet::single(centre));
        assert_eq!(ring.count_cells(), 6);
        assert_eq!(ContestBoard::neighbours(ring).count_cells(), 19);
    }
}
