//! The engine side of the Universal Hive Protocol (UHP), lines of text on stdin and stdout.
//!
//! - `input`: a thread that reads stdin
//! - `interpreter`: commands, the game, and answers
//! - `machine`: default numbers of threads and memory, from the machine
//! - `options`: engine options
//! - `session`: the dialogue with a viewer and the [`Engine`](wabe_engine::thread::Engine)
//!
//! Parsing is as lenient as in other engines. Output follows the protocol exactly. The
//! engine exits on `exit`, at the end of input, and at a terminal on Ctrl-C while idle.

mod input;
mod interpreter;
mod machine;
mod options;
mod session;

pub use input::start_input;
pub use options::Options;
pub use session::{Ending, Event, Session};
