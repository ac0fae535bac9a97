//! `wabe analyze` on the built binary.

use std::process::{Command, Output};

fn analyze(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_wabe"))
        .arg("analyze")
        .args(arguments)
        .output()
        .unwrap()
}

fn stdout(output: &Output) -> String {
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout.clone()).unwrap()
}

const REPLAY: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/tests/data/transcripts/replay_1.xml.gz"
);

#[test]
fn a_position_is_shown_with_its_best_moves() {
    let position = "20 - 0,0:bQ;1,0:bG;-1,1:rS;-1,0:bA;0,-1:bS;1,-1:rA;2,-1:rQ;2,-2:rA -/-";
    let text = stdout(&analyze(&[position, "--nodes", "2000", "--lines", "3"]));
    assert!(text.contains("red to move"), "{text}");
    assert!(text.contains("  1. ") && text.contains("  3. "), "{text}");
    assert!(!text.contains("  4. "), "{text}");
    assert!(text.contains("visits"), "{text}");
    assert!(text.contains("what wabe would play"), "{text}");
}

#[test]
fn a_position_with_a_single_legal_move_is_judged_by_what_comes_after_it() {
    let covered = "5 -4,2;-1,1;5,-3 -2,-1:rQ;-1,-2:bQrB AAABGGSSS/AAABBGGSSS";
    let text = stdout(&analyze(&[covered, "--nodes", "40"]));
    assert!(
        text.contains("blue to move, 40 iterations after the only legal move"),
        "{text}"
    );
    let line = text.lines().last().unwrap();
    assert!(line.contains("1. skip  ") && line.contains("%"), "{text}");
    assert!(line.contains("  then set "), "{text}");
}

#[test]
fn the_table_says_what_its_columns_are() {
    let text = stdout(&analyze(&[REPLAY, "--nodes", "20"]));
    for column in ["red        ", "gave away  ", "better     "] {
        assert!(text.lines().any(|line| line.starts_with(column)), "{text}");
    }
    assert!(text.contains("\n  0                     "), "{text}");
}

#[test]
fn a_finished_position_says_how_the_game_ended() {
    let text = stdout(&analyze(&["60 - 0,0:rQ;1,0:bQ -/-"]));
    assert!(text.contains("draw"), "{text}");
}

#[test]
fn a_recorded_game_is_reviewed_move_by_move() {
    let text = stdout(&analyze(&[REPLAY, "--nodes", "50"]));
    assert_eq!(
        text.lines()
            .filter(|line| line.contains(" set ") || line.contains(" drag "))
            .count(),
        42 + 5
    );
    assert!(text.contains("blue wins"), "{text}");
    assert!(text.contains("gave away most"), "{text}");
}

#[test]
fn one_position_of_a_recorded_game_can_be_picked() {
    let text = stdout(&analyze(&[REPLAY, "--nodes", "50", "--ply", "7"]));
    assert!(text.starts_with("7 "), "{text}");
    let missing = analyze(&[REPLAY, "--ply", "99"]);
    assert_eq!(missing.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&missing.stderr).contains("99"));
}

#[test]
fn a_position_may_stand_in_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("position.txt");
    std::fs::write(&path, "\n60 - 0,0:rQ;1,0:bQ -/-\n").unwrap();
    let path = path.to_str().unwrap();
    assert!(stdout(&analyze(&[path])).contains("draw"));
    std::fs::write(path, "60 - 0,0:rQ;1,0:bQ -/-\n0 - - AQ/AQ\n").unwrap();
    let both = analyze(&[path, "--nodes", "10"]);
    assert!(stdout(&both).contains("draw") && stdout(&both).contains("red to move"));
    assert!(String::from_utf8_lossy(&both.stderr).contains("there are 2 games"));
    let second = stdout(&analyze(&[path, "--nodes", "10", "--game", "2"]));
    assert!(second.starts_with("0 - - AQ/AQ\n"), "{second}");
    assert_eq!(analyze(&[path, "--game", "3"]).status.code(), Some(1));
    let arguments = stdout(&analyze(&["0 - - AQ/AQ", "Base", "--nodes", "10"]));
    assert!(arguments.contains("red to move") && arguments.contains("white to move"));
    let with_ply = analyze(&[path, "--ply", "3"]);
    assert_eq!(with_ply.status.code(), Some(1));
    let message = String::from_utf8_lossy(&with_ply.stderr).into_owned();
    assert!(message.contains("a single position"), "{message}");
}

#[test]
fn the_moves_that_lost_most_are_as_many_as_were_asked_for() {
    let text = stdout(&analyze(&[REPLAY, "--nodes", "20", "--lines", "3"]));
    let (_, worst) = text.split_once("gave away most:\n").unwrap();
    assert_eq!(worst.lines().count(), 3, "{worst}");
}

#[test]
fn a_damaged_recording_is_reviewed_as_far_as_it_can_be_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("torn.xml.gz");
    let bytes = std::fs::read(REPLAY).unwrap();
    std::fs::write(&path, &bytes[..bytes.len() / 2]).unwrap();
    let output = analyze(&[path.to_str().unwrap(), "--nodes", "10"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stdout).contains("gave away most"));
    assert!(String::from_utf8_lossy(&output.stderr).contains("is damaged: message "));
}

#[test]
fn numbers_that_ask_for_nothing_are_refused() {
    for option in ["--lines", "--nodes", "--time"] {
        let output = analyze(&["0 - - AQ/AQ", option, "0"]);
        assert_eq!(output.status.code(), Some(2), "{option}");
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(message.contains(option), "{message}");
    }
}

#[test]
fn what_is_neither_file_nor_position_is_refused() {
    for (subject, part) in [
        ("no-such-file.xml", "no file"),
        ("20 - 9,9:rQ -/-", "(9,9)"),
        ("20 - 0,0:rQ", "four fields"),
    ] {
        let output = analyze(&[subject]);
        assert_eq!(output.status.code(), Some(1), "{subject}");
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(message.contains(part), "{message}");
    }
}
