//! The slide: a step along the ground onto a free field. Of the two fields that flank the step, one
//! must hold a piece (contact), and not both may be blocked (gate). Fields off the board neither
//! hold a piece nor block.

use super::super::{CellSetOf, Obstacles, Position, RuleBook};
use crate::hex::{CellSet, Direction, Grid};

/// The ring whose bit `d` is the bit of `ring` to the left of `d`.
#[inline]
pub(crate) const fn left_of(ring: u8) -> u8 {
    ((ring >> 1) | (ring << 5)) & 63
}

/// The ring whose bit `d` is the bit of `ring` to the right of `d`.
#[inline]
pub(crate) const fn right_of(ring: u8) -> u8 {
    ((ring << 1) | (ring >> 5)) & 63
}

/// The directions with a bit of `ring` on both sides.
#[inline]
pub(crate) const fn between(ring: u8) -> u8 {
    left_of(ring) & right_of(ring)
}

/// The directions in which a piece slides, given the rings of pieces, free fields and blocked
/// fields around it.
#[inline]
pub(crate) const fn slides_around(pieces: u8, free: u8, blocked: u8) -> u8 {
    (left_of(pieces) | right_of(pieces)) & free & !between(blocked)
}

/// The directions of [`Slides`]; the other three are their opposites.
const FORWARD: [Direction; 3] = [Direction::East, Direction::NorthEast, Direction::NorthWest];

/// For each direction, the fields from which a piece slides that way; the piece itself is not among
/// `pieces`.
#[inline]
fn slides_by_direction<R: RuleBook>(pieces: CellSetOf<R>, free: CellSetOf<R>) -> [CellSetOf<R>; 6] {
    // For each direction, the fields whose neighbour there is in the set.
    let towards =
        |set| Direction::ALL.map(|d: Direction| R::Grid::shift_unmasked(set, d.opposite()));
    let pieces_at = towards(pieces);
    let all_free_or_occupied =
        R::Grid::IS_UNBOUNDED && !<R::Obstacles as Obstacles<CellSetOf<R>>>::SUPPORTED;
    let (free_at, blocked_at) = if all_free_or_occupied {
        // Each field is either free or occupied, which saves half of the shifts.
        (pieces_at.map(|set| R::Grid::FIELDS - set), pieces_at)
    } else {
        (towards(free), towards(R::Grid::FIELDS - free))
    };
    Direction::ALL.map(|direction| {
        let (left, right) = (direction.left().index(), direction.right().index());
        let contact = pieces_at[left] | pieces_at[right];
        let gate = blocked_at[left] & blocked_at[right];
        (free_at[direction.index()] & contact) - gate
    })
}

/// All slides between free fields: for each direction the fields from which a piece slides that
/// way. Every slide is reversible, so three of the six directions are enough.
pub(super) struct Slides<R: RuleBook>([CellSetOf<R>; 3]);

impl<R: RuleBook> Slides<R> {
    /// The slides of a piece that is not among `pieces`.
    #[inline]
    pub(super) fn new(pieces: CellSetOf<R>, free: CellSetOf<R>) -> Slides<R> {
        let slides_by_direction = slides_by_direction::<R>(pieces, free);
        Slides(FORWARD.map(|direction| slides_by_direction[direction.index()] & free))
    }

    /// The fields one slide away from these free fields.
    #[inline]
    pub(super) fn step(&self, from: CellSetOf<R>) -> CellSetOf<R> {
        let mut to = CellSetOf::<R>::EMPTY;
        for (slides, direction) in self.0.into_iter().zip(FORWARD) {
            to |= R::Grid::shift_unmasked(from & slides, direction);
            to |= R::Grid::shift_unmasked(from, direction.opposite()) & slides;
        }
        to
    }
}

impl<R: RuleBook> Position<R> {
    /// The fields from which a piece could slide to a free field beside it. Slides are reversible,
    /// so the free ones among them are also the fields to which a piece could slide.
    #[inline]
    pub fn slide_ends(&self) -> CellSetOf<R> {
        let slides_by_direction = slides_by_direction::<R>(self.occupied(), self.free());
        slides_by_direction
            .into_iter()
            .fold(CellSet::EMPTY, |all, set| all | set)
    }
}

#[cfg(test)]
mod tests {
    use super::super::LiftedPiece;
    use super::*;
    use crate::random_games::for_each_position;

    fn assert_slide_ends_match<R: RuleBook>(position: &Position<R>) {
        for cell in position.occupied() - position.stacked() {
            let slides = LiftedPiece::lift(position, cell).slide_once();
            let can_slide = position.slide_ends().contains(cell);
            assert_eq!(can_slide, !slides.is_empty(), "{position}");
        }
    }

    #[test]
    fn slide_ends_match_lifted_slides() {
        for_each_position(11, assert_slide_ends_match, assert_slide_ends_match);
    }
}
