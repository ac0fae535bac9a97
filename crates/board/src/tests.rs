//! Tests requests and answers without sockets.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};

use super::protocol::{ReplyMessage, RequestMessage};
use super::{Budget, PageSession};
use wabe_arena::{Format, GameSettings, Games, Openings, RunSettings, Shard, Standings, Tally};
use wabe_hive::standard::{GameType, Standard};

/// Generous time limit for an answer.
const TIMEOUT: Duration = Duration::from_secs(60);

/// The standings of a run of standard Hive before its first game.
pub(crate) fn standings(engines: [&str; 2]) -> Standings {
    let engines = engines.map(|text| text.parse().unwrap());
    let games = Games::<Standard> {
        variant: GameType::default(),
        openings: Openings::Listed(Vec::new()),
        max_plies: None,
    };
    let settings = GameSettings::default();
    let format = Format::default();
    let settings = RunSettings::new(&engines, format, &settings, &games, Shard::WHOLE);
    let game = games.variant.to_string();
    Standings::new(game, &settings, &Tally::default(), None, Some(2))
}

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

struct Page {
    session: PageSession,
    replies: Receiver<ReplyMessage>,
}

impl Page {
    fn open() -> Page {
        let (sender, replies) = channel();
        let sink = move |reply| drop(sender.send(reply));
        let budget = Budget::new(2, 64);
        Page {
            session: PageSession::new(budget, Arc::default(), Arc::new(sink)),
            replies,
        }
    }

    fn send(&mut self, request: Value) {
        let message = RequestMessage::from_json(&request.to_string()).unwrap();
        self.session.take(message);
    }

    fn next(&self) -> Value {
        let reply = self.replies.recv_timeout(TIMEOUT).unwrap();
        serde_json::to_value(reply).unwrap()
    }

    fn ask(&mut self, request: Value) -> Value {
        self.send(request);
        self.next()
    }

    fn next_of_kind(&self, kind: &str) -> Value {
        loop {
            let reply = self.next();
            if reply["is"] == kind {
                return reply;
            }
        }
    }
}

fn line(game: &str, moves: &[&str]) -> Value {
    json!({ "game": game, "moves": moves })
}

