//! `wabe replay` on the built binary.

use std::fs;
use std::io::Read;
use std::process::{Command, Output};

use flate2::read::GzDecoder;
use serde_json::{Value, json};
use tempfile::TempDir;

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

/// What an exported page shows.
pub fn recording(page: &str) -> Value {
    let (_, after) = page.split_once("id=\"recording\">").unwrap();
    let (json, _) = after.split_once("</script>").unwrap();
    serde_json::from_str(json).unwrap()
}

fn stdout(arguments: &[&str]) -> String {
    let output = replay(arguments);
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn every_position_is_printed() {
    let text = stdout(&[REPLAY]);
    assert_eq!(text.matches("in reserve").count(), 43);
    assert!(
        text.contains(
            "Unknown (blue) wins; red: REGULAR, 0 points, 0 free fields; \
             blue: REGULAR, 2 points, "
        ),
        "{text}"
    );
    assert!(text.contains("; red's bee is surrounded\n"), "{text}");
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
    let message = String::from_utf8_lossy(&missing.stderr).into_owned();
    assert!(message.contains("only after 0 to 42"), "{message}");
}

/// A new file with this in it.
fn file_with(content: &[u8]) -> (TempDir, String) {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("game");
    fs::write(&path, content).unwrap();
    let path = path.to_str().unwrap().to_owned();
    (folder, path)
}

/// The recording as XML, changed.
fn changed(change: impl Fn(String) -> String) -> (TempDir, String) {
    let mut text = String::new();
    let file = fs::File::open(REPLAY).unwrap();
    GzDecoder::new(file).read_to_string(&mut text).unwrap();
    file_with(change(text).as_bytes())
}

#[test]
fn times_hints_and_result_are_printed() {
    let (_folder, path) = changed(|text| {
        text.replacen("turn=\"41\"", "turn=\"41\" lastMoveMillis=\"83.25\"", 1)
            .replacen("turn=\"42\"", "turn=\"42\" lastMoveMillis=\"1500\"", 1)
            .replacen("</lastMove>", "<hint>my hint</hint></lastMove>", 1)
    });
    let text = stdout(&[&path]);
    assert!(text.contains("ply 41: set S -2,5, 0.083 s\n"), "{text}");
    assert!(text.contains("hint: my hint\n"), "{text}");
    assert!(text.contains("Unknown (blue) wins; red: REGULAR"), "{text}");
    assert!(text.contains("red   1 move of 0.083 s"), "{text}");
    assert!(text.contains("blue  1 move of 1.500 s"), "{text}");
    let json: Value = serde_json::from_str(&stdout(&[&path, "--export", "json"])).unwrap();
    assert_eq!(json["plies"][42]["seconds"], 1.5);
    assert_eq!(json["plies"][40]["seconds"], Value::Null);
    let game = &recording(&stdout(&[&path, "--export", "html"]))["welcome"]["first"][0];
    let has = |list: &str, entry: Value| game[list].as_array().unwrap().contains(&entry);
    assert!(has("times", json!([42, 1500])) && game["remarks"].to_string().contains("my hint"));
}

#[test]
fn names_cannot_do_things_to_the_terminal() {
    let (_folder, path) = changed(|text| text.replace("Unknown", "&#x1b;[2J&#10;Eve&#13;"));
    let output = Command::new(env!("CARGO_BIN_EXE_wabe"))
        .args(["replay", &path, "--ply", "0"])
        .env("CLICOLOR_FORCE", "1")
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let first = text.lines().next().unwrap();
    assert_eq!(
        first,
        " [2J Eve  (red) against  [2J Eve  (blue), after 0 plies"
    );
    assert!(
        !text.contains("[2J\n") && text.contains("\u{1b}["),
        "{text}"
    );
}

#[test]
fn a_position_is_a_game_of_one_page() {
    let (_folder, path) = file_with(b"12 - 1,2:bB;2,0:bArB;2,1:bQ;3,-1:rQ AAAGGSS/AABGSSS\n");
    let text = stdout(&[&path]);
    assert!(
        text.starts_with("red against blue, after 12 plies\n"),
        "{text}"
    );
    assert!(stdout(&[&path, "--export", "svg"]).contains("after 12 plies"));
    let (_folder, path) = file_with(b"12 - nonsense");
    let output = replay(&[&path]);
    assert_eq!(output.status.code(), Some(1));
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(message.contains("not a position"), "{message}");
}

#[test]
fn what_cannot_be_read_or_written_is_said_in_one_line() {
    let (_folder, empty) = file_with(b"");
    let (_folder, text) = file_with(b"hello");
    let folder = TempDir::new().unwrap();
    let nowhere = folder.path().join("no such folder/game.svg");
    let directory = folder.path().to_str().unwrap();
    let cases: [(&[&str], &str); 6] = [
        (&[&empty], "it is empty"),
        (&[&text], "no recorded game in it"),
        (&["/no/such/file"], "there is no file `/no/such/file`"),
        (&[directory], "cannot read"),
        (
            &[REPLAY, "--export", "svg", "-o", nowhere.to_str().unwrap()],
            "cannot write",
        ),
        (
            &[REPLAY, "--export", "html", "-o", directory],
            "cannot write",
        ),
    ];
    for (arguments, expected) in cases {
        let output = replay(arguments);
        assert_eq!(output.status.code(), Some(1), "{arguments:?}");
        assert!(output.stdout.is_empty());
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(message.contains(expected), "{message}");
        assert_eq!(message.lines().count(), 1, "{message}");
    }
}

#[test]
fn exports_hold_a_position_or_the_whole_game() {
    let svg = stdout(&[REPLAY, "--export", "svg", "--ply", "5"]);
    assert!(svg.starts_with("<svg") && svg.contains("after 5 plies"));
    let page = stdout(&[REPLAY, "--export", "html"]);
    let recorded = recording(&page);
    let positions = recorded["views"][0].as_array().unwrap();
    assert_eq!((positions.len(), &positions[42]["turn"]), (43, &json!(42)));
    assert!(!page.contains("http://localhost"));
    let json: Value = serde_json::from_str(&stdout(&[REPLAY, "--export", "json"])).unwrap();
    assert_eq!(json["plies"].as_array().unwrap().len(), 43);
    assert_eq!(json["plies"][1]["move"], "set G 1,3");
    assert_eq!(json["result"]["winner"], "blue");
    assert_eq!(json["result"]["scores"]["blue"]["match_points"], 2);
    assert_eq!(json["damage"], Value::Null);
    let record = stdout(&[REPLAY, "--export", "record"]);
    assert_eq!(json["record"], record.trim());
    let (_folder, path) = file_with(record.as_bytes());
    assert_eq!(stdout(&[&path, "--export", "record"]), record);
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
    let page = replay(&[path.to_str().unwrap(), "--export", "html"]);
    let recorded = recording(&String::from_utf8_lossy(&page.stdout));
    let damage = recorded["welcome"]["first"][0]["damage"].as_str().unwrap();
    assert!(damage.contains("message "), "{damage}");
}

#[test]
fn a_file_that_is_no_recording_is_told_what_one_is() {
    let folder = tempfile::tempdir().unwrap();
    for form in ["json", "html", "svg", "txt"] {
        let path = folder.path().join(form);
        let path = path.to_str().unwrap();
        assert_eq!(stdout(&[REPLAY, "--export", form, "--output", path]), "");
        for command in ["replay", "analyze"] {
            let output = Command::new(env!("CARGO_BIN_EXE_wabe"))
                .args([command, path])
                .output()
                .unwrap();
            assert_eq!(output.status.code(), Some(1), "{form}");
            let message = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(message.contains("no recorded game in it"), "{message}");
        }
    }
}

#[test]
fn what_is_written_in_the_contests_format_is_what_was_read() {
    let xml = stdout(&[REPLAY, "--export", "xml"]);
    let (_folder, path) = file_with(xml.as_bytes());
    let json = |path| stdout(&[path, "--export", "json"]);
    assert_eq!(json(&path), json(REPLAY));
}
