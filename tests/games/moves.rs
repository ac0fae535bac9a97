//! `wabe moves`, and the JSON that it shares with other commands.

use serde_json::Value;

use crate::wabe::{fail, file_with, succeed};

const CONTEST: &str = "12 -4,0;3,1;5,0 1,2:bB;2,0:bArB;2,1:bQ;3,-1:rQ AAAGGSS/AABGSSS";

fn run_json(line: &str) -> Value {
    serde_json::from_str(&succeed(line)).unwrap()
}

#[test]
fn moves_describes_dragged_pieces() {
    let mate = r"Base;;;wS1;bS1 wS1-;wQ \wS1;bQ bS1/;wG1 -wQ;bG1 bQ-;wA1 wG1\;bA1 bQ\;wA2 \wQ;bA2 \bG1;wG2 wQ/";
    let only = "6 -4,-1;-1,-2;2,3 -5,0:rG;-5,1:rG;-4,1:bB;-3,0:bG;-2,0:bB AAABBQSSS/AAAGQSSS";
    for (game, described) in [
        (CONTEST, "set A 4,-1"),
        (CONTEST, "drag 3,-1 2,-1  bee"),
        (CONTEST, "drag 2,0 2,1    beetle onto blue's bee"),
        ("Base+MLP;InProgress;White[2];wS1;bS1 wS1-", r"wQ \wS1"),
        (only, "skip"),
        (
            mate,
            r"bG1 wG2\  grasshopper: black wins: white's queen is surrounded",
        ),
    ] {
        let text = succeed(&format!("moves '{game}'"));
        assert!(text.lines().any(|line| line == described), "{text}");
    }
    assert_eq!(succeed(&format!("moves '{CONTEST}'")).lines().count(), 23);
    let over = succeed(&format!(r"moves '{mate};bG1 wG2\'"));
    assert!(over.contains("black wins"), "{over}");
    fail(&format!("moves '{CONTEST}' --ply 9"), 1);
}

#[test]
fn json_names_are_documented() {
    let moves = run_json(&format!("moves '{CONTEST}' --json"));
    assert_eq!(moves["position"], CONTEST);
    assert_eq!(moves["result"], Value::Null);
    let view = &moves["view"];
    let count = |value: &Value| value.as_array().unwrap().len();
    assert_eq!(count(&view["moves"]), count(&moves["moves"]));
    assert_eq!(view["to_move"], 0);
    let perft = run_json(&format!("perft '{CONTEST}' --depth 2 --divide --json"));
    let shares = perft["divide"].as_object().unwrap().values();
    let sum: u64 = shares.filter_map(Value::as_u64).sum();
    assert_eq!(perft["perft"][1], sum);
    let analysis = run_json(&format!("analyze '{CONTEST}' --nodes 50 --json"));
    assert_eq!(analysis["position"], CONTEST);
    let best = &analysis["findings"]["lines"][0];
    assert_eq!(best["move"]["text"], best["variation"][0]);
    let (_folder, file) = file_with("Base;;;wS1;bS1 wS1-;wQ -wS1");
    let review = run_json(&format!("analyze '{file}' --nodes 5 --json"));
    let plies = review["plies"].as_array().unwrap();
    assert_eq!((plies.len(), &plies[0]["ply"]), (3, &Value::from(1)));
    let page = include_str!("../../docs/json.md");
    for value in [
        &moves,
        view,
        &view["moves"][0],
        &perft,
        &analysis,
        &analysis["findings"],
        &review,
        &plies[0],
        best,
        &best["value"],
    ] {
        let names = value.as_object().unwrap().keys();
        for name in names.filter(|&name| name != "fields") {
            let is_documented = page.contains(&format!("`{name}`"));
            assert!(is_documented, "{name} is missing in docs/json.md");
        }
    }
}
