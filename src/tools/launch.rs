//! The hidden subcommand that starts programs for the arena; see [`launch`].

use std::ffi::OsString;
use std::io;
use std::process::ExitCode;

use wabe_arena::{CANNOT_START, launch, set_launcher};

const NAME: &str = "launch-program";

/// If this process was started as a launcher, replaces it by the program; otherwise registers this
/// executable as the launcher. Returns the exit status of a failed launcher. Called before argument
/// parsing, which would slow down every start.
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
