//! The page that `wabe replay --export html` makes steps through its game.
//!
//! Its script runs in Node.js on a stand-in for the browser; without Node.js the tests say so and pass.

use std::path::Path;
use std::process::Command;

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

fn has_node() -> bool {
    let version = Command::new("node").arg("--version").output();
    let found = version.is_ok_and(|output| output.status.success());
    if !found {
        eprintln!("skipped: there is no node");
    }
    found
}

/// What the page shows at the start and after each action: plies, current move and the address's hash.
fn shown(hash: &str, actions: &[&str]) -> Vec<String> {
    shown_of("transcripts/replay_1.xml.gz", hash, actions)
}

fn shown_of(game: &str, hash: &str, actions: &[&str]) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("page.html");
    let written = Command::new(env!("CARGO_BIN_EXE_wabe"))
        .arg("replay")
        .arg(Path::new(ROOT).join("tests/data").join(game))
        .args(["--export", "html", "--output"])
        .arg(&page)
        .status()
        .unwrap();
    assert!(written.success());
    let output = Command::new("node")
        .arg(Path::new(ROOT).join("tests/programs/page.js"))
        .arg(&page)
        .arg(hash)
        .args(actions)
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines().map(str::to_owned).collect()
}

const START: &str = "0,0 start #0";
const FIRST: &str = "1,1 set G 1,3 #1";
const SECOND: &str = "2,2 set G 1,2 #2";
const LAST: &str = "42,42 set S -2,1 #42";

#[test]
fn keys_step_and_stop_at_both_ends() {
    if !has_node() {
        return;
    }
    let keys = [
        "ArrowRight",
        "ArrowRight",
        "ArrowLeft",
        "x",
        "End",
        "ArrowRight",
        "Home",
        "ArrowLeft",
    ];
    assert_eq!(
        shown("", &keys),
        [START, FIRST, SECOND, FIRST, FIRST, LAST, LAST, START, START]
    );
}

#[test]
fn buttons_and_the_list_of_moves_step() {
    if !has_node() {
        return;
    }
    let clicks = [
        "button:1",
        "button:1",
        "button:-1",
        "button:last",
        "button:first",
        "move:42",
        "move:2",
    ];
    assert_eq!(
        shown("", &clicks),
        [START, FIRST, SECOND, FIRST, LAST, START, LAST, SECOND]
    );
}

#[test]
fn an_address_may_name_a_ply() {
    if !has_node() {
        return;
    }
    assert_eq!(shown("#2", &[]), [SECOND]);
    assert_eq!(shown("#99", &[]), [LAST]);
    assert_eq!(shown("#nonsense", &[]), [START]);
}

#[test]
fn a_page_of_standard_hive_steps_as_well() {
    if !has_node() {
        return;
    }
    assert_eq!(
        shown_of(
            "standard/stacks.uhp",
            "",
            &["ArrowRight", "ArrowRight", "End"]
        ),
        [
            "0,0 start #0",
            "1,1 wP #1",
            "2,2 bP \\wP #2",
            "83,83 wB2 /wG1 #83"
        ]
    );
}
