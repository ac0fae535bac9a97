//! The pillbug's power, its own and a mosquito's: to throw a piece beside it over itself onto a free cell beside it.

use super::steps::Heights;
use super::walks::has_no_gates_on_top;
use super::{Kind, Position, Standard};
use crate::hex::{Cell, CellSet, Grid};
use crate::hive::{CellSetOf, Walker};

/// The pieces of the side to move that can throw others, pinned or not: pillbugs, and mosquitoes on the ground beside a
/// pillbug.
#[inline]
pub(super) fn throwers<G: Grid>(position: &Position<G>) -> CellSetOf<Standard<G>> {
    let pillbugs = position.tops_of_kind(Kind::Pillbug);
    if pillbugs.is_empty() {
        return CellSet::EMPTY;
    }
    let own = position.tops(position.side_to_move());
    let mut throwers = pillbugs & own;
    let mosquitoes = (position.tops_of_kind(Kind::Mosquito) & own) - position.stacked();
    if !mosquitoes.is_empty() {
        throwers |= mosquitoes & G::neighbours(pillbugs);
    }
    if let Some(resting) = position.memory().resting() {
        throwers.remove(resting);
    }
    throwers
}

/// The cells whose piece lies within reach of `throwers`, alone on its cell.
#[inline]
pub(super) fn within_reach<G: Grid>(
    position: &Position<G>,
    throwers: CellSetOf<Standard<G>>,
) -> CellSetOf<Standard<G>> {
    (G::neighbours(throwers) & position.occupied()) - position.stacked()
}

/// Where the lifted piece can be thrown.
#[inline]
pub(super) fn throw<G: Grid>(walker: &Walker<Standard<G>>) -> CellSetOf<Standard<G>> {
    let mut ends = CellSet::EMPTY;
    let throwers = throwers(walker.position());
    let (from, occupied) = (walker.from(), walker.occupied());
    if throwers.is_empty() || occupied.contains(from) {
        return ends;
    }
    let start: G::Set = CellSet::single(from);
    let beside = G::neighbours(start) & throwers;
    if has_no_gates_on_top(walker) {
        return G::neighbours(beside) - occupied - start;
    }
    let step = |from: Cell| {
        let steps = Heights::around(walker, from).steps_from(walker.height(from));
        G::cells_of_ring(from, steps)
    };
    for thrower in step(from) & beside {
        ends |= step(thrower);
    }
    ends - occupied - start
}
