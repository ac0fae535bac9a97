//! `wabe replay` with contest games.

use std::fs::{self, File};
use std::io::Read;

use flate2::read::GzDecoder;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::wabe::{RECORDING, command, fail, file_with, path_in, stderr, stdout, succeed, wabe};

/// Reads the JSON in an exported page.
pub fn read_page(page: &str) -> Value {
    let (_, after) = page.split_once("id=\"recording\">").unwrap();
    let (json, _) = after.split_once("</script>").unwrap();
    serde_json::from_str(json).unwrap()
}

/// Exports a recording as JSON.
pub fn export_json(path: &str) -> Value {
    serde_json::from_str(&succeed(&format!("replay '{path}' --export json"))).unwrap()
}

/// Writes a modified copy of the recording as XML.
fn modify_recording(change: impl Fn(String) -> String) -> (TempDir, String) {
    let mut text = String::new();
    GzDecoder::new(File::open(RECORDING).unwrap())
        .read_to_string(&mut text)
        .unwrap();
    file_with(change(text))
}

#[test]
fn replay_prints_every_position_or_one() {
    let text = succeed(&format!("replay '{RECORDING}'"));
    assert_eq!(text.matches("in reserve").count(), 43);
    assert!(text.contains("Unknown (blue) wins; red: REGULAR, 0 points"));
    assert!(text.contains("; red's bee is surrounded\n"), "{text}");
    assert!(!text.contains('\u{1b}'), "colours without a terminal");
    let exported = succeed(&format!("replay '{RECORDING}' --export txt"));
    assert_eq!(text, exported);
    let one = succeed(&format!("replay '{RECORDING}' --ply 38"));
    assert!(one.contains("ply 38: drag -2,1 2,2"), "{one}");
    assert_eq!(one.matches("in reserve").count(), 1);
    let missing = fail(&format!("replay '{RECORDING}' --ply 44"), 1);
    assert!(missing.contains("only after 0 to 42"), "{missing}");
}

#[test]
fn replay_prints_times_hints_result() {
    let (_folder, path) = modify_recording(|text| {
        text.replacen("turn=\"41\"", "turn=\"41\" lastMoveMillis=\"83.25\"", 1)
            .replacen("turn=\"42\"", "turn=\"42\" lastMoveMillis=\"1500\"", 1)
            .replacen("</lastMove>", "<hint>my hint</hint></lastMove>", 1)
    });
    let text = succeed(&format!("replay '{path}'"));
    for part in [
        "ply 41: set S -2,5, 0.083 s\n",
        "hint: my hint\n",
        "red   1 move of 0.083 s",
        "blue  1 move of 1.500 s",
    ] {
        assert!(text.contains(part), "{text}");
    }
    let plies = &export_json(&path)["plies"];
    assert_eq!(plies[42]["seconds"], 1.5);
    assert_eq!(plies[40]["seconds"], Value::Null);
    let page = read_page(&succeed(&format!("replay '{path}' --export html")));
    let game = &page["welcome"]["first"][0];
    assert!(
        game["times"]
            .as_array()
            .unwrap()
            .contains(&json!([42, 1500]))
    );
    assert!(game["remarks"].to_string().contains("my hint"));
}

#[test]
fn replay_sanitizes_names() {
    let (_folder, path) =
        modify_recording(|text| text.replace("Unknown", "&#x1b;[2J&#10;Eve&#13;"));
    let mut replay = command(&format!("replay '{path}' --ply 0"));
    let output = replay.env("CLICOLOR_FORCE", "1").output().unwrap();
    let text = stdout(&output);
    let first = " [2J Eve  (red) against  [2J Eve  (blue), after 0 plies\n";
    assert!(text.starts_with(first) && text.contains("\u{1b}["));
}

#[test]
fn replay_accepts_single_positions() {
    let (_folder, path) = file_with("12 - 1,2:bB;2,0:bArB;2,1:bQ;3,-1:rQ AAAGGSS/AABGSSS\n");
    let text = succeed(&format!("replay '{path}'"));
    assert!(text.starts_with("red against blue, after 12 plies\n"));
    assert!(succeed(&format!("replay '{path}' --export svg")).contains("after 12 plies"));
}

