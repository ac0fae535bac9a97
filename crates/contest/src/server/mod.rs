//! The referee: the contest's game server.
//!
//! Decisions are made without I/O and without a clock, so that tests need neither: those of one game in [`room`](crate::room), those of
//! admission to rooms in [`lobby`].
//!
//! [`run`] puts tokio around them. Every connection has a task that reads and one that writes, and every room has one task. They
//! communicate through queues, and none of them waits for a client: a client that does not read its output is dropped.
//! [`write_replay`] keeps finished games; a [`GameReport`] announces each.

mod client;
mod config;
mod connection;
pub mod lobby;
mod mailbox;
mod replay;
mod requests;
mod room_task;
mod run;
mod scores;
mod server_state;

pub use config::{Config, GameReport, Password, ResourceLimits, StartSource};
pub use replay::file_stem;
pub use replay::write_replay;
pub use run::run;
