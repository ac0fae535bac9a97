//! Displacements of fields from a bee.

use wabe_hive::hex::{Direction, Hex, Symmetry};

const REACH: i8 = Displacement::REACH;

/// Number of fields within [`REACH`] steps of a field, including itself.
const NEAR: usize = 61;

/// One more than the largest number of a displacement, rounded up to a power of two.
pub(super) const DISPLACEMENTS: usize = 64;

/// The displacement of a field from a bee: one of the 61 within four steps, far, or unknown because
/// the bee is not on the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Displacement(u8);

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

impl Displacement {
    /// Fields up to this many steps from a bee have distinct displacements.
    pub const REACH: i8 = 4;

    /// Shared by all fields that are farther away.
    pub const FAR: Displacement = Displacement(NEAR as u8);

    /// Shared by all fields while the bee is in reserve.
    pub const UNKNOWN: Displacement = Displacement(NEAR as u8 + 1);

    /// Maps `steps` beyond [`REACH`](Displacement::REACH) to [`FAR`](Displacement::FAR).
    pub const fn from_steps(steps: Hex) -> Displacement {
        let (x, y) = (steps.x as i32 + REACH as i32, steps.y as i32 + REACH as i32);
        if x < 0 || y < 0 || x >= SIDE as i32 || y >= SIDE as i32 {
            return Displacement::FAR;
        }
        Displacement(NUMBERS[x as usize][y as usize])
    }

    /// The displacement of the neighbour in a direction.
    #[inline]
    pub const fn from_direction(direction: Direction) -> Displacement {
        let (x, y) = direction.step();
        Displacement::from_steps(Hex::new(x, y))
    }

    /// The displacements within `distance` steps, one bit per number.
    pub(super) const fn within(distance: i8) -> u64 {
        let mut bits = 0;
        let mut number = 0;
        while number < NEAR {
            let (x, y) = STEPS[number];
            if x.abs() <= distance && y.abs() <= distance && (x + y).abs() <= distance {
                bits |= 1 << number;
            }
            number += 1;
        }
        bits
    }

    /// The displacements whose bits are set.
    #[inline]
    pub(super) fn from_bits(mut bits: u64) -> impl Iterator<Item = Displacement> {
        std::iter::from_fn(move || {
            let number = bits.trailing_zeros();
            bits &= bits.wrapping_sub(1);
            (number < u64::BITS).then_some(Displacement(number as u8))
        })
    }

    /// Below `DISPLACEMENTS`.
    #[inline]
    pub const fn number(self) -> usize {
        self.0 as usize
    }

    /// For each displacement number, that of its image under `symmetry`.
    pub fn images(symmetry: Symmetry) -> [u8; DISPLACEMENTS] {
        let mut images = [0; DISPLACEMENTS];
        for (number, image) in (0u8..).zip(&mut images) {
            *image = match STEPS.get(usize::from(number)) {
                Some(&(x, y)) => Displacement::from_steps(symmetry.apply(Hex::new(x, y))).0,
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
    fn far_fields_share_a_number() {
        assert_eq!(Displacement::within(REACH), u64::MAX >> (64 - NEAR));
        assert_eq!(Displacement::within(1).count_ones(), 7);
        for (displacement, (x, y)) in
            Displacement::from_bits(Displacement::within(REACH)).zip(STEPS)
        {
            assert_eq!(Displacement::from_steps(Hex::new(x, y)), displacement);
        }
        assert_eq!(Displacement::from_steps(Hex::new(5, 0)), Displacement::FAR);
        assert_eq!(Displacement::from_steps(Hex::new(3, 3)), Displacement::FAR);
    }
}
