//! `wabe replay` with games of standard Hive.

use std::fs;
use std::io::Write;
use std::process::Stdio;

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::Value;

use crate::replay_command::{export_json, read_page};
use crate::wabe::{STACKS, command, fail, file_with, stderr, stdout, succeed, texts, wabe};

/// The path of a file in `tests/data/standard`.
fn data_path(name: &str) -> String {
    format!("{}/tests/data/standard/{name}", env!("CARGO_MANIFEST_DIR"))
}

fn replay(game: &str, options: &str) -> String {
    succeed(&format!("replay '{game}' {options}"))
}

#[test]
fn replay_shows_stacks_with_a_legend() {
    let text = replay(STACKS, "");
    assert_eq!(text.matches("in reserve       white black").count(), 84);
    assert!(text.contains("white against black, after 0 plies\n"));
    assert!(text.contains("white against black, ply 83: wB2 /wG1\n"));
    assert!(text.ends_with("white wins: black's queen is surrounded\n"));
    for kind in ["P pillbug", "M mosquito", "L ladybug"] {
        assert!(text.contains(kind), "{text}");
    }
    let text = replay(STACKS, "--ply 48");
    assert!(text.starts_with("white against black, ply 48: bM wB2\n"));
    // The queen is covered, but still has neighbours.
    for part in ["[bM⁴]", "stack bM wB2 bB1 wQ\n", "free around queen"] {
        assert!(text.contains(part), "{text}");
    }
}

#[test]
fn replay_accepts_game_strings_as_arguments() {
    let result = "according to the recording";
    let dance = r"wQ -wS1;bQ bS1-;wQ \wS1;bQ bS1/;wQ -wS1;bQ bS1-;wQ \wS1;bQ bS1/;wQ -wS1;bQ bS1-";
    let drawn = &format!("Base;;;wS1;bS1 wS1-;{dance}");
    for (game, part) in [
        ("Base+P;InProgress;White[2];wS1;bP wS1-", "│wS1[bP ]"),
        ("Base+P;InProgress;White[2];wS1;bP wS1-", "white to move"),
        // A queen in the first turn.
        ("Base;;;wQ;bQ wQ-", "│wQ [bQ ]"),
        (drawn, "draw: this position has occurred three times\n"),
        // Moves after the repetition.
        (&format!("{drawn};wA1 /wS1"), "after ply 13"),
        // A result that does not follow from the rules.
        ("Base;BlackWins;White[2];wS1;bS1 wS1-", result),
    ] {
        let text = replay(game, "");
        assert!(text.contains(part), "{text}");
    }
}

#[test]
fn errors_name_line_ply_reason() {
    let (_folder, path) = file_with("\n\nBase;InProgress;White[2];wS1;bG1 -wS1;wQ bG1-;bQ -bG1\n");
    let output = wabe(&format!("replay '{path}'"));
    assert_eq!(output.status.code(), Some(1));
    let (text, message) = texts(&output);
    for part in [
        &*path,
        "line 3, ply 3: `wQ bG1-`: The target of wQ",
        "3 positions could be read",
    ] {
        assert!(message.contains(part), "{message}");
    }
    assert_eq!(text.matches("in reserve").count(), 3);
    assert!(text.contains("the recording is damaged: line 3, ply 3"));

    let (_folder, sgf) = file_with("(;\nGM[27]VV[1]\nSU[hive-u]\n; P0[1 dropb wA1 N 13 .]\n)");
    let (_folder, uhp) = file_with("Base+X;NotStarted;White[1]");
    for (game, problem) in [
        (&*uhp, "`Base+X` is not a game type"),
        ("Base+X;NotStarted;White[1]", "`Base+X` is not a game type"),
        (&*sgf, "line 3: `hive-u` is not a variant"),
    ] {
        let message = fail(&format!("replay '{game}'"), 1);
        assert!(message.contains(problem), "{message}");
        assert_eq!(message.lines().count(), 1, "{message}");
    }
}

