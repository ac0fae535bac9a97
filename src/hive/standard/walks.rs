//! Where the pieces go by themselves.

use super::steps::{Heights, slides};
use super::{Kind, Standard};
use crate::hex::{Cell, CellSet, Direction, Grid};
use crate::hive::{CellSetOf, PieceKind, Walker};

type Cells<G> = CellSetOf<Standard<G>>;

/// Where the lifted piece goes if it moves like `kind`.
#[inline]
pub(super) fn walk<G: Grid>(walker: &Walker<Standard<G>>, kind: Kind) -> Cells<G> {
    match kind {
        Kind::Queen | Kind::Pillbug => slides_from::<G>(walker.occupied(), walker.from()),
        Kind::Spider => spider(walker),
        Kind::Beetle => climb(walker),
        Kind::Grasshopper => jump(walker),
        Kind::Ant => ant(walker),
        Kind::Ladybug => ladybug(walker),
        Kind::Mosquito => mosquito(walker),
    }
}

/// One slide on the ground.
#[inline]
fn slides_from<G: Grid>(occupied: G::Set, cell: Cell) -> G::Set {
    G::cells_of_ring(cell, slides(G::ring(occupied, cell)))
}

/// One step to any side, along the ground, along the top of the hive, up or down.
#[inline]
fn climb<G: Grid>(walker: &Walker<Standard<G>>) -> Cells<G> {
    let from = walker.from();
    let steps = Heights::around(walker, from).steps_from(walker.height(from));
    G::cells_of_ring(from, steps)
}

/// Three slides that visit no cell twice.
#[inline]
fn spider<G: Grid>(walker: &Walker<Standard<G>>) -> Cells<G> {
    let (from, occupied) = (walker.from(), walker.occupied());
    let start: G::Set = CellSet::single(from);
    let mut ends = G::Set::EMPTY;
    for first in slides_from::<G>(occupied, from) {
        let visited = start | CellSet::single(first);
        for second in slides_from::<G>(occupied, first) - visited {
            ends |= slides_from::<G>(occupied, second) - visited;
        }
    }
    ends
}

/// Any number of slides.
#[inline]
fn ant<G: Grid>(walker: &Walker<Standard<G>>) -> Cells<G> {
    let (from, occupied) = (walker.from(), walker.occupied());
    let start: G::Set = CellSet::single(from);
    // A piece off the hive's end, a frequent case and a short way: nothing to flood.
    if is_open_all_round::<G>(occupied) {
        return G::neighbours(occupied) - occupied - start;
    }
    walker.slide_anywhere()
}

/// Whether a piece can slide around the hive all the way: there is no hole in it, and nowhere a gate.
#[inline]
fn is_open_all_round<G: Grid>(occupied: G::Set) -> bool {
    // The sets of cells whose neighbour in the direction is occupied.
    let east = G::shift(occupied, Direction::West);
    let north_east = G::shift(occupied, Direction::SouthWest);
    let north_west = G::shift(occupied, Direction::SouthEast);
    let west = G::shift(occupied, Direction::East);
    let south_east = G::shift(occupied, Direction::NorthWest);
    // Between two pieces, both cells free: the way to the north-east, to the north-west and to the east.
    let gate = ((east & north_west) - north_east)
        | ((north_east & west) - north_west)
        | ((north_east & south_east) - east);
    if !(gate - occupied).is_empty() {
        return false;
    }
    // Euler: pieces - borders between two of them + corners between three are the hives - their holes.
    let borders = [east, north_east, north_west].map(|set| (set & occupied).count_cells());
    let corners =
        [east & north_east, north_east & north_west].map(|set| (set & occupied).count_cells());
    occupied.count_cells() + corners[0] + corners[1] == borders[0] + borders[1] + borders[2] + 1
}

/// Over straight rows onto the first free cells behind them.
#[inline]
fn jump<G: Grid>(walker: &Walker<Standard<G>>) -> Cells<G> {
    let (from, occupied) = (walker.from(), walker.occupied());
    let mut ends = G::Set::EMPTY;
    let ring = G::ring(occupied, from);
    for direction in Direction::ALL {
        if ring >> direction.index() & 1 == 0 {
            continue;
        }
        let mut ahead = G::neighbour(from, direction);
        while let Some(cell) = ahead {
            if !occupied.contains(cell) {
                ends.insert(cell);
                break;
            }
            ahead = G::neighbour(cell, direction);
        }
    }
    ends
}

/// Two steps on top of the hive, then one down.
#[inline]
fn ladybug<G: Grid>(walker: &Walker<Standard<G>>) -> Cells<G> {
    let (from, occupied) = (walker.from(), walker.occupied());
    let start: G::Set = CellSet::single(from);
    if has_no_gates_on_top(walker) {
        let first = G::neighbours(start) & occupied;
        let second = G::neighbours(first) & occupied;
        return G::neighbours(second) - occupied - start;
    }
    let step = |from: Cell| {
        let steps = Heights::around(walker, from).steps_from(walker.height(from));
        G::cells_of_ring(from, steps)
    };
    let step_of_all = |cells: G::Set| {
        cells
            .into_iter()
            .fold(G::Set::EMPTY, |all, cell| all | step(cell))
    };
    let first = step(from) & occupied;
    let second = step_of_all(first) & occupied;
    step_of_all(second) - occupied - start
}

/// Whether no way above the ground can be blocked: that takes two stacks.
#[inline]
pub(super) fn has_no_gates_on_top<G: Grid>(walker: &Walker<Standard<G>>) -> bool {
    let mut stacked = walker.position().stacked().into_iter();
    stacked.next().is_none() || stacked.next().is_none()
}

/// Like a beetle from the top of others; on the ground like all that it touches, other mosquitoes excepted.
fn mosquito<G: Grid>(walker: &Walker<Standard<G>>) -> Cells<G> {
    if walker.height(walker.from()) > 0 {
        return climb(walker);
    }
    let touched = G::neighbours(CellSet::single(walker.from()));
    let mut ends = G::Set::EMPTY;
    for &kind in Kind::ALL {
        let copies = kind != Kind::Mosquito;
        if copies && walker.position().tops_of_kind(kind).meets(touched) {
            ends |= walk(walker, kind);
        }
    }
    ends
}
