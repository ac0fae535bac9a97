//! Runs the program under test.
#![allow(dead_code, unreachable_pub)] // each test binary uses only a part

use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

pub const WABE: &str = env!("CARGO_BIN_EXE_wabe");

/// A game recorded with the contest's server: 42 plies, won by blue.
pub const RECORDING: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/tests/data/transcripts/replay_1.xml.gz"
);

/// A game of standard Hive with stacks of four: 83 plies, won by white.
pub const STACKS: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/tests/data/standard/stacks.uhp"
);

/// A command with the arguments in `line`, quoted as in a shell, without `RUST_LOG`.
pub fn command(line: &str) -> Command {
    let mut command = Command::new(WABE);
    command.args(wabe_arena::split_words(line).unwrap());
    command.env_remove("RUST_LOG");
    command
}

pub fn wabe(line: &str) -> Output {
    command(line).output().unwrap()
}

/// Starts the program with stdout and stderr piped.
pub fn start(line: &str) -> Child {
    let mut command = command(line);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().unwrap()
}

/// Runs a command that must succeed. Returns its stdout.
pub fn succeed(line: &str) -> String {
    let output = wabe(line);
    assert!(output.status.success(), "{line}: {output:?}");
    stdout(&output)
}

/// Runs a command that must fail with this exit code. Returns its stderr.
pub fn fail(line: &str, code: i32) -> String {
    let output = wabe(line);
    assert_eq!(output.status.code(), Some(code), "{line}: {output:?}");
    stderr(&output)
}

pub fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

pub fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Stdout and stderr.
pub fn texts(output: &Output) -> (String, String) {
    (stdout(output), stderr(output))
}

/// Sends a signal such as `TERM`; `0` only checks whether the process exists. Returns false if it
/// does not.
pub fn kill(signal: &str, process: impl std::fmt::Display) -> bool {
    let mut kill = Command::new("kill");
    kill.args([format!("-{signal}"), process.to_string()]);
    kill.stderr(Stdio::null()).status().unwrap().success()
}

pub fn path_in(folder: impl AsRef<Path>, name: &str) -> String {
    folder.as_ref().join(name).to_str().unwrap().to_owned()
}

/// Writes a file in a new temporary folder. Returns the folder and the path.
pub fn file_with(content: impl AsRef<[u8]>) -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let path = path_in(&folder, "game");
    std::fs::write(&path, content).unwrap();
    (folder, path)
}

/// Writes an executable shell script. Returns its path.
#[cfg(unix)]
pub fn script(folder: &Path, name: &str, lines: &str) -> String {
    use std::os::unix::fs::PermissionsExt;

    let path = path_in(folder, name);
    std::fs::write(&path, format!("#!/bin/sh\n{lines}\n")).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    path
}

/// True if Python 3.8 or newer is installed. Tests of scripts are skipped without it.
pub fn has_python() -> bool {
    let version = Command::new("python3")
        .args(["-c", "import sys; sys.exit(sys.version_info < (3, 8))"])
        .status();
    let found = version.is_ok_and(|status| status.success());
    if !found {
        eprintln!("skipped: python3 3.8 or newer not found");
    }
    found
}
