//! `wabe replay` of standard Hive's games, on the built binary.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::process::{Command, Output, Stdio};

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::Value;
use tempfile::TempDir;
use wabe_hive::game::Repetition;
use wabe_hive::standard::StandardRecord;
use wabe_records::layout::Layout;

use crate::replay_command::recording;

/// A game with stacks of four, won by white with its 83rd ply.
const STACKS: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/tests/data/standard/stacks.uhp"
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

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// A new file with this in it.
fn file_with(content: &[u8]) -> (TempDir, String) {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("game");
    fs::write(&path, content).unwrap();
    let path = path.to_str().unwrap().to_owned();
    (folder, path)
}

#[test]
fn every_position_of_a_game_string_is_shown() {
    let text = stdout(&[STACKS]);
    assert_eq!(text.matches("in reserve       white black").count(), 84);
    assert!(
        text.contains("white against black, after 0 plies\n"),
        "{text}"
    );
    assert!(text.contains("white against black, ply 83: wB2 /wG1\n"));
    assert!(text.ends_with("white wins: black's queen is surrounded\n"));
    assert!(
        text.contains("P pillbug") && text.contains("M mosquito") && text.contains("L ladybug")
    );
}

#[test]
fn stacks_show_their_top_and_height_and_the_legend_names_all_pieces() {
    let text = stdout(&[STACKS, "--ply", "48"]);
    let expected = "\
white against black, ply 48: bM wB2
";
    assert!(text.starts_with(expected), "{text}");
    assert!(text.contains("[bM⁴]"), "{text}");
    assert!(text.contains("stack bM wB2 bB1 wQ\n"), "{text}");
    // The queen is covered, and has neighbours all the same.
    assert!(text.contains("free around queen"), "{text}");
}

#[test]
fn a_game_string_may_stand_on_the_command_line() {
    let text = stdout(&["Base+P;InProgress;White[2];wS1;bP wS1-", "--ply", "2"]);
    assert!(text.contains("│wS1[bP ]"), "{text}");
    assert!(
        text.contains("round 2") && text.contains("white to move"),
        "{text}"
    );
    assert!(!text.contains("mosquito"), "{text}");
}

/// A game in which both sides go to the right as far as they can, ply by ply: around the board, which runs back into itself.
fn crawling(plies: usize) -> StandardRecord {
    let opening = "Base+MLP;InProgress;White[1];wL;bL wL-;wQ -wL;bQ bL-";
    let mut game: StandardRecord = opening.parse().unwrap();
    game.set_repetition(Repetition::Ignore);
    let mut layout = Layout::start(game.start()).followed_by(game.position());
    while game.plies().len() < plies {
        let moves = game.legal_moves();
        let rightmost = moves.iter().max_by_key(|mv| {
            let place = mv.destination().and_then(|cell| layout.place(cell));
            place.map(wabe_records::diagram::Point::across)
        });
        game.play(*rightmost.unwrap()).unwrap();
        layout = layout.followed_by(game.position());
    }
    game
}

/// Where each piece of a position lies.
fn places(ply: &Value) -> BTreeMap<String, (i64, i64)> {
    let mut places = BTreeMap::new();
    for stack in ply["stacks"].as_array().unwrap() {
        let place = (stack["x"].as_i64().unwrap(), stack["y"].as_i64().unwrap());
        for piece in stack["pieces"].as_array().unwrap() {
            places.insert(piece.as_str().unwrap().to_owned(), place);
        }
    }
    places
}

#[test]
fn a_hive_that_crawls_far_from_its_origin_stays_where_it_is_from_ply_to_ply() {
    let (_folder, path) = file_with(crawling(130).to_string().as_bytes());
    let json: Value = serde_json::from_str(&stdout(&[&path, "--export", "json"])).unwrap();
    let positions: Vec<_> = json["plies"]
        .as_array()
        .unwrap()
        .iter()
        .map(places)
        .collect();
    assert_eq!(positions.len(), 131);
    for pair in positions.windows(2) {
        let moved = pair[0]
            .iter()
            .filter(|&(piece, place)| pair[1][piece] != *place);
        assert!(moved.count() <= 1, "{pair:?}");
    }
    let right = |places: &BTreeMap<_, (i64, i64)>| places.values().map(|(x, y)| x - y).max();
    assert!(right(&positions[130]) > Some(40), "{:?}", positions[130]);
    // A picture is as large as the hive, wherever that lies.
    let text = stdout(&[&path, "--ply", "130"]);
    let width = text.lines().map(|line| line.chars().count()).max();
    assert!(width < Some(160), "{text}");
}

