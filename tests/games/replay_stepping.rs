//! `wabe replay` in a terminal.
//!
//! The terminal is made with Python 3; without it the tests say so and pass.
#![cfg(unix)]

use std::path::Path;
use std::process::{Command, Output};

const REPLAY: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/tests/data/transcripts/replay_1.xml.gz"
);

/// Keys as terminals send them.
const RIGHT: &str = r"\e[C";
const LEFT: &str = r"\e[D";
const DOWN: &str = r"\e[B";
const UP: &str = r"\e[A";
const HOME: &str = r"\e[H";
const END: &str = r"\e[F";

fn has_python() -> bool {
    let version = Command::new("python3")
        .args(["-c", "import sys, pty; sys.exit(sys.version_info < (3, 9))"])
        .status();
    let found = version.is_ok_and(|status| status.success());
    if !found {
        eprintln!("skipped: there is no python3 of version 3.9 or newer");
    }
    found
}

/// What a terminal of this size shows of the contest's game while these keys are pressed, screen by screen.
fn screens(columns: u16, rows: u16, keys: &[&str], environment: &[(&str, &str)]) -> Vec<String> {
    screens_of(REPLAY, columns, rows, keys, environment)
}

fn screens_of(
    game: &str,
    columns: u16,
    rows: u16,
    keys: &[&str],
    environment: &[(&str, &str)],
) -> Vec<String> {
    let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs/in_terminal.py");
    let output: Output = Command::new(program)
        .args([columns.to_string(), rows.to_string(), keys.concat()])
        .args([env!("CARGO_BIN_EXE_wabe"), "replay", game])
        .env("TERM", "xterm-256color")
        .env_remove("NO_COLOR")
        .envs(environment.iter().copied())
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("\u{1b}[?1049h"), "another screen is used");
    assert!(
        text.ends_with("\u{1b}[?1049l"),
        "and left at the end: {text:?}"
    );
    let screens = text.split("\u{1b}[H").skip(1);
    screens
        .map(|screen| {
            let (screen, _) = screen.split_once("\u{1b}[J").unwrap();
            screen.replace("\u{1b}[K", "")
        })
        .collect()
}

/// The plies whose positions were shown.
fn plies(screens: &[String]) -> Vec<&str> {
    screens
        .iter()
        .map(|screen| {
            let (_, ply) = screen
                .lines()
                .next()
                .unwrap()
                .split_once("(blue), ")
                .unwrap();
            ply.trim_start_matches("ply ").split(':').next().unwrap()
        })
        .collect()
}

#[test]
fn keys_step_through_the_game() {
    if !has_python() {
        return;
    }
    let keys = [
        RIGHT, " ", "\r", LEFT, LEFT, LEFT, LEFT, END, RIGHT, UP, DOWN, HOME, DOWN, "x", "l", "h",
        "q",
    ];
    let shown = screens(100, 40, &keys, &[]);
    assert_eq!(
        plies(&shown),
        [
            "after 0 plies",
            "1",
            "2",
            "3",
            "2",
            "1",
            "after 0 plies",
            "after 0 plies",
            "42",
            "42",
            "32",
            "42",
            "after 0 plies",
            "10",
            "11",
            "10",
        ]
    );
    assert!(shown[8].contains("Unknown (blue) wins"), "{}", shown[8]);
    assert!(shown[1].contains("\u{1b}[1m"), "colours");
}

#[test]
fn a_low_and_narrow_terminal_shows_the_last_move_and_can_be_scrolled() {
    if !has_python() {
        return;
    }
    let shown = screens(60, 20, &[RIGHT, "j", "k", "k", "q"], &[("NO_COLOR", "1")]);
    assert_eq!(plies(&shown), ["after 0 plies", "1", "1", "1", "1"]);
    for screen in &shown {
        let lines: Vec<&str> = screen.lines().collect();
        assert_eq!(lines.len(), 20);
        assert!(lines.iter().all(|line| line.chars().count() <= 60));
        assert!(lines[19].contains("j k scroll"), "{screen}");
    }
    assert!(shown[1].contains("[rG ]"), "{}", shown[1]);
    assert_eq!(shown[1], shown[3]);
    assert_ne!(shown[1], shown[2]);
}

#[test]
fn without_colours_there_are_none() {
    if !has_python() {
        return;
    }
    let shown = screens(100, 40, &[RIGHT, "\u{3}"], &[("NO_COLOR", "1")]);
    assert!(shown[1].contains("[rG ]"), "{}", shown[1]);
    assert!(!shown[1].contains("\u{1b}[1m"), "{}", shown[1]);
}

#[test]
fn a_game_of_standard_hive_is_stepped_through_and_its_legend_gives_way_to_a_wide_hive() {
    if !has_python() {
        return;
    }
    let game = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/data/standard/stacks.uhp"
    );
    let plain = [("NO_COLOR", "1")];
    let shown = screens_of(game, 100, 60, &[RIGHT, END, "q"], &plain);
    let first_lines: Vec<&str> = shown.iter().filter_map(|s| s.lines().next()).collect();
    assert_eq!(
        first_lines
            .iter()
            .map(|line| line.trim_end())
            .collect::<Vec<_>>(),
        [
            "white against black, after 0 plies",
            "white against black, ply 1: wP",
            "white against black, ply 83: wB2 /wG1"
        ]
    );
    assert!(shown[2].contains("white wins: black's queen is surrounded"));
    let beside = |screen: &str| {
        screen
            .lines()
            .any(|l| l.contains('╱') && l.contains("round 42"))
    };
    assert!(beside(&shown[2]), "{}", shown[2]);
    let narrow = screens_of(game, 50, 60, &[END, "q"], &plain);
    assert!(!beside(&narrow[1]), "{}", narrow[1]);
    assert!(
        narrow[1].contains("in reserve    white black"),
        "{}",
        narrow[1]
    );
}
