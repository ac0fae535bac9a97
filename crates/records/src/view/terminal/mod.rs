//! Positions drawn with characters.
//!
//! The board is a honeycomb in the orientation of [`Direction`](wabe_hive::hex::Direction), each
//! row shifted by half a cell:
//!
//! ```text
//!     0↘  1↘
//! -1↘ │rQ │bB²│
//!    │▒▒▒│   [rA ]
//! ```
//!
//! - A piece shows its owner (`r`, `b`, `w`, or the colour) and the letter of its kind. A stack
//!   shows the top piece and the height as a superscript. The [`legend`] lists its pieces.
//! - In games with numbered pieces, a single piece also shows its number: `wA1`.
//! - `▒▒▒` is a bramble. `[ ]` marks the target of the last move, `( )` its start.
//! - A board with an edge is labelled with coordinates: x for lines that run down to the right (↘),
//!   y for lines that run up to the right (↗).
//!
//! [`draw`] joins [`board()`] and [`legend()`] side by side. A [`page()`] adds what a recording says
//! about the position. A [`Screen`] redraws in place.

mod board;
mod color_mode;
mod legend;
mod page;
mod screen;
#[cfg(test)]
mod tests;
mod text;

pub use board::board;
pub use color_mode::{ColorMode, Role};
pub use legend::legend;
pub use page::{page, pages};
pub use screen::{Screen, Size};
pub use text::{Line, Text};

use crate::diagram::Diagram;

/// Columns between board and legend.
const GAP: usize = 3;

/// Draws the board with the legend to its right.
pub fn draw(diagram: &Diagram, color_mode: ColorMode) -> Text {
    board(diagram, color_mode).beside(legend(diagram, color_mode), GAP)
}
