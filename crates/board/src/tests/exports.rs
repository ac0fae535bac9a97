//! Tests of exports.

use serde_json::{Value, json};

use super::{Page, line};

#[test]
fn export_keeps_tags_with_an_agreed_result() {
    let mut page = Page::open();
    let export = |form: &str, winner: Value| {
        json!({
            "ask": "export", "id": 1, "line": line("Base", &["wA1", "bA1 wA1-"]), "form": form,
            "tags": [["Date", "2026.11.22"], ["White", "somebody else"]], "result": {"winner": winner, "reason": "White resigned"},
        })
    };
    for (winner, written) in [(json!(1), "BlackWins"), (json!(null), "Draw")] {
        let exported = page.ask(export("pgn", winner.clone()));
        let text = exported["text"].as_str().unwrap();
        assert!(text.contains("[Date \"2026.11.22\"]"), "{text}");
        assert!(!text.contains("somebody"), "{text}");
        assert!(text.contains(written), "{text}");
        let opened = page.ask(json!({"ask": "open", "id": 2, "source": {"text": text}}));
        assert_eq!(opened["games"][0]["result"]["winner"], winner);
    }
    let html = page.ask(export("html", json!(1)));
    assert!(html["text"].as_str().unwrap().contains("White resigned"));
    assert_eq!(page.ask(export("pgn", json!(2)))["is"], "problem");
}

#[test]
fn exports_state_results_by_code() {
    let mut page = Page::open();
    for (winner, reason, text) in [
        (
            json!(1),
            "resignation",
            "Base;BlackWins;White[2];wA1;bA1 wA1-\n# black wins: white resigned\n",
        ),
        (
            json!(null),
            "agreement",
            "Base;Draw;White[2];wA1;bA1 wA1-\n# draw: the players agreed\n",
        ),
        (
            json!(0),
            "time",
            "Base;WhiteWins;White[2];wA1;bA1 wA1-\n# white wins: black ran out of time\n",
        ),
        (
            json!(0),
            "soft_timeout",
            "Base;WhiteWins;White[2];wA1;bA1 wA1-\n# white wins: black answered too late\n",
        ),
        (
            json!(0),
            "left",
            "Base;WhiteWins;White[2];wA1;bA1 wA1-\n# white wins: black left the game\n",
        ),
        (
            json!(null),
            "ply_limit",
            "Base;Draw;White[2];wA1;bA1 wA1-\n# draw: ply limit\n",
        ),
        (json!(0), "stated", "Base;WhiteWins;White[2];wA1;bA1 wA1-\n"),
    ] {
        let exported = page.ask(json!({
            "ask": "export", "id": 1, "line": line("Base", &["wA1", "bA1 wA1-"]), "form": "uhp",
            "result": {"winner": winner, "reason": reason},
        }));
        assert_eq!(exported["text"], text);
    }
}

#[test]
fn variations_round_trip_through_pgn() {
    let mut page = Page::open();
    let variations = json!([{
        "after": 1, "moves": ["bA1 -wA1", "wQ wA1-"], "remarks": [[3, "a <b> ("]], "glyphs": [[2, "?!"]],
        "variations": [{"after": 2, "moves": ["wS1 wA1-"], "remarks": [], "glyphs": [], "variations": []}],
    }]);
    let export = |form: &str, variations: &Value| {
        json!({
            "ask": "export", "id": 1, "line": line("Base", &["wA1", "bA1 wA1-", "wQ -wA1"]), "form": form,
            "glyphs": [[2, "??"]], "variations": variations,
        })
    };
    for form in ["pgn", "uhp", "html"] {
        let exported = page.ask(export(form, &variations));
        let text = exported["text"].as_str().unwrap();
        assert_eq!(text.contains("$4"), form == "pgn", "{text}");
        if form == "html" {
            continue;
        }
        let opened = page.ask(json!({"ask": "open", "id": 2, "source": {"text": text}}));
        let game = &opened["games"][0];
        assert_eq!(game["line"]["moves"].as_array().unwrap().len(), 3);
        assert_eq!(game["damage"], Value::Null);
        if form == "pgn" {
            assert_eq!(game["variations"], variations);
            assert_eq!(game["glyphs"], json!([[2, "??"]]));
        }
    }
    let mut deep = json!([]);
    for _ in 0..40 {
        deep = json!([{"after": 0, "moves": ["wS1", "bS1 wS1-"], "variations": deep}]);
    }
    let many = vec![json!({"after": 0, "moves": ["wS1"]}); 1001];
    for (invalid, part) in [
        (deep, "too_many_variations"),
        (json!(many), "too_many_variations"),
        (
            json!([{"after": 3, "moves": ["bQ wA1-"]}]),
            "lone_variation",
        ),
        (json!([{"after": 1, "moves": []}]), "lone_variation"),
        (json!([{"after": 1, "moves": ["bA1 wS1-"]}]), "wS1"),
    ] {
        let reply = page.ask(export("pgn", &invalid));
        assert!(reply["problem"].to_string().contains(part), "{reply}");
    }
}
