//! The network's inputs: what of a position it is shown.
//!
//! Every input is on or off. A position is seen by one side, the one to move where it is judged: "own" is what belongs to it.
//!
//! - for each piece and each bee: whose the piece is, its kind, its state, and where it lies as seen from the bee;
//! - for each bee: the brambles and missing fields near it, and the free fields beside it that no piece can slide to;
//! - for each side and kind: how many pieces are in reserve;
//! - the free fields around both bees, and their difference together with the turn: at the end it decides.

use super::between;
use super::scene::Scene;
use crate::hex::{BoardSet, Cell, CellSet, ContestBoard, Direction, Grid, Hex};
use crate::hive::contest::{ContestPiece, Kind};
use crate::hive::{Color, PieceKind};
use crate::search::evaluation::network::{ChangedInputs, DISPLACEMENTS, Displacement, Input};

/// How a piece stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// On the ground, able to leave its field.
    Free,
    /// On the ground, holding the hive together.
    Pinned,
    /// On the ground, without a slide to any side.
    Enclosed,
    /// On top of others.
    OnTop,
    /// Under others.
    Covered,
}

/// What lies near a bee besides pieces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Surroundings {
    /// A bramble, or no field at all.
    Blocked,
    /// A free field to which nothing can slide.
    Closed,
}

const STATES: usize = 8;
const KINDS: usize = 5;
/// The own and the other bee, or side.
const SIDES: usize = 2;
const PIECES: usize = SIDES * SIDES * KINDS * STATES * DISPLACEMENTS;
const SURROUNDINGS: usize = SIDES * 2 * DISPLACEMENTS;
/// Inputs from here on know no displacement.
const SPATIAL: usize = PIECES + SURROUNDINGS;
/// Counts of pieces in reserve that are told apart: from none to three.
const COUNTS: usize = 4;
const RESERVES: usize = SIDES * KINDS * COUNTS;
/// Numbers of free fields around a bee, 0 to 6, and a bee in reserve.
const FREE: usize = 8;
const STAGES: usize = 16;
const LEADS: usize = 16;
/// Turns of a stage.
const STAGE_LENGTH: usize = 4;

/// Number of inputs; some of them never occur.
pub(super) const INPUT_COUNT: usize = SPATIAL + RESERVES + FREE * FREE + STAGES * LEADS;

/// Farthest distance from a bee at which brambles and missing fields are shown, in steps.
const SURROUNDINGS_REACH: i8 = 2;

/// The same input after a symmetry of the board, given the images of the displacements under it.
pub(super) fn with_displacements(input: usize, images: &[u8; DISPLACEMENTS]) -> Input {
    if input >= SPATIAL {
        return Input::new(input);
    }
    let displacement = input % DISPLACEMENTS;
    Input::new(input - displacement + usize::from(images[displacement]))
}

#[inline]
fn piece_input(
    bee: usize,
    owner: usize,
    kind: Kind,
    state: State,
    displacement: Displacement,
) -> Input {
    let place = ((bee * SIDES + owner) * KINDS + kind.index()) * STATES + state as usize;
    Input::new(place * DISPLACEMENTS + displacement.number())
}

#[inline]
fn surroundings_input(bee: usize, what: Surroundings, displacement: Displacement) -> Input {
    let place = bee * 2 + what as usize;
    Input::new(PIECES + place * DISPLACEMENTS + displacement.number())
}

#[inline]
fn reserve_input(owner: usize, kind: Kind, count: u8) -> Input {
    let count = usize::from(count).min(COUNTS - 1);
    Input::new(SPATIAL + (owner * KINDS + kind.index()) * COUNTS + count)
}

#[inline]
fn free_fields_input(own: Option<u32>, others: Option<u32>) -> Input {
    let place = |free: Option<u32>| free.map_or(FREE - 1, |free| free as usize & (FREE - 1));
    Input::new(SPATIAL + RESERVES + place(own) * FREE + place(others))
}

#[inline]
fn lead_input(turn: u16, own: Option<u32>, others: Option<u32>) -> Input {
    // As the rules count at the end: -1 for a bee in reserve.
    let count = |free: Option<u32>| free.map_or(0, |free| free as usize + 1);
    let stage = (usize::from(turn) / STAGE_LENGTH).min(STAGES - 1);
    let lead = (count(own) + LEADS / 2 - count(others)).min(LEADS - 1);
    Input::new(SPATIAL + RESERVES + FREE * FREE + stage * LEADS + lead)
}

/// 0 for the side that sees the position, 1 for the other.
#[inline]
fn side(scene: &Scene<'_>, color: Color) -> usize {
    usize::from(color != scene.viewer)
}

/// Hands every input that is on to `sink`.
pub(super) fn inputs(scene: &Scene<'_>, mut sink: impl FnMut(Input)) {
    for cell in scene.position.occupied() {
        inputs_of_field(scene, cell, &mut sink);
    }
    for color in Color::ALL {
        blocked_around_bee(scene, color, &mut sink);
        closed_around_bee(scene, color, closed_ring(scene, color), &mut sink);
        for &kind in Kind::ALL {
            let count = scene.position.reserve(color).count(kind);
            sink(reserve_input(side(scene, color), kind, count));
        }
    }
    inputs_of_free_fields(scene, &mut sink);
}

