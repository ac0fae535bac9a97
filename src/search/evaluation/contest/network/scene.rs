//! What the inputs need to know of a position beyond the position itself.

use crate::hex::{BoardSet, CellSet, ContestBoard, Direction, Grid};
use crate::hive::Color;
use crate::hive::contest::Position;

/// A position as one side sees it at a turn.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scene<'p> {
    pub(super) position: &'p Position,
    /// The side that sees it.
    pub(super) viewer: Color,
    /// The turn at which it is judged, in plies from 0.
    pub(super) turn: u16,
    /// The fields with a single piece that holds the hive together.
    pub(super) pinned: BoardSet,
    /// The occupied fields that nothing could slide away from.
    pub(super) enclosed: BoardSet,
    /// The free fields that nothing can slide to.
    pub(super) closed: BoardSet,
}

impl<'p> Scene<'p> {
    /// `position` as the side to move at `turn` sees it; `links` are the fields that hold the hive together.
    #[inline]
    pub(super) fn new(position: &'p Position, turn: u16, links: BoardSet) -> Scene<'p> {
        let occupied = position.occupied();
        let free = position.free();
        let slides = slides(occupied, free);
        Scene {
            position,
            viewer: Color::to_move(turn),
            turn,
            pinned: links - position.stacked(),
            enclosed: occupied - slides,
            closed: free - slides,
        }
    }
}

/// The fields from which a piece could slide to a free field beside it: in contact with another piece, and not through a gate.
/// Since every slide can be undone, these are also the free fields to which a piece could slide.
#[inline]
fn slides(occupied: BoardSet, free: BoardSet) -> BoardSet {
    let blocked = ContestBoard::FIELDS - free;
    // The fields whose neighbour in a direction is in the set.
    let beside = |set: BoardSet, direction: Direction| {
        ContestBoard::shift_unmasked(set, direction.opposite())
    };
    let pieces = Direction::ALL.map(|direction| beside(occupied, direction));
    let blocked = Direction::ALL.map(|direction| beside(blocked, direction));
    let mut slides = BoardSet::EMPTY;
    for direction in Direction::ALL {
        let (left, right) = (direction.left().index(), direction.right().index());
        let contact = pieces[left] | pieces[right];
        let gate = blocked[left] & blocked[right];
        slides |= (beside(free, direction) & contact) - gate;
    }
    slides
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand_xoshiro::Xoshiro256PlusPlus;

    use super::*;
    use crate::hive::Walker;
    use crate::hive::contest::{Contest, Deal, random_brambles};
    use crate::search::random::random_move;

    #[test]
    fn enclosed_pieces_are_those_that_cannot_slide() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(11);
        for _ in 0..20 {
            let mut position = Deal::Server.start(random_brambles(&mut rng));
            while let Some(mv) = random_move(&position, &mut rng) {
                position.play(mv);
                let scene = Scene::new(&position, position.turn(), BoardSet::EMPTY);
                for cell in position.occupied() - position.stacked() {
                    let slides = Walker::<Contest>::lift(&position, cell).slide_once();
                    assert_eq!(
                        scene.enclosed.contains(cell),
                        slides.is_empty(),
                        "{position}"
                    );
                }
            }
        }
    }
}
