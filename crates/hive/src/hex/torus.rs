//! Boards without an edge: a hexagonal grid that wraps around.

use super::{BitSet, Cell, Direction, Grid, Hex};

/// A grid of `64 · WORDS` cells that wraps around in every direction. The cell of a point `(x, y)`
/// of the plane has the index `STRIDE · x + y`, modulo the number of cells, so a step of a whole
/// set is one rotation of its bits.
///
/// Points with the same index are the same cell. The smallest distance between two of them, the
/// girth, depends on the stride. The cells of a hive and their neighbours are distinct if the hive
/// spans at most `girth - 3` steps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Torus<const WORDS: usize, const STRIDE: usize>;

/// Large enough for any hive, even 28 pieces in a straight line, which span 27 steps.
pub type WideTorus = Torus<12, 47>;

/// A third of the size, for speed: correct for hives that are at most 14 steps across.
pub type CompactTorus = Torus<4, 39>;

/// Maximum number of cells of a torus.
const MAX_CELLS: usize = 1024;

/// Every cell has a point with both coordinates in `-REACH..=REACH`.
const REACH: i32 = 20;

const fn distance(x: i32, y: i32) -> u32 {
    let (x_part, y_part, z_part) = (x.unsigned_abs(), y.unsigned_abs(), (x + y).unsigned_abs());
    let larger = if x_part > y_part { x_part } else { y_part };
    if larger > z_part { larger } else { z_part }
}

/// Gathers the bits of a cell's six neighbours in the low seven bits. The window begins at the
/// south-western neighbour.
#[inline]
const fn packed<const STRIDE: usize>(window: [u64; 2]) -> usize {
    let [low, high] = window;
    let packed =
        low & 0b11 | (low >> (STRIDE - 1) & 0b101) << 2 | (high >> (2 * STRIDE - 65) & 0b11) << 5;
    packed as usize
}

impl<const WORDS: usize, const STRIDE: usize> Torus<WORDS, STRIDE> {
    /// Number of cells.
    pub const CELL_COUNT: usize = {
        assert!(STRIDE > 1 && STRIDE < 64 * WORDS && 64 * WORDS <= MAX_CELLS);
        64 * WORDS
    };

    /// For each index, its point nearest to the origin.
    const HEXES: &'static [Hex; MAX_CELLS] = &{
        let mut hexes = [Hex::new(i8::MAX, 0); MAX_CELLS];
        let mut x = -REACH;
        while x <= REACH {
            let mut y = -REACH;
            while y <= REACH {
                let index = Self::index(x, y);
                let Hex { x: a, y: b } = hexes[index];
                if distance(x, y) < distance(a as i32, b as i32) {
                    hexes[index] = Hex::new(x as i8, y as i8);
                }
                y += 1;
            }
            x += 1;
        }
        hexes
    };

    /// For each ring, the bits of its cells when south-west is bit 0.
    const RINGS: &'static [u128; 64] = &{
        // The last four entries of `bits` lie in the lower word, the first two in the upper one.
        assert!(STRIDE > 32 && STRIDE < 63);
        let bits = [2 * STRIDE - 1, 2 * STRIDE, STRIDE + 1, 1, 0, STRIDE - 1];
        let mut rings = [0; 64];
        let mut ring = 0;
        while ring < 64 {
            let mut i = 0;
            while i < 6 {
                if ring >> i & 1 != 0 {
                    rings[ring] |= 1 << bits[i];
                }
                i += 1;
            }
            ring += 1;
        }
        rings
    };

    /// The inverse of [`RINGS`](Torus::RINGS), after packing.
    const RING_OF_PACKED: &'static [u8; 128] = &{
        let mut rings = [0; 128];
        let mut ring = 0;
        while ring < 64 {
            let bits = Self::RINGS[ring];
            rings[packed::<STRIDE>([bits as u64, (bits >> 64) as u64])] = ring as u8;
            ring += 1;
        }
        rings
    };

    const fn index(x: i32, y: i32) -> usize {
        (STRIDE as i32 * x + y).rem_euclid(Self::CELL_COUNT as i32) as usize
    }

    /// The change of the index by a step, modulo the number of cells.
    #[inline]
    const fn offset(direction: Direction) -> usize {
        match direction {
            Direction::East => STRIDE - 1,
            Direction::NorthEast => STRIDE,
            Direction::NorthWest => 1,
            Direction::West => Self::CELL_COUNT - STRIDE + 1,
            Direction::SouthWest => Self::CELL_COUNT - STRIDE,
            Direction::SouthEast => Self::CELL_COUNT - 1,
        }
    }

    /// The index plus `offset`, modulo the number of cells; `offset` must not exceed that number.
    #[inline]
    fn moved(cell: Cell, offset: usize) -> usize {
        let index = cell.index() + offset;
        if index >= Self::CELL_COUNT {
            index - Self::CELL_COUNT
        } else {
            index
        }
    }
}

