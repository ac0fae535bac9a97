//! An unbounded board for short games: 16 × 16 cells that wrap around, more than a hive of ten pieces can reach across.

use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, Sub};

use wabe_hive::hex::{Cell, CellSet, Direction, Grid, Hex};

/// Cells per row and rows.
const SIZE: usize = 16;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Torus;

/// One word a row (`x`), one bit a cell of it (`y`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct TorusSet([u16; SIZE]);

impl Grid for Torus {
    type Set = TorusSet;

    const INDEX_BOUND: usize = SIZE * SIZE;

    const FIELDS: TorusSet = TorusSet([u16::MAX; SIZE]);

    fn cell(hex: Hex) -> Option<Cell> {
        let wrapped = |coordinate: i8| u16::from(coordinate.rem_euclid(SIZE as i8).unsigned_abs());
        Some(Cell::from_index(
            wrapped(hex.x) * SIZE as u16 + wrapped(hex.y),
        ))
    }

    fn hex(cell: Cell) -> Hex {
        let coordinate = |c: usize| (c as i8 + 8) % SIZE as i8 - 8;
        Hex::new(
            coordinate(cell.index() / SIZE),
            coordinate(cell.index() % SIZE),
        )
    }

    fn shift(set: TorusSet, direction: Direction) -> TorusSet {
        let (dx, dy) = direction.step();
        let mut rows = set.0;
        match dx {
            1 => rows.rotate_right(1),
            -1 => rows.rotate_left(1),
            _ => {}
        }
        TorusSet(rows.map(|row| match dy {
            1 => row.rotate_left(1),
            -1 => row.rotate_right(1),
            _ => row,
        }))
    }
}

impl TorusSet {
    fn zip(self, other: TorusSet, combine: impl Fn(u16, u16) -> u16) -> TorusSet {
        TorusSet(std::array::from_fn(|x| combine(self.0[x], other.0[x])))
    }
}

impl CellSet for TorusSet {
    const EMPTY: TorusSet = TorusSet([0; SIZE]);

    fn single(cell: Cell) -> TorusSet {
        let mut set = TorusSet::EMPTY;
        set.0[cell.index() / SIZE % SIZE] = 1 << (cell.index() % SIZE);
        set
    }

    fn scrambled(self) -> u64 {
        let add = |sum: u64, row: u16| (sum + u64::from(row)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0.into_iter().fold(0, add)
    }

    fn is_empty(self) -> bool {
        self == TorusSet::EMPTY
    }

    fn count_cells(self) -> usize {
        self.0.iter().map(|row| row.count_ones() as usize).sum()
    }

    fn contains(self, cell: Cell) -> bool {
        !(self & TorusSet::single(cell)).is_empty()
    }

    fn first(self) -> Option<Cell> {
        self.into_iter().next()
    }
}

impl IntoIterator for TorusSet {
    type Item = Cell;
    type IntoIter = Box<dyn Iterator<Item = Cell>>;

    fn into_iter(self) -> Self::IntoIter {
        let indices = (0..SIZE * SIZE).filter(move |i| self.0[i / SIZE] >> (i % SIZE) & 1 != 0);
        Box::new(indices.map(|index| Cell::from_index(index as u16)))
    }
}

impl BitOr for TorusSet {
    type Output = TorusSet;

    fn bitor(self, other: TorusSet) -> TorusSet {
        self.zip(other, |a, b| a | b)
    }
}

impl BitAnd for TorusSet {
    type Output = TorusSet;

    fn bitand(self, other: TorusSet) -> TorusSet {
        self.zip(other, |a, b| a & b)
    }
}

impl BitXor for TorusSet {
    type Output = TorusSet;

    fn bitxor(self, other: TorusSet) -> TorusSet {
        self.zip(other, |a, b| a ^ b)
    }
}

impl Sub for TorusSet {
    type Output = TorusSet;

    fn sub(self, other: TorusSet) -> TorusSet {
        self.zip(other, |a, b| a & !b)
    }
}

impl BitOrAssign for TorusSet {
    fn bitor_assign(&mut self, other: TorusSet) {
        *self = *self | other;
    }
}

impl BitAndAssign for TorusSet {
    fn bitand_assign(&mut self, other: TorusSet) {
        *self = *self & other;
    }
}

#[test]
fn cells_and_coordinates_are_inverse_and_steps_wrap_around() {
    for cell in Torus::FIELDS {
        assert_eq!(Torus::cell(Torus::hex(cell)), Some(cell));
        for direction in Direction::ALL {
            let hex = Torus::hex(cell);
            let (dx, dy) = direction.step();
            let expected = Torus::cell(Hex::new(hex.x + dx, hex.y + dy));
            assert_eq!(Torus::neighbour(cell, direction), expected);
        }
    }
}
