//! Positions drawn with characters.
//!
//! The board is a honeycomb of cells with their tips up, as [`Direction`](crate::hex::Direction) lays them out:
//!
//! ```text
//!     0↘  1↘
//!      ╱ ╲ ╱ ╲
//! -1↘ │rQ │bB²│
//!    ╱ ╲ ╱ ╲ ╱ ╲
//!   │▒▒▒│   [rA ]
//! ```
//!
//! - A piece shows its owner (`r`, `b`, `w`; its colour instead where there are colours) and its kind's letter, a stack the
//!   topmost piece and its height as a raised number. What lies below is told by the [`legend`].
//! - Where pieces of a kind are told apart, a single one shows its number, too: `wA1`.
//! - `▒▒▒` is a bramble; `[ ]` surrounds the field to which the last move went, `( )` the one it came from.
//! - The rim of a board with an edge carries the coordinates: an x belongs to all fields on its line down to the right (↘), a y to
//!   all on its line up to the right (↗).
//!
//! [`board`] and [`legend`] give [`Text`]s that can be set side by side; [`draw`] does so. A [`Screen`] shows one after the
//! other.

mod board;
mod honeycomb;
mod legend;
mod look;
mod screen;
#[cfg(test)]
mod tests;
mod text;

pub use board::{board, board_line};
pub use legend::legend;
pub use look::{Look, Role};
pub use screen::{Screen, Size};
pub use text::{Line, Text};

use crate::game::Scene;

/// Columns between the board and what stands beside it.
pub const GAP: usize = 3;

/// The board with its legend to the right.
pub fn draw(scene: &Scene, look: Look) -> Text {
    board(scene, look).beside(legend(scene, look), GAP)
}

/// The same for so many columns: where a hive takes too many of them, its legend stands below it.
pub fn draw_within(scene: &Scene, look: Look, columns: usize) -> Text {
    let drawing = draw(scene, look);
    if scene.has_coordinates || drawing.width() <= columns {
        return drawing;
    }
    let mut gap = Text::new();
    gap.push("");
    board(scene, look).above(gap).above(legend(scene, look))
}
