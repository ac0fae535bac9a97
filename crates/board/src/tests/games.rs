//! Tests of new and opened games.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};

use super::{Page, line};

#[test]
fn open_rejects_truncated_gzip_files() {
    use std::io::Write;
    let compress = |text: &str| {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(text.as_bytes()).unwrap();
        encoder.finish().unwrap()
    };
    let game = "Base;InProgress;White[2];wS1;bG1 wS1-\n".repeat(20);
    let parts = [compress(""), compress(&game)].concat();
    let mut page = Page::open();
    let mut open = |bytes: &[u8]| {
        let source = json!({"base64": BASE64_STANDARD.encode(bytes)});
        page.ask(json!({"ask": "open", "id": 1, "source": source}))
    };
    let whole = open(&parts);
    assert_eq!(whole["games"].as_array().map(Vec::len), Some(20), "{whole}");
    let truncated = open(&parts[..parts.len() - 12]);
    assert_eq!(truncated["is"], "problem", "{truncated}");
}

#[test]
fn new_games_round_trip_through_text() {
    for game in crate::answer::games() {
        let mut page = Page::open();
        let opened = page.ask(json!({"ask": "new", "id": 1, "game": game.word, "seed": 7}));
        let line = opened["games"][0]["line"].clone();
        assert_eq!(line["game"], game.word);
        let shown = page.ask(json!({"ask": "show", "id": 2, "line": line}));
        assert_eq!(shown["is"], "shown", "{shown}");
        let view = &shown["view"];
        let moves = view["moves"].as_array().unwrap();
        assert!(moves.len() > 3 && moves.iter().all(|mv| mv["from"].is_null()));
        let kinds: u64 = game.kinds.iter().map(|kind| u64::from(kind.count)).sum();
        let reserves = view["reserves"].as_array().unwrap();
        let in_reserve = reserves.iter().map(|r| r["counts"][0].as_u64().unwrap());
        assert_eq!(in_reserve.sum::<u64>(), kinds);
        let text = &shown["record"];
        let again = page.ask(json!({"ask": "open", "id": 3, "source": {"text": text}}));
        assert_eq!(again["games"][0]["line"], line, "{text}");
    }
}

#[test]
fn new_contest_games_have_random_brambles() {
    let mut page = Page::open();
    let mut start = |seed: Value| {
        let new = json!({"ask": "new", "id": 1, "game": "contest", "seed": seed});
        page.ask(new)["games"][0]["line"]["start"].clone()
    };
    assert_eq!(start(json!(3)), start(json!(3)));
    assert_ne!(start(json!(3)), start(json!(4)));
    assert!(start(Value::Null).is_string());
}

#[test]
fn open_normalizes_the_notation_of_moves() {
    let mut page = Page::open();
    let open =
        |moves: &[&str]| json!({"ask": "open", "id": 1, "source": {"line": line("Base", moves)}});
    let moves = [
        "wS1", "bS1 wS1-", "wQ -wS1", "bQ bS1-", "wA1 -wQ", "bA1 bQ-", "wA1 bQ/",
    ];
    let opened = page.ask(open(&moves));
    assert_eq!(opened["games"][0]["line"]["moves"][6], "wA1 \\bA1");
    assert_eq!(page.ask(open(&["wS1", "wS1"]))["is"], "problem");
}

#[test]
fn open_accepts_games_that_begin_with_a_queen() {
    let mut page = Page::open();
    let text = "Base+L;InProgress;White[2];wQ;bQ wQ-";
    let opened = page.ask(json!({"ask": "open", "id": 1, "source": {"text": text}}));
    let line = &opened["games"][0]["line"];
    assert_eq!(line["start"], Value::Null);
    let shown = page.ask(json!({"ask": "show", "id": 2, "line": line}));
    assert_eq!(shown["is"], "shown", "{shown}");
}

/// The code and parameters of a damaged recording are the same as those of a line.
#[test]
fn damage_names_place_with_reason() {
    let mut page = Page::open();
    for (text, damage) in [
        (
            "Base;;;wS1;bS1 wS1-;wA1 bS1-",
            json!({"code": "line", "line": 1, "why": {
                "code": "ply", "number": 3, "text": "wA1 bS1-", "why": {"code": "no_placement"},
            }}),
        ),
        (
            "[GameType \"Base+X\"]\n1. wS1",
            json!({"code": "line", "line": 1, "why": {"code": "unknown_game_type", "text": "Base+X"}}),
        ),
        (
            "1. wS1 (1. wZ) 2. bS1 wS1-",
            json!({"code": "line", "line": 1, "why": {
                "code": "variation_ply", "number": 1, "text": "wZ", "why": {"code": "unreadable_move"},
            }}),
        ),
    ] {
        let opened = page.ask(json!({"ask": "open", "id": 1, "source": {"text": text}}));
        assert_eq!(opened["games"][0]["damage"], damage, "{text}");
    }
}

#[test]
fn open_reports_what_it_cuts_off() {
    let mut page = Page::open();
    let mut open =
        |text: String| page.ask(json!({"ask": "open", "id": 1, "source": {"text": text}}));
    let too_many = open("Base;InProgress;Black[1];wA1\n".repeat(10_001));
    assert_eq!(too_many["is"], "problem");
    let shuffle = r"wQ -wS1;bQ bS1-;wQ \wS1;bQ bS1/;".repeat(1100);
    let opened = open(format!("Base;;;wS1;bS1 wS1-;{shuffle}"));
    let game = &opened["games"][0];
    assert_eq!(game["line"]["moves"].as_array().unwrap().len(), 4000);
    let damage = json!({"code": "cut_off_game", "plies": 4402, "max": 4000});
    assert_eq!(game["damage"], damage);
    let moves = ["wS1", "bS1 wS1-"]
        .into_iter()
        .chain(shuffle.split_terminator(';'));
    let mut pgn = String::new();
    for (number, mv) in (1..).zip(moves) {
        let variation = if number % 2000 == 1 { "(wA1 /wS1)" } else { "" };
        pgn += &format!("{number}. {mv} {variation}\n");
    }
    let opened = open(format!("[GameType \"Base\"]\n\n{pgn}"));
    let variations = opened["games"][0]["variations"].as_array().unwrap();
    let after: Vec<_> = variations.iter().map(|one| &one["after"]).collect();
    assert_eq!(after, [&json!(0), &json!(2000)]);
}

/// Pages translate the reason, so an English sentence would not be enough.
#[test]
fn contest_recordings_have_winner_with_reason() {
    let ending_of = |name: &str| {
        let path = format!(
            "{}/../../tests/data/transcripts/{name}.xml.gz",
            env!("CARGO_MANIFEST_DIR")
        );
        let file = BASE64_STANDARD.encode(std::fs::read(path).unwrap());
        let opened = Page::open().ask(json!({"ask": "open", "id": 1, "source": {"base64": file}}));
        let games = opened["games"].as_array().unwrap();
        let result = games.last().unwrap()["result"].clone();
        (result["winner"].clone(), result["reason"].clone())
    };
    for (name, winner, reason) in [
        ("soft_timeout.admin.received", 1, "soft_timeout"),
        ("hard_timeout.admin.received", 1, "hard_timeout"),
        ("illegal_move.admin.received", 0, "rule_violation"),
        ("opponent_left.admin.received", 0, "left"),
        ("replay_1", 1, "surrounded"),
    ] {
        assert_eq!(ending_of(name), (json!(winner), json!(reason)), "{name}");
    }
}
