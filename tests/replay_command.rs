//! `wabe replay` on the built binary.

use std::process::{Command, Output};

use serde_json::Value;

const REPLAY: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/tests/data/transcripts/replay_1.xml.gz"
);

fn replay(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_wabe"))
        .arg("replay")
        .args(arguments)
        .output()
        .unwrap()
}

fn stdout(arguments: &[&str]) -> String {
    let output = replay(arguments);
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn without_a_terminal_every_position_is_printed() {
    let text = stdout(&[REPLAY]);
    assert_eq!(text, stdout(&[REPLAY, "--all"]));
    assert_eq!(text.matches("in reserve").count(), 43);
    assert!(text.contains("Unknown (blue) wins"), "{text}");
    assert!(!text.contains('\u{1b}'), "no colours without a terminal");
    assert_eq!(text, stdout(&[REPLAY, "--export", "txt"]));
}

#[test]
fn one_position_is_printed_on_request() {
    let text = stdout(&[REPLAY, "--ply", "38"]);
    assert!(text.contains("ply 38: drag -2,1 2,2"), "{text}");
    assert_eq!(text.matches("in reserve").count(), 1);
    let missing = replay(&[REPLAY, "--ply", "44"]);
    assert_eq!(missing.status.code(), Some(1));
}

#[test]
fn exports_hold_a_position_or_the_whole_game() {
    let svg = stdout(&[REPLAY, "--export", "svg", "--ply", "5"]);
    assert!(svg.starts_with("<svg") && svg.contains("after 5 plies"));
    let page = stdout(&[REPLAY, "--export", "html"]);
    assert!(page.contains("data-ply=\"42\"") && !page.contains("http://localhost"));
    let json: Value = serde_json::from_str(&stdout(&[REPLAY, "--export", "json"])).unwrap();
    assert_eq!(json["plies"].as_array().unwrap().len(), 43);
    assert_eq!(json["plies"][1]["move"], "set G 1,3");
    assert_eq!(json["result"]["winner"], "blue");
    assert_eq!(json["damage"], Value::Null);
}

#[test]
fn exports_go_to_a_file_on_request() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("game.html");
    let output = replay(&[
        REPLAY,
        "--export",
        "html",
        "--output",
        path.to_str().unwrap(),
    ]);
    assert!(output.status.success() && output.stdout.is_empty());
    assert!(std::fs::read_to_string(path).unwrap().contains("</html>"));
}

#[test]
fn a_damaged_file_shows_what_could_be_read_and_says_where_it_broke() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("torn.xml.gz");
    let bytes = std::fs::read(REPLAY).unwrap();
    std::fs::write(&path, &bytes[..bytes.len() / 2]).unwrap();
    let output = replay(&[path.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stdout).contains("in reserve"));
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(message.contains("damaged: message "), "{message}");
}
