//! The referee: the contest's game server.
//!
//! Decisions are made without I/O or clock, which makes them easy to test: [`room`](crate::room)
//! referees a game, [`lobby`] assigns seats.
//!
//! [`run`] connects them to the network with tokio. Every connection has tasks for reading and
//! writing, and every room has one for its time limits. A room is locked during an action. Output
//! is queued, so the server never waits for a client. Clients that do not read are dropped.
//! [`write_replay`] stores finished games, and a [`GameReport`] announces each of them.

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
