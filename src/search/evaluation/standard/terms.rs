//! What the evaluation looks at, and how much it counts, in logits.

use crate::hex::{Cell, CellSet, Grid};
use crate::hive::standard::{Kind, Standard};
use crate::hive::{CellSetOf, Color, Position, links};

type Cells<G> = CellSetOf<Standard<G>>;

/// To be the side to move.
pub(super) const TEMPO: f32 = 0.15;

/// For each number of taken cells around a queen, the danger that she is in.
const DANGER: [f32; 7] = [0.0, 0.05, 0.35, 0.85, 1.55, 2.6, 4.0];

/// A queen that has not been placed, neither in danger nor of use.
const QUEEN_IN_HAND: f32 = -0.15;

/// A piece that is free to go, by kind.
const FREE: [f32; 8] = [0.35, 0.18, 0.38, 0.22, 0.42, 0.40, 0.32, 0.20];

/// A piece in hand, by kind.
const IN_HAND: [f32; 8] = [0.0, 0.12, 0.30, 0.16, 0.40, 0.34, 0.28, 0.18];

/// An own piece below others, by kind.
const COVERED: [f32; 8] = [-0.9, -0.1, -0.25, -0.1, -0.25, -0.25, -0.2, -0.3];

/// An own piece on top of the enemy's queen.
const ON_ENEMY_QUEEN: f32 = 1.0;

/// An own climber on top of the hive, one step from the enemy's queen.
const ABOVE_BESIDE_ENEMY_QUEEN: f32 = 0.45;

/// An own beetle on the ground beside the enemy's queen: it will climb.
const BEETLE_BESIDE_ENEMY_QUEEN: f32 = 0.2;

/// A pillbug, or a mosquito as one, that can throw from beside the own queen, for each taken cell around her.
const DEFENCE: f32 = 0.14;

/// An own piece that is free to go and stands beside the own queen: it can open a cell.
const CAN_MAKE_ROOM: f32 = 0.12;

/// A free cell around the enemy's queen beside which no enemy piece but she stands: placing may reach it.
const PLACEABLE_BESIDE_ENEMY_QUEEN: f32 = 0.3;

/// What speaks for each of the sides.
pub(super) fn terms_of<G: Grid>(position: &Position<Standard<G>>, sides: [Color; 2]) -> [f32; 2] {
    let occupied = position.occupied();
    let pinned = links::<G>(occupied) - position.stacked();
    sides.map(|side| one_side(position, side, occupied, pinned))
}

fn one_side<G: Grid>(
    position: &Position<Standard<G>>,
    side: Color,
    occupied: Cells<G>,
    pinned: Cells<G>,
) -> f32 {
    let tops = position.tops(side);
    let free = tops - pinned;
    let reserve = position.reserve(side);
    let mut sum = 0.0;
    for &kind in <Kind as crate::hive::PieceKind>::ALL {
        let index = kind as usize;
        sum += FREE[index] * (free & position.tops_of_kind(kind)).count_cells() as f32;
        sum += IN_HAND[index] * f32::from(reserve.count(kind));
    }
    for cell in position.stacked() {
        for piece in position.covered_on(cell).filter(|p| p.color == side) {
            sum += COVERED[piece.kind as usize];
        }
    }
    sum += match position.bee(side) {
        Some(queen) => own_queen(position, side, queen, occupied, free),
        None => QUEEN_IN_HAND,
    };
    if let Some(queen) = position.bee(side.opponent()) {
        sum += enemy_queen(position, side, queen, occupied);
    }
    sum
}

fn own_queen<G: Grid>(
    position: &Position<Standard<G>>,
    side: Color,
    queen: Cell,
    occupied: Cells<G>,
    free: Cells<G>,
) -> f32 {
    let taken = G::ring(occupied, queen).count_ones();
    let mut sum = -DANGER[taken as usize % DANGER.len()];
    sum += CAN_MAKE_ROOM * f32::from(G::ring(free, queen).count_ones() as u8);
    let pillbugs = position.tops_of_kind(Kind::Pillbug);
    if !pillbugs.is_empty() {
        let mosquitoes = position.tops_of_kind(Kind::Mosquito) - position.stacked();
        let throwers = pillbugs | (mosquitoes & G::neighbours(pillbugs));
        if G::ring(throwers & position.tops(side), queen) != 0 {
            sum += DEFENCE * taken as f32;
        }
    }
    sum
}

fn enemy_queen<G: Grid>(
    position: &Position<Standard<G>>,
    side: Color,
    queen: Cell,
    occupied: Cells<G>,
) -> f32 {
    let here: Cells<G> = CellSet::single(queen);
    let around = G::neighbours(here);
    let own = position.tops(side);
    let above = own & position.stacked();
    let mut sum = 0.0;
    if own.contains(queen) {
        sum += ON_ENEMY_QUEEN;
    }
    sum += ABOVE_BESIDE_ENEMY_QUEEN * (above & around).count_cells() as f32;
    let beetles = (own & position.tops_of_kind(Kind::Beetle)) - position.stacked();
    sum += BEETLE_BESIDE_ENEMY_QUEEN * (beetles & around).count_cells() as f32;
    let enemies = position.tops(side.opponent());
    let open = (around & G::neighbours(own)) - occupied - G::neighbours(enemies);
    sum + PLACEABLE_BESIDE_ENEMY_QUEEN * open.count_cells() as f32
}
