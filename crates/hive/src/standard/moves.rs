//! Moves of the standard game's pieces, including throws by a pillbug or mosquito.

use super::{Kind, Position, StandardOn};
use crate::hex::{Cell, CellSet, Direction, Grid};
use crate::movegen::{between, has_no_holes, slides_around};
use crate::{CellSetOf, LiftedPiece, PieceKind};

type Cells<G> = CellSetOf<StandardOn<G>>;

/// The destinations of the lifted piece if it moves like `kind`.
#[inline]
pub(super) fn walk<G: Grid>(lifted: &LiftedPiece<StandardOn<G>>, kind: Kind) -> Cells<G> {
    match kind {
        Kind::Queen | Kind::Pillbug => slides_from::<G>(lifted.occupied(), lifted.from()),
        Kind::Spider => spider(lifted),
        Kind::Beetle => step(lifted, lifted.from()),
        Kind::Grasshopper => jump(lifted),
        Kind::Ant => ant(lifted),
        Kind::Ladybug => ladybug(lifted),
        Kind::Mosquito => mosquito(lifted),
    }
}

/// One slide on the ground.
#[inline]
fn slides_from<G: Grid>(occupied: G::Set, cell: Cell) -> G::Set {
    G::cells_of_ring(cell, slides(G::ring(occupied, cell)))
}

/// One step in any direction, on the ground, on top of the hive, up or down.
#[inline]
fn step<G: Grid>(lifted: &LiftedPiece<StandardOn<G>>, from: Cell) -> Cells<G> {
    let steps = Heights::around(lifted, from).steps_from(lifted.height(from));
    G::cells_of_ring(from, steps)
}

