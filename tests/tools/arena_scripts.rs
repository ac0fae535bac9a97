//! `scripts/selfplay.sh`.
#![cfg(unix)]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

use crate::wabe::{WABE, texts};

fn script(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("scripts")
        .join(name)
}

/// Two builds against each other, with everything that is kept in the scratch folder.
fn selfplay(scratch: &TempDir, arguments: &[&str]) -> Output {
    Command::new(script("selfplay.sh"))
        .args(arguments)
        .env("WABE", WABE)
        .env("CARGO_TARGET_DIR", scratch.path().join("target"))
        .current_dir("/")
        .output()
        .unwrap()
}

#[test]
fn the_same_command_continues_a_run() {
    let scratch = TempDir::new().unwrap();
    let run = |games: &str| {
        let output = selfplay(
            &scratch,
            &[
                WABE,
                WABE,
                "--nodes",
                "5",
                "--no-sprt",
                "--hang-timeout",
                "1000",
                "--games",
                games,
            ],
        );
        let (out, err) = texts(&output);
        assert_eq!(output.status.code(), Some(0), "{out}{err}");
        (out, err)
    };
    let (out, err) = run("2");
    assert!(out.contains("games    2: "), "{out}");
    assert!(out.contains(" again\n"), "{out}");
    assert!(err.contains("the same command goes on with them"), "{err}");
    let (out, err) = run("4");
    assert!(out.contains("games    4: "), "{out}");
    assert!(!err.contains("pair 1:"), "played again: {err}");
    let runs = scratch.path().join("target/selfplay/runs");
    assert_eq!(runs.read_dir().unwrap().count(), 1);
}

#[test]
fn builds_play_standard_hive() {
    let scratch = TempDir::new().unwrap();
    let output = selfplay(
        &scratch,
        &[
            WABE,
            WABE,
            "--game",
            "Base+MLP",
            "--depth",
            "0",
            "--memory=16",
            "--no-sprt",
            "--games=2",
            "--max-plies=20",
            "--hang-timeout=1000",
        ],
    );
    let (out, err) = texts(&output);
    assert_eq!(output.status.code(), Some(0), "{out}{err}");
    assert!(out.contains("as white 1: "), "{out}");
    assert!(!out.contains("fault:"), "{out}");
}

#[test]
fn exit_code_is_that_of_the_sprt() {
    let scratch = TempDir::new().unwrap();
    let output = selfplay(
        &scratch,
        &[
            WABE,
            WABE,
            "--a=nodes=1",
            "--b=nodes=60",
            "--hang-timeout=1000",
            "--sprt",
            "elo0=0",
            "elo1=400",
        ],
    );
    let (out, err) = texts(&output);
    assert_eq!(output.status.code(), Some(3), "{out}{err}");
    assert!(out.contains("H0 accepted"), "{out}");
}
