//! `scripts/try_package.py`, which tests a package. Skipped without Python 3.
#![cfg(target_os = "linux")]

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use tempfile::TempDir;

use crate::wabe::{WABE, has_python, stderr, stdout};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");
const PATIENT_WABE: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/tests/programs/patient-wabe.sh"
);

/// Runs the script on a package with these files.
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
        .env("MATCH_TIME_FACTOR", "60")
        .output()
        .unwrap()
}

/// Runs the script on a package with `start.sh`, and this program as the binary.
fn try_program(program: &str) -> Output {
    let script = fs::read_to_string(Path::new(ROOT).join("start.sh")).unwrap();
    try_package(&[("start.sh", &script), ("wabe-x86-64", program)])
}

/// A shell script that plays with these options.
fn client_script(options: &str) -> String {
    format!("#!/bin/sh\nshift\nexec '{WABE}' play {options} \"$@\"\n")
}

/// A column of the table, which has one line per game below its header.
fn column(output: &Output, place: usize) -> Vec<String> {
    assert!(output.status.success(), "{output:?}");
    let text = stdout(output);
    let words = |line: &str| Some(line.split_whitespace().nth(place)?.to_owned());
    text.lines().skip(1).filter_map(words).collect()
}

#[test]
fn good_packages_pass() {
    if !has_python() {
        return;
    }
    let output = try_program(&client_script("--player greedy"));
    assert_eq!(column(&output, 1), ["red", "blue"]);
    // Other clients' scripts may print anything.
    let script = format!("echo ERROR: not really\nexec '{WABE}' play --player greedy \"$@\"\n");
    let output = try_package(&[("start.sh", &script)]);
    assert_eq!(column(&output, 0), ["start.sh", "start.sh"]);
}

#[test]
fn failing_packages_are_rejected() {
    if !has_python() {
        return;
    }
    let crash = format!("#!/bin/sh\nshift\n'{WABE}' play --player greedy \"$@\"\nexit 4\n");
    for (program, why) in [
        (
            include_str!("../programs/rule-breaker.py"),
            "x86-64 as red: lost by RULE_VIOLATION",
        ),
        (&crash, "exited with status 4"),
    ] {
        let output = try_program(program);
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        assert!(stderr(&output).contains(why), "{output:?}");
    }
}

#[test]
fn unreadable_packages_are_one_line_errors() {
    if !has_python() {
        return;
    }
    let folder = TempDir::new().unwrap();
    let text = folder.path().join("text.zip");
    fs::write(&text, "not a ZIP").unwrap();
    for (archive, why) in [
        (folder.path().join("missing.zip"), "cannot read"),
        (folder.path().to_owned(), "cannot read"),
        (text, "is not a valid ZIP"),
    ] {
        let output = try_archive(&archive);
        let stderr = stderr(&output);
        assert_eq!(output.status.code(), Some(2), "{stderr}");
        assert_eq!(stderr.lines().count(), 1, "{stderr}");
        assert!(stderr.contains(why), "{stderr}");
    }
}
