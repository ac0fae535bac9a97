//! Recorded games and diagrams of positions.
//!
//! - A [`Replay`] is a recorded game with its comments, times and stated result. [`read`] reads all
//!   games of a file.
//! - [`Recorded`] detects, reads and writes a game's file formats. `contest.rs` implements it for
//!   the contest's XML, `standard/` for PGN, SGF, game strings and hivegame.com analyses.
//! - A [`Diagram`](diagram::Diagram) is a position to draw: stacks at coordinates that stay stable
//!   from ply to ply (`layout.rs`), reserves and move marks. [`view`] draws it as SVG or in a
//!   terminal.
//! - [`games`] contains the games' names on the command line and in files. [`with_game!`] maps a
//!   name to a type.

mod collector;
mod contest;
mod damage;
pub mod diagram;
mod error;
mod format;
pub mod games;
mod glyph;
mod json;
pub mod layout;
mod read;
mod replay;
mod result;
mod standard;
mod timing;
mod variation;
pub mod view;

#[doc(hidden)]
pub use wabe_hive;

pub use damage::{Damage, Fault, Place};
pub use error::ReplayError;
pub use format::{FileFormat, Recorded};
pub use glyph::Glyph;
pub use read::{open, read};
pub use replay::Replay;
pub use result::StatedResult;
pub use timing::MoveTimes;
pub use variation::Variation;

/// Maximum number of games per file.
pub const MAX_GAMES: usize = 10_000;

/// Maximum number of plies per file, including variations. They take about 250 MB.
pub const MAX_TOTAL_PLIES: usize = 1_000_000;

/// Maximum number of variations per game.
pub const MAX_VARIATIONS: usize = 1_000;

/// Maximum nesting depth of variations.
pub const MAX_VARIATION_DEPTH: usize = 32;

/// Maximum size of a text file, in bytes.
pub const MAX_TEXT: u64 = 16 << 20;