#[test]
fn what_is_wrong_is_said_with_file_line_and_ply_and_the_plies_before_it_are_shown() {
    let (_folder, path) = file_with(b"\n\nBase;InProgress;White[2];wS1;bG1 -wS1;wQ bG1-;bQ -bG1\n");
    let output = replay(&[&path]);
    assert_eq!(output.status.code(), Some(1));
    let message = stderr(&output);
    assert!(message.contains(&path), "{message}");
    assert!(
        message.contains(
            "line 3, ply 3: `wQ bG1-`: There is a piece already where wQ would go; 3 positions"
        ),
        "{message}"
    );
    assert!(message.contains("3 positions could be read"), "{message}");
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(text.matches("in reserve").count(), 3);
    assert!(
        text.contains("the recording is damaged: line 3, ply 3"),
        "{text}"
    );
}

#[test]
fn an_unknown_game_type_is_refused_in_one_line() {
    let (_folder, path) = file_with(b"Base+X;NotStarted;White[1]");
    for subject in [path.as_str(), "Base+X;NotStarted;White[1]"] {
        let output = replay(&[subject]);
        assert_eq!(output.status.code(), Some(1));
        let message = stderr(&output);
        assert!(message.contains("`Base+X` is not a game type"), "{message}");
        assert_eq!(message.lines().count(), 1, "{message}");
    }
}

#[test]
fn of_several_game_strings_all_are_shown_or_one_is_chosen() {
    let (_folder, path) = file_with(b"Base;x;y;wS1\nBase;x;y;wG1\n\nBase;x;y;wA1\n");
    let output = replay(&[&path, "--ply", "1"]);
    assert!(output.status.success(), "{output:?}");
    assert!(String::from_utf8_lossy(&output.stdout).contains("ply 1: wS1"));
    assert!(stderr(&output).contains("of the 3 games in"), "{output:?}");
    let second = stdout(&[&path, "--ply", "1", "--game", "2"]);
    assert!(second.contains("ply 1: wG1"), "{second}");
    let output = replay(&[&path]);
    assert!(stderr(&output).contains("there are 3 games in"));
    let text = String::from_utf8(output.stdout).unwrap();
    for mv in ["wS1", "wG1", "wA1"] {
        assert!(text.contains(&format!("ply 1: {mv}\n")), "{text}");
    }
    let games = stdout(&[&path, "--export", "uhp"]);
    assert_eq!(games.lines().count(), 3);
    let pgn = stdout(&[&path, "--export", "pgn"]);
    let (_folder, pgn) = file_with(pgn.as_bytes());
    assert_eq!(stdout(&[&pgn, "--export", "uhp"]), games);
    let json: Value = serde_json::from_str(&stdout(&[&path, "--export", "json"])).unwrap();
    assert_eq!(json[2]["plies"][1]["move"], "wA1");
    let beyond = replay(&[&path, "--game", "4"]);
    assert!(stderr(&beyond).contains("has 3 games, not 4"), "{beyond:?}");
}

#[test]
fn a_game_that_began_with_a_queen_or_went_on_after_a_repetition_is_read() {
    let queen_first = stdout(&["Base;x;y;wQ;bQ wQ-", "--ply", "2"]);
    assert!(queen_first.contains("│wQ [bQ ]"), "{queen_first}");
    let dance = "wQ -wS1;bQ bS1-;wQ \\wS1;bQ bS1/;wQ -wS1;bQ bS1-;wQ \\wS1;bQ bS1/;wQ -wS1;bQ bS1-";
    let drawn = stdout(&[&format!("Base;x;y;wS1;bS1 wS1-;{dance}")]);
    assert!(
        drawn.ends_with("draw: this position has occurred three times\n"),
        "{drawn}"
    );
    let went_on = stdout(&[&format!("Base;x;y;wS1;bS1 wS1-;{dance};wA1 /wS1")]);
    assert!(went_on.contains("ply 13: wA1 wQ\\"), "{went_on}");
    assert!(went_on.contains("no result; the recording ends after 13 plies"));
}

