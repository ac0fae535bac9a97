//! When two positions of a game are the same.

use super::super::{GameType, Position};
use crate::hex::{Cell, CellSet, Direction, Grid, WideTorus};
use crate::hive::{CellSetOf, Color, PieceKind};

use super::super::Wide;

/// Whether the third occurrence of a position is a draw.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Repetition {
    /// It is.
    #[default]
    Draw,
    /// A game goes on, whatever is repeated.
    Ignore,
}

/// Occurrences that make a draw.
pub(super) const OCCURRENCES: usize = 3;

/// Everything about a position that decides whether another is the same: the pieces, wherever on the board the hive as a whole
/// lies, whose turn it is, and, where it matters, which piece rests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PositionKey {
    side: Color,
    /// Place, height, owner and kind of each piece, sorted.
    pieces: Vec<((i16, i16), usize, Color, usize)>,
    resting: Option<(i16, i16)>,
}

impl PositionKey {
    pub(super) fn new(position: &Position, game_type: GameType) -> PositionKey {
        let places = places(position.occupied());
        let corner =
            |axis: fn(&(i16, i16)) -> i16| places.iter().map(|(_, at)| axis(at)).min().unwrap_or(0);
        let (left, low) = (corner(|at| at.0), corner(|at| at.1));
        let mut pieces = Vec::new();
        let mut resting = None;
        for &(cell, (x, y)) in &places {
            let place = (x - left, y - low);
            for (height, piece) in position.stack(cell).enumerate() {
                pieces.push((place, height, piece.color, piece.kind.index()));
            }
            // Without pillbugs nobody can move what the other side has moved.
            if game_type.pillbug && position.memory().resting() == Some(cell) {
                resting = Some(place);
            }
        }
        pieces.sort_by_key(|&(place, height, ..)| (place, height));
        PositionKey {
            side: position.side_to_move(),
            pieces,
            resting,
        }
    }
}

/// The cells of a hive with coordinates that do not jump where the board wraps around.
fn places(occupied: CellSetOf<Wide>) -> Vec<(Cell, (i16, i16))> {
    let Some(first) = occupied.first() else {
        return Vec::new();
    };
    let mut places = vec![(first, (0, 0))];
    let mut rest = occupied - CellSet::single(first);
    let mut next = 0;
    while let Some(&(cell, (x, y))) = places.get(next) {
        for direction in Direction::ALL {
            let beside = WideTorus::neighbour(cell, direction).filter(|&cell| rest.contains(cell));
            if let Some(beside) = beside {
                let (dx, dy) = direction.step();
                rest.remove(beside);
                places.push((beside, (x + i16::from(dx), y + i16::from(dy))));
            }
        }
        next += 1;
    }
    places
}
