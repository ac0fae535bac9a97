//! The board in a browser.
//!
//! - [`protocol`] has the messages between page and engine.
//! - A [`Session`] is the engine's side of one page; it knows nothing of sockets.
//! - [`serve`] is the web server: the page's files and a WebSocket for each open page.
//! - `page/` is the page itself.

mod answer;
mod assets;
mod budget;
mod live;
mod offline;
pub mod protocol;
mod server;
mod session;
#[cfg(test)]
mod tests;
mod view;

pub use answer::opened;
pub use budget::Budget;
pub use live::{Broadcast, LiveGame, LiveGames, LivePlies, Rooms};
pub use offline::offline_page;
pub use server::{BoardOptions, serve};
pub use session::{Outlet, Session};