#[test]
fn replay_errors_are_one_line() {
    let (_folder, empty) = file_with("");
    let (_folder, text) = file_with("hello");
    let folder = TempDir::new().unwrap();
    let directory = folder.path().display();
    for (arguments, expected) in [
        (format!("'{empty}'"), "the file is empty"),
        (format!("'{text}'"), "no recorded game found"),
        ("/no/such/file".to_owned(), "no such file: `/no/such/file`"),
        // Too long for a file name, as long games are.
        ("a".repeat(5000), "no such file: `aaaa"),
        (format!("'{directory}'"), "cannot read"),
        (
            format!("'{RECORDING}' --export svg -o '{directory}/missing/game.svg'"),
            "cannot write",
        ),
        (
            format!("'{RECORDING}' --export html -o '{directory}'"),
            "cannot write",
        ),
    ] {
        let message = fail(&format!("replay {arguments}"), 1);
        assert!(message.contains(expected), "{message}");
        assert_eq!(message.lines().count(), 1, "{message}");
    }
    let (_folder, position) = file_with("12 - nonsense");
    assert!(fail(&format!("replay '{position}'"), 1).contains("not a position"));
    let pgn = fail(&format!("replay '{RECORDING}' --export pgn"), 1);
    assert!(pgn.contains("expected xml or record"), "{pgn}");
    let position = "Base 2 - 0,0:rS;1,0:bS AAABBGGGQS/AAABBGGGQS";
    let pgn = fail(&format!("replay '{position}' --export pgn"), 1);
    assert!(pgn.contains("start from the empty board"), "{pgn}");
}

#[test]
fn exports_contain_one_or_all_positions() {
    let export = |form: &str| succeed(&format!("replay '{RECORDING}' --export {form}"));
    let svg = export("svg --ply 5");
    assert!(svg.starts_with("<svg") && svg.contains("after 5 plies"));
    let page = export("html");
    let recorded = read_page(&page);
    let positions = recorded["views"].as_array().unwrap();
    assert_eq!((positions.len(), &positions[42]["turn"]), (43, &json!(42)));
    assert!(!page.contains("http://localhost"));
    let game = export_json(RECORDING);
    assert_eq!(game["plies"].as_array().unwrap().len(), 43);
    assert_eq!(game["plies"][1]["move"], "set G 1,3");
    assert_eq!(game["result"]["winner"], "blue");
    assert_eq!(game["result"]["scores"]["blue"]["match_points"], 2);
    assert_eq!(game["damage"], Value::Null);
    assert_eq!(game["record"], export("record").trim());
    // Exports can be read again without changes.
    let (_folder, path) = file_with(export("record"));
    let again = succeed(&format!("replay '{path}' --export record"));
    assert_eq!(again, export("record"));
    let (_folder, path) = file_with(export("xml"));
    assert_eq!(export_json(&path), game);
}

#[test]
fn replay_shows_positions_before_damage() {
    let bytes = fs::read(RECORDING).unwrap();
    let (_folder, path) = file_with(&bytes[..bytes.len() / 2]);
    let output = wabe(&format!("replay '{path}'"));
    assert_eq!(output.status.code(), Some(1));
    assert!(stdout(&output).contains("in reserve"));
    assert!(stderr(&output).contains("damaged: message "));
    let page = read_page(&stdout(&wabe(&format!("replay '{path}' --export html"))));
    let damage = &page["welcome"]["first"][0]["damage"];
    assert_eq!(damage["code"], "message", "{damage}");
}

#[test]
fn exports_are_not_read_as_recordings() {
    let folder = TempDir::new().unwrap();
    for form in ["json", "html", "svg", "txt"] {
        let path = path_in(&folder, form);
        let written = succeed(&format!(
            "replay '{RECORDING}' --export {form} --output '{path}'"
        ));
        assert_eq!(written, "");
        for command in ["replay", "analyze"] {
            let message = fail(&format!("{command} '{path}'"), 1);
            assert!(message.contains("no recorded game found"), "{message}");
        }
    }
}
