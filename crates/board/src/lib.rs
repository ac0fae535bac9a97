//! The board in a browser.
//!
//! - `page/` is the page itself, in JavaScript. It knows no rules: it asks, and draws what it gets.
//! - [`protocol`] has the messages between page and engine.
//! - A [`Session`] is the engine's side of one page, without sockets and threads: it answers
//!   questions about positions (`answer.rs`, with the drawn positions of `view.rs`) and runs
//!   searches and reviews in slices (`search.rs`). The page without a server runs it in a worker.
//! - [`serve`] is the web server: the page's files, and a WebSocket for each open page. A
//!   [`PageSession`] runs the page's [`Session`] on a thread and sends its answers to an
//!   [`Outlet`]. A [`Budget`] shares threads and memory between pages.
//! - [`LiveGames`] are games that pages can watch: a match ([`LiveGame`]), the games of an arena's
//!   run ([`Broadcast`]), the rooms of a referee ([`Rooms`]).
//! - [`offline_page`] writes a page with a game that needs no server.

mod answer;
mod assets;
#[cfg(feature = "server")]
mod budget;
#[cfg(feature = "server")]
mod live;
mod offline;
#[cfg(feature = "server")]
mod page_session;
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
#[cfg(feature = "server")]
pub use live::{Broadcast, LiveGame, LiveGames, Rooms};
pub use offline::offline_page;
#[cfg(feature = "server")]
pub use page_session::{Outlet, PageSession};
pub use search::reviewed_move;
#[cfg(feature = "server")]
pub use server::{BoardOptions, serve};
pub use session::Session;
pub use view::{findings, view};

/// A game that the board shows, records and searches.
pub trait BoardGame: Playable + Recorded {}

impl<G: Playable + Recorded> BoardGame for G {}