#[test]
fn nth_selects_one_game() {
    let (_folder, path) = file_with("Base;;;wS1\nBase;;;wG1\n\nBase;;;wA1\n");
    let output = wabe(&format!("replay '{path}' --ply 1"));
    assert!(output.status.success(), "{output:?}");
    assert!(stdout(&output).contains("ply 1: wS1"));
    assert!(
        stderr(&output).contains("first of 3 games in"),
        "{output:?}"
    );
    assert!(replay(&path, "--ply 1 --nth 2").contains("ply 1: wG1"));
    let output = wabe(&format!("replay '{path}'"));
    assert!(stderr(&output).contains("contains 3 games"));
    for mv in ["wS1", "wG1", "wA1"] {
        assert!(stdout(&output).contains(&format!("ply 1: {mv}\n")));
    }
    let games = replay(&path, "--export uhp");
    assert_eq!(games.lines().count(), 3);
    let (_folder, pgn) = file_with(replay(&path, "--export pgn"));
    assert_eq!(replay(&pgn, "--export uhp"), games);
    assert_eq!(export_json(&path)[2]["plies"][1]["move"], "wA1");
    let beyond = wabe(&format!("replay '{path}' --nth 4"));
    assert!(
        stderr(&beyond).contains("contains 3 games: cannot read game 4"),
        "{beyond:?}"
    );
}

#[test]
fn exports_contain_one_or_all_positions() {
    let svg = replay(STACKS, "--export svg --ply 48");
    assert!(svg.contains("after 48 plies, white to move"), "{svg}");
    assert!(svg.contains("white queen, under black beetle 1, under white beetle 2"));
    assert_eq!(svg.matches("class=\"to\"").count(), 1);
    let recorded = read_page(&replay(STACKS, "--export html"));
    assert_eq!(recorded["views"][83]["turn"], 83);
    let game = &recorded["welcome"]["first"][0];
    let moves = game["line"]["moves"].as_array().unwrap();
    assert!(moves.contains(&Value::from("wB2 /wG1")));
    assert_eq!(game["result"]["winner"], 0);
    let json = export_json(STACKS);
    assert_eq!(json["plies"].as_array().unwrap().len(), 84);
    assert_eq!(json["plies"][1]["move"], "wP");
    assert_eq!(json["result"]["winner"], "white");
    assert_eq!(json["record"], fs::read_to_string(STACKS).unwrap().trim());
    let mut stacks = json["plies"][48]["stacks"].as_array().unwrap().iter();
    let high = serde_json::json!(["wQ", "bB1", "wB2", "bM"]);
    assert!(stacks.any(|stack| stack["pieces"] == high));
}

