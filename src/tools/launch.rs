//! The hidden subcommand that starts the programs of an arena; see [`launch`].

use std::ffi::OsString;
use std::io;
use std::process::ExitCode;

use wabe_arena::{CANNOT_START, launch, set_launcher};

const NAME: &str = "launch-program";

/// Becomes the program if this process was started for that, and otherwise makes this executable
/// the launcher. Returns the exit status of a launcher that failed. It stands before the reading of
/// other arguments, which would take a part of each start.
pub(crate) fn run() -> Option<ExitCode> {
    let words: Vec<OsString> = std::env::args_os().skip(1).collect();
    match words.split_first() {
        Some((name, words)) if name == NAME => {
            let error = launch(words);
            eprintln!("{error}");
            let [not_found, not_executable] = CANNOT_START;
            Some(if error.kind() == io::ErrorKind::NotFound {
                not_found.into()
            } else {
                not_executable.into()
            })
        }
        _ => {
            set_launcher(NAME);
            None
        }
    }
}
