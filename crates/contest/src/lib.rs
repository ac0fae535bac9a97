//! The Software Challenge 2020: its XML protocol and the state machine of a game. The feature `net`
//! adds client, referee and bot.
//!
//! ```no_run
//! use wabe_contest::engine::search::{Limits, Search};
//! use wabe_contest::hive::contest::Contest;
//!
//! # #[cfg(feature = "net")]
//! fn main() -> std::process::ExitCode {
//!     let mut search = Search::<Contest>::new();
//!     wabe_contest::run_bot(move |game, time| search.best(game, Limits::Time(time.left())).unwrap())
//! }
//! ```
//!
//! - [`protocol`]: converts bytes to messages and positions, and back
//! - [`room`]: the referee of one game, without I/O
//! - `client`: plays one game on a server
//! - `server`: the referee, with connections, rooms and administrators
//! - `bot`: a client that calls a function for its moves

#[cfg(feature = "net")]
pub mod bot;
#[cfg(feature = "net")]
pub mod client;
pub mod protocol;
pub mod room;
#[cfg(feature = "net")]
pub mod server;
#[cfg(feature = "net")]
mod socket;

#[cfg(feature = "net")]
pub use bot::{Time, run_bot};
#[cfg(feature = "net")]
pub use wabe_engine as engine;
pub use wabe_hive as hive;
