//! `wabe check`: a good client passes every situation, and each situation finds a fault.
//!
//! The clients need Python 3; without it the tests say so and pass.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::LazyLock;

use serde_json::Value;
use wabe_arena::SITUATIONS;

use crate::wabe::{WABE, has_python};

fn file(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// Python 3.8 or newer, itself and not a script that looks for it.
static PYTHON: LazyLock<Option<String>> = LazyLock::new(|| {
    let said = "import sys; print(sys.executable if sys.version_info >= (3, 8) else '')";
    let output = Command::new("python3").args(["-c", said]).output().ok()?;
    Some(text(&output.stdout).trim().to_owned()).filter(|path| !path.is_empty())
});

/// A check of a client that has this fault.
fn check(fault: &str, options: &[&str]) -> Output {
    let program = file("tests/programs/broken-client.py");
    let python = PYTHON.as_deref().unwrap_or("python3");
    let client = format!("'{python}' -S '{}' {fault}", program.display());
    let mut command = Command::new(WABE);
    command.args(["check", &client]).args(options);
    command.output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// What a client with this fault did in a situation that a good client passes.
fn fault_in(situation: &str, fault: &str, options: &[&str]) -> String {
    let only = ["--only", situation, "--json"];
    let good = check("none", &[&only[..], &["--move-time", "60000"]].concat());
    assert!(good.status.success(), "{}", text(&good.stdout));
    let broken = check(fault, &[&only[..], options].concat());
    let report = text(&broken.stdout);
    let errors = text(&broken.stderr);
    assert_eq!(broken.status.code(), Some(1), "{report}{errors}");
    let verdict: Value = serde_json::from_str(&report).unwrap();
    assert_eq!(verdict["situation"], situation);
    assert_eq!(verdict["passed"], false);
    verdict["faults"][0]["did"].as_str().unwrap().to_owned()
}

const FAULTS: [(&str, &str, &[&str], &str); 13] = [
    ("first", "off-board", &[], "made an illegal move"),
    ("bee-stuck", "no-skip", &[], "made an illegal move"),
    ("skip", "no-skip", &[], "made an illegal move"),
    ("stacks", "moves-covered", &[], "made an illegal move"),
    ("brambles", "enters-brambles", &[], "made an illegal move"),
    ("reserve", "spiders", &[], "made an illegal move"),
    ("pieces", "whole-messages", &[], "left the game"),
    ("unknown", "strict", &[], "left the game"),
    ("last-move", "fears-hints", &[], "left the game"),
    (
        "cancelled",
        "stays",
        SHORT_EXIT,
        "did not exit within 0.2 s of the end",
    ),
    (
        "lost",
        "stays",
        SHORT_EXIT,
        "did not exit within 0.2 s of the end",
    ),
    ("time", "slow", &["--move-time", "250"], "answered too late"),
    ("game", "gives-up", &[], "left the game"),
];

const SHORT_EXIT: &[&str] = &["--exit-timeout", "0.2"];

#[test]
fn each_situation_finds_a_fault() {
    assert_eq!(FAULTS.map(|(name, ..)| name), SITUATIONS.map(|s| s.name));
    if !has_python() {
        return;
    }
    for (situation, fault, options, expected) in FAULTS {
        let did = fault_in(situation, fault, options);
        assert!(did.contains(expected), "{situation}: {did}");
    }
}

#[test]
fn faults_after_the_last_move_are_found() {
    if !has_python() {
        return;
    }
    for (situation, fault, expected) in [
        ("first", "adds-nonsense", "sent a malformed message"),
        ("first", "dies", "left the game"),
        ("lost", "dies", "left the game"),
        ("cancelled", "dies", "left the game"),
        ("unknown", "strict-data", "left the game"),
        ("unknown", "strict-result", "left the game"),
    ] {
        // A long silence, which a client that has left ends.
        let did = fault_in(situation, fault, &["--exit-timeout", "500"]);
        assert!(did.contains(expected), "{situation}, {fault}: {did}");
    }
}

#[test]
fn moves_that_the_contest_rejects_are_faults() {
    if !has_python() {
        return;
    }
    for (fault, expected) in [
        ("adds-note", "in room/data/note: unknown element"),
        ("leaves-out-room", "in data: unknown message"),
        ("leaves-out-data", "hat kein Zug-Objekt gesendet."),
        (
            "off-corner",
            "sent a malformed message: the board has no field (5,5,-10)",
        ),
    ] {
        let did = fault_in("first", fault, &[]);
        assert!(did.contains(expected), "{fault}: {did}");
    }
}

#[test]
fn report_names_fault_duty_section() {
    if !has_python() {
        return;
    }
    let output = check(
        "enters-brambles",
        &["--only", "brambles", "--only", "first"],
    );
    let report = text(&output.stdout);
    assert_eq!(output.status.code(), Some(1));
    for part in [
        "\nbrambles       FAILED",
        "    should   keeps off brambles",
        "    see      docs/protocol.md#fields",
        "    did      made an illegal move",
        "    as       blue, in the position\n             33 -2,4;0,3;3,-2 ",
        "of 2 situations passed",
    ] {
        assert!(format!("\n{report}").contains(part), "{part}\n{report}");
    }
    // Positions stay in one piece.
    let mut words = report.lines().filter(|line| !line.contains(":r"));
    assert!(words.all(|line| line.chars().count() <= 80), "{report}");
}

#[test]
fn clients_that_flood_or_stay_silent_fail() {
    if !has_python() {
        return;
    }
    for (fault, options, expected) in [
        (
            "floods",
            &[][..],
            "sent a malformed message: more than 1000 that mean nothing here",
        ),
        (
            "silent",
            &["--move-time", "50"],
            "did not answer: nothing within 0.25 s",
        ),
        (
            "ignores-code",
            &[],
            "asked for any game in place of its reservation",
        ),
    ] {
        assert_eq!(fault_in("first", fault, options), expected);
    }
    let output = check("never-comes", &["--join-timeout", "0.3"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("no other situation was tried"));
    assert!(text(&output.stdout).ends_with("\n0 of 1 situations passed\n"));
}

/// All 15,204 positions take a quarter of a minute: every 1st in place of every 50th.
#[test]
fn example_client_knows_the_legal_moves() {
    if !has_python() {
        return;
    }
    let python = PYTHON.as_deref().unwrap_or("python3");
    let output = Command::new(python)
        .arg(file("tests/programs/client-moves.py"))
        .arg(file("tests/data/sc2020-positions.jsonl.gz"))
        .arg("50")
        .output()
        .unwrap();
    let told = text(&output.stdout) + &text(&output.stderr);
    assert!(output.status.success() && told.is_empty(), "{told}");
}

#[test]
fn example_client_plays_without_faults() {
    if !has_python() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let python = PYTHON.as_deref().unwrap_or("python3");
    let client = format!("'{python}' -S '{}'", file("examples/client.py").display());
    for deal in ["server", "rulebook"] {
        let output = Command::new(WABE)
            .args([
                "match", "--red", &client, "--blue", &client, "--game", deal, "--quiet", "--seed",
                "1",
            ])
            .args(["--replays", folder.path().to_str().unwrap()])
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", text(&output.stderr));
    }
}

#[cfg(unix)]
#[test]
fn an_interrupt_ends_check_with_its_client() {
    use std::process::Stdio;

    if !has_python() {
        return;
    }
    // The client writes its process number into a file.
    let folder = tempfile::tempdir().unwrap();
    let number = folder.path().join("number");
    let client = format!(
        "sh -c 'echo $$ >\"{}\"; exec \"{}\" -S \"{}\" silent \"$@\"' client",
        number.display(),
        PYTHON.as_deref().unwrap_or("python3"),
        file("tests/programs/broken-client.py").display()
    );
    let child = Command::new(WABE)
        .args(["check", &client, "--move-time", "60000", "--only", "first"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let playing = loop {
        let started = std::fs::read_to_string(&number).unwrap_or_default();
        if let Some(number) = started.strip_suffix('\n') {
            break number.to_owned();
        }
        std::thread::yield_now();
    };
    let send = |signal: &str, process: &str| {
        let mut kill = Command::new("kill");
        kill.args([signal, process]).stderr(Stdio::null());
        kill.status().unwrap().success()
    };
    assert!(send("-0", &playing), "the client plays");
    assert!(send("-INT", &child.id().to_string()));
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    assert!(text(&output.stderr).contains("0 of 1 situations were tried"));
    assert!(!send("-0", &playing), "the client has ended");
}
