//! Pictures of contest positions. Knows the game and its board, nothing of search, wires or files.
//!
//! - [`terminal`] draws with characters.
//! - [`svg`] draws vector graphics; [`game_page`] puts those of a whole game on a web page.

mod page;
pub mod svg;
pub mod terminal;

pub(crate) use page::escape;
pub use page::{PagePly, game_page};
