//! `wabe check`: a correct client passes, and each situation finds a fault. Skipped without
//! Python 3.

use std::process::{Command, Output};
use std::sync::LazyLock;

use serde_json::Value;

use crate::wabe::{has_python, stderr, stdout, succeed, texts, wabe};
use wabe_arena::SITUATIONS;

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// Path of the Python interpreter. `python3` may be a wrapper script.
static PYTHON: LazyLock<String> = LazyLock::new(|| {
    let print = ["-c", "import sys; print(sys.executable)"];
    let output = Command::new("python3").args(print).output().unwrap();
    stdout(&output).trim().to_owned()
});

/// Command line of a client with this fault.
fn client_with_fault(fault: &str) -> String {
    let python = &*PYTHON;
    format!("'{python}' -S '{ROOT}/tests/programs/broken-client.py' {fault}")
}

/// Checks a client with this fault.
fn check(fault: &str, options: &str) -> Output {
    wabe(&format!("check \"{}\" {options}", client_with_fault(fault)))
}

/// Runs one situation, which the client must fail. Returns what it did.
fn fail_situation(situation: &str, fault: &str, options: &str) -> String {
    let broken = check(fault, &format!("--only {situation} --json {options}"));
    let (report, errors) = texts(&broken);
    assert_eq!(broken.status.code(), Some(1), "{report}{errors}");
    let result: Value = serde_json::from_str(&report).unwrap();
    assert_eq!(result["situation"], situation);
    assert_eq!(result["passed"], false);
    result["faults"][0]["did"].as_str().unwrap().to_owned()
}

const ILLEGAL: &str = "made an illegal move";
const LEFT: &str = "left the game";
const MALFORMED: &str = "sent a malformed message";

/// Situation, fault of the client, options, and what the check reports.
const FAULTS: [(&str, &str, &str, &str); 13] = [
    ("first", "off-board", "", ILLEGAL),
    ("bee-stuck", "no-skip", "", ILLEGAL),
    ("skip", "no-skip", "", ILLEGAL),
    ("stacks", "moves-covered", "", ILLEGAL),
    ("brambles", "enters-brambles", "", ILLEGAL),
    ("reserve", "spiders", "", ILLEGAL),
    ("pieces", "whole-messages", "", LEFT),
    ("unknown", "strict", "", LEFT),
    ("last-move", "fears-hints", "", LEFT),
    ("cancelled", "stays", "--exit-timeout 0.2", "did not exit"),
    ("lost", "stays", "--exit-timeout 0.2", "did not exit"),
    ("time", "slow", "--time 250", "answered too late"),
    ("game", "gives-up", "", LEFT),
];

/// The test does not reach this timeout, because the client exits.
const LONG_TIMEOUT: &str = "--exit-timeout 500";

/// Further faults, some after the last move.
const MORE_FAULTS: [(&str, &str, &str, &str); 13] = [
    ("first", "adds-nonsense", LONG_TIMEOUT, MALFORMED),
    ("first", "dies", LONG_TIMEOUT, LEFT),
    ("lost", "dies", LONG_TIMEOUT, LEFT),
    ("cancelled", "dies", LONG_TIMEOUT, LEFT),
    ("unknown", "strict-data", LONG_TIMEOUT, LEFT),
    ("unknown", "strict-result", LONG_TIMEOUT, LEFT),
    ("first", "adds-note", "", "room/data/note: unknown element"),
    ("first", "leaves-out-room", "", "in data: unknown message"),
    ("first", "leaves-out-data", "", "kein Zug-Objekt"),
    ("first", "off-corner", "", "no field (5,5,-10)"),
    ("first", "floods", "", "more than 1000 irrelevant messages"),
    ("first", "silent", "--time 50", "no answer within 0.25 s"),
    ("first", "ignores-code", "", "instead of its reservation"),
];

#[test]
fn situations_find_their_faults() {
    assert_eq!(FAULTS.map(|(name, ..)| name), SITUATIONS.map(|s| s.name));
    if !has_python() {
        return;
    }
    let good = check("none", "--time 60000");
    assert!(good.status.success(), "{}", stdout(&good));
    for (situation, fault, options, expected) in FAULTS.into_iter().chain(MORE_FAULTS) {
        let did = fail_situation(situation, fault, options);
        assert!(did.contains(expected), "{situation}, {fault}: {did}");
    }
    let output = check("never-comes", "--join-timeout 0.3");
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("skipped the other situations"));
    assert!(stdout(&output).ends_with("\n0 of 1 situations passed\n"));
}

#[test]
fn report_names_fault_expectation_section() {
    if !has_python() {
        return;
    }
    let output = check("enters-brambles", "--only brambles --only first");
    let report = stdout(&output);
    assert_eq!(output.status.code(), Some(1));
    for part in [
        "\nbrambles       FAILED",
        "    should   avoids brambles",
        "    see      docs/protocol.md#fields",
        "    did      made an illegal move",
        "    as       blue, in the position\n             33 -2,4;0,3;3,-2 ",
        "of 2 situations passed",
    ] {
        assert!(format!("\n{report}").contains(part), "{part}\n{report}");
    }
    // Positions are not wrapped.
    let mut words = report.lines().filter(|line| !line.contains(":r"));
    assert!(words.all(|line| line.chars().count() <= 80), "{report}");
}

/// Tests every 50th position, because all 15,204 take a quarter of a minute.
#[test]
fn example_client_finds_all_legal_moves() {
    if !has_python() {
        return;
    }
    let output = Command::new(&*PYTHON)
        .arg("tests/programs/client-moves.py")
        .args(["tests/data/sc2020-positions.jsonl.gz", "50"])
        .current_dir(ROOT)
        .output()
        .unwrap();
    assert_eq!(texts(&output), (String::new(), String::new()));
    assert!(output.status.success());
}

#[test]
fn example_client_plays_without_faults() {
    if !has_python() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let replays = folder.path().display();
    let client = format!("'{}' -S '{ROOT}/examples/client.py'", &*PYTHON);
    for deal in ["server", "rulebook"] {
        succeed(&format!(
            "match --red \"{client}\" --blue \"{client}\" --game {deal} --quiet --seed 1 \
             --replays '{replays}'"
        ));
    }
}

#[cfg(unix)]
#[test]
fn interrupt_kills_the_checked_client() {
    use crate::wabe::{kill, script, start};

    if !has_python() {
        return;
    }
    // The client writes its process id to this file.
    let folder = tempfile::tempdir().unwrap();
    let pid_file = folder.path().join("pid");
    let lines = format!(
        "echo $$ >'{}'; exec {} \"$@\"",
        pid_file.display(),
        client_with_fault("silent")
    );
    let client = script(folder.path(), "client.sh", &lines);
    let child = start(&format!("check '{client}' --time 60000 --only first"));
    let pid = loop {
        let text = std::fs::read_to_string(&pid_file).unwrap_or_default();
        if let Some(pid) = text.strip_suffix('\n') {
            break pid.to_owned();
        }
        std::thread::yield_now();
    };
    assert!(kill("0", &pid), "the client is not running");
    assert!(kill("INT", child.id()));
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    assert!(stderr(&output).contains("ran 0 of 1 situations"));
    assert!(!kill("0", &pid), "the client is still running");
}
