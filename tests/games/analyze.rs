//! `wabe analyze`.

use std::fs;

use crate::wabe::{RECORDING, STACKS, fail, file_with, path_in, stderr, stdout, succeed, wabe};

fn analyze(line: &str) -> String {
    succeed(&format!("analyze {line}"))
}

fn fail_analyze(line: &str) -> String {
    fail(&format!("analyze {line}"), 1)
}

fn misuse_analyze(line: &str) -> String {
    fail(&format!("analyze {line}"), 2)
}

fn count_lines(text: &str, predicate: impl Fn(&str) -> bool) -> usize {
    text.lines().filter(|line| predicate(line)).count()
}

#[test]
fn analyze_shows_the_best_moves_of_a_position() {
    let position = "20 - 0,0:bQ;1,0:bG;-1,1:rS;-1,0:bA;0,-1:bS;1,-1:rA;2,-1:rQ;2,-2:rA -/-";
    let text = analyze(&format!("'{position}' --nodes 2000 --lines 3"));
    for part in ["red to move", "  1. ", "  3. ", "visits"] {
        assert!(text.contains(part), "{text}");
    }
    assert!(!text.contains("  4. "), "{text}");
}

#[test]
fn analyze_reviews_recordings() {
    let text = analyze(&format!("'{RECORDING}' --nodes 50"));
    let is_move = |line: &str| line.contains(" set ") || line.contains(" drag ");
    assert_eq!(count_lines(&text, is_move), 42 + 5);
    assert!(text.contains("blue wins"), "{text}");
    let text = analyze(&format!("'{RECORDING}' --nodes 50 --ply 7"));
    assert!(text.starts_with("7 "), "{text}");
    assert!(fail_analyze(&format!("'{RECORDING}' --ply 99")).contains("99"));

    let bytes = fs::read(RECORDING).unwrap();
    let (_folder, torn) = file_with(&bytes[..bytes.len() / 2]);
    let output = wabe(&format!("analyze '{torn}' --nodes 10"));
    assert_eq!(output.status.code(), Some(1));
    assert!(stdout(&output).contains("worst moves:"));
    assert!(stderr(&output).contains("is damaged: message "));
}

#[test]
fn analyze_reads_files_of_positions() {
    let over = "60 - 0,0:rQ;1,0:bQ -/-";
    let (_folder, one) = file_with(format!("\n{over}\n"));
    assert!(analyze(&format!("'{one}'")).contains("draw"));
    let output = wabe(&format!("analyze no.pgn '{one}'"));
    assert_eq!(output.status.code(), Some(1));
    assert!(stdout(&output).contains("draw") && stderr(&output).contains("no.pgn"));
    let (_folder, two) = file_with(format!("{over}\n0 - - AQ/AQ\n"));
    let output = wabe(&format!("analyze '{two}' --nodes 10"));
    let text = stdout(&output);
    assert!(text.contains("draw") && text.contains("red to move"));
    assert!(stderr(&output).contains("contains 2 games"));
    let second = analyze(&format!("'{two}' --nodes 10 --nth 2"));
    assert!(second.starts_with("0 - - AQ/AQ\n"), "{second}");
    fail_analyze(&format!("'{two}' --nth 3"));
    assert!(misuse_analyze(&format!("'{two}' --ply 3")).contains("a single position"));
    let arguments = analyze("'0 - - AQ/AQ' Base --nodes 10");
    assert!(arguments.contains("red to move") && arguments.contains("white to move"));
}

#[test]
fn analyze_finds_a_win_in_one() {
    let text = analyze(&format!("'{STACKS}' --ply 82 --nodes 2000"));
    let game = "Base+MLP;InProgress;White[42];wP;bP \\wP";
    assert!(text.starts_with(game) && text.contains("white to move"));
    let first = text.lines().find(|line| line.starts_with("  1. ")).unwrap();
    assert!(first.contains(" win ") && !first.contains("then"), "{text}");
}

#[test]
fn analyze_reviews_standard_games() {
    let text = analyze(&format!("'{STACKS}' --nodes 20 --lines 3"));
    let last = ["83", "wB2", "/wG1", "win", "-"];
    let is_last = |line: &str| line.split_whitespace().eq(last);
    assert_eq!(count_lines(&text, is_last), 1, "{text}");
    assert!(text.contains("white wins: black's queen is surrounded\n"));
    let (_, worst) = text.split_once("worst moves:\n").unwrap();
    assert_eq!(worst.lines().count(), 3, "{worst}");
    let has_side = |line: &str| line.ends_with("(white)") || line.ends_with("(black)");
    assert_eq!(count_lines(worst, has_side), 3, "{worst}");
}

#[test]
fn analyze_writes_annotated_pgn_or_a_page() {
    let folder = tempfile::tempdir().unwrap();
    let [pgn, page] = ["review.PGN", "review.html"].map(|name| {
        let path = path_in(&folder, name);
        analyze(&format!("'{STACKS}' --nodes 20 --output '{path}'"));
        path
    });
    let text = fs::read_to_string(&pgn).unwrap();
    // Every move has a score. Mistakes also have a glyph, their loss and a better move.
    assert_eq!(text.matches("{white ").count(), 83, "{text}");
    let blunder = text.lines().find(|line| line.contains("$4")).unwrap();
    assert!(blunder.contains("% given away} ("), "{blunder}");
    assert_eq!(succeed(&format!("replay '{pgn}' --export pgn")), text);
    let text = fs::read_to_string(&page).unwrap();
    // Plies on pages are numbered from 1.
    for (part, expected) in [
        (r#""mark":"blunder""#, true),
        (r#""ply":1,"#, true),
        (r#""ply":0,"#, false),
    ] {
        assert_eq!(text.contains(part), expected, "{part}");
    }
    for (arguments, problem) in [
        (format!("'{STACKS}' --output review.txt"), ".html or .pgn"),
        ("'Base;;;wS1' --output x.pgn".into(), "one recorded game"),
        (
            format!("'{STACKS}' '{STACKS}' --output x.pgn"),
            "one recorded game",
        ),
    ] {
        assert!(misuse_analyze(&arguments).contains(problem), "{arguments}");
    }
    let missing = format!("'{STACKS}' --output 'no such folder/x.pgn'");
    assert!(fail_analyze(&missing).contains("cannot write"));
}

#[test]
fn analyze_uses_last_position_of_game_strings() {
    let game = "Base+P;InProgress;Black[2];wS1;bP wS1-;wQ -wS1";
    let text = analyze(&format!("'{game}' --nodes 300 --lines 2"));
    let head = format!("{game}\nblack to move, 300 iterations");
    assert!(text.starts_with(&head), "{text}");
    assert!(text.contains("  1. b") && text.contains("  2. b"), "{text}");
    let earlier = analyze(&format!("'{game}' --nodes 300 --ply 2"));
    assert!(earlier.contains("white to move"), "{earlier}");
    assert!(fail_analyze(&format!("'{game}' --ply 4")).contains("no position after 4 plies"));
    let wrong = fail_analyze("'Base;;;wS1;wS2 wS1-' --nodes 10");
    assert!(wrong.contains("wabe: ply 2: `wS2 wS1-`"), "{wrong}");
}
