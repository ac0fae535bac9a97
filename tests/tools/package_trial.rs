//! `scripts/try_package.py`, which decides whether a package is good.
//!
//! It needs Python 3; without it the tests say so and pass.
#![cfg(target_os = "linux")]

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use tempfile::TempDir;

const ROOT: &str = env!("CARGO_MANIFEST_DIR");
const WABE: &str = env!("CARGO_BIN_EXE_wabe");
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

fn has_python() -> bool {
    let version = Command::new("python3").arg("--version").output();
    let found = version.is_ok_and(|output| output.status.success());
    if !found {
        eprintln!("skipped: there is no python3");
    }
    found
}

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
fn a_package_that_plays_both_colours_to_the_end_is_good() {
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
fn a_package_that_crashes_is_refused() {
    if has_python() {
        assert_refused(
            &try_program("#!/bin/sh\nexit 3\n"),
            &["ended with exit status 3 before"],
        );
    }
}

#[test]
fn a_package_that_asks_for_more_than_the_contests_memory_is_refused() {
    if has_python() {
        let output = try_program("#!/bin/sh\nexec python3 -c 'bytearray(3 << 30)'\n");
        assert_refused(&output, &["ended with exit status 1 before", "MemoryError"]);
    }
}

#[test]
fn a_client_told_to_take_more_than_the_contests_memory_makes_do_with_less() {
    if has_python() {
        let output = try_program(&client("--memory 3000 --nodes 20"));
        assert!(output.status.success(), "{output:?}");
    }
}

#[test]
fn a_package_that_ends_with_an_error_after_a_fine_game_is_refused() {
    if has_python() {
        let program = format!("#!/bin/sh\nshift\n'{WABE}' play --player greedy \"$@\"\nexit 4\n");
        assert_refused(&try_program(&program), &["ended with exit status 4"]);
    }
}

#[test]
fn a_package_without_its_script_is_refused() {
    if has_python() {
        let output = try_package(&[("wabe-x86-64", "")]);
        assert_refused(&output, &["there is no start.sh"]);
    }
}

#[test]
fn a_package_of_another_client_is_tried_by_its_script_alone() {
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

/// `scripts/package.sh` before it builds anything.
#[test]
fn a_name_that_cannot_be_the_packages_is_refused_and_left_as_it_is() {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("start.sh"), "kept").unwrap();
    fs::create_dir(folder.path().join("folder.zip")).unwrap();
    for (name, why) in [
        ("start.sh", "ends in .zip"),
        ("my.tar", "ends in .zip"),
        ("missing/my.zip", "no folder missing"),
        ("folder.zip", "is a folder"),
        ("--no-such-option", "no such option"),
    ] {
        let output = Command::new(Path::new(ROOT).join("scripts/package.sh"))
            .arg(name)
            .current_dir(folder.path())
            .output()
            .unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{name}: {stderr}");
        assert!(stderr.contains(why), "{name}: {stderr}");
    }
    assert_eq!(
        fs::read_to_string(folder.path().join("start.sh")).unwrap(),
        "kept"
    );
    assert!(!folder.path().join("missing").exists());
}
