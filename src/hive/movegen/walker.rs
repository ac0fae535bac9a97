//! How a piece that has been taken off the board may travel: the building blocks of every kind's moves.

use super::super::{CellSetOf, Position, RuleBook};
use crate::hex::{Cell, CellSet, Direction, Grid};

/// The board without the piece that is about to move.
#[derive(Clone, Copy, Debug)]
pub struct Walker<'p, R: RuleBook> {
    position: &'p Position<R>,
    from: Cell,
    occupied: CellSetOf<R>,
    obstacles: CellSetOf<R>,
}

/// For each direction of a ring, the bit of the direction to its left.
#[inline]
const fn turn_left(ring: u8) -> u8 {
    ((ring >> 1) | (ring << 5)) & 63
}

/// For each direction of a ring, the bit of the direction to its right.
#[inline]
const fn turn_right(ring: u8) -> u8 {
    ((ring << 1) | (ring >> 5)) & 63
}

impl<'p, R: RuleBook> Walker<'p, R> {
    /// Takes the top piece of `from` off.
    #[inline]
    pub fn lift(position: &'p Position<R>, from: Cell) -> Walker<'p, R> {
        let mut occupied = position.occupied();
        if !position.stacked().contains(from) {
            occupied.remove(from);
        }
        Walker {
            position,
            from,
            occupied,
            obstacles: position.obstacles(),
        }
    }

    /// The position before the piece was taken off.
    #[inline]
    pub fn position(&self) -> &'p Position<R> {
        self.position
    }

    /// How many pieces lie on `cell`, without the lifted one.
    #[inline]
    pub fn height(&self, cell: Cell) -> usize {
        let lifted = usize::from(cell == self.from);
        self.position.height(cell).saturating_sub(lifted)
    }

    /// The field that the piece came from.
    #[inline]
    pub fn from(&self) -> Cell {
        self.from
    }

    /// The fields that hold a piece, what lies under the lifted one included.
    #[inline]
    pub fn occupied(&self) -> CellSetOf<R> {
        self.occupied
    }

    /// The fields that a piece on the ground could stand on.
    #[inline]
    pub fn free(&self) -> CellSetOf<R> {
        R::Grid::FIELDS - self.occupied - self.obstacles
    }

    /// The directions, as bits of a ring, in which a piece on `cell` slides: the target is free, one of the two fields
    /// beside the step holds a piece (contact is kept), and the two do not both block. A field off the board does neither.
    #[inline]
    fn slides_from(&self, cell: Cell) -> u8 {
        let pieces = R::Grid::ring(self.occupied, cell);
        let blocked = pieces | R::Grid::ring(self.obstacles, cell);
        let free = R::Grid::ring(R::Grid::FIELDS, cell) & !blocked;
        free & (turn_left(pieces) | turn_right(pieces))
            & !(turn_left(blocked) & turn_right(blocked))
    }

    /// The fields one slide away from `cell`.
    #[inline]
    fn slide_from(&self, cell: Cell) -> CellSetOf<R> {
        R::Grid::cells_of_ring(cell, self.slides_from(cell))
    }

    /// One slide.
    #[inline]
    pub fn slide_once(&self) -> CellSetOf<R> {
        self.slide_from(self.from)
    }

    /// Exactly three slides that visit no field twice, the start included.
    pub fn slide_thrice(&self) -> CellSetOf<R> {
        let start = CellSetOf::<R>::single(self.from);
        let mut ends = CellSetOf::<R>::EMPTY;
        for first in self.slide_from(self.from) {
            let visited = start | CellSet::single(first);
            for second in self.slide_from(first) - visited {
                ends |= self.slide_from(second) - visited;
            }
        }
        ends
    }

    /// One or more slides that end elsewhere than they began: a flood fill over whole sets, one step in all six directions
    /// at a time.
    pub fn slide_anywhere(&self) -> CellSetOf<R> {
        let free = self.free();
        let blocked = self.occupied | self.obstacles;
        let pieces_towards = Direction::ALL.map(|d| R::Grid::shift(self.occupied, d.opposite()));
        let blocked_towards = Direction::ALL.map(|d| R::Grid::shift(blocked, d.opposite()));
        // Where a slide in a direction may end: the target is free and the two fields beside the step allow it. The fields
        // beside a step in direction d lie to the left and right of its start.
        let passable = Direction::ALL.map(|d| {
            let (left, right) = (d.left().index(), d.right().index());
            (pieces_towards[left] | pieces_towards[right])
                - (blocked_towards[left] & blocked_towards[right])
        });
        let start = CellSetOf::<R>::single(self.from);
        let mut reached = start;
        let mut frontier = start;
        loop {
            let mut next = CellSetOf::<R>::EMPTY;
            for direction in Direction::ALL {
                next |= R::Grid::shift(frontier & passable[direction.index()], direction);
            }
            frontier = (next & free) - reached;
            if frontier.is_empty() {
                return reached - start;
            }
            reached |= frontier;
        }
    }

    /// Over an unbroken straight row of at least one piece onto the free field behind it.
    pub fn jump(&self) -> CellSetOf<R> {
        let start = CellSetOf::<R>::single(self.from);
        let free = self.free();
        let mut ends = CellSetOf::<R>::EMPTY;
        for direction in Direction::ALL {
            let mut ahead = R::Grid::shift(start, direction);
            if !ahead.meets(self.occupied) {
                continue;
            }
            while ahead.meets(self.occupied) {
                ahead = R::Grid::shift(ahead, direction);
            }
            ends |= ahead & free;
        }
        ends
    }

    /// One step to any field beside the start that is no obstacle, occupied or not, without any gate; it must keep contact:
    /// the start, the target or a field beside the step holds a piece.
    #[inline]
    pub fn climb_ungated(&self) -> CellSetOf<R> {
        let pieces = R::Grid::ring(self.occupied, self.from);
        let open = R::Grid::ring(R::Grid::FIELDS - self.obstacles, self.from);
        let in_contact = if self.occupied.contains(self.from) {
            63
        } else {
            pieces | turn_left(pieces) | turn_right(pieces)
        };
        R::Grid::cells_of_ring(self.from, open & in_contact)
    }
}
