//! A player's side of a game on a server.
//!
//! - [`Session`] is the conversation without I/O: bytes in, events out, and the bytes to answer with.
//! - [`play`] runs a session over TCP. The search has a thread of its own; the asynchronous side hears from it through a
//!   channel, and answers in its place if it panics or does not end.
//!
//! The clock of a move starts when the bytes of its request arrive; the state was parsed and checked before that.

mod error;
mod report;
mod run;
mod searcher;
mod session;

pub use error::{ClientError, Interruption, ReplyError, SessionError};
pub use report::ScoreLine;
pub use run::{Address, Options, play};
pub use searcher::PlayerFactory;
pub use session::{Event, GameOver, Request, RequestId, Session};
