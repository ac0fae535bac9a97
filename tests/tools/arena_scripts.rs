//! `scripts/selfplay.sh`.
#![cfg(unix)]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

const WABE: &str = env!("CARGO_BIN_EXE_wabe");

fn script(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("scripts")
        .join(name)
}

/// What a script printed: its results and its log.
fn texts(output: &Output) -> (String, String) {
    let [out, err] = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes));
    (out.into_owned(), err.into_owned())
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

#[test]
fn unusable_builds_are_rejected() {
    let scratch = TempDir::new().unwrap();
    for (arguments, part) in [
        (&[WABE][..], "two builds or revisions are needed"),
        (&[WABE, "no-such-revision"], "is neither a build of wabe"),
        (&[WABE, "/etc/passwd"], "/etc/passwd is not executable"),
        (&[WABE, "/bin/sh"], "/bin/sh is no build of wabe"),
        (&["--nodes", "5"], "A and B come first"),
        (&[WABE, WABE, "--depth=2"], "--depth is for standard"),
        (
            &[WABE, WABE, "--game", "Base", "--nodes", "5"],
            "--depth N or --move-time",
        ),
    ] {
        let output = selfplay(&scratch, arguments);
        let (out, err) = texts(&output);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {out}{err}");
        assert!(err.contains(part), "{arguments:?}: {err}");
    }
}
