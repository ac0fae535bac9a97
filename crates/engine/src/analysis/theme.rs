//! Themes of puzzles: what their solutions are about.

use super::puzzle::{Goal, Puzzle};
use wabe_hive::game::Game;
use wabe_hive::hex::{Cell, CellSet, Grid};
use wabe_hive::{CellSetOf, Color, Move, PieceKind, Position};

/// A feature of a puzzle's solution.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Theme {
    /// Only one field around the enemy queen is free.
    LastField,
    /// It fills one of several free fields around the enemy queen.
    Hunt,
    /// It moves onto the enemy queen.
    OnQueen,
    /// It moves an enemy piece.
    Throw,
    /// It moves the own queen.
    QueenMove,
    /// It places a piece.
    Drop,
    /// It leaves the enemy at least two movable pieces fewer.
    Pin,
    /// It closes a gate: the enemy queen is not pinned, but can no longer slide to a free field.
    Gate,
    /// It goes to no field around the enemy queen.
    Quiet,
}

/// Fewest enemy pieces that lose their mobility in [`Theme::Pin`].
const PINNED: usize = 2;

impl Theme {
    /// The name in files and messages.
    pub fn name(self) -> &'static str {
        match self {
            Theme::LastField => "last-field",
            Theme::Hunt => "hunt",
            Theme::OnQueen => "on-queen",
            Theme::Throw => "throw",
            Theme::QueenMove => "queen-move",
            Theme::Drop => "drop",
            Theme::Pin => "pin",
            Theme::Gate => "gate",
            Theme::Quiet => "quiet",
        }
    }
}

impl<G: Game> Puzzle<G> {
    /// The themes of the solution's first move.
    pub fn themes(&self) -> Vec<Theme> {
        let (position, Some(&mv)) = (self.record.position(), self.line.first()) else {
            return Vec::new();
        };
        let side = position.side_to_move();
        let enemy = side.opponent();
        let after = position.after(mv);
        let mut themes = Vec::new();
        let free = position.free_around_bee(enemy);
        if self.goal == Goal::Win && free == Some(1) {
            themes.push(Theme::LastField);
        }
        if let (Some(queen), Some(to)) = (position.bee(enemy), mv.destination()) {
            let around = G::Grid::neighbours(CellSet::single(queen));
            if to == queen {
                themes.push(Theme::OnQueen);
            } else if !around.contains(to) {
                themes.push(Theme::Quiet);
            } else if position.free().contains(to) && free > Some(1) {
                themes.push(Theme::Hunt);
            }
        }
        match mv {
            Move::Place { .. } => themes.push(Theme::Drop),
            Move::Drag { from, .. } if position.tops(enemy).contains(from) => {
                themes.push(Theme::Throw);
            }
            Move::Drag { from, .. } if uncovered_queen(position, side) == Some(from) => {
                themes.push(Theme::QueenMove);
            }
            _ => {}
        }
        let movable = |position: &Position<G>| position.unpinned(enemy).count_cells();
        if movable(position) >= movable(&after) + PINNED {
            themes.push(Theme::Pin);
        }
        let is_unpinned = |queen| after.unpinned(enemy).contains(queen);
        if after.bee(enemy).is_some_and(is_unpinned) {
            let before = queen_slides(&position.after(Move::Pass), enemy) & after.free();
            if !(before - queen_slides(&after, enemy)).is_empty() {
                themes.push(Theme::Gate);
            }
        }
        themes
    }
}

/// The field of the queen of `side` if no beetle is on it.
fn uncovered_queen<G: Game>(position: &Position<G>, side: Color) -> Option<Cell> {
    let is_on_top = |&cell: &Cell| position.top(cell).is_some_and(|p| p.kind == PieceKind::BEE);
    position.bee(side).filter(is_on_top)
}

/// Where the queen of `side`, which is to move, can go.
fn queen_slides<G: Game>(position: &Position<G>, side: Color) -> CellSetOf<G> {
    let mut fields = CellSet::EMPTY;
    let queen = uncovered_queen(position, side);
    for mv in position.legal_moves() {
        if let Move::Drag { from, to } = mv
            && queen == Some(from)
        {
            CellSet::insert(&mut fields, to);
        }
    }
    fields
}

#[cfg(test)]
mod tests {
    use super::*;
    use wabe_hive::contest::{Contest, Deal};
    use wabe_hive::game::Record;

    #[test]
    fn beetles_are_not_taken_for_queens() {
        for (position, is_queen) in [
            ("12 - 0,0:rQ;0,1:rB;1,0:bQ -/-", true),
            ("12 - 0,0:rQrB;0,1:rA;1,0:bQ -/-", false),
        ] {
            let record = Record::<Contest>::new(Deal::Contest, position.parse().unwrap());
            let puzzle = Puzzle {
                record,
                goal: Goal::Win,
                plies: 1,
                line: vec!["drag 0,0 1,-1".parse().unwrap()],
            };
            let themes = puzzle.themes();
            assert_eq!(themes.contains(&Theme::QueenMove), is_queen, "{themes:?}");
        }
    }
}
