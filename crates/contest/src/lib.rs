//! The Software Challenge 2020: its XML protocol, the state machine of a game, and, with the feature `net`, client, referee and bot.
//!
//! - [`protocol`]: bytes to messages and positions, and back
//! - [`room`]: a game as its referee sees it, without I/O

#[cfg(feature = "net")]
pub mod bot;
#[cfg(feature = "net")]
pub mod client;
pub mod protocol;
pub mod room;
#[cfg(feature = "net")]
pub mod server;

#[cfg(feature = "net")]
pub use bot::{Time, run_bot};
