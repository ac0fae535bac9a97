//! The engine that Hive viewers use, over the Universal Hive Protocol: lines of text on standard input and output.
//!
//! - `command`: what a line asks for
//! - `engine`: the game, the options, and the answers
//! - `options`: what a viewer can set
//! - `searcher`: the search for a move
//! - `perft`: counting beside the dialogue
//! - `session`: the dialogue itself
//!
//! Input is read as leniently as other engines do, output is exactly what the protocol says. Nothing that comes in ends the
//! engine but `exit`, the end of the input, and at a terminal an interrupt while it is idle.

mod command;
mod engine;
mod options;
mod perft;
mod searcher;
mod session;

pub use options::{EvaluationSource, Options};
pub use session::{Ending, Event, IdleInterrupt, Session};
