//! Clients that play a game on a server or observe games.
//!
//! - [`PlayerSession`] is the session without I/O: it takes bytes, returns events, and encodes
//!   replies.
//! - [`play`] runs a session over TCP. An [`Engine`](wabe_engine::thread::Engine) searches and
//!   answers through a channel. If it panics or overruns, a fallback move is sent instead.
//! - [`observe`] receives all messages of rooms, as an administrator.
//!
//! The time for a move starts when the bytes of its request arrive.

mod error;
mod margin;
mod observer;
mod report;
mod run;
mod session;

pub use error::{ClientError, Interruption, ReplyError, SessionError};
pub use observer::observe;
pub use run::{Address, Options, play};
pub use session::{Event, GameOver, PlayerSession, Request, RequestId};
