//! The board in a browser.
//!
//! - [`protocol`] has the messages between page and engine.
//! - A [`Session`] is the engine's side of one page; it knows nothing of sockets. A [`SlicedSession`] is the same without threads.
//! - [`serve`] is the web server: the page's files and a WebSocket for each open page.
//! - `page/` is the page itself.

mod answer;
mod assets;
#[cfg(feature = "board")]
mod budget;
#[cfg(feature = "board")]
mod live;
mod offline;
pub mod protocol;
mod search;
#[cfg(feature = "board")]
mod server;
#[cfg(feature = "board")]
mod session;
mod sliced;
#[cfg(test)]
mod tests;
mod view;

pub use answer::opened;
#[cfg(feature = "board")]
pub use budget::Budget;
#[cfg(feature = "board")]
pub use live::{Broadcast, LiveGame, LiveGames, LivePlies, Rooms};
pub use offline::offline_page;
pub use search::reviewed_move;
#[cfg(feature = "board")]
pub use server::{BoardOptions, serve};
#[cfg(feature = "board")]
pub use session::{Outlet, Session};
pub use sliced::SlicedSession;
pub use view::{findings_of, view_of};
