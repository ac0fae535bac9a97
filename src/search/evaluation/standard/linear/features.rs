//! What the evaluation looks at.

use super::weights::Feature;
use crate::hex::{Cell, CellSet, Grid};
use crate::hive::standard::{Kind, Standard};
use crate::hive::{CellSetOf, Color, PieceKind, Position, links};

type Cells<G> = CellSetOf<Standard<G>>;

/// Hands every feature of a position and its value to `sink`, as the side to move sees it: what speaks for the other side comes
/// with the opposite sign. A feature may come in several parts, whose values add up.
#[inline]
pub fn standard_features<G: Grid>(
    position: &Position<Standard<G>>,
    sink: impl FnMut(Feature, f32),
) {
    features_with_links(position, links::<G>(position.occupied()), sink);
}

/// The same; `links` are the cells that hold the hive together.
#[inline]
pub(super) fn features_with_links<G: Grid>(
    position: &Position<Standard<G>>,
    links: G::Set,
    mut sink: impl FnMut(Feature, f32),
) {
    let side = position.side_to_move();
    let occupied = position.occupied();
    let board = Board {
        position,
        occupied,
        // The hive hangs together without the top of a stack.
        pinned: links - position.stacked(),
    };
    sink(Feature::TEMPO, 1.0);
    board.one_side(side, &mut sink);
    board.one_side(side.opponent(), |feature, value| sink(feature, -value));
}

struct Board<'p, G: Grid> {
    position: &'p Position<Standard<G>>,
    occupied: Cells<G>,
    pinned: Cells<G>,
}

impl<G: Grid> Board<'_, G> {
    #[inline]
    fn one_side(&self, side: Color, mut sink: impl FnMut(Feature, f32)) {
        let position = self.position;
        let tops = position.tops(side);
        let free = tops - self.pinned;
        let reserve = position.reserve(side);
        for &kind in Kind::ALL {
            let free_of_kind = (free & position.tops_of_kind(kind)).count_cells();
            sink(Feature::free(kind), free_of_kind as f32);
            sink(Feature::in_hand(kind), f32::from(reserve.count(kind)));
        }
        for ant in free & position.tops_of_kind(Kind::Ant) {
            sink(
                Feature::SLIDING_ANT,
                f32::from(u8::from(self.can_slide(ant))),
            );
        }
        for cell in position.stacked() {
            for piece in position.covered_on(cell).filter(|p| p.color == side) {
                sink(Feature::covered(piece.kind), 1.0);
            }
        }
        match position.bee(side) {
            Some(queen) => self.own_queen(side, queen, free, &mut sink),
            None => sink(Feature::QUEEN_IN_HAND, 1.0),
        }
        if let Some(queen) = position.bee(side.opponent()) {
            self.enemy_queen(side, queen, free, &mut sink);
        }
    }

    /// Whether a piece that is free to go can leave its cell along the ground.
    #[inline]
    fn can_slide(&self, cell: Cell) -> bool {
        slides(G::ring(self.occupied, cell)) != 0
    }

    #[inline]
    fn own_queen(
        &self,
        side: Color,
        queen: Cell,
        free: Cells<G>,
        sink: &mut impl FnMut(Feature, f32),
    ) {
        let position = self.position;
        let taken = G::ring(self.occupied, queen).count_ones();
        sink(Feature::taken_around_queen(taken), 1.0);
        if free.contains(queen) && self.can_slide(queen) {
            sink(Feature::SLIDING_QUEEN, 1.0);
        }
        let beside = G::ring(free, queen).count_ones();
        sink(Feature::FREE_BESIDE_OWN_QUEEN, beside as f32);
        let pillbugs = position.tops_of_kind(Kind::Pillbug);
        if !pillbugs.is_empty() {
            let mosquitoes = position.tops_of_kind(Kind::Mosquito) - position.stacked();
            let throwers = pillbugs | (mosquitoes & G::neighbours(pillbugs));
            if G::ring(throwers & position.tops(side), queen) != 0 {
                sink(Feature::DEFENCE, 1.0);
                sink(Feature::DEFENCE_BY_TAKEN, taken as f32);
            }
        }
    }

    #[inline]
    fn enemy_queen(
        &self,
        side: Color,
        queen: Cell,
        free: Cells<G>,
        sink: &mut impl FnMut(Feature, f32),
    ) {
        let position = self.position;
        let around = G::neighbours(CellSet::single(queen));
        let own = position.tops(side);
        if own.contains(queen) {
            sink(Feature::ON_ENEMY_QUEEN, 1.0);
        }
        let above = own & position.stacked() & around;
        sink(
            Feature::ABOVE_BESIDE_ENEMY_QUEEN,
            above.count_cells() as f32,
        );
        let beetles = (own & position.tops_of_kind(Kind::Beetle)) - position.stacked();
        let beetles = (beetles & around).count_cells();
        sink(Feature::BEETLE_BESIDE_ENEMY_QUEEN, beetles as f32);
        sink(
            Feature::BESIDE_ENEMY_QUEEN,
            (own & around).count_cells() as f32,
        );

        let open = around - self.occupied;
        let enemies = position.tops(side.opponent());
        let placeable = (open & G::neighbours(own)) - G::neighbours(enemies);
        sink(
            Feature::PLACEABLE_BESIDE_ENEMY_QUEEN,
            placeable.count_cells() as f32,
        );
        let closed = open
            .into_iter()
            .filter(|&cell| slides(G::ring(self.occupied, cell)) == 0)
            .count();
        sink(Feature::CLOSED_BESIDE_ENEMY_QUEEN, closed as f32);
        // Who may still come, the more of a threat the fewer are needed.
        let comers = (free - around).count_cells() as f32;
        let taken = 6 - open.count_cells();
        sink(Feature::COMERS_BY_TAKEN, comers * taken as f32);
    }
}

/// In which directions of a ring a piece slides whose neighbours are `occupied`.
#[inline]
fn slides(occupied: u8) -> u8 {
    let left = (occupied >> 1 | occupied << 5) & 63;
    let right = (occupied << 1 | occupied >> 5) & 63;
    (left ^ right) & !occupied
}
