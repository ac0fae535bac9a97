//! The network's inputs: what of a position it is shown.
//!
//! Every input is on or off. A position is seen by one side, the one to move where it is judged: "own" is what belongs to it.
//!
//! - for each piece and each queen: whose the piece is, its kind, its state, and where it lies as seen from the queen;
//! - for each queen: the free cells beside her that no piece can slide to;
//! - for each side and kind: how many pieces are in hand, and whether the side's mosquito touches one;
//! - the taken cells around both queens;
//! - for each queen: the taken cells around her together with the number of pieces that may still come.

use crate::hex::{Cell, CellSet, Direction, Grid, Hex};
use crate::hive::standard::{Kind, StandardPiece};
use crate::hive::{Color, PieceKind};
use crate::search::evaluation::network::{ChangedInputs, DISPLACEMENTS, Displacement, Input};

use super::scene::Scene;

/// How a piece stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// On the ground, able to leave its cell.
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

const STATES: usize = 5;
const KINDS: usize = 8;
/// The own and the other queen, or side.
const SIDES: usize = 2;
const PIECES: usize = SIDES * SIDES * KINDS * STATES * DISPLACEMENTS;
const CLOSED: usize = SIDES * DISPLACEMENTS;
/// Inputs from here on know no displacement.
const SPATIAL: usize = PIECES + CLOSED;
/// Counts of pieces in hand that are told apart: from none to three.
const COUNTS: usize = 4;
const RESERVES: usize = SIDES * KINDS * COUNTS;
const TOUCHES: usize = SIDES * KINDS;
/// Numbers of taken cells around a queen, 0 to 6, and a queen in hand.
const TAKEN: usize = 8;
/// Numbers of pieces that may still come to a queen, from none to seven or more.
const COMERS: usize = 8;

const TOUCHES_AT: usize = SPATIAL + RESERVES;
const TAKEN_AT: usize = TOUCHES_AT + TOUCHES;
const COMERS_AT: usize = TAKEN_AT + TAKEN * TAKEN;

/// Number of inputs; some of them never occur.
pub(super) const INPUT_COUNT: usize = COMERS_AT + SIDES * TAKEN * COMERS;

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
    queen: usize,
    owner: usize,
    kind: Kind,
    state: State,
    displacement: Displacement,
) -> Input {
    let place = ((queen * SIDES + owner) * KINDS + kind.index()) * STATES + state as usize;
    Input::new(place * DISPLACEMENTS + displacement.number())
}

#[inline]
fn closed_input(queen: usize, displacement: Displacement) -> Input {
    Input::new(PIECES + queen * DISPLACEMENTS + displacement.number())
}

#[inline]
fn reserve_input(owner: usize, kind: Kind, count: u8) -> Input {
    let count = usize::from(count).min(COUNTS - 1);
    Input::new(SPATIAL + (owner * KINDS + kind.index()) * COUNTS + count)
}

#[inline]
fn touch_input(owner: usize, kind: Kind) -> Input {
    Input::new(TOUCHES_AT + owner * KINDS + kind.index())
}

#[inline]
fn taken_input(own: usize, others: usize) -> Input {
    Input::new(TAKEN_AT + own * TAKEN + others)
}

#[inline]
fn comers_input(queen: usize, taken: usize, comers: usize) -> Input {
    let comers = comers.min(COMERS - 1);
    Input::new(COMERS_AT + (queen * TAKEN + taken) * COMERS + comers)
}

/// 0 for the side that sees the position, 1 for the other.
#[inline]
fn side<G: Grid>(scene: &Scene<'_, G>, color: Color) -> usize {
    usize::from(color != scene.viewer)
}

#[inline]
fn displacement<G: Grid>(queen: Option<Cell>, cell: Cell) -> Displacement {
    match queen {
        Some(queen) => Displacement::of_steps(G::way(queen, cell)),
        None => Displacement::UNKNOWN,
    }
}

/// Hands every input that is on to `sink`.
#[inline]
pub(super) fn inputs<G: Grid>(scene: &Scene<'_, G>, mut sink: impl FnMut(Input)) {
    for cell in scene.position.occupied() {
        inputs_of_cell(scene, cell, &mut sink);
    }
    for color in Color::ALL {
        closed_around_queen(scene, color, scene.sides[color].closed, &mut sink);
        for &kind in Kind::ALL {
            sink(in_hand(scene, color, kind));
        }
        inputs_of_touches(scene, color, scene.sides[color].touched, &mut sink);
        sink(comers(scene, color));
    }
    sink(taken_around_queens(scene));
}

