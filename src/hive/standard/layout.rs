//! Where the pieces of a hive lie in the plane.

use std::collections::BTreeMap;

use super::Position;
use crate::hex::{Cell, CellSet, Direction, Grid, Hex, WideTorus};

/// The cells of a hive, and those beside it, in a plane that does not run back into itself: coordinates do not jump where the board
/// wraps around, and pieces that stay keep theirs from ply to ply.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    places: BTreeMap<Cell, (i32, i32)>,
}

impl Layout {
    /// Before the first ply: the cell of the first piece is the origin.
    pub fn start() -> Layout {
        let origin = WideTorus::cell(Hex::new(0, 0));
        Layout {
            places: origin.map(|cell| (cell, (0, 0))).into_iter().collect(),
        }
    }

    /// The layout of a position one ply later. Without a piece on a cell that this layout has, it begins anew at the origin.
    #[must_use]
    pub fn followed_by(&self, position: &Position) -> Layout {
        let mut rest = position.occupied();
        let known = rest.into_iter().find(|cell| self.places.contains_key(cell));
        let Some(first) = known.or_else(|| rest.first()) else {
            return Layout::start();
        };
        let origin = self.places.get(&first).copied().unwrap_or((0, 0));
        let mut places = BTreeMap::from([(first, origin)]);
        let mut found = vec![(first, origin)];
        rest.remove(first);
        while let Some((cell, (x, y))) = found.pop() {
            for direction in Direction::ALL {
                let Some(beside) = WideTorus::neighbour(cell, direction) else {
                    continue;
                };
                let (dx, dy) = direction.step();
                let place = (x + i32::from(dx), y + i32::from(dy));
                places.insert(beside, place);
                if rest.contains(beside) {
                    rest.remove(beside);
                    found.push((beside, place));
                }
            }
        }
        Layout { places }
    }

    /// The coordinates of a cell of the hive or beside it, as [`Hex`] counts them.
    pub fn place(&self, cell: Cell) -> Option<(i32, i32)> {
        self.places.get(&cell).copied()
    }

    /// All cells of the hive and beside it.
    pub fn places(&self) -> impl Iterator<Item = (Cell, (i32, i32))> {
        self.places.iter().map(|(&cell, &place)| (cell, place))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hive::standard::notation::Game;

    #[test]
    fn a_hive_that_crawls_around_the_board_keeps_its_coordinates() {
        let opening = "Base+MLP;InProgress;White[1];wL;bL wL-;wQ -wL;bQ bL-";
        let mut game: Game = opening.parse().unwrap();
        let mut layout = Layout::start();
        for turn in 0..=4 {
            let mut earlier: Game = opening.parse().unwrap();
            assert!(earlier.undo(4 - turn));
            layout = layout.followed_by(earlier.position());
        }
        let cells = |game: &Game| game.position().occupied();
        // Each queen walks to the other end again and again, as far as she may.
        let mut farthest = 0;
        for _ in 0..120 {
            let moves = game.legal_moves();
            let far = moves
                .iter()
                .filter_map(|&mv| Some((layout.place(mv.destination()?)?, mv)))
                .max_by_key(|&((x, y), _)| x - y);
            let Some(((x, y), mv)) = far else { break };
            let before: Vec<_> = cells(&game)
                .into_iter()
                .map(|c| (c, layout.place(c)))
                .collect();
            let text = game.write(mv);
            game.set_repetition(crate::hive::standard::notation::Repetition::Ignore);
            game.play(&text).unwrap();
            layout = layout.followed_by(game.position());
            assert_eq!(layout.place(mv.destination().unwrap()), Some((x, y)));
            for (cell, place) in before {
                if cells(&game).contains(cell) {
                    assert_eq!(layout.place(cell), place);
                }
            }
            farthest = farthest.max(x - y);
        }
        assert!(farthest > 40, "{farthest}");
    }
}