#[test]
fn a_result_that_the_rules_do_not_give_is_the_recordings_own() {
    let text = stdout(&["Base;BlackWins;White[2];wS1;bS1 wS1-"]);
    assert!(
        text.contains("black wins, by the recording's account"),
        "{text}"
    );
}

#[test]
fn exports_hold_a_position_or_the_whole_game() {
    let svg = stdout(&[STACKS, "--export", "svg", "--ply", "48"]);
    assert!(svg.contains("after 48 plies, white to move"), "{svg}");
    assert!(
        svg.contains(
            "white queen, under black beetle 1, under white beetle 2, under black mosquito"
        )
    );
    assert_eq!(svg.matches("class=\"to\"").count(), 1);
    let page = stdout(&[STACKS, "--export", "html"]);
    let recorded = recording(&page);
    assert_eq!(recorded["views"][0][83]["turn"], 83);
    let game = &recorded["welcome"]["first"][0];
    let moves = game["line"]["moves"].as_array().unwrap();
    assert!(moves.contains(&Value::from("wB2 /wG1")));
    let result = game["result"]["sentence"].as_str().unwrap();
    assert!(
        result.contains("white wins: black's queen is surrounded"),
        "{result}"
    );
    let json: Value = serde_json::from_str(&stdout(&[STACKS, "--export", "json"])).unwrap();
    assert_eq!(json["plies"].as_array().unwrap().len(), 84);
    assert_eq!(json["plies"][1]["move"], "wP");
    assert_eq!(json["result"]["winner"], "white");
    assert_eq!(json["record"], fs::read_to_string(STACKS).unwrap().trim());
    let stacks = json["plies"][48]["stacks"].as_array().unwrap();
    let high = stacks
        .iter()
        .find(|stack| stack["pieces"].as_array().unwrap().len() == 4);
    assert_eq!(
        high.unwrap()["pieces"],
        serde_json::json!(["wQ", "bB1", "wB2", "bM"])
    );
}

/// A game in its other forms, and as a game string.
const OTHER_FORMS: [(&str, &str); 2] = [
    ("boardspace-new.sgf", "pass.uhp"),
    ("boardspace-old.sgf", "stacks.uhp"),
];

