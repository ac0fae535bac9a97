//! Single steps, on the ground and above it, around one cell: sets of directions as bits of a ring.

use super::Standard;
use crate::hex::{Cell, Direction, Grid};
use crate::hive::Walker;
use crate::hive::movegen::{between, slides_around};

/// The directions in which a piece on the ground slides when its neighbours are `occupied`.
#[inline]
pub(super) const fn slides(occupied: u8) -> u8 {
    slides_around(occupied, !occupied & 63, occupied)
}

/// A step at the height of `way` pieces is stopped by two stacks beside it that both rise higher.
pub(super) struct Heights {
    /// At index `n`, the directions in which more than `n` pieces lie.
    above: [u8; HIGHEST],
}

/// More than any stack has: six climbers and what they stand on.
const HIGHEST: usize = 8;

impl Heights {
    /// The stacks around `cell`, without the piece that is taken off.
    #[inline]
    pub(super) fn around<G: Grid>(walker: &Walker<Standard<G>>, cell: Cell) -> Heights {
        let mut above = [0; HIGHEST];
        above[0] = G::ring(walker.occupied(), cell);
        let mut stacked = G::ring(walker.position().stacked(), cell);
        while stacked != 0 {
            let direction = Direction::ALL[stacked.trailing_zeros() as usize % 6];
            if let Some(beside) = G::neighbour(cell, direction) {
                for level in above.iter_mut().take(walker.height(beside)).skip(1) {
                    *level |= 1 << direction.index();
                }
            }
            stacked &= stacked - 1;
        }
        Heights { above }
    }

    /// In which directions a piece can step from the top of `height` pieces: up, down or level. Its way leads over the higher
    /// one of where it comes from and where it goes.
    #[inline]
    pub(super) fn steps_from(&self, height: usize) -> u8 {
        let mut steps = 0;
        if height == 0 {
            steps = slides(self.above[0]);
        }
        // What lies at least as high as the way; to begin with, all that is no higher than the start.
        let mut up_to_here = if height == 0 { self.above[0] } else { 63 };
        for way in height.max(1)..HIGHEST {
            let higher = self.above[way];
            steps |= up_to_here & !higher & !between(higher);
            up_to_here = higher;
            if higher == 0 {
                break;
            }
        }
        steps
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heights(of: [usize; 6]) -> Heights {
        let mut above = [0; HIGHEST];
        for (direction, height) in of.into_iter().enumerate() {
            for level in above.iter_mut().take(height) {
                *level |= 1 << direction;
            }
        }
        Heights { above }
    }

    /// The rule as it is written: not between two stacks higher than both ends of the step, and in contact with the hive.
    fn may_step(of: [usize; 6], from: usize, direction: usize) -> bool {
        let (left, right) = (of[(direction + 1) % 6], of[(direction + 5) % 6]);
        let way = from.max(of[direction]);
        left.min(right) <= way && (way > 0 || left.max(right) > 0)
    }

    #[test]
    fn steps_are_those_of_the_rule_for_all_stacks_around() {
        for code in 0..4usize.pow(6) {
            let of: [usize; 6] = std::array::from_fn(|i| code / 4usize.pow(i as u32) % 4);
            for from in 0..5 {
                let steps = heights(of).steps_from(from);
                for direction in 0..6 {
                    assert_eq!(
                        steps >> direction & 1 != 0,
                        may_step(of, from, direction),
                        "{of:?} from {from} to {direction}"
                    );
                }
            }
        }
    }

    #[test]
    fn slides_are_steps_between_free_cells_of_the_ground() {
        for ring in 0..64u8 {
            let of: [usize; 6] = std::array::from_fn(|i| usize::from(ring >> i & 1));
            assert_eq!(slides(ring), heights(of).steps_from(0) & !ring);
        }
    }
}
