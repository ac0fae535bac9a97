//! What the inputs need to know of a position beyond the position itself.

use crate::hex::{CellSet, Direction, Grid};
use crate::hive::standard::{Kind, Position};
use crate::hive::{ByColor, Color, PieceKind};

/// A position as one side sees it at a turn.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scene<'p, G: Grid> {
    pub(super) position: &'p Position<G>,
    /// The side that sees it.
    pub(super) viewer: Color,
    /// The cells with a single piece that holds the hive together.
    pub(super) pinned: G::Set,
    /// The occupied cells that nothing could slide away from.
    pub(super) enclosed: G::Set,
    /// What there is to see of each side.
    pub(super) sides: ByColor<Side>,
}

/// What there is to see of a side.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Side {
    /// The taken cells around the queen; `None` while she is in hand.
    pub(super) taken: Option<u8>,
    /// The free cells beside the queen that nothing can slide to, a bit for each direction.
    pub(super) closed: u8,
    /// The other side's pieces that hold nothing together and are not beside the queen yet: they may still come.
    pub(super) comers: u8,
    /// The kinds that the mosquito touches on the ground, a bit for each.
    pub(super) touched: u8,
}

impl<'p, G: Grid> Scene<'p, G> {
    /// `position` as `viewer` sees it; `links` are the cells that hold the hive together.
    #[inline]
    pub(super) fn new(position: &'p Position<G>, viewer: Color, links: G::Set) -> Scene<'p, G> {
        let occupied = position.occupied();
        let slides = slides::<G>(occupied);
        let pinned = links - position.stacked();
        Scene {
            position,
            viewer,
            pinned,
            enclosed: occupied - slides,
            sides: ByColor::from_fn(|color| Side {
                touched: touched(position, color),
                ..match position.bee(color) {
                    Some(queen) => {
                        let free = position.tops(color.opponent()) - pinned;
                        let comers = free - G::cells_of_ring(queen, ALL_AROUND);
                        let taken = G::ring(occupied, queen);
                        Side {
                            taken: Some(taken.count_ones() as u8),
                            closed: ALL_AROUND & !taken & !G::ring(slides, queen),
                            comers: comers.count_cells() as u8,
                            touched: 0,
                        }
                    }
                    None => Side::default(),
                }
            }),
        }
    }
}

/// The ring of all six neighbours.
const ALL_AROUND: u8 = 63;

#[inline]
fn touched<G: Grid>(position: &Position<G>, color: Color) -> u8 {
    let mosquito = position.tops_of_kind(Kind::Mosquito) & position.tops(color);
    let Some(cell) = (mosquito - position.stacked()).first() else {
        return 0;
    };
    let mut touched = 0;
    for &kind in Kind::ALL {
        let touches = G::ring(position.tops_of_kind(kind), cell) != 0;
        touched |= u8::from(touches) << kind.index();
    }
    touched
}

/// The cells from which a piece could slide to a free cell beside it: in contact with one of the two cells that both are beside, and not
/// through a gate of both. Since every slide can be undone, these are also the free cells to which a piece could slide.
#[inline]
fn slides<G: Grid>(occupied: G::Set) -> G::Set {
    // The cells whose neighbour in a direction is occupied.
    let beside = Direction::ALL.map(|d| G::shift_unmasked(occupied, d.opposite()));
    let mut slides = G::Set::EMPTY;
    for direction in Direction::ALL {
        let (left, right) = (direction.left().index(), direction.right().index());
        slides |= (beside[left] ^ beside[right]) - beside[direction.index()];
    }
    slides
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand_xoshiro::Xoshiro256PlusPlus;

    use super::*;
    use crate::hex::WideTorus;
    use crate::hive::Walker;
    use crate::hive::standard::{GameType, Opening, Wide};
    use crate::search::random::random_move;

    #[test]
    fn enclosed_pieces_are_those_that_cannot_slide() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(11);
        for game_type in GameType::ALL {
            let mut position: Position = game_type.start(Opening::default());
            while let Some(mv) = random_move(&position, &mut rng).filter(|_| position.turn() < 60) {
                position.play(mv);
                let scene = Scene::<WideTorus>::new(&position, Color::Red, CellSet::EMPTY);
                // A lifted piece does not know what holds the hive together; neither does the scene.
                for cell in position.occupied() - position.stacked() {
                    let slides = Walker::<Wide>::lift(&position, cell).slide_once();
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