fn data(name: &str) -> String {
    format!("{}/tests/data/standard/{name}", env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn games_from_boardspace_are_read_in_its_new_dialect_and_in_its_old_one() {
    for (sgf, game) in OTHER_FORMS {
        let expected = fs::read_to_string(data(game)).unwrap();
        assert_eq!(stdout(&[&data(sgf), "--export", "uhp"]), expected, "{sgf}");
    }
    let pgn = stdout(&[&data("boardspace-new.sgf"), "--export", "pgn"]);
    for tag in [
        "[GameType \"Base+MLP\"]",
        "[White \"Anna\"]",
        "[Black \"Ben\"]",
        "[Result \"WhiteWins\"]",
        "[SgfDate \"21 November 2026\"]",
    ] {
        assert!(pgn.contains(tag), "{pgn}");
    }
}

#[test]
fn every_form_leads_to_pgn_and_back() {
    for name in [
        "stacks.uhp",
        "pass.uhp",
        "boardspace-new.sgf",
        "boardspace-old.sgf",
    ] {
        let game = stdout(&[&data(name), "--export", "uhp"]);
        let pgn = stdout(&[&data(name), "--export", "pgn"]);
        let (_folder, path) = file_with(pgn.as_bytes());
        assert_eq!(stdout(&[&path, "--export", "uhp"]), game, "{name}");
        assert_eq!(stdout(&[&path, "--export", "pgn"]), pgn, "{name}");
    }
}

#[test]
fn a_game_downloaded_from_hivegame_is_read() {
    // A dot or nothing behind the first piece, a blank behind a pass, a climb written as a direction.
    let text = "[GameType \"Base+MLP\"]\n[Date \"20-Nov-2026_16:10:56\"]\n[Site \"hivegame.com\"]\n[White \"anna\"]\n\
        [Black \"ben\"]\n[Result \"BlackWins\"]\n\n1. wS1 .\n2. bS1 wS1-\n3. wQ \\wS1\n4. bQ bS1-\n5. wB1 -wS1\n6. bA1 bQ-\n\
        7. wB1 -bS1\n\nBlackWins\n";
    let (_folder, path) = file_with(text.as_bytes());
    let shown = stdout(&[&path, "--ply", "7"]);
    assert!(
        shown.starts_with("anna (white) against ben (black), ply 7: wB1 wS1\n"),
        "{shown}"
    );
    assert!(
        shown.contains("black wins, by the recording's account"),
        "{shown}"
    );
}

#[test]
fn a_packed_game_is_read_and_a_pipe_too() {
    let text = fs::read(STACKS).unwrap();
    let mut packed = GzEncoder::new(Vec::new(), Compression::default());
    packed.write_all(&text).unwrap();
    let (_folder, path) = file_with(&packed.finish().unwrap());
    let game = stdout(&[&path, "--export", "uhp"]);
    assert_eq!(game.as_bytes(), text);
    #[cfg(unix)]
    {
        let mut reader = Command::new(env!("CARGO_BIN_EXE_wabe"))
            .args(["replay", "/dev/stdin", "--export", "uhp"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        reader.stdin.take().unwrap().write_all(&text).unwrap();
        assert_eq!(reader.wait_with_output().unwrap().stdout, text);
    }
}

#[test]
fn comments_are_shown_with_their_positions() {
    let (_folder, path) = file_with(b"[White \"A\"]\n\n1. wS1\n{solid}\n2. bG1 wS1-\n");
    assert!(stdout(&[&path, "--ply", "1"]).contains("comment: solid\n"));
    assert!(!stdout(&[&path, "--ply", "2"]).contains("solid"));
    assert!(stdout(&[&path, "--export", "html"]).contains("solid"));
}

#[test]
fn a_recording_of_any_form_may_be_cut_off_anywhere() {
    for name in ["boardspace-new.sgf", "boardspace-old.sgf", "stacks.uhp"] {
        let bytes = fs::read(data(name)).unwrap();
        for part in [1, 2, 5, 9] {
            let (_folder, path) = file_with(&bytes[..bytes.len() * part / 10]);
            let output = replay(&[&path, "--export", "uhp"]);
            let text = String::from_utf8_lossy(&output.stdout).into_owned();
            assert!(text.starts_with("Base+MLP;"), "{name}: {output:?}");
            assert_eq!(text.lines().count(), 1);
            if name.contains("sgf") {
                assert_eq!(output.status.code(), Some(1));
                assert!(stderr(&output).contains("cut off"), "{output:?}");
            }
        }
    }
}

#[test]
fn a_variant_that_is_not_standard_hive_is_refused_in_one_line() {
    let (_folder, path) = file_with(b"(;\nGM[27]VV[1]\nSU[hive-u]\n; P0[1 dropb wA1 N 13 .]\n)");
    let output = replay(&[&path]);
    assert_eq!(output.status.code(), Some(1));
    let message = stderr(&output);
    assert!(
        message.contains("line 3: `hive-u` is not a variant"),
        "{message}"
    );
    assert_eq!(message.lines().count(), 1);
}

#[test]
fn a_game_of_the_contest_has_no_game_string() {
    let contest = format!(
        "{}/tests/data/transcripts/replay_1.xml.gz",
        env!("CARGO_MANIFEST_DIR")
    );
    for form in ["uhp", "pgn"] {
        let output = replay(&[&contest, "--export", form]);
        assert_eq!(output.status.code(), Some(1));
        assert!(
            stderr(&output).contains("only as xml or record"),
            "{output:?}"
        );
    }
}

/// The status, the standard output and the standard error of `wabe`.
fn wabe(arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_wabe"))
        .args(arguments)
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    (output.status.code(), text, stderr(&output))
}

#[test]
fn words_after_a_move_are_errors_everywhere() {
    let game = "Base;InProgress;White[2];wS1;bS1 wS1- wQ -wS1";
    for arguments in [
        &["replay", game, "--export", "uhp"][..],
        &["moves", game],
        &["analyze", game, "--nodes", "10"],
        &["perft", game, "--depth", "1"],
    ] {
        let (status, text, message) = wabe(arguments);
        assert!(matches!(status, Some(1 | 2)), "{arguments:?}: {status:?}");
        assert!(
            message.contains("ply 2") && message.contains("bS1 wS1- wQ -wS1"),
            "{arguments:?}: {message}"
        );
        // What was read is written all the same.
        if arguments[0] == "replay" {
            assert_eq!(text, "Base;InProgress;Black[1];wS1\n");
        }
    }
}

#[test]
fn games_of_other_programs_are_renumbered() {
    let (status, text, message) = wabe(&["replay", &data("unordered.uhp"), "--export", "uhp"]);
    assert_eq!(status, Some(1));
    let games: Vec<&str> = text.lines().collect();
    assert_eq!(
        games,
        [
            r"Base;InProgress;White[5];wS1;bA1 wS1-;wQ -wS1;bQ bA1-;wS2 -wQ;bA2 bQ-;wS2 wS1\;bA2 \wQ",
            "Base;InProgress;Black[1];wS1",
            "Base+ML;Draw;White[2];wM;bL wM-",
            "Base;InProgress;White[2];wG1;bG1 wG1-",
        ]
    );
    for (game, problem) in [
        (
            "game 2",
            "line 2, ply 2: `bS1 wS1- wQ -wS1`: Unable to parse",
        ),
        (
            "game 5",
            "cannot be read: line 5: `Base+X` is not a game type",
        ),
    ] {
        let named = message.lines().find(|line| line.contains(game)).unwrap();
        assert!(named.contains(problem), "{named}");
    }
    let game = ["--game", "1"];
    for command in [&["moves"][..], &["analyze", "--nodes", "10"]] {
        let path = data("unordered.uhp");
        let (_, text, _) = wabe(&[command, &[&path], &game].concat());
        assert!(text.contains("wS2"), "{text}");
    }
}

#[test]
fn archives_of_boardspace_are_read() {
    let (status, text, message) = wabe(&["replay", &data("boardspace.zip"), "--export", "uhp"]);
    assert_eq!(status, Some(1), "{message}");
    let one = |name: &str| stdout(&[&data(name), "--export", "uhp"]);
    let expected = [one("boardspace-new.sgf"), one("boardspace-old.sgf")];
    assert_eq!(text, expected.concat());
    assert!(
        message.contains("game 2 of") && message.contains("(in games/U-Anna-Ben.sgf)"),
        "{message}"
    );
    let archive = fs::read(data("boardspace.zip")).unwrap();
    let (_folder, path) = file_with(&archive[..archive.len() / 2]);
    let (status, text, message) = wabe(&["replay", &path]);
    assert_eq!((status, &*text), (Some(1), ""), "{message}");
}

#[test]
fn analyses_of_hivegame_are_read() {
    let path = data("hivegame-analysis.json");
    let game = "Base+MLP;InProgress;Black[2];wS1;bG1 wS1-;wQ -wS1\n";
    assert_eq!(stdout(&[&path, "--export", "uhp"]), game);
    let pgn = stdout(&[&path, "--export", "pgn"]);
    assert!(
        pgn.contains("2. bG1 wS1-\n{} (2. bA1 wS1- 3. wM -wS1) {}\n"),
        "{pgn}"
    );
    let link = "https://hivegame.com/analysis?uhp=Base%2BMLP;;;wS1;bG1%20wS1-;wQ+-wS1";
    assert_eq!(stdout(&[link, "--export", "uhp"]), game);
    let (status, _, message) = wabe(&["replay", "https://hivegame.com/game/abc"]);
    assert_eq!(status, Some(1));
    assert!(message.contains("does not load links"), "{message}");
}
