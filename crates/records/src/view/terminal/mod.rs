//! Positions drawn with characters.
//!
//! The board is a honeycomb of cells, each half a cell to the side of those above it, as
//! [`Direction`](wabe_hive::hex::Direction) lays them out:
//!
//! ```text
//!     0↘  1↘
//! -1↘ │rQ │bB²│
//!    │▒▒▒│   [rA ]
//! ```
//!
//! - A piece shows its owner (`r`, `b`, `w`, or its colour) and its kind's letter. A stack shows
//!   the topmost piece and its height as a raised number. The [`legend`] lists its pieces.
//! - If the pieces of a kind are numbered, a single piece also shows its number: `wA1`.
//! - `▒▒▒` is a bramble; `[ ]` marks the target of the last move, `( )` its start.
//! - The rim of a board with an edge carries the coordinates: an x belongs to all fields on its
//!   line down to the right (↘), a y to all on its line up to the right (↗).
//!
//! [`draw`] sets the [`Text`]s of [`board()`] and [`legend()`] side by side. A [`Screen`] shows one
//! drawing after the other.

mod board;
mod legend;
mod look;
mod screen;
#[cfg(test)]
mod tests;
mod text;

pub use board::board;
pub use legend::legend;
pub use look::{Look, Role};
pub use screen::{Screen, Size};
pub use text::{Line, Text};

use crate::diagram::Diagram;

/// Columns between the board and its legend.
const GAP: usize = 3;

/// The board with its legend to the right.
pub fn draw(diagram: &Diagram, look: Look) -> Text {
    board(diagram, look).beside(legend(diagram, look), GAP)
}
