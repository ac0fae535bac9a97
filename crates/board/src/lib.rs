//! The board as a web page: protocol, engine side and server.
//!
//! - `page/` is the page, in JavaScript. It does not know the rules: the engine sends positions
//!   with all legal moves.
//! - [`protocol`] defines the messages between page and engine.
//! - A [`Session`] is the engine's side of one page, without sockets and threads. It answers
//!   requests about positions (`answer.rs`, `view.rs`), and runs searches and reviews in slices
//!   (`search.rs`). Without a server, the page runs it in a web worker.
//! - [`serve`] is the web server. It serves the page's files and a WebSocket per open page. A
//!   [`PageSession`] runs a page's [`Session`] on a thread and sends answers to an [`ReplySink`]. A
//!   [`Budget`] shares threads and memory between pages.
//! - [`LiveGames`] are games that pages can watch: matches ([`LiveGame`]), arena runs
//!   ([`Broadcast`]), and rooms of a referee ([`Rooms`]).
//! - A [`Library`] keeps the games of pages in a folder.
//! - A [`Form`] converts recorded games to text, pictures, pages and files.
//! - [`offline_page`] writes a game, and [`report_page`] an arena run, as a page that works without
//!   a server.

mod answer;
mod assets;
#[cfg(feature = "server")]
mod budget;
mod export;
#[cfg(feature = "server")]
mod library;
#[cfg(feature = "server")]
mod live;
mod offline;
mod opening;
#[cfg(feature = "server")]
mod page_session;
mod plausible;
pub mod protocol;
mod search;
#[cfg(feature = "server")]
mod server;
mod session;
#[cfg(test)]
mod tests;
mod view;

use wabe_engine::Playable;
use wabe_records::Recorded;

pub use answer::opened;
#[cfg(feature = "server")]
pub use budget::Budget;
pub use export::Form;
#[cfg(feature = "server")]
pub use library::Library;
#[cfg(feature = "server")]
pub use live::{Broadcast, LiveGame, LiveGames, Origin, Rooms};
pub use offline::offline_page;
#[cfg(feature = "server")]
pub use offline::report_page;
pub use opening::keys as opening_keys;
#[cfg(feature = "server")]
pub use page_session::{PageSession, ReplySink};
pub use search::reviewed_move;
#[cfg(feature = "server")]
pub use server::{BoardOptions, serve};
pub use session::Session;
pub use view::{findings, view};

/// A game that the board can show, record and search.
pub trait BoardGame: Playable + Recorded {}

impl<G: Playable + Recorded> BoardGame for G {}