/// What a ply turns off and on. `moved` are the cells that it changed. Both scenes are seen by the same side.
///
/// `None` when a queen was moved or placed: then little stays the same.
#[inline]
pub(super) fn changed_inputs<G: Grid>(
    before: &Scene<'_, G>,
    after: &Scene<'_, G>,
    moved: G::Set,
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
        inputs_of_cell(before, cell, &mut off);
        inputs_of_cell(after, cell, &mut on);
    }
    let mut replace = |was: Input, is: Input| {
        if was != is {
            off(was);
            on(is);
        }
    };
    replace(taken_around_queens(before), taken_around_queens(after));
    for color in Color::ALL {
        replace(comers(before, color), comers(after, color));
        if before.position.reserve(color) != after.position.reserve(color) {
            for &kind in Kind::ALL {
                replace(in_hand(before, color, kind), in_hand(after, color, kind));
            }
        }
    }
    for color in Color::ALL {
        let (was, is) = (before.sides[color].closed, after.sides[color].closed);
        closed_around_queen(before, color, was & !is, &mut |input| {
            changes.off.push(input)
        });
        closed_around_queen(after, color, is & !was, &mut |input| changes.on.push(input));
        let (was, is) = (before.sides[color].touched, after.sides[color].touched);
        inputs_of_touches(before, color, was & !is, &mut |input| {
            changes.off.push(input)
        });
        inputs_of_touches(after, color, is & !was, &mut |input| changes.on.push(input));
    }
    Some(changes)
}

#[inline]
fn inputs_of_cell<G: Grid>(scene: &Scene<'_, G>, cell: Cell, sink: &mut impl FnMut(Input)) {
    if scene.position.stacked().contains(cell) {
        for piece in scene.position.covered_on(cell) {
            inputs_of_piece(scene, cell, piece, State::Covered, sink);
        }
    }
    inputs_of_top(scene, cell, sink);
}

#[inline]
fn inputs_of_top<G: Grid>(scene: &Scene<'_, G>, cell: Cell, sink: &mut impl FnMut(Input)) {
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
fn inputs_of_piece<G: Grid>(
    scene: &Scene<'_, G>,
    cell: Cell,
    piece: StandardPiece,
    state: State,
    sink: &mut impl FnMut(Input),
) {
    let owner = side(scene, piece.color);
    for color in Color::ALL {
        let displacement = displacement::<G>(scene.position.bee(color), cell);
        let queen = side(scene, color);
        sink(piece_input(queen, owner, piece.kind, state, displacement));
    }
}

#[inline]
fn closed_around_queen<G: Grid>(
    scene: &Scene<'_, G>,
    color: Color,
    ring: u8,
    sink: &mut impl FnMut(Input),
) {
    if ring == 0 {
        return;
    }
    for direction in Direction::ALL {
        if ring >> direction.index() & 1 != 0 {
            let (x, y) = direction.step();
            let displacement = Displacement::of_steps(Hex::new(x, y));
            sink(closed_input(side(scene, color), displacement));
        }
    }
}

#[inline]
fn in_hand<G: Grid>(scene: &Scene<'_, G>, color: Color, kind: Kind) -> Input {
    let count = scene.position.reserve(color).count(kind);
    reserve_input(side(scene, color), kind, count)
}

#[inline]
fn inputs_of_touches<G: Grid>(
    scene: &Scene<'_, G>,
    color: Color,
    touched: u8,
    sink: &mut impl FnMut(Input),
) {
    if touched == 0 {
        return;
    }
    for &kind in Kind::ALL {
        if touched >> kind.index() & 1 != 0 {
            sink(touch_input(side(scene, color), kind));
        }
    }
}

/// The taken cells around the queen of `color`, or one more than there can be while she is in hand.
#[inline]
fn taken<G: Grid>(scene: &Scene<'_, G>, color: Color) -> usize {
    scene.sides[color].taken.map_or(TAKEN - 1, usize::from)
}

#[inline]
fn taken_around_queens<G: Grid>(scene: &Scene<'_, G>) -> Input {
    let (own, other) = (scene.viewer, scene.viewer.opponent());
    taken_input(taken(scene, own), taken(scene, other))
}

#[inline]
fn comers<G: Grid>(scene: &Scene<'_, G>, color: Color) -> Input {
    let comers = usize::from(scene.sides[color].comers);
    comers_input(side(scene, color), taken(scene, color), comers)
}
