//! The referee: the contest's game server.
//!
//! What happens is decided without I/O and without a clock, so that it can be tested that way:
//!
//! - [`room`]: one game, its two players and its observers
//! - [`lobby`]: which rooms there are and who may go into them
//!
//! Around that, with tokio:
//!
//! - [`run`] accepts connections until it is told to stop. Every connection has a task that reads and one that writes, every
//!   room has one task. They talk through queues, and nothing ever waits for a client: one that does not take what is sent
//!   to it loses its connection.
//! - [`write_replay`] keeps finished games; a [`GameReport`] tells of each.

mod client;
mod config;
mod connection;
mod hub;
pub mod lobby;
mod replay;
mod report;
pub mod room;
mod room_task;
mod run;
mod scores;
mod session;
mod start;
mod throttle;

pub use config::{Config, Password, ResourceLimits, TimeLimits, TimeLimitsError};
pub use replay::{write_game, write_replay};
pub use report::GameReport;
pub use run::run;
pub use start::{Start, StartSource};