#[test]
fn new_games_round_trip_through_text() {
    for game in super::answer::games() {
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
fn show_lists_fields_of_moves() {
    let mut page = Page::open();
    let moves = ["wA1", "bA1 wA1-", "wQ -wA1", "bQ bA1-", "wQ /wA1"];
    let request = json!({"ask": "show", "id": 5, "line": line("Base", &moves)});
    let view = &page.ask(request)["view"];
    assert_eq!(view["last"]["text"], "wQ /wA1");
    let stacks = view["stacks"].as_array().unwrap();
    let queen = json!([{"side": 0, "letter": "Q", "number": null}]);
    let stack = stacks.iter().find(|stack| stack["pieces"] == queen);
    assert_eq!(stack.unwrap()["at"], view["last"]["to"]);
    assert!(view["last"]["from"].is_array());
    assert_eq!((&view["to_move"], &view["turn"]), (&json!(1), &json!(5)));
    let fields = view["fields"].as_array().unwrap();
    for mv in view["moves"].as_array().unwrap() {
        assert!(fields.contains(&mv["to"]), "{mv}");
        let from_stack = |stack: &Value| stack["at"] == mv["from"];
        assert!(
            mv["from"].is_null() || stacks.iter().any(from_stack),
            "{mv}"
        );
    }
}

#[test]
fn shipped_puzzles_can_be_solved() {
    let puzzles: Value = serde_json::from_str(include_str!("page/puzzles.json")).unwrap();
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

#[test]
fn idle_pieces_have_a_reason() {
    let mut page = Page::open();
    let mut idle = |game: &str, moves: &[&str]| {
        let shown = page.ask(json!({"ask": "show", "id": 1, "line": line(game, moves)}));
        let pieces = shown["view"]["idle"].as_array().unwrap().clone();
        let summaries = pieces.iter().map(|piece| {
            let place = if piece["at"].is_null() {
                "reserve"
            } else {
                "board"
            };
            let text = |value: &Value| value.as_str().unwrap().to_owned();
            let (letter, reason) = (text(&piece["letter"]), text(&piece["reason"]["code"]));
            format!("{place} {letter} {reason}")
        });
        let mut summaries: Vec<String> = summaries.collect();
        summaries.sort();
        summaries
    };
    assert_eq!(idle("Base", &[]), ["reserve Q bee_too_early"]);
    assert_eq!(idle("Base", &["wS1", "bS1 wS1-"]), ["board S bee_first"]);
    let without_queen = [
        "wS1", "bS1 wS1-", "wA1 -wS1", "bA1 bS1-", "wA2 -wA1", "bA2 bA1-",
    ];
    let due = idle("Base", &without_queen);
    assert!(due.contains(&"reserve A bee_due".to_owned()), "{due:?}");
    assert!(
        !due.iter().any(|piece| piece.starts_with("reserve Q")),
        "{due:?}"
    );
    let pinned = ["wS1", "bS1 wS1-", "wQ -wS1", "bQ bS1-"];
    assert_eq!(idle("Base", &pinned), ["board S pinned"]);
    let below = [
        "wS1", "bS1 wS1-", "wQ -wS1", "bQ bS1-", "wA1 -wQ", "bB1 bS1/",
    ];
    let below = [&below[..], &["wA1 /wQ", "bB1 bS1", "wA1 -wQ", "bB1 wS1"]].concat();
    let below = idle("Base", &below);
    assert!(below.contains(&"board S covered".to_owned()), "{below:?}");
}

#[test]
fn problems_name_the_error() {
    let mut page = Page::open();
    let show = |line: Value| ("show", json!({ "line": line }));
    let open = |source: Value| ("open", json!({ "source": source }));
    let edit = |game: &str, stacks: Value| {
        let setup = json!({ "stacks": stacks });
        ("edit", json!({"game": game, "setup": setup}))
    };
    let illegal = line("Base", &["wA1", "wA2"]);
    let export = json!({"line": line("Base", &[]), "form": "fen"});
    let search = json!({"line": illegal, "effort": {"nodes": 1}});
    let apart = json!([{"at": [0, 0], "pieces": [[0, "A"]]}, {"at": [3, 0], "pieces": [[1, "A"]]}]);
    let no_start = json!({"game": "Base", "start": "x", "moves": []});
    let long = json!({"line": line("Base", &["wA1"; 4_001])});
    for ((ask, mut request), part) in [
        (("new", json!({"game": "chess"})), r#""chess""#),
        (show(illegal), "wA2"),
        (show(no_start), "four fields"),
        (open(long), "too_many_plies"),
        (open(json!({"text": "hello"})), "not_a_recording"),
        (open(json!({"base64": "%"})), "invalid_request"),
        (open(json!({"text": ""})), "empty_file"),
        (("export", export), "unknown format"),
        (("search", search), "wA2"),
        (
            edit("Base", json!([{"at": [0, 0], "pieces": [[0, "M"]]}])),
            "unknown piece M",
        ),
        (
            edit("Base", json!([{"at": [0, 0], "pieces": [[2, "A"]]}])),
            "side 2",
        ),
        (
            edit("contest", json!([{"at": [9, 9], "pieces": [[0, "A"]]}])),
            "not_a_field",
        ),
        (edit("contest", apart), "disconnected"),
    ] {
        request["ask"] = ask.into();
        request["id"] = 1.into();
        let reply = page.ask(request);
        assert_eq!(reply["is"], "problem", "{reply}");
        assert!(reply["problem"].to_string().contains(part), "{reply}");
    }
}

#[test]
fn edit_accepts_a_position_to_play_on() {
    let mut page = Page::open();
    let setup = json!({
        "turn": 8, "obstacles": [[0, 5], [1, 1], [-4, 0]],
        "stacks": [
            {"at": [0, 0], "pieces": [[0, "Q"]]},
            {"at": [1, -1], "pieces": [[1, "Q"], [0, "B"]]},
        ],
        "reserves": ["AAA", "GG"],
    });
    let opened = page.ask(json!({"ask": "edit", "id": 1, "game": "contest", "setup": setup}));
    let line = &opened["games"][0]["line"];
    let shown = page.ask(json!({"ask": "show", "id": 2, "line": line}));
    assert_eq!(shown["view"]["to_move"], 0);
    assert_eq!(
        shown["view"]["stacks"][1]["pieces"]
            .as_array()
            .unwrap()
            .len(),
        2
    );
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
fn editor_rejects_impossible_histories() {
    let mut page = Page::open();
    let mut edit = |game: &str, turn: u16, stacks: &Value| {
        let setup = json!({"turn": turn, "stacks": stacks});
        let reply = page.ask(json!({"ask": "edit", "id": 1, "game": game, "setup": setup}));
        (
            reply["problem"]["code"]
                .as_str()
                .unwrap_or_default()
                .to_owned(),
            reply,
        )
    };
    let at = |pieces: Value| json!({"at": [0, 0], "pieces": pieces});
    let beside = |x: i8, pieces: Value| json!({"at": [x, 0], "pieces": pieces});
    let queens = json!([at(json!([[0, "Q"]])), beside(1, json!([[1, "Q"]]))]);
    let beetles = json!([at(json!([[0, "S"], [0, "B"], [1, "B"]]))]);
    let spiders = json!([at(json!([[0, "S"]])), beside(1, json!([[1, "S"]]))]);
    let climbed = json!([
        at(json!([[1, "Q"], [0, "B"]])),
        beside(1, json!([[0, "Q"]]))
    ]);
    for (game, turn, stacks, code) in [
        ("Base", 0, &json!([]), ""),
        ("Base", 0, &queens, "too_few_turns"),
        ("Base", 2, &queens, ""),
        ("Base", 20, &queens, ""),
        ("Base", 0, &beetles, "moved_before_bee"),
        ("contest", 0, &beetles, "moved_before_bee"),
        ("Base", 2, &spiders, ""),
        ("Base", 4, &spiders, "too_many_turns"),
        ("Base", 8, &spiders, "bee_missing"),
        ("contest", 8, &spiders, ""),
        ("Base", 1, &json!([]), "too_many_turns"),
        // White places the queen and the beetle, then climbs.
        ("Base", 4, &climbed, "too_few_turns"),
        ("Base", 5, &climbed, ""),
    ] {
        let (found, reply) = edit(game, turn, stacks);
        assert_eq!(found, code, "{game} {turn} {stacks}: {reply}");
    }
    let (_, reply) = edit("Base", 4, &climbed);
    assert_eq!(
        reply["problem"],
        json!({"code": "too_few_turns", "side": "white", "round": 4})
    );
}

/// All codes with the names of their parameters, as serde lists them in its errors.
fn problems() -> Vec<(String, Vec<String>)> {
    let error = |sample: &Value| {
        let parsed = serde_json::from_value::<super::protocol::Problem>(sample.clone());
        parsed.err().map(|error| error.to_string())
    };
    let quoted = |text: &str| text.split('`').nth(1).unwrap().to_owned();
    let unknown = error(&json!({"code": ""})).unwrap();
    let codes = unknown.split('`').skip(3).step_by(2);
    let with_fields = codes.map(|code| {
        let mut sample = json!({ "code": code });
        let mut fields: Vec<String> = Vec::new();
        let mut values = [json!("text"), json!(1), json!({"code": "pinned"})]
            .into_iter()
            .cycle();
        while let Some(error) = error(&sample) {
            if error.starts_with("missing field") {
                fields.push(quoted(&error));
            }
            sample[fields.last().unwrap()] = values.next().unwrap();
        }
        (code.to_owned(), fields)
    });
    with_fields.collect()
}

#[test]
fn every_problem_has_texts_in_all_languages() {
    let problems = problems();
    assert!(problems.len() > 80, "{}", problems.len());
    for language in ["en", "de"] {
        let path = format!("texts/{language}.js");
        let texts = super::assets::Asset::at(&path).unwrap().content;
        let start = "  'problem.";
        let mut lines = texts
            .lines()
            .filter_map(|line| line.strip_prefix(start)?.split_once("': "));
        for (code, fields) in &problems {
            let (_, text) = lines
                .clone()
                .find(|(name, _)| name == code)
                .unwrap_or_else(|| {
                    panic!("{path}: no text for {code}");
                });
            let mut used: Vec<&str> = text
                .split('{')
                .skip(1)
                .filter_map(|rest| rest.split('}').next())
                .collect();
            let mut expected: Vec<&str> = fields
                .iter()
                .map(String::as_str)
                .filter(|field| *field != "detail")
                .collect();
            used.sort_unstable();
            expected.sort_unstable();
            assert_eq!(used, expected, "{path}: parameters of {code}");
        }
        let unused = lines.find(|(name, _)| !problems.iter().any(|(code, _)| code == name));
        assert_eq!(unused, None, "{path}: text without a problem");
    }
}

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

/// The answer to an invalid request.
fn error_of(json: &str) -> Value {
    serde_json::to_value(RequestMessage::from_json(json).unwrap_err()).unwrap()
}

/// A page waits for an answer to each of its requests.
#[test]
fn answers_to_invalid_requests_have_ids() {
    for (json, id) in [
        (r#"{"ask": "wait", "id": 7}"#, json!(7)),
        (r#"{"id": 7}"#, json!(7)),
        (r#"{"ask": "show", "id": 7, "line": 3}"#, json!(7)),
        (r#"{"ask": "open", "id": 7}"#, json!(7)),
        (r#"{"ask": "show"}"#, Value::Null),
        ("{", Value::Null),
    ] {
        let error = error_of(json);
        assert_eq!((&error["is"], &error["id"]), (&json!("problem"), &id));
    }
}

#[test]
fn from_json_rejects_unknown_fields() {
    let error = |json: &str| error_of(json)["problem"].to_string();
    assert!(error(r#"{"ask": "new", "id": 1, "game": "Base", "sed": 7}"#).contains("`sed`"));
    let unknown = r#"{"ask": "search", "id": 1, "line": {"game": "Base", "moves": []}, "effort": {}, "x": 1}"#;
    assert!(error(unknown).contains("`x`"));
    assert!(error(r#"{"ask": "watch"}"#).contains("`id`"));
    assert!(error(r#"{"ask": "watch", "id": 1, "x": 2}"#).contains("`x`"));
    assert!(error(r#"{"ask": "wait", "id": 1}"#).contains("`wait`"));
    assert!(RequestMessage::from_json(r#"{"ask": "stop"}"#).is_ok());
    assert_eq!(
        RequestMessage::from_json(r#"{"ask": "stop", "id": 3}"#)
            .unwrap()
            .id,
        Some(3)
    );
}

#[test]
fn from_json_limits_length_by_kind() {
    let tree = |ask: &str| {
        format!(
            "{{\"id\": 1, \"ask\": \"{ask}\", \"x\": [{}0]}}",
            "[0],".repeat(100_000)
        )
    };
    for ask in ["watch", "show"] {
        let error = error_of(&tree(ask));
        let problem = json!({"code": "message_too_long", "max_kib": 256});
        assert_eq!(error["problem"], problem, "{error}");
        assert_eq!(error["id"], 1);
    }
    // Unknown fields are rejected before their values are parsed.
    let error = error_of(&tree("open"));
    let detail = error["problem"]["detail"].as_str().unwrap();
    assert!(detail.contains("unknown field `x`"), "{error}");
    assert_eq!(error["id"], 1);
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
