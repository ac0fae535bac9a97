//! What the evaluation looks at.

use super::weights::WeightIndex;
use crate::hex::{BoardSet, Cell, CellSet, ContestBoard, Grid};
use crate::hive::contest::{Kind, LAST_TURN, Position};
use crate::hive::{Color, PieceKind, links};

/// Hands every feature of a position and its value to `sink`, as the side to move sees it: what speaks for the other side
/// comes with the opposite sign. A feature may come in several parts, whose values add up.
#[inline]
pub fn features(position: &Position, sink: impl FnMut(WeightIndex, f32)) {
    features_with_links(position, links::<ContestBoard>(position.occupied()), sink);
}

/// The same, given the fields that hold the hive together.
#[inline]
pub(super) fn features_with_links(
    position: &Position,
    links: BoardSet,
    mut sink: impl FnMut(WeightIndex, f32),
) {
    // The hive hangs together without the top of a stack.
    let pinned = links - position.stacked();
    let side = position.side_to_move();
    sink(WeightIndex::TEMPO, 1.0);
    one_side(position, pinned, side, 1.0, &mut sink);
    one_side(position, pinned, side.opponent(), -1.0, &mut sink);
    let lateness = f32::from(position.turn()) / f32::from(LAST_TURN);
    let lead = free_fields(position, side) - free_fields(position, side.opponent());
    sink(WeightIndex::LATE_FREE_FIELD, lateness * lateness * lead);
}

/// Free fields as the rules count them at the end: -1 for a bee in reserve.
fn free_fields(position: &Position, color: Color) -> f32 {
    position
        .free_around_bee(color)
        .map_or(-1.0, |free| free as f32)
}

#[inline]
fn one_side(
    position: &Position,
    pinned: BoardSet,
    color: Color,
    sign: f32,
    sink: &mut impl FnMut(WeightIndex, f32),
) {
    match position.free_around_bee(color) {
        Some(free) => sink(WeightIndex::free_around_bee(free), sign),
        None => sink(WeightIndex::BEE_IN_RESERVE, sign),
    }
    let unpinned = position.tops(color) - pinned;
    for &kind in Kind::ALL {
        let free_to_go = (unpinned & position.tops_of_kind(kind)).count_cells();
        sink(WeightIndex::unpinned(kind), sign * free_to_go as f32);
        let in_reserve = position.reserve(color).count(kind);
        sink(WeightIndex::reserve(kind), sign * f32::from(in_reserve));
    }
    for cell in position.stacked() {
        for piece in position.covered_on(cell).filter(|p| p.color == color) {
            sink(WeightIndex::covered(piece.kind), sign);
        }
    }
    if let Some(bee) = position.bee(color.opponent()) {
        beetles_near(position, color, bee, sign, sink);
    }
}

#[inline]
fn beetles_near(
    position: &Position,
    color: Color,
    bee: Cell,
    sign: f32,
    sink: &mut impl FnMut(WeightIndex, f32),
) {
    let beetles = position.tops(color) & position.tops_of_kind(Kind::Beetle);
    let bee = CellSet::single(bee);
    let on_top = (beetles & bee).count_cells() as f32;
    let beside = (beetles & ContestBoard::neighbours(bee)).count_cells() as f32;
    sink(WeightIndex::BEETLE_ON_BEE, sign * on_top);
    sink(WeightIndex::BEETLE_BESIDE_BEE, sign * beside);
}
