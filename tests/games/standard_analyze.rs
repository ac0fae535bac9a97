//! `wabe analyze` of standard Hive's games, on the built binary.

use std::process::Output;

use crate::wabe::{succeed, wabe};

fn analyze(arguments: &[&str]) -> Output {
    wabe(&[&["analyze"], arguments, &["--memory", "64"]].concat())
}

/// A game that white wins with its 83rd ply.
const STACKS: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/tests/data/standard/stacks.uhp"
);

#[test]
fn a_win_in_one_is_found() {
    let text = succeed(&[
        "analyze", "--memory", "64", STACKS, "--ply", "82", "--nodes", "2000",
    ]);
    assert!(
        text.starts_with("Base+MLP;InProgress;White[42];wP;bP \\wP"),
        "{text}"
    );
    assert!(text.contains("white to move"), "{text}");
    let first = text.lines().find(|line| line.starts_with("  1. ")).unwrap();
    assert!(first.contains(" win "), "{text}");
    assert!(!first.contains("then"), "{text}");
}

#[test]
fn analyze_reviews_standard_games() {
    let text = succeed(&[
        "analyze", "--memory", "64", STACKS, "--nodes", "20", "--lines", "3",
    ]);
    assert!(text.starts_with("white against black\n"), "{text}");
    assert!(
        text.contains("ply  played             white  gave away  better\n"),
        "{text}"
    );
    assert!(
        text.lines().any(|line| line
            .split_whitespace()
            .eq(["83", "wB2", "/wG1", "win", "-"])),
        "{text}"
    );
    assert!(
        text.contains("\nwhite      white's expected score"),
        "{text}"
    );
    assert!(
        text.contains("white wins: black's queen is surrounded\n"),
        "{text}"
    );
    let (_, worst) = text.split_once("gave away most:\n").unwrap();
    assert_eq!(worst.lines().count(), 3, "{worst}");
    assert!(
        worst
            .lines()
            .all(|line| line.ends_with("(white)") || line.ends_with("(black)"))
    );
}

#[test]
fn analyze_writes_annotated_pgn_or_a_page() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let review = |output: &str| analyze(&[STACKS, "--nodes", "20", "--output", output]);
    let pgn = path("review.PGN");
    assert!(review(&pgn).status.success());
    let text = std::fs::read_to_string(&pgn).unwrap();
    // Each move has the score after it, a mistake also a judgement, its loss and a better move.
    assert_eq!(text.matches("{white ").count(), 83, "{text}");
    let blunder = text.lines().find(|line| line.contains("$4")).unwrap();
    assert!(blunder.contains("% given away} ("), "{blunder}");
    assert_eq!(succeed(&["replay", &pgn, "--export", "pgn"]), text);

    let page = path("review.html");
    assert!(review(&page).status.success());
    let text = std::fs::read_to_string(&page).unwrap();
    assert!(text.contains(r#""mark":"blunder""#));
    // As everywhere on pages, plies count from 1.
    assert!(text.contains(r#""ply":1,"#) && !text.contains(r#""ply":0,"#));

    for (arguments, problem) in [
        (vec![STACKS, "--output", "review.txt"], ".html or .pgn"),
        (vec!["Base;;;wS1", "--output", "x.pgn"], "one recorded game"),
        (
            vec![STACKS, STACKS, "--output", "x.pgn"],
            "one recorded game",
        ),
        (
            vec![STACKS, "--output", "no such folder/x.pgn"],
            "cannot write",
        ),
    ] {
        let output = analyze(&arguments);
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        let message = String::from_utf8(output.stderr).unwrap();
        assert!(message.contains(problem), "{message}");
        assert!(output.stdout.is_empty());
    }
}

#[test]
fn analyze_takes_the_last_position_of_game_strings() {
    let game = "Base+P;InProgress;Black[2];wS1;bP wS1-;wQ -wS1";
    let text = succeed(&[
        "analyze", "--memory", "64", game, "--nodes", "300", "--lines", "2",
    ]);
    assert!(
        text.starts_with(&format!("{game}\nblack to move, 300 iterations")),
        "{text}"
    );
    assert!(text.contains("  1. b") && text.contains("  2. b"), "{text}");
    let earlier = succeed(&[
        "analyze", "--memory", "64", game, "--nodes", "300", "--ply", "2",
    ]);
    assert!(earlier.contains("white to move"), "{earlier}");
    let beyond = analyze(&[game, "--ply", "4"]);
    assert_eq!(beyond.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&beyond.stderr).contains("no position after 4 plies"));
    let wrong = analyze(&["Base;x;y;wS1;wS2 wS1-", "--nodes", "10"]);
    assert_eq!(wrong.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&wrong.stderr).contains("line 1, ply 2: `wS2 wS1-`"));
}
