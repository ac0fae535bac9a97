//! The engine that Hive viewers use, over the Universal Hive Protocol: lines of text on standard input and output.
//!
//! - `command`: reads a line
//! - `interpreter`: the game and the options, and the answers
//! - `options`: what a viewer can set
//! - `perft`: counts on a thread of its own
//! - `session`: the dialogue, with an [`Engine`](crate::engine::Engine) that searches
//!
//! Input is read as leniently as other engines do, output is exactly what the protocol says. Only `exit`, the end of the input and, at a
//! terminal, an interrupt while it is idle end the engine.

mod command;
mod interpreter;
mod options;
mod perft;
mod session;

pub use options::{EvaluationSource, Options};
pub use session::{Ending, Event, IdleInterrupt, Session};
