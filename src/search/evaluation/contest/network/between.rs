//! Where a field lies as seen from a bee.

use crate::hex::{Cell, ContestBoard, Grid, Hex};
use crate::search::evaluation::network::Displacement;

const FIELDS: usize = ContestBoard::INDEX_BOUND;

/// The displacement of each pair of fields, by their indices.
static BETWEEN: [[Displacement; FIELDS]; FIELDS] = {
    let mut between = [[Displacement::FAR; FIELDS]; FIELDS];
    let mut from = 0;
    while from < FIELDS {
        let origin = ContestBoard::hex_at(Cell::from_index(from as u16));
        let mut x = -Displacement::REACH;
        while x <= Displacement::REACH {
            let mut y = -Displacement::REACH;
            while y <= Displacement::REACH {
                if let Some(to) = ContestBoard::cell_at(Hex::new(origin.x + x, origin.y + y)) {
                    between[from][to.index()] = Displacement::of_steps(Hex::new(x, y));
                }
                y += 1;
            }
            x += 1;
        }
        from += 1;
    }
    between
};

/// Where `cell` lies as seen from a bee.
#[inline]
pub(super) fn between(bee: Option<Cell>, cell: Cell) -> Displacement {
    match bee {
        Some(bee) => BETWEEN[bee.index() & 127][cell.index() & 127],
        None => Displacement::UNKNOWN,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hex::Symmetry;

    #[test]
    fn near_fields_are_told_apart() {
        let cell = |x, y| ContestBoard::cell(Hex::new(x, y)).unwrap();
        let bee = cell(1, 0);
        for (displacement, step) in Displacement::within(Displacement::REACH) {
            if let Some(there) = ContestBoard::cell(Hex::new(1 + step.x, step.y)) {
                assert_eq!(between(Some(bee), there), displacement);
            }
        }
        assert_eq!(between(Some(bee), cell(-4, 0)), Displacement::FAR);
        assert_eq!(between(None, bee), Displacement::UNKNOWN);
    }

    #[test]
    fn a_symmetry_moves_displacements_as_it_moves_the_board() {
        for symmetry in Symmetry::ALL {
            let images = Displacement::images(symmetry);
            for a in ContestBoard::FIELDS {
                for b in ContestBoard::FIELDS {
                    let image =
                        |cell| ContestBoard::cell(symmetry.apply(ContestBoard::hex(cell))).unwrap();
                    let before = between(Some(a), b);
                    let after = between(Some(image(a)), image(b));
                    assert_eq!(usize::from(images[before.number()]), after.number());
                }
            }
        }
    }
}
