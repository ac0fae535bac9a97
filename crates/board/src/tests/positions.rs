//! Tests of views and edits of positions.

use serde_json::{Value, json};

use super::{Page, line};

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
