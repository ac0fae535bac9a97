//! `scripts/compare-builds.sh`.
#![cfg(unix)]

use std::process::Command;

use tempfile::TempDir;

use crate::wabe::{WABE, texts};

/// Plays a build against itself, with all files in `scratch`. Returns stdout and stderr.
fn selfplay(scratch: &TempDir, options: &str, code: i32) -> (String, String) {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/scripts/compare-builds.sh");
    let output = Command::new(script)
        .args([WABE, WABE])
        .args(options.split_whitespace())
        .env("WABE", WABE)
        .env("CARGO_TARGET_DIR", scratch.path().join("target"))
        .current_dir("/")
        .output()
        .unwrap();
    let (out, err) = texts(&output);
    assert_eq!(output.status.code(), Some(code), "{out}{err}");
    (out, err)
}

#[test]
fn selfplay_script_continues_a_run() {
    let scratch = TempDir::new().unwrap();
    let run = |games| {
        let options = format!("--nodes 5 --no-sprt --games {games}");
        selfplay(&scratch, &options, 0)
    };
    let (out, err) = run(2);
    assert!(out.contains("games    2: "), "{out}");
    assert!(out.contains(" again\n"), "{out}");
    assert!(err.contains("the same command continues them"), "{err}");
    let (out, err) = run(4);
    assert!(out.contains("games    4: "), "{out}");
    assert!(!err.contains("pair 1:"), "played again: {err}");
    let runs = scratch.path().join("target/compare-builds/runs");
    assert_eq!(runs.read_dir().unwrap().count(), 1);
}

#[test]
fn selfplay_script_plays_standard_hive() {
    let scratch = TempDir::new().unwrap();
    let options = "--game Base+MLP --depth 0 --memory=16 --no-sprt --games=2 --max-plies=20";
    let (out, _) = selfplay(&scratch, options, 0);
    assert!(out.contains("as white 1: "), "{out}");
    assert!(!out.contains("fault:"), "{out}");
}

#[test]
fn selfplay_script_exits_like_the_sprt() {
    let scratch = TempDir::new().unwrap();
    let options = "--a=nodes=1 --b=nodes=60 --sprt elo0=0 elo1=400";
    let (out, _) = selfplay(&scratch, options, 3);
    assert!(out.contains("H0 accepted"), "{out}");
}