#[test]
fn formats_round_trip_through_pgn() {
    // BoardSpace.net's new and old SGF dialects, and the same games as game strings.
    for (sgf, uhp) in [
        ("boardspace-new.sgf", "pass.uhp"),
        ("boardspace-old.sgf", "stacks.uhp"),
    ] {
        let game = fs::read_to_string(data_path(uhp)).unwrap();
        for path in [data_path(sgf), data_path(uhp)] {
            assert_eq!(replay(&path, "--export uhp"), game, "{path}");
            let pgn = replay(&path, "--export pgn");
            let (_folder, copy) = file_with(&pgn);
            assert_eq!(replay(&copy, "--export uhp"), game, "{path}");
            assert_eq!(replay(&copy, "--export pgn"), pgn, "{path}");
        }
        // Truncated files.
        for part in [1, 2, 5, 9] {
            let bytes = fs::read(data_path(sgf)).unwrap();
            let (_folder, cut) = file_with(&bytes[..bytes.len() * part / 10]);
            let (text, message) = texts(&wabe(&format!("replay '{cut}' --export uhp")));
            assert!(text.starts_with("Base+MLP;"), "{sgf}: {message}");
            assert_eq!(text.lines().count(), 1);
            assert!(message.contains("unexpected end of file"), "{message}");
        }
    }
    let pgn = replay(&data_path("boardspace-new.sgf"), "--export pgn");
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
fn replay_reads_hivegame_downloads() {
    // With a dot after the first piece, and a climb written as a direction.
    let text = "[GameType \"Base+MLP\"]\n[Date \"20-Nov-2026_16:10:56\"]\n[Site \"hivegame.com\"]\n[White \"anna\"]\n\
        [Black \"ben\"]\n[Result \"BlackWins\"]\n\n1. wS1 .\n2. bS1 wS1-\n3. wQ \\wS1\n4. bQ bS1-\n5. wB1 -wS1\n6. bA1 bQ-\n\
        7. wB1 -bS1\n\nBlackWins\n";
    let (_folder, path) = file_with(text);
    let shown = replay(&path, "--ply 7");
    assert!(shown.starts_with("anna (white) against ben (black), ply 7: wB1 wS1\n"));
    assert!(shown.contains("black wins according to the recording"));

    let analysis = data_path("hivegame-analysis.json");
    let game = "Base+MLP;InProgress;Black[2];wS1;bG1 wS1-;wQ -wS1\n";
    assert_eq!(replay(&analysis, "--export uhp"), game);
    let pgn = replay(&analysis, "--export pgn");
    let variation = "2. bG1 wS1-\n{} (2. bA1 wS1- 3. wM -wS1) {}\n";
    assert!(pgn.contains(variation), "{pgn}");
    let link = "https://hivegame.com/analysis?uhp=Base%2BMLP;;;wS1;bG1%20wS1-;wQ+-wS1";
    assert_eq!(replay(link, "--export uhp"), game);
    let message = fail("replay https://hivegame.com/game/abc", 1);
    assert!(message.contains("does not download games"), "{message}");
}

#[test]
fn replay_reads_gzip_or_pipes() {
    let text = fs::read(STACKS).unwrap();
    let mut compressed = GzEncoder::new(Vec::new(), Compression::default());
    compressed.write_all(&text).unwrap();
    let (_folder, path) = file_with(compressed.finish().unwrap());
    assert_eq!(replay(&path, "--export uhp").as_bytes(), text);
    #[cfg(unix)]
    {
        let mut reader = command("replay - --export uhp");
        reader.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut reader = reader.spawn().unwrap();
        reader.stdin.take().unwrap().write_all(&text).unwrap();
        assert_eq!(reader.wait_with_output().unwrap().stdout, text);
    }
}

#[test]
fn replay_shows_comments() {
    let (_folder, path) = file_with("[White \"A\"]\n\n1. wS1\n{solid}\n2. bG1 wS1-\n");
    assert!(replay(&path, "--ply 1").contains("comment: solid\n"));
    assert!(!replay(&path, "--ply 2").contains("solid"));
    assert!(replay(&path, "--export html").contains("solid"));
}

#[test]
fn commands_reject_words_after_moves() {
    let game = "Base;InProgress;White[2];wS1;bS1 wS1- wQ -wS1";
    for command in ["replay", "moves", "analyze --nodes 10", "perft --depth 1"] {
        let output = wabe(&format!("{command} '{game}'"));
        assert!(matches!(output.status.code(), Some(1 | 2)), "{command}");
        let message = stderr(&output);
        assert!(message.contains("ply 2"), "{command}: {message}");
        assert!(message.contains("bS1 wS1- wQ -wS1"), "{command}: {message}");
    }
}

#[test]
fn replay_renumbers_pieces() {
    let path = data_path("unordered.uhp");
    let output = wabe(&format!("replay '{path}' --export uhp"));
    assert_eq!(output.status.code(), Some(1));
    let (text, message) = texts(&output);
    assert_eq!(
        text.lines().collect::<Vec<_>>(),
        [
            r"Base;InProgress;White[5];wS1;bA1 wS1-;wQ -wS1;bQ bA1-;wS2 -wQ;bA2 bQ-;wS2 wS1\;bA2 \wQ",
            "Base;InProgress;Black[1];wS1",
            "Base+ML;Draw;White[2];wM;bL wM-",
            "Base;InProgress;White[2];wG1;bG1 wG1-",
        ]
    );
    for (game, problem) in [
        ("game 2", "line 2, ply 2: `bS1 wS1- wQ -wS1`"),
        ("game 5", "line 5: `Base+X` is not a game type"),
    ] {
        let named = message.lines().find(|line| line.contains(game)).unwrap();
        assert!(named.contains(problem), "{named}");
    }
    for command in ["moves", "analyze --nodes 10"] {
        let text = stdout(&wabe(&format!("{command} '{path}' --nth 1")));
        assert!(text.contains("wS2"), "{text}");
    }
}

#[test]
fn replay_reads_boardspace_archives() {
    let path = data_path("boardspace.zip");
    let output = wabe(&format!("replay '{path}' --export uhp"));
    assert_eq!(output.status.code(), Some(1));
    let (text, message) = texts(&output);
    let one = |name: &str| replay(&data_path(name), "--export uhp");
    let expected = [one("boardspace-new.sgf"), one("boardspace-old.sgf")];
    assert_eq!(text, expected.concat());
    assert!(message.contains("game 2 of") && message.contains("(in games/U-Anna-Ben.sgf)"));
    let archive = fs::read(path).unwrap();
    let (_folder, path) = file_with(&archive[..archive.len() / 2]);
    let output = wabe(&format!("replay '{path}'"));
    assert_eq!((output.status.code(), &*stdout(&output)), (Some(1), ""));
}
