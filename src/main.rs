//! The `wabe` command; see [`wabe::cli`].

use std::process::ExitCode;

fn main() -> ExitCode {
    wabe::cli::run()
}
