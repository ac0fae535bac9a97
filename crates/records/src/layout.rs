//! The coordinates of a diagram.

use std::collections::BTreeMap;

use crate::diagram::Point;
use wabe_hive::hex::{Cell, CellSet, Direction, Grid, Hex};
use wabe_hive::{CellSetOf, Position, RuleBook};

const ORIGIN: Point = Point::new(0, 0);

/// The cells to draw, with their coordinates in a plane.
///
/// A board with an edge is drawn completely. On a board that wraps around, only the hive and its
/// neighbouring cells are drawn: coordinates do not jump at the seam, and pieces that do not move
/// keep theirs from ply to ply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout(BTreeMap<Cell, Point>);

impl Layout {
    /// The layout of the first position of a game.
    pub fn start<R: RuleBook>(position: &Position<R>) -> Layout {
        if R::Grid::IS_UNBOUNDED {
            let origin = R::Grid::cell(Hex::new(0, 0));
            let start = Layout(origin.map(|cell| (cell, ORIGIN)).into_iter().collect());
            return start.followed_by(position);
        }
        let place = |cell| {
            let Hex { x, y } = R::Grid::hex(cell);
            (cell, Point::new(x.into(), y.into()))
        };
        Layout(R::Grid::FIELDS.into_iter().map(place).collect())
    }

    /// The layout of a position one ply later. It restarts at the origin if this layout contains
    /// none of the occupied cells.
    #[must_use]
    pub fn followed_by<R: RuleBook>(&self, position: &Position<R>) -> Layout {
        let mut rest: CellSetOf<R> = position.occupied();
        if !R::Grid::IS_UNBOUNDED || rest.is_empty() {
            return self.clone();
        }
        let known = rest.into_iter().find(|cell| self.0.contains_key(cell));
        let Some(first) = known.or_else(|| rest.first()) else {
            return self.clone();
        };
        let origin = self.0.get(&first).copied().unwrap_or(ORIGIN);
        let mut places = BTreeMap::from([(first, origin)]);
        let mut found = vec![(first, origin)];
        rest.remove(first);
        while let Some((cell, point)) = found.pop() {
            for direction in Direction::ALL {
                let Some(beside) = R::Grid::neighbour(cell, direction) else {
                    continue;
                };
                let place = point.beside(direction);
                places.insert(beside, place);
                if rest.contains(beside) {
                    rest.remove(beside);
                    found.push((beside, place));
                }
            }
        }
        Layout(places)
    }

    /// Coordinates of a cell; `None` if it is not drawn.
    pub fn place(&self, cell: Cell) -> Option<Point> {
        self.0.get(&cell).copied()
    }

    /// All drawn cells with their coordinates.
    pub fn places(&self) -> impl Iterator<Item = (Cell, Point)> {
        self.0.iter().map(|(&cell, &place)| (cell, place))
    }
}
