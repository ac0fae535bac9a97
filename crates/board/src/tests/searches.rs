//! Tests of searches, levels and puzzles.

use std::collections::HashSet;

use serde_json::{Value, json};

use super::{Page, line};

#[test]
fn shipped_puzzles_can_be_solved() {
    let puzzles: Value = serde_json::from_str(include_str!("../page/puzzles.json")).unwrap();
    let puzzles = puzzles.as_array().unwrap();
    let mut page = Page::open();
    let mut ids = HashSet::new();
    for puzzle in puzzles {
        assert!(ids.insert(puzzle["id"].as_str().unwrap()), "{puzzle}");
        let line =
            json!({"game": puzzle["game"], "start": puzzle["position"], "moves": puzzle["line"]});
        let reply = page.ask(json!({"ask": "show", "id": 1, "line": line}));
        assert_eq!(reply["is"], "shown", "{puzzle}: {reply}");
        let moves = puzzle["line"].as_array().unwrap().len();
        if puzzle["goal"] == "win" {
            assert_eq!(puzzle["plies"], moves);
            // The side that makes the last move wins.
            let winner = &reply["view"]["ending"]["winner"];
            assert!(winner.is_number(), "{puzzle}: {reply}");
        } else {
            assert_eq!(moves, 1, "{puzzle}");
        }
    }
    let count = |game: &str| {
        puzzles
            .iter()
            .filter(|puzzle| puzzle["game"] == game)
            .count()
    };
    assert!(count("Base") >= 300 && count("Base+MLP") >= 300 && count("contest") >= 200);
}

/// A lost game for White: only one field next to its queen is free, and a black ant can reach it.
const LOST: &[&str] = &[
    "wS1",
    "bS1 wS1-",
    "wQ \\wS1",
    "bQ bS1/",
    "wG1 -wQ",
    "bG1 bQ-",
    "wA1 wG1\\",
    "bA1 bQ\\",
    "wA2 \\wQ",
    "bA2 \\bG1",
    "wG2 wQ/",
];

#[test]
fn search_reports_length_of_proven_wins() {
    let mut page = Page::open();
    let effort = json!({"lines": 1, "nodes": 2000});
    let search = json!({"ask": "search", "id": 4, "line": line("Base", LOST), "effort": effort});
    page.send(search);
    let found = page.next_of_kind("found");
    let value = &found["findings"]["lines"][0]["value"];
    assert_eq!(value, &json!({"score": 0.0, "proven": true, "plies": 1}));
    let mut moves = LOST.to_vec();
    moves.push(found["move"].as_str().unwrap());
    let shown = page.ask(json!({"ask": "show", "id": 5, "line": line("Base", &moves)}));
    assert_eq!(shown["view"]["ending"]["winner"], 1);
    assert_eq!(shown["view"]["to_move"], Value::Null);
    assert_eq!(shown["view"]["moves"], json!([]));
}

#[test]
fn searches_leave_out_moves() {
    let mut page = Page::open();
    let mut search = |without: &[&str]| {
        page.send(json!({
            "ask": "search", "id": 1, "line": line("Base", &["wA1", "bA1 wA1-"]),
            "effort": {"nodes": 200, "lines": 20}, "without": without,
        }));
        page.next_of_kind(if without == ["nonsense"] {
            "problem"
        } else {
            "found"
        })
    };
    let best = search(&[])["move"].clone();
    let without = search(&[best.as_str().unwrap()]);
    assert_ne!(without["move"], best);
    let lines = without["findings"]["lines"].as_array().unwrap();
    assert!(!lines.is_empty() && lines.iter().all(|line| line["move"]["text"] != best));
    assert_eq!(search(&["nonsense"])["problem"]["code"], "invalid_request");
}

#[test]
fn threat_search_lets_the_other_side_move() {
    let mut page = Page::open();
    let mut moves = LOST.to_vec();
    moves.extend(["bS2 bA2/"]);
    let effort = json!({"lines": 1, "nodes": 2000});
    let search = json!({"ask": "search", "id": 4, "line": line("Base", &moves), "effort": effort, "threat": true});
    page.send(search);
    let found = page.next_of_kind("found");
    let value = &found["findings"]["lines"][0]["value"];
    assert_eq!(value, &json!({"score": 0.0, "proven": true, "plies": 1}));
}

#[test]
fn every_level_plays_a_legal_move() {
    let mut page = Page::open();
    for level in 1..=wabe_engine::search::Level::MAX {
        let effort = json!({"level": level, "time_ms": 20});
        page.send(
            json!({"ask": "search", "id": level, "line": line("Base", &["wA1"]), "effort": effort}),
        );
        let found = page.next_of_kind("found");
        let moves = ["wA1", found["move"].as_str().unwrap()];
        let shown = page.ask(json!({"ask": "show", "id": 99, "line": line("Base", &moves)}));
        assert_eq!(shown["is"], "shown");
    }
}

#[test]
fn unknown_levels_are_rejected() {
    let mut page = Page::open();
    for level in [0, 11] {
        let effort = json!({"level": level, "time_ms": 20});
        page.send(json!({"ask": "search", "id": 1, "line": line("Base", &[]), "effort": effort}));
        let detail = format!("unknown level {level}: expected 1 to 10");
        assert_eq!(page.next_of_kind("problem")["problem"]["detail"], detail);
    }
}
