//! Runs the program under test.
#![allow(dead_code, unreachable_pub)] // each test binary uses some of it

use std::path::Path;
use std::process::{Command, Output};

pub const WABE: &str = env!("CARGO_BIN_EXE_wabe");

/// The program without a log level from the environment.
pub fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(WABE);
    command.args(arguments).env_remove("RUST_LOG");
    command
}

pub fn wabe(arguments: &[&str]) -> Output {
    command(arguments).output().unwrap()
}

pub fn arena(arguments: &[&str]) -> Output {
    wabe(&[&["arena"], arguments].concat())
}

/// Standard output of a run that must succeed.
pub fn succeed(arguments: &[&str]) -> String {
    let output = wabe(arguments);
    assert!(output.status.success(), "{arguments:?}: {output:?}");
    stdout(&output)
}

pub fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

pub fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Standard output and standard error.
pub fn texts(output: &Output) -> (String, String) {
    (stdout(output), stderr(output))
}

pub fn path_in(folder: impl AsRef<Path>, name: &str) -> String {
    folder.as_ref().join(name).to_str().unwrap().to_owned()
}

/// Writes an executable shell script of these lines. Returns its path.
#[cfg(unix)]
pub fn script(folder: &Path, name: &str, lines: &str) -> String {
    use std::os::unix::fs::PermissionsExt;

    let path = path_in(folder, name);
    std::fs::write(&path, format!("#!/bin/sh\n{lines}\n")).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    path
}

/// True if there is Python 3.8 or newer; tests of scripts are skipped without it.
pub fn has_python() -> bool {
    let version = Command::new("python3")
        .args(["-c", "import sys; sys.exit(sys.version_info < (3, 8))"])
        .status();
    let found = version.is_ok_and(|status| status.success());
    if !found {
        eprintln!("skipped: there is no python3 of version 3.8 or newer");
    }
    found
}
