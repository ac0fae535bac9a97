//! `scripts/try_package.py`, which decides whether a package is good.
//!
//! It needs Python 3; without it the tests say so and pass.
#![cfg(target_os = "linux")]

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use tempfile::TempDir;

use crate::wabe::{WABE, has_python};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");
const PATIENT_WABE: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/tests/programs/patient-wabe.sh"
);

/// Passes in the first round, where that is never allowed.
const RULE_BREAKER: &str = r#"#!/usr/bin/env python3
import socket, sys
arguments = dict(zip(sys.argv[2::2], sys.argv[3::2]))
server = socket.create_connection((arguments["--host"], int(arguments["--port"])))
server.sendall(f'<protocol><joinPrepared reservationCode="{arguments["--reservation"]}"/>'.encode())
received = b""
while b"MoveRequest" not in received:
    received += server.recv(65536)
room = received.partition(b'roomId="')[2].partition(b'"')[0].decode()
server.sendall(f'<room roomId="{room}"><data class="skipmove"/></room>'.encode())
while server.recv(65536):
    pass
"#;

/// What comes of a package of these files.
fn try_package(files: &[(&str, &str)]) -> Output {
    let folder = TempDir::new().unwrap();
    for (name, content) in files {
        fs::write(folder.path().join(name), content).unwrap();
    }
    let archive = folder.path().join("package.zip");
    let packed = Command::new("python3")
        .args(["-m", "zipfile", "-c"])
        .arg(&archive)
        .args(files.iter().map(|(name, _)| name))
        .current_dir(folder.path())
        .status()
        .unwrap();
    assert!(packed.success());
    try_archive(&archive)
}

fn try_archive(archive: &Path) -> Output {
    Command::new("python3")
        .arg(Path::new(ROOT).join("scripts/try_package.py"))
        .arg(archive)
        .args(["--opponent", "greedy"])
        .args(["--wabe", PATIENT_WABE])
        .env("WABE_UNDER_TEST", WABE)
        .env("MATCH_PATIENCE", "60")
        .output()
        .unwrap()
}

/// What comes of a package with the real script and this in place of the binary.
fn try_program(program: &str) -> Output {
    let script = fs::read_to_string(Path::new(ROOT).join("start.sh")).unwrap();
    try_package(&[("start.sh", &script), ("wabe-x86-64", program)])
}

/// The client with these options.
fn client(options: &str) -> String {
    format!("#!/bin/sh\nshift\nexec '{WABE}' play {options} \"$@\"\n")
}

fn assert_refused(output: &Output, why: &[&str]) {
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(why.iter().all(|words| stderr.contains(words)), "{stderr}");
}

#[test]
fn good_packages_pass() {
    if !has_python() {
        return;
    }
    let output = try_program(&client("--player greedy"));
    assert!(output.status.success(), "{output:?}");
    let stdout = String::from_utf8_lossy(&output.stdout);
    let colors: Vec<&str> = stdout
        .lines()
        .skip(1)
        .filter_map(|line| line.split_whitespace().nth(1))
        .collect();
    assert_eq!(colors, ["red", "blue"], "{stdout}");
}

#[test]
fn a_package_that_breaks_a_rule_is_refused() {
    if has_python() {
        assert_refused(
            &try_program(RULE_BREAKER),
            &["x86-64 as red: lost by RULE_VIOLATION"],
        );
    }
}

#[test]
fn packages_with_bad_exit_codes_fail() {
    if has_python() {
        let program = format!("#!/bin/sh\nshift\n'{WABE}' play --player greedy \"$@\"\nexit 4\n");
        assert_refused(&try_program(&program), &["ended with exit status 4"]);
    }
}

#[test]
fn packages_of_other_clients_need_a_script() {
    if has_python() {
        // A line that wabe would not write is the other client's own affair.
        let script = format!("echo ERROR: not really\nexec '{WABE}' play --player greedy \"$@\"\n");
        let output = try_package(&[("start.sh", &script)]);
        assert!(output.status.success(), "{output:?}");
        let stdout = String::from_utf8_lossy(&output.stdout);
        let tried: Vec<&str> = stdout
            .lines()
            .skip(1)
            .filter_map(|line| line.split_whitespace().next())
            .collect();
        assert_eq!(tried, ["start.sh", "start.sh"], "{stdout}");
    }
}

#[test]
fn what_is_no_zip_is_named_in_one_line() {
    if !has_python() {
        return;
    }
    let folder = TempDir::new().unwrap();
    let text = folder.path().join("text.zip");
    fs::write(&text, "not a ZIP").unwrap();
    for (archive, why) in [
        (folder.path().join("missing.zip"), "cannot read"),
        (folder.path().to_owned(), "cannot read"),
        (text, "is no ZIP"),
    ] {
        let output = try_archive(&archive);
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{stderr}");
        assert_eq!(stderr.lines().count(), 1, "{stderr}");
        assert!(stderr.contains(why), "{stderr}");
    }
}
