//! Positions drawn with characters.
//!
//! The board is a honeycomb of cells with their tips up, as [`Direction`](wabe_hive::hex::Direction) lays them out:
//!
//! ```text
//!     0↘  1↘
//!      ╱ ╲ ╱ ╲
//! -1↘ │rQ │bB²│
//!    ╱ ╲ ╱ ╲ ╱ ╲
//!   │▒▒▒│   [rA ]
//! ```
//!
//! - A piece shows its owner (`r`, `b`, `w`, or its colour) and its kind's letter; a stack shows the topmost piece and its height as a
//!   raised number. The [`legend`] lists the pieces of each stack.
//! - If the pieces of a kind are numbered, a single piece also shows its number: `wA1`.
//! - `▒▒▒` is a bramble; `[ ]` marks the target of the last move, `( )` its start.
//! - The rim of a board with an edge carries the coordinates: an x belongs to all fields on its line down to the right (↘), a y to
//!   all on its line up to the right (↗).
//!
//! [`draw`] sets the [`Text`]s of [`board()`] and [`legend()`] side by side. A [`Screen`] shows one drawing after the other.

mod board;
mod honeycomb;
mod legend;
mod look;
mod screen;
#[cfg(test)]
mod tests;
mod text;

use board::board_in;
pub use board::{board, board_line};
use honeycomb::Rows;
pub use legend::legend;
use legend::legend_with;
pub use look::{Look, Role};
pub use screen::{Screen, Size};
pub use text::{Line, Text};

use crate::scene::Scene;

/// Columns between the board and its legend.
pub const GAP: usize = 3;

/// The board with its legend to the right.
pub fn draw(scene: &Scene, look: Look) -> Text {
    board(scene, look).beside(legend(scene, look), GAP)
}

/// [`draw`] within a number of lines: if they are too few, the rows of the board move closer together, and then the signs are left out. A
/// position that still needs more lines gets them.
pub fn draw_compact(scene: &Scene, look: Look, lines: usize) -> Text {
    let compact = |has_signs| {
        board_in(scene, look, Rows::Compact).beside(legend_with(scene, look, has_signs), GAP)
    };
    let open = draw(scene, look);
    if open.height() <= lines {
        return open;
    }
    let with_signs = compact(true);
    if with_signs.height() <= lines {
        return with_signs;
    }
    compact(false)
}

/// [`draw`] within a number of columns: the legend of a wide hive goes below it.
pub fn draw_within(scene: &Scene, look: Look, columns: usize) -> Text {
    let drawing = draw(scene, look);
    if scene.has_coordinates || drawing.width() <= columns {
        return drawing;
    }
    let mut gap = Text::new();
    gap.push("");
    board(scene, look).above(gap).above(legend(scene, look))
}
