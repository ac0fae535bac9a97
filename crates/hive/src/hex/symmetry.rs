//! The twelve symmetries of the hexagon.

use super::Hex;

/// A rotation by a multiple of 60°, with or without a reflection before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Symmetry {
    sixths: u8,
    mirrored: bool,
}

impl Symmetry {
    /// All twelve, the identity first.
    pub const ALL: [Symmetry; 12] = {
        let mut all = [Symmetry {
            sixths: 0,
            mirrored: false,
        }; 12];
        let mut number = 0;
        while number < 12 {
            all[number].sixths = number as u8 % 6;
            all[number].mirrored = number >= 6;
            number += 1;
        }
        all
    };

    /// The image of `hex`; the origin is fixed. Defined for points within 63 steps of the origin,
    /// which includes every board.
    ///
    /// # Panics
    /// In debug builds, when a coordinate of the image does not fit an `i8`.
    #[must_use]
    pub fn apply(self, hex: Hex) -> Hex {
        let (mut x, mut y) = if self.mirrored {
            (hex.y, hex.x)
        } else {
            (hex.x, hex.y)
        };
        for _ in 0..self.sixths {
            // Cube coordinates turn by (x, y, z) → (-y, -z, -x).
            (x, y) = (-y, x + y);
        }
        Hex::new(x, y)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::hex::{ContestBoard, Grid};

    #[test]
    fn symmetries_are_distinct() {
        let probe = Hex::new(1, 3);
        let images: HashSet<Hex> = Symmetry::ALL.iter().map(|s| s.apply(probe)).collect();
        assert_eq!(images.len(), 12);
        for symmetry in Symmetry::ALL {
            for cell in ContestBoard::FIELDS {
                let image = symmetry.apply(ContestBoard::hex(cell));
                assert!(ContestBoard::cell(image).is_some());
            }
        }
    }
}