impl CompactTorus {
    /// For each cell, the index of the wide torus's cell at the same point.
    const WIDE_INDICES: &'static [u16; CompactTorus::CELL_COUNT] = &{
        let mut indices = [0; CompactTorus::CELL_COUNT];
        let mut i = 0;
        while i < indices.len() {
            let Hex { x, y } = Self::HEXES[i];
            indices[i] = WideTorus::index(x as i32, y as i32) as u16;
            i += 1;
        }
        indices
    };

    /// The cell of the wide torus whose displacement from `center` is that of `cell` from the
    /// origin.
    #[inline]
    pub fn widen(cell: Cell, center: Cell) -> Cell {
        let offset = Self::WIDE_INDICES[cell.index() % Self::CELL_COUNT];
        Cell::from_index(WideTorus::moved(center, offset.into()) as u16)
    }
}

impl<const WORDS: usize, const STRIDE: usize> Grid for Torus<WORDS, STRIDE> {
    type Set = BitSet<WORDS>;

    const INDEX_BOUND: usize = Self::CELL_COUNT;

    const FIELDS: BitSet<WORDS> = BitSet::FULL;

    const IS_UNBOUNDED: bool = true;

    #[inline]
    fn cell(hex: Hex) -> Option<Cell> {
        let index = Self::index(hex.x.into(), hex.y.into());
        Some(Cell::from_index(index as u16))
    }

    #[inline]
    fn hex(cell: Cell) -> Hex {
        Self::HEXES[cell.index() % MAX_CELLS]
    }

    #[inline]
    fn displacement(from: Cell, to: Cell) -> Hex {
        Self::HEXES[(to.index() + Self::CELL_COUNT - from.index()) % Self::CELL_COUNT]
    }

    #[inline]
    fn shift(set: BitSet<WORDS>, direction: Direction) -> BitSet<WORDS> {
        set.rotated(Self::offset(direction))
    }

    #[inline]
    fn neighbour(cell: Cell, direction: Direction) -> Option<Cell> {
        let index = Self::moved(cell, Self::offset(direction));
        Some(Cell::from_index(index as u16))
    }

    #[inline]
    fn ring(set: BitSet<WORDS>, cell: Cell) -> u8 {
        let start = Self::moved(cell, Self::CELL_COUNT - STRIDE);
        Self::RING_OF_PACKED[packed::<STRIDE>(set.window(start))]
    }

    #[inline]
    fn ring_of_fields(_cell: Cell) -> u8 {
        0b11_1111
    }

    #[inline]
    fn cells_of_ring(cell: Cell, ring: u8) -> BitSet<WORDS> {
        let pattern = Self::RINGS[usize::from(ring & 63)];
        BitSet::placed(pattern, Self::moved(cell, Self::CELL_COUNT - STRIDE))
    }

