//! A hexagon of 61 cells: `x`, `y` and `z` each in -4..=4.
//!
//! The index of a cell is `10 · (x + 4) + (y + 4)`. Column 9 of each row has no cells, so that no step wraps around.

use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, Sub};

use wabe::hex::{Cell, CellSet, Direction, Grid, Hex};

const RADIUS: i8 = 4;
const ROW: i8 = 10;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Board;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Cells(u128);

const ALL: u128 = {
    let mut all = 0;
    let mut x = -RADIUS;
    while x <= RADIUS {
        let mut y = -RADIUS;
        while y <= RADIUS {
            if (x + y).abs() <= RADIUS {
                all |= 1 << (ROW * (x + RADIUS) + y + RADIUS);
            }
            y += 1;
        }
        x += 1;
    }
    all
};

impl Grid for Board {
    type Set = Cells;

    const INDEX_BOUND: usize = ROW as usize * 9;

    const FIELDS: Cells = Cells(ALL);

    fn cell(hex: Hex) -> Option<Cell> {
        let within = |coordinate: i16| coordinate.abs() <= RADIUS.into();
        (within(hex.x.into()) && within(hex.y.into()) && within(hex.z()))
            .then(|| Cell::from_index((ROW * (hex.x + RADIUS) + hex.y + RADIUS) as u16))
    }

    fn hex(cell: Cell) -> Hex {
        let index = cell.index() as i8;
        Hex::new(index / ROW - RADIUS, index % ROW - RADIUS)
    }

    fn shift(set: Cells, direction: Direction) -> Cells {
        let (dx, dy) = direction.step();
        let step = ROW * dx + dy;
        let shifted = if step > 0 {
            set.0 << step
        } else {
            set.0 >> -step
        };
        Cells(shifted & ALL)
    }
}

impl CellSet for Cells {
    const EMPTY: Cells = Cells(0);

    fn single(cell: Cell) -> Cells {
        Cells(1 << cell.index())
    }

    fn is_empty(self) -> bool {
        self.0 == 0
    }

    fn count_cells(self) -> usize {
        self.0.count_ones() as usize
    }

    fn contains(self, cell: Cell) -> bool {
        self.0 >> cell.index() & 1 != 0
    }

    fn scrambled(self) -> u64 {
        (self.0 % 0xffff_ffff_ffff_ffc5) as u64 ^ (self.0 >> 64) as u64
    }

    fn first(self) -> Option<Cell> {
        self.into_iter().next()
    }
}

impl IntoIterator for Cells {
    type Item = Cell;
    type IntoIter = CellsLeft;

    fn into_iter(self) -> CellsLeft {
        CellsLeft(self.0)
    }
}

pub(crate) struct CellsLeft(u128);

impl Iterator for CellsLeft {
    type Item = Cell;

    fn next(&mut self) -> Option<Cell> {
        let index = (self.0 != 0).then(|| self.0.trailing_zeros())?;
        self.0 &= self.0 - 1;
        Some(Cell::from_index(index as u16))
    }
}

macro_rules! operators {
    ($($operator:ident $name:ident: $combine:expr;)*) => {
        $(impl $operator for Cells {
            type Output = Cells;

            fn $name(self, other: Cells) -> Cells {
                let combine: fn(u128, u128) -> u128 = $combine;
                Cells(combine(self.0, other.0))
            }
        })*
    };
}

operators! {
    BitOr bitor: |a, b| a | b;
    BitAnd bitand: |a, b| a & b;
    BitXor bitxor: |a, b| a ^ b;
    Sub sub: |a, b| a & !b;
}

impl BitOrAssign for Cells {
    fn bitor_assign(&mut self, other: Cells) {
        *self = *self | other;
    }
}

impl BitAndAssign for Cells {
    fn bitand_assign(&mut self, other: Cells) {
        *self = *self & other;
    }
}

#[test]
fn steps_follow_the_coordinates_and_end_at_the_edge() {
    assert_eq!(Board::FIELDS.count_cells(), 61);
    for cell in Board::FIELDS {
        let hex = Board::hex(cell);
        assert_eq!(Board::cell(hex), Some(cell));
        for direction in Direction::ALL {
            let (dx, dy) = direction.step();
            let expected = Board::cell(Hex::new(hex.x + dx, hex.y + dy));
            assert_eq!(Board::neighbour(cell, direction), expected);
        }
    }
}
