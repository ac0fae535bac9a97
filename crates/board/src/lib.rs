//! The board in a browser.
//!
//! - [`protocol`] has the messages between page and engine.
//! - A [`Session`] is the engine's side of one page; it knows nothing of sockets and threads. The server
//!   runs it on a worker thread of its [`PageSession`].
//! - [`serve`] is the web server: the page's files and a WebSocket for each open page.
//! - `page/` is the page itself.

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