    #[inline]
    fn neighbours(set: BitSet<WORDS>) -> BitSet<WORDS> {
        let before = set.rotated(Self::offset(Direction::SouthEast));
        let after = set.rotated(Self::offset(Direction::NorthWest));
        let east = (set | before).rotated(Self::offset(Direction::NorthEast));
        let west = (set | after).rotated(Self::offset(Direction::SouthWest));
        before | after | east | west
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hex::{CellSet, ContestBoard};

    /// Length of the shortest path around the torus.
    fn girth<const WORDS: usize, const STRIDE: usize>(_: Torus<WORDS, STRIDE>) -> u32 {
        let far = -2 * REACH..=2 * REACH;
        let points = far.clone().flat_map(|x| far.clone().map(move |y| (x, y)));
        let same = points.filter(|&(x, y)| Torus::<WORDS, STRIDE>::index(x, y) == 0);
        let distances = same.map(|(x, y)| distance(x, y));
        distances.filter(|&d| d > 0).min().unwrap()
    }

    fn assert_steps_match_coordinates<G: Grid>() {
        for cell in G::FIELDS {
            let hex = G::hex(cell);
            assert_eq!(G::cell(hex), Some(cell));
            let (mut around, mut ring) = (G::Set::EMPTY, 0);
            for direction in Direction::ALL {
                let (dx, dy) = direction.step();
                let beside = G::cell(Hex::new(hex.x + dx, hex.y + dy));
                assert!(beside.is_some() || !G::IS_UNBOUNDED);
                assert_eq!(G::neighbour(cell, direction), beside);
                let single = beside.map_or(G::Set::EMPTY, CellSet::single);
                let bit = beside.map_or(0, |_| 1 << direction.index());
                assert_eq!(G::shift(CellSet::single(cell), direction), single);
                assert_eq!(G::ring(single, cell), bit);
                assert_eq!(G::cells_of_ring(cell, 1 << direction.index()), single);
                around |= single;
                ring |= bit;
            }
            assert_eq!(G::neighbours(CellSet::single(cell)), around);
            assert_eq!(G::ring(around, cell), ring);
            assert_eq!(G::ring(CellSet::single(cell), cell), 0);
        }
    }

    #[test]
    fn steps_agree_with_coordinates() {
        assert_steps_match_coordinates::<WideTorus>();
        assert_steps_match_coordinates::<CompactTorus>();
        assert_steps_match_coordinates::<ContestBoard>();
    }

    #[test]
    fn tori_are_large_enough_for_their_hives() {
        // A straight hive spans 27 steps, with its neighbours 29. Cells a girth apart coincide.
        assert!(girth(WideTorus::default()) > 27 + 2);
        for direction in Direction::ALL {
            let origin = WideTorus::cell(Hex::new(0, 0)).unwrap();
            let mut line = BitSet::single(origin);
            for _ in 1..28 {
                line |= WideTorus::shift(line, direction);
            }
            assert_eq!(line.count_cells(), 28);
            // One beyond each end, and 29 along each side of the line.
            let around = WideTorus::neighbours(line) - line;
            assert_eq!(around.count_cells(), 2 + 2 * 29);
        }
        assert!(girth(CompactTorus::default()) > 14 + 2);
    }

    #[test]
    fn sets_iterate_in_index_order() {
        let mut set = BitSet::<12>::EMPTY;
        let indices = [0, 1, 63, 64, 300, 767];
        for index in indices {
            set.insert(Cell::from_index(index));
        }
        let listed: Vec<usize> = set.into_iter().map(Cell::index).collect();
        assert_eq!(listed, indices.map(usize::from));
        let mut folded = Vec::new();
        set.into_iter().for_each(|cell| folded.push(cell.index()));
        assert_eq!(folded, listed);
        assert_eq!(set.into_iter().len(), 6);
        set.remove(Cell::from_index(300));
        assert!(!set.contains(Cell::from_index(300)));
        assert_eq!(set.count_cells(), 5);
    }
}
