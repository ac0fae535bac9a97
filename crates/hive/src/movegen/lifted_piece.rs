//! Slides, jumps and climbs of a lifted piece, from which rule books build the moves of each kind.

use super::super::{CellSetOf, Position, RuleBook};
use super::slides::{Slides, left_of, right_of, slides_around};
use crate::hex::{Cell, CellSet, Direction, Grid};

/// A position without the piece that is about to move.
#[derive(Clone, Copy, Debug)]
pub struct LiftedPiece<'p, R: RuleBook> {
    position: &'p Position<R>,
    from: Cell,
    occupied: CellSetOf<R>,
    obstacles: CellSetOf<R>,
}

impl<'p, R: RuleBook> LiftedPiece<'p, R> {
    /// Lifts the top piece of `from`.
    #[inline]
    pub fn lift(position: &'p Position<R>, from: Cell) -> LiftedPiece<'p, R> {
        let mut occupied = position.occupied();
        if !position.stacked().contains(from) {
            occupied.remove(from);
        }
        LiftedPiece {
            position,
            from,
            occupied,
            obstacles: position.obstacles(),
        }
    }

    /// The position before the piece was lifted.
    #[inline]
    pub fn position(&self) -> &'p Position<R> {
        self.position
    }

    /// Number of pieces on `cell`, without the lifted one.
    #[inline]
    pub fn height(&self, cell: Cell) -> usize {
        let lifted = usize::from(cell == self.from);
        self.position.height(cell).saturating_sub(lifted)
    }

    /// The field of the piece before it was lifted.
    #[inline]
    pub fn from(&self) -> Cell {
        self.from
    }

    /// The occupied fields, without the lifted piece.
    #[inline]
    pub fn occupied(&self) -> CellSetOf<R> {
        self.occupied
    }

    /// The fields without piece or obstacle.
    #[inline]
    pub fn free(&self) -> CellSetOf<R> {
        R::Grid::FIELDS - self.occupied - self.obstacles
    }

    #[inline]
    fn slides(&self) -> Slides<R> {
        Slides::new(self.occupied, self.free())
    }

    /// The fields one slide away.
    #[inline]
    pub fn slide_once(&self) -> CellSetOf<R> {
        let pieces = R::Grid::ring(self.occupied, self.from);
        let free = R::Grid::ring(self.free(), self.from);
        let blocked = R::Grid::ring_of_fields(self.from) & !free;
        R::Grid::cells_of_ring(self.from, slides_around(pieces, free, blocked))
    }

    /// The fields exactly three slides away. A path visits no field twice, the start included.
    pub fn slide_thrice(&self) -> CellSetOf<R> {
        let slides = self.slides();
        let start = CellSetOf::<R>::single(self.from);
        let mut ends = CellSetOf::<R>::EMPTY;
        for first in slides.step(start) {
            let visited = start | CellSet::single(first);
            let seconds = slides.step(CellSet::single(first)) - visited;
            ends |= slides.step(seconds) - visited;
        }
        ends
    }

    /// The fields that any number of slides reach, without the start: a flood fill.
    pub fn slide_anywhere(&self) -> CellSetOf<R> {
        let slides = self.slides();
        let start = CellSetOf::<R>::single(self.from);
        let mut reached = start;
        loop {
            let grown = reached | slides.step(reached);
            if grown == reached {
                return reached - start;
            }
            reached = grown;
        }
    }

    /// Jumps over an unbroken straight row of at least one piece onto the free field after it.
    pub fn jump(&self) -> CellSetOf<R> {
        let start = CellSetOf::<R>::single(self.from);
        let free = self.free();
        let mut ends = CellSetOf::<R>::EMPTY;
        for direction in Direction::ALL {
            let mut ahead = R::Grid::shift(start, direction);
            if !ahead.intersects(self.occupied) {
                continue;
            }
            while ahead.intersects(self.occupied) {
                ahead = R::Grid::shift(ahead, direction);
            }
            ends |= ahead & free;
        }
        ends
    }

    /// One step to any neighbour except obstacles, occupied or not. Gates do not apply, but the
    /// step must keep contact: the start, the target or a field that flanks the step holds a piece.
    #[inline]
    pub fn climb_ungated(&self) -> CellSetOf<R> {
        let pieces = R::Grid::ring(self.occupied, self.from);
        let open = R::Grid::ring(R::Grid::FIELDS - self.obstacles, self.from);
        let in_contact = if self.occupied.contains(self.from) {
            63
        } else {
            pieces | left_of(pieces) | right_of(pieces)
        };
        R::Grid::cells_of_ring(self.from, open & in_contact)
    }
}