/// Three slides that visit no cell twice.
#[inline]
fn spider<G: Grid>(lifted: &LiftedPiece<StandardOn<G>>) -> Cells<G> {
    let (from, occupied) = (lifted.from(), lifted.occupied());
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
fn ant<G: Grid>(lifted: &LiftedPiece<StandardOn<G>>) -> Cells<G> {
    let (from, occupied) = (lifted.from(), lifted.occupied());
    let start: G::Set = CellSet::single(from);
    // A frequent case that needs no flood fill.
    if is_open_all_round::<G>(occupied) {
        return G::neighbours(occupied) - occupied - start;
    }
    lifted.slide_anywhere()
}

/// True if a piece can slide all the way around the hive: it has neither holes nor gates.
#[inline]
fn is_open_all_round<G: Grid>(occupied: G::Set) -> bool {
    // The sets of cells whose neighbour in the direction is occupied.
    let east = G::shift(occupied, Direction::West);
    let north_east = G::shift(occupied, Direction::SouthWest);
    let north_west = G::shift(occupied, Direction::SouthEast);
    let west = G::shift(occupied, Direction::East);
    let south_east = G::shift(occupied, Direction::NorthWest);
    // Steps between two pieces with both ends free: to the north-east, to the north-west and to the
    // east.
    let gate = ((east & north_west) - north_east)
        | ((north_east & west) - north_west)
        | ((north_east & south_east) - east);
    (gate - occupied).is_empty() && has_no_holes(occupied, [east, north_east, north_west])
}

/// Jumps over straight rows onto the first free cells after them.
#[inline]
fn jump<G: Grid>(lifted: &LiftedPiece<StandardOn<G>>) -> Cells<G> {
    let (from, occupied) = (lifted.from(), lifted.occupied());
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
fn ladybug<G: Grid>(lifted: &LiftedPiece<StandardOn<G>>) -> Cells<G> {
    let (from, occupied) = (lifted.from(), lifted.occupied());
    let start: G::Set = CellSet::single(from);
    if has_no_gates_on_top(lifted) {
        let first = G::neighbours(start) & occupied;
        let second = G::neighbours(first) & occupied;
        return G::neighbours(second) - occupied - start;
    }
    let step_of_all = |cells: G::Set| {
        cells
            .into_iter()
            .fold(G::Set::EMPTY, |all, cell| all | step(lifted, cell))
    };
    let first = step(lifted, from) & occupied;
    let second = step_of_all(first) & occupied;
    step_of_all(second) - occupied - start
}

/// True if no step above the ground can be blocked, because a gate needs two stacks.
#[inline]
fn has_no_gates_on_top<G: Grid>(lifted: &LiftedPiece<StandardOn<G>>) -> bool {
    let mut stacked = lifted.position().stacked().into_iter();
    stacked.next().is_none() || stacked.next().is_none()
}

/// On top of the hive, a beetle's step. On the ground, the moves of all adjacent kinds except the
/// mosquito's.
fn mosquito<G: Grid>(lifted: &LiftedPiece<StandardOn<G>>) -> Cells<G> {
    if lifted.height(lifted.from()) > 0 {
        return step(lifted, lifted.from());
    }
    let touched = G::neighbours(CellSet::single(lifted.from()));
    let mut ends = G::Set::EMPTY;
    for &kind in Kind::ALL {
        let copies = kind != Kind::Mosquito;
        if copies && lifted.position().tops_of_kind(kind).intersects(touched) {
            ends |= walk(lifted, kind);
        }
    }
    ends
}

/// The side's pieces that can throw others, pinned or not: pillbugs, and mosquitoes on the ground
/// beside a pillbug.
#[inline]
pub(super) fn throwers<G: Grid>(position: &Position<G>) -> CellSetOf<StandardOn<G>> {
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
    if let Some(resting) = position.rule_state().resting() {
        throwers.remove(resting);
    }
    throwers
}

/// The cells next to `throwers` with a single piece.
#[inline]
pub(super) fn within_reach<G: Grid>(
    position: &Position<G>,
    throwers: CellSetOf<StandardOn<G>>,
) -> CellSetOf<StandardOn<G>> {
    (G::neighbours(throwers) & position.occupied()) - position.stacked()
}

/// The free cells to which an adjacent thrower can throw the lifted piece, across the thrower.
#[inline]
pub(super) fn throw<G: Grid>(lifted: &LiftedPiece<StandardOn<G>>) -> CellSetOf<StandardOn<G>> {
    let mut ends = CellSet::EMPTY;
    let throwers = throwers(lifted.position());
    let (from, occupied) = (lifted.from(), lifted.occupied());
    if throwers.is_empty() || occupied.contains(from) {
        return ends;
    }
    let start: G::Set = CellSet::single(from);
    let beside = G::neighbours(start) & throwers;
    if has_no_gates_on_top(lifted) {
        return G::neighbours(beside) - occupied - start;
    }
    for thrower in step(lifted, from) & beside {
        ends |= step(lifted, thrower);
    }
    ends - occupied - start
}

/// The directions in which a piece on the ground slides when its neighbours are `occupied`.
#[inline]
const fn slides(occupied: u8) -> u8 {
    slides_around(occupied, !occupied & 63, occupied)
}

/// The heights of the stacks around a cell. A step between two stacks that both rise above its two
/// ends is blocked.
struct Heights {
    /// At index `n`, the directions with a stack of more than `n` pieces.
    above: [u8; HEIGHT_BOUND],
}

/// Greater than the height of any stack: six climbers and the piece below them.
const HEIGHT_BOUND: usize = 8;

impl Heights {
    /// The stacks around `cell`, without the lifted piece.
    #[inline]
    fn around<G: Grid>(lifted: &LiftedPiece<StandardOn<G>>, cell: Cell) -> Heights {
        let mut above = [0; HEIGHT_BOUND];
        above[0] = G::ring(lifted.occupied(), cell);
        let mut stacked = G::ring(lifted.position().stacked(), cell);
        while stacked != 0 {
            let direction = Direction::ALL[stacked.trailing_zeros() as usize % 6];
            if let Some(beside) = G::neighbour(cell, direction) {
                for level in above.iter_mut().take(lifted.height(beside)).skip(1) {
                    *level |= 1 << direction.index();
                }
            }
            stacked &= stacked - 1;
        }
        Heights { above }
    }

    /// The directions in which a piece can step up, down or level from the top of `height` pieces.
    /// The height of the path is that of the higher end.
    #[inline]
    fn steps_from(&self, height: usize) -> u8 {
        let mut steps = 0;
        if height == 0 {
            steps = slides(self.above[0]);
        }
        // The directions whose target reaches the height of the path. At the first height, these
        // include all lower targets.
        let mut reached = if height == 0 { self.above[0] } else { 63 };
        for path in height.max(1)..HEIGHT_BOUND {
            let higher = self.above[path];
            steps |= reached & !higher & !between(higher);
            reached = higher;
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

    fn heights(stacks: [usize; 6]) -> Heights {
        let mut above = [0; HEIGHT_BOUND];
        for (direction, height) in stacks.into_iter().enumerate() {
            for level in above.iter_mut().take(height) {
                *level |= 1 << direction;
            }
        }
        Heights { above }
    }

    /// The rule as stated: a step must not pass between two stacks that are higher than both of its
    /// ends, and it must keep contact with the hive.
    fn may_step(stacks: [usize; 6], from: usize, direction: usize) -> bool {
        let (left, right) = (stacks[(direction + 1) % 6], stacks[(direction + 5) % 6]);
        let path = from.max(stacks[direction]);
        left.min(right) <= path && (path > 0 || left.max(right) > 0)
    }

    #[test]
    fn steps_match_the_rule_for_all_heights() {
        for code in 0..4usize.pow(6) {
            let stacks: [usize; 6] = std::array::from_fn(|i| code / 4usize.pow(i as u32) % 4);
            for from in 0..5 {
                let steps = heights(stacks).steps_from(from);
                for direction in 0..6 {
                    assert_eq!(
                        steps >> direction & 1 != 0,
                        may_step(stacks, from, direction),
                        "{stacks:?} from {from} to {direction}"
                    );
                }
            }
        }
    }

    #[test]
    fn slides_match_steps_on_the_ground() {
        for ring in 0..64u8 {
            let stacks: [usize; 6] = std::array::from_fn(|i| usize::from(ring >> i & 1));
            assert_eq!(slides(ring), heights(stacks).steps_from(0) & !ring);
        }
    }
}
