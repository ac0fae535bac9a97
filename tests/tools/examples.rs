//! The examples of the crate, as they are built.

use std::path::PathBuf;
use std::process::{Command, Output};

/// `cargo test` builds the examples beside the binary.
fn example(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_BIN_EXE_wabe"))
        .with_file_name("examples")
        .join(format!("{name}{}", std::env::consts::EXE_SUFFIX))
}

fn stdout(output: &Output) -> String {
    assert!(output.status.success(), "{output:?}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// The result of two games against random moves.
fn games(bot: &str) -> String {
    let engine = format!("cmd:'{} --move-time 60' name=bot", example(bot).display());
    let arena = Command::new(env!("CARGO_BIN_EXE_wabe"))
        .args(["arena", "--engine", &engine, "--engine", "random"])
        .args(["--games", "2", "--quiet", "--margin", "60000"])
        .output()
        .unwrap();
    stdout(&arena)
}

#[test]
fn bot_example_wins() {
    let summary = games("bot");
    assert!(summary.contains("+2 =0 -0"), "{summary}");
}

#[test]
fn the_search_plays_with_an_evaluation_of_ones_own() {
    let summary = games("own_evaluation");
    assert!(summary.contains("no faults"), "{summary}");
    assert!(summary.contains("+2 =0 -0"), "{summary}");
}

#[test]
fn a_match_between_functions_is_counted() {
    let output = Command::new(example("closures")).arg("2").output().unwrap();
    let text = stdout(&output);
    assert!(text.contains("\nElo "), "{text}");
}

#[test]
fn the_openings_of_recordings_are_counted() {
    let stacks = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/data/standard/stacks.uhp"
    );
    let output = Command::new(example("openings"))
        .args([stacks, stacks])
        .output()
        .unwrap();
    assert_eq!(stdout(&output), "+2 =0 -0  wP, bP \\wP, wQ wP\\, bM \\bP\n");
    let none = Command::new(example("openings"))
        .arg("no such file")
        .output()
        .unwrap();
    assert!(!none.status.success());
}
