//! Version and notes of a release.
// The script needs a shell.
#![cfg(unix)]

use std::process::{Command, Output};

fn notes(version: &str) -> Output {
    Command::new(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/scripts/release-notes.sh"
    ))
    .arg(version)
    .output()
    .unwrap()
}

#[test]
fn the_version_of_the_package_has_notes() {
    let output = notes(env!("CARGO_PKG_VERSION"));
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success() && text.starts_with("### "));
    // One release, not the next heading as well.
    assert!(!text.contains("\n## "), "{text}");
}

#[test]
fn another_version_has_none() {
    let output = notes("99.0.0");
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(error.contains("not 99.0.0"), "{error}");
    assert!(output.stdout.is_empty());
}
