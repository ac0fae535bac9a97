//! Pictures of positions. Knows the games and their boards, nothing of search, wires or files.
//!
//! - A [`Scene`] says what there is to see of a position, whatever its rules: [`contest_scene`] of the contest's, [`standard_scene`]
//!   of the standard game's.
//! - [`terminal`] draws it with characters.
//! - [`svg`] draws vector graphics; [`game_page`] puts those of a whole game on a web page.

mod page;
mod scene;
pub mod svg;
pub mod terminal;

pub(crate) use page::escape;
pub use page::{PagePly, game_page};
pub use scene::{
    Figure, InReserve, Paint, Pile, Scene, Spot, Stage, contest_scene, standard_scene,
};