/// The inputs that change with a ply. `moved` are the fields that it changed. Both scenes are seen by the same side.
///
/// `None` when a bee was moved or placed: then little stays the same.
#[inline]
pub(super) fn changed_inputs(
    before: &Scene<'_>,
    after: &Scene<'_>,
    moved: BoardSet,
) -> Option<ChangedInputs> {
    for color in Color::ALL {
        if before.position.bee(color) != after.position.bee(color) {
            return None;
        }
    }
    let mut changes = ChangedInputs::default();
    let mut off = |input| changes.off.push(input);
    let mut on = |input| changes.on.push(input);
    let both = before.position.occupied() & after.position.occupied();
    let states = ((before.pinned ^ after.pinned) | (before.enclosed ^ after.enclosed)) & both;
    for cell in states - moved {
        inputs_of_top(before, cell, &mut off);
        inputs_of_top(after, cell, &mut on);
    }
    for cell in moved {
        inputs_of_field(before, cell, &mut off);
        inputs_of_field(after, cell, &mut on);
    }
    for color in Color::ALL {
        let (was, is) = (closed_ring(before, color), closed_ring(after, color));
        if was != is {
            closed_around_bee(before, color, was & !is, &mut off);
            closed_around_bee(after, color, is & !was, &mut on);
        }
    }
    if free_fields(before) != free_fields(after) {
        inputs_of_free_fields(before, &mut off);
        inputs_of_free_fields(after, &mut on);
    }
    // Only a placement changes a reserve, and only that of the side that made it.
    let mover = after.position.side_to_move().opponent();
    let reserve = |scene: &Scene<'_>, kind| {
        let count = scene.position.reserve(mover).count(kind);
        reserve_input(side(scene, mover), kind, count)
    };
    if before.position.reserve(mover) != after.position.reserve(mover) {
        for &kind in Kind::ALL {
            let (was, is) = (reserve(before, kind), reserve(after, kind));
            if was != is {
                off(was);
                on(is);
            }
        }
    }
    Some(changes)
}

#[inline]
fn inputs_of_field(scene: &Scene<'_>, cell: Cell, sink: &mut impl FnMut(Input)) {
    if scene.position.stacked().contains(cell) {
        for piece in scene.position.covered_on(cell) {
            inputs_of_piece(scene, cell, piece, State::Covered, sink);
        }
    }
    inputs_of_top(scene, cell, sink);
}

#[inline]
fn inputs_of_top(scene: &Scene<'_>, cell: Cell, sink: &mut impl FnMut(Input)) {
    let Some(piece) = scene.position.top(cell) else {
        return;
    };
    let state = if scene.position.stacked().contains(cell) {
        State::OnTop
    } else if scene.pinned.contains(cell) {
        State::Pinned
    } else if scene.enclosed.contains(cell) {
        State::Enclosed
    } else {
        State::Free
    };
    inputs_of_piece(scene, cell, piece, state, sink);
}

#[inline]
fn inputs_of_piece(
    scene: &Scene<'_>,
    cell: Cell,
    piece: ContestPiece,
    state: State,
    sink: &mut impl FnMut(Input),
) {
    let owner = side(scene, piece.color);
    for color in Color::ALL {
        let displacement = between(scene.position.bee(color), cell);
        sink(piece_input(
            side(scene, color),
            owner,
            piece.kind,
            state,
            displacement,
        ));
    }
}

fn blocked_around_bee(scene: &Scene<'_>, color: Color, sink: &mut impl FnMut(Input)) {
    let Some(bee) = scene.position.bee(color) else {
        return;
    };
    let origin = ContestBoard::hex(bee);
    let obstacles = scene.position.obstacles();
    for (displacement, step) in Displacement::within(SURROUNDINGS_REACH) {
        let there = ContestBoard::cell(Hex::new(origin.x + step.x, origin.y + step.y));
        if there.is_none_or(|cell| obstacles.contains(cell)) {
            sink(surroundings_input(
                side(scene, color),
                Surroundings::Blocked,
                displacement,
            ));
        }
    }
}

/// The free fields beside the bee of `color` that nothing can slide to, a bit for each direction.
#[inline]
fn closed_ring(scene: &Scene<'_>, color: Color) -> u8 {
    match scene.position.bee(color) {
        Some(bee) => ContestBoard::ring(scene.closed, bee),
        None => 0,
    }
}

#[inline]
fn closed_around_bee(scene: &Scene<'_>, color: Color, ring: u8, sink: &mut impl FnMut(Input)) {
    let Some(bee) = scene.position.bee(color).filter(|_| ring != 0) else {
        return;
    };
    for direction in Direction::ALL {
        if ring >> direction.index() & 1 == 0 {
            continue;
        }
        if let Some(cell) = ContestBoard::neighbour(bee, direction) {
            sink(surroundings_input(
                side(scene, color),
                Surroundings::Closed,
                between(Some(bee), cell),
            ));
        }
    }
}

/// Free fields around the own and the other bee.
#[inline]
fn free_fields(scene: &Scene<'_>) -> (Option<u32>, Option<u32>) {
    let around = |color| scene.position.free_around_bee(color);
    (around(scene.viewer), around(scene.viewer.opponent()))
}

#[inline]
fn inputs_of_free_fields(scene: &Scene<'_>, sink: &mut impl FnMut(Input)) {
    let (own, others) = free_fields(scene);
    sink(free_fields_input(own, others));
    sink(lead_input(scene.turn, own, others));
}
