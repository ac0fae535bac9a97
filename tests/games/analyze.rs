//! `wabe analyze` on the built binary.

use std::process::Output;

use crate::wabe::{stdout, succeed, wabe};

fn analyze(arguments: &[&str]) -> Output {
    wabe(&[&["analyze"], arguments].concat())
}

const REPLAY: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/tests/data/transcripts/replay_1.xml.gz"
);

#[test]
fn a_position_is_shown_with_its_best_moves() {
    let position = "20 - 0,0:bQ;1,0:bG;-1,1:rS;-1,0:bA;0,-1:bS;1,-1:rA;2,-1:rQ;2,-2:rA -/-";
    let text = succeed(&["analyze", position, "--nodes", "2000", "--lines", "3"]);
    assert!(text.contains("red to move"), "{text}");
    assert!(text.contains("  1. ") && text.contains("  3. "), "{text}");
    assert!(!text.contains("  4. "), "{text}");
    assert!(text.contains("visits"), "{text}");
    assert!(text.contains("what wabe would play"), "{text}");
}

#[test]
fn a_recorded_game_is_reviewed_move_by_move() {
    let text = succeed(&["analyze", REPLAY, "--nodes", "50"]);
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
    let text = succeed(&["analyze", REPLAY, "--nodes", "50", "--ply", "7"]);
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
    assert!(succeed(&["analyze", path]).contains("draw"));
    std::fs::write(path, "60 - 0,0:rQ;1,0:bQ -/-\n0 - - AQ/AQ\n").unwrap();
    let both = analyze(&[path, "--nodes", "10"]);
    assert!(stdout(&both).contains("draw") && stdout(&both).contains("red to move"));
    assert!(String::from_utf8_lossy(&both.stderr).contains("there are 2 games"));
    let second = succeed(&["analyze", path, "--nodes", "10", "--game", "2"]);
    assert!(second.starts_with("0 - - AQ/AQ\n"), "{second}");
    assert_eq!(analyze(&[path, "--game", "3"]).status.code(), Some(1));
    let arguments = succeed(&["analyze", "0 - - AQ/AQ", "Base", "--nodes", "10"]);
    assert!(arguments.contains("red to move") && arguments.contains("white to move"));
    let with_ply = analyze(&[path, "--ply", "3"]);
    assert_eq!(with_ply.status.code(), Some(1));
    let message = String::from_utf8_lossy(&with_ply.stderr).into_owned();
    assert!(message.contains("a single position"), "{message}");
}

#[test]
fn analyze_reviews_recordings_up_to_damage() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("torn.xml.gz");
    let bytes = std::fs::read(REPLAY).unwrap();
    std::fs::write(&path, &bytes[..bytes.len() / 2]).unwrap();
    let output = analyze(&[path.to_str().unwrap(), "--nodes", "10"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stdout).contains("gave away most"));
    assert!(String::from_utf8_lossy(&output.stderr).contains("is damaged: message "));
}
