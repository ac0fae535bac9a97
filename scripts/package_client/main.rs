//! The program of the contest's ZIP.

use std::process::ExitCode;

fn main() -> ExitCode {
    wabe::run_client()
}
