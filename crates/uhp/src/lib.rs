//! The engine for Hive viewers: the Universal Hive Protocol, lines of text on standard input and
//! output.
//!
//! - `interpreter`: the commands, the game, and the answers
//! - `machine`: the machine's cores and memory, from which the defaults follow
//! - `options`: the settings of a viewer
//! - `session`: the dialogue and its [`Engine`](wabe_engine::thread::Engine)
//!
//! Input is read as leniently as by other engines; output follows the protocol exactly. The engine
//! ends on `exit`, at the end of the input and, at a terminal, on an interrupt while it is idle.

mod interpreter;
mod machine;
mod options;
mod session;

pub use options::Options;
pub use session::{Ending, Event, Session};
