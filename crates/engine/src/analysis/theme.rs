//! Themes of puzzles: what their solutions are about.

use super::puzzle::{Goal, Puzzle};
use wabe_hive::game::Game;
use wabe_hive::hex::{CellSet, Grid};
use wabe_hive::{Color, Move, Position};

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
            Move::Drag { from, .. } if position.bee(side) == Some(from) => {
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

/// Where the queen of `side`, which is to move, can go.
fn queen_slides<G: Game>(position: &Position<G>, side: Color) -> <G::Grid as Grid>::Set {
    let moves = position.legal_moves();
    let mut fields = CellSet::EMPTY;
    for &mv in moves.iter() {
        if let Move::Drag { from, to } = mv
            && position.bee(side) == Some(from)
        {
            CellSet::insert(&mut fields, to);
        }
    }
    fields
}
