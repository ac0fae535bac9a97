//! The referee: the contest's game server.
//!
//! Decisions are made without I/O and without a clock, so that tests need neither: those of one
//! game in [`room`](crate::room), those of admission to rooms in [`lobby`].
//!
//! [`run`] puts tokio around them. Every connection has a task that reads and one that writes, and
//! every room has one for its time limits. A room is locked for one action at a time. Output goes
//! to queues, so nothing waits for a client: a client that does not read its output is dropped.
//! [`write_replay`] keeps finished games; a [`GameReport`] announces each.

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
