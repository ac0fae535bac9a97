//! The referee: the contest's game server.
//!
//! Decisions are made without I/O or a clock, so that they are easy to test. [`room`](crate::room)
//! decides about one game, [`lobby`] assigns seats.
//!
//! [`run`] connects them to the network with tokio. Every connection has a task that reads and one
//! that writes, and every room has one for its time limits. A room is locked during an action.
//! Output goes to queues, so the server never waits for a client. A client that does not read its
//! output is dropped. [`write_replay`] stores finished games, and a [`GameReport`] announces each.

mod client;
mod config;
mod connection;
pub mod lobby;
mod open_room;
mod replay;
mod requests;
mod run;
mod scores;
mod server_state;

pub use config::{Config, DEFAULT_PASSWORD, GameReport, ResourceLimits, StartSource};
pub use replay::{file_stem, write_replay};
pub use run::run;
