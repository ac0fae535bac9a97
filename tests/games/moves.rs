//! `wabe moves`, and the JSON that it shares with other commands.

use std::fs;

use serde_json::Value;

use crate::wabe::{succeed, wabe};

const CONTEST: &str = "12 -4,0;3,1;5,0 1,2:bB;2,0:bArB;2,1:bQ;3,-1:rQ AAAGGSS/AABGSSS";
const STANDARD: &str = "Base+MLP;InProgress;White[2];wS1;bS1 wS1-";

fn json(arguments: &[&str]) -> Value {
    serde_json::from_str(&succeed(arguments)).unwrap()
}

#[test]
fn moves_are_told_with_what_they_do() {
    let told = succeed(&["moves", CONTEST]);
    assert_eq!(told.lines().count(), 23);
    for line in [
        "set A 4,-1      places its ant",
        "drag 3,-1 2,-1  moves its bee",
        "drag 2,0 2,1    moves its beetle onto blue's bee",
    ] {
        assert!(told.lines().any(|other| other == line), "{line}\n{told}");
    }
    let told = succeed(&["moves", STANDARD]);
    assert!(
        told.lines()
            .any(|line| line == r"wQ \wS1   places its queen"),
        "{told}"
    );
    let only = "6 -4,-1;-1,-2;2,3 -5,0:rG;-5,1:rG;-4,1:bB;-3,0:bG;-2,0:bB AAABBQSSS/AAAGQSSS";
    assert_eq!(succeed(&["moves", only]), "skip  passes\n");
    let mate = r"Base;;;wS1;bS1 wS1-;wQ \wS1;bQ bS1/;wG1 -wQ;bG1 bQ-;wA1 wG1\;bA1 bQ\;wA2 \wQ;bA2 \bG1;wG2 wQ/";
    let told = succeed(&["moves", mate]);
    let mating = r"bG1 wG2\  moves its grasshopper: black wins: white's queen is surrounded";
    assert!(told.lines().any(|line| line == mating), "{told}");
    let over = format!(r"{mate};bG1 wG2\");
    assert!(succeed(&["moves", &over]).contains("black wins"));
    let missing = wabe(&["moves", CONTEST, "--ply", "9"]);
    assert_eq!(missing.status.code(), Some(1));
}

#[test]
fn the_json_holds_what_its_page_says() {
    let moves = json(&["moves", CONTEST, "--json"]);
    assert_eq!(moves["position"], CONTEST);
    assert_eq!(moves["result"], Value::Null);
    let view = &moves["view"];
    assert_eq!(
        view["moves"].as_array().unwrap().len(),
        moves["moves"].as_array().unwrap().len()
    );
    assert_eq!(view["to_move"], 0);
    let perft = json(&["perft", CONTEST, "--depth", "2", "--divide", "--json"]);
    let shares = perft["divide"].as_object().unwrap().values();
    let sum: u64 = shares.filter_map(Value::as_u64).sum();
    assert_eq!(perft["perft"][1], sum);
    let analysis = json(&["analyze", CONTEST, "--nodes", "50", "--json"]);
    assert_eq!(analysis["position"], CONTEST);
    let best = &analysis["findings"]["lines"][0];
    assert_eq!(best["move"]["text"], best["variation"][0]);
    let game = "Base;;;wS1;bS1 wS1-;wQ -wS1";
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("game.uhp");
    fs::write(&file, game).unwrap();
    let review = json(&["analyze", file.to_str().unwrap(), "--nodes", "5", "--json"]);
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
        for name in value
            .as_object()
            .unwrap()
            .keys()
            .filter(|&name| name != "fields")
        {
            assert!(
                page.contains(&format!("`{name}`")),
                "{name} is missing in docs/json.md"
            );
        }
    }
}
