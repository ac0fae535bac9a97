//! Where a field lies as seen from a bee.

use crate::hex::{Cell, ContestBoard, Grid, Hex, Symmetry};

/// Farthest distance from a bee at which fields are told apart, in steps.
pub(super) const REACH: i8 = 4;

/// Number of fields within [`REACH`] steps of one, itself included.
const NEAR: usize = 61;

/// One more than the largest number of a displacement, rounded up to a power of two.
pub(super) const DISPLACEMENTS: usize = 64;

/// A field as seen from a bee: which of the 61 fields within four steps of it, farther away, or unknown because the bee is
/// not on the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Displacement(u8);

const SIDE: usize = 2 * REACH as usize + 1;

/// The steps of each near displacement.
const STEPS: [(i8, i8); NEAR] = {
    let mut steps = [(0, 0); NEAR];
    let mut count = 0;
    let mut x = -REACH;
    while x <= REACH {
        let mut y = -REACH;
        while y <= REACH {
            if x + y >= -REACH && x + y <= REACH {
                steps[count] = (x, y);
                count += 1;
            }
            y += 1;
        }
        x += 1;
    }
    steps
};

/// The inverse of [`STEPS`].
const NUMBERS: [[u8; SIDE]; SIDE] = {
    let mut numbers = [[Displacement::FAR.0; SIDE]; SIDE];
    let mut i = 0;
    while i < NEAR {
        let (x, y) = STEPS[i];
        numbers[(x + REACH) as usize][(y + REACH) as usize] = i as u8;
        i += 1;
    }
    numbers
};

/// The displacement of each pair of fields, by their indices.
static BETWEEN: [[u8; ContestBoard::INDEX_BOUND]; ContestBoard::INDEX_BOUND] = {
    let mut between = [[Displacement::FAR.0; ContestBoard::INDEX_BOUND]; ContestBoard::INDEX_BOUND];
    let mut from = 0;
    while from < ContestBoard::INDEX_BOUND {
        let origin = ContestBoard::hex_at(Cell::from_index(from as u16));
        let mut i = 0;
        while i < NEAR {
            let (x, y) = STEPS[i];
            if let Some(to) = ContestBoard::cell_at(Hex::new(origin.x + x, origin.y + y)) {
                between[from][to.index()] = i as u8;
            }
            i += 1;
        }
        from += 1;
    }
    between
};

impl Displacement {
    const FAR: Displacement = Displacement(NEAR as u8);

    /// Of every field while the bee is in reserve.
    const UNKNOWN: Displacement = Displacement(NEAR as u8 + 1);

    /// That of `cell` from a bee on `bee`.
    #[inline]
    pub(super) fn of(bee: Option<Cell>, cell: Cell) -> Displacement {
        match bee {
            Some(bee) => Displacement(BETWEEN[bee.index() & 127][cell.index() & 127]),
            None => Displacement::UNKNOWN,
        }
    }

    /// That of a field so many steps away, if it is near.
    fn of_steps(hex: Hex) -> Option<Displacement> {
        let place = |step: i8| usize::try_from(step + REACH).ok();
        let number = *NUMBERS.get(place(hex.x)?)?.get(place(hex.y)?)?;
        (usize::from(number) < NEAR).then_some(Displacement(number))
    }

    /// The near displacements within `distance` steps, and how far they lead.
    pub(super) fn within(distance: i8) -> impl Iterator<Item = (Displacement, Hex)> {
        (0u8..).zip(STEPS).filter_map(move |(number, (x, y))| {
            let farthest = x.abs().max(y.abs()).max((x + y).abs());
            (farthest <= distance).then_some((Displacement(number), Hex::new(x, y)))
        })
    }

    /// The number, less than [`DISPLACEMENTS`].
    #[inline]
    pub(super) const fn number(self) -> usize {
        self.0 as usize
    }

    /// For each number of a displacement, the number of its image under `symmetry`.
    pub(super) fn images(symmetry: Symmetry) -> [u8; DISPLACEMENTS] {
        let mut images = [0; DISPLACEMENTS];
        for (number, image) in (0u8..).zip(&mut images) {
            *image = match STEPS.get(usize::from(number)) {
                Some(&(x, y)) => Displacement::of_steps(symmetry.apply(Hex::new(x, y)))
                    .map_or(number, |displacement| displacement.0),
                None => number,
            };
        }
        images
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_fields_have_numbers_of_their_own_and_far_ones_share_one() {
        let cell = |x, y| ContestBoard::cell(Hex::new(x, y)).unwrap();
        let bee = cell(1, 0);
        for (displacement, step) in Displacement::within(REACH) {
            if let Some(there) = ContestBoard::cell(Hex::new(1 + step.x, step.y)) {
                assert_eq!(Displacement::of(Some(bee), there), displacement);
            }
        }
        assert_eq!(Displacement::within(REACH).count(), NEAR);
        assert_eq!(Displacement::within(1).count(), 7);
        assert_eq!(Displacement::of(Some(bee), cell(-4, 0)), Displacement::FAR);
        assert_eq!(Displacement::of(None, bee), Displacement::UNKNOWN);
    }

    #[test]
    fn a_symmetry_moves_displacements_as_it_moves_the_board() {
        for symmetry in Symmetry::ALL {
            let images = Displacement::images(symmetry);
            for a in ContestBoard::FIELDS {
                for b in ContestBoard::FIELDS {
                    let image =
                        |cell| ContestBoard::cell(symmetry.apply(ContestBoard::hex(cell))).unwrap();
                    let before = Displacement::of(Some(a), b);
                    let after = Displacement::of(Some(image(a)), image(b));
                    assert_eq!(usize::from(images[before.number()]), after.number());
                }
            }
        }
    }
}
