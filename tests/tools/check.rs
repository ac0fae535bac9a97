//! `wabe check`: a good client does well in every situation, and each situation finds a fault.
//!
//! The clients need Python 3; without it the tests say so and pass.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::LazyLock;

use serde_json::Value;
use wabe::arena::Situation;

const WABE: &str = env!("CARGO_BIN_EXE_wabe");

fn file(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// Python 3.8 or newer, itself and not a script that looks for it.
static PYTHON: LazyLock<Option<String>> = LazyLock::new(|| {
    let said = "import sys; print(sys.executable if sys.version_info >= (3, 8) else '')";
    let output = Command::new("python3").args(["-c", said]).output().ok()?;
    Some(text(&output.stdout).trim().to_owned()).filter(|path| !path.is_empty())
});

fn has_python() -> bool {
    if PYTHON.is_none() {
        eprintln!("skipped: there is no python3 of version 3.8 or newer");
    }
    PYTHON.is_some()
}

/// A check of a client that has this fault.
fn check(fault: &str, options: &[&str]) -> Output {
    command(fault, options).output().unwrap()
}

fn command(fault: &str, options: &[&str]) -> Command {
    let program = file("tests/programs/broken-client.py");
    let python = PYTHON.as_deref().unwrap_or("python3");
    let client = format!("'{python}' -S '{}' {fault}", program.display());
    let mut command = Command::new(WABE);
    command
        .args(["check", &client, "--pause", "0.3"])
        .args(options);
    command
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Checks a good client and a broken one in a situation. The fault of the broken one.
fn compare(situation: &str, fault: &str, options: &[&str]) -> Value {
    let only = ["--only", situation, "--json"];
    let good = check("none", &[&only[..], &["--move-time", "60000"]].concat());
    assert!(good.status.success(), "{}", text(&good.stdout));
    let broken = check(fault, &[&only[..], options].concat());
    let told = text(&broken.stdout);
    assert_eq!(
        broken.status.code(),
        Some(1),
        "{told}{}",
        text(&broken.stderr)
    );
    let verdict: Value = serde_json::from_str(&told).unwrap();
    assert_eq!(verdict["situation"], situation);
    assert_eq!(verdict["passed"], false);
    verdict["faults"][0].clone()
}

macro_rules! situations {
    ($($test:ident: $situation:literal, $fault:literal, [$($option:literal),*], $did:literal;)*) => {
        const TRIED: &[&str] = &[$($situation),*];

        $(
            #[test]
            fn $test() {
                if has_python() {
                    let fault = compare($situation, $fault, &[$($option),*]);
                    let did = fault["did"].as_str().unwrap();
                    assert!(did.contains($did), "{did}");
                }
            }
        )*
    };
}

situations! {
    first: "first", "off-board", [], "made an illegal move";
    second: "second", "far", [], "made an illegal move";
    bee_due: "bee-due", "forgets-bee", [], "made an illegal move";
    bee_stuck: "bee-stuck", "no-skip", [], "made an illegal move";
    skip: "skip", "no-skip", [], "made an illegal move";
    stacks: "stacks", "moves-covered", [], "made an illegal move";
    brambles: "brambles", "enters-brambles", [], "made an illegal move";
    one_hive: "one-hive", "tears-hive", [], "made an illegal move";
    deal_server: "deal-server", "grasshoppers", [], "made an illegal move";
    deal_rulebook: "deal-rulebook", "spiders", [], "made an illegal move";
    last_round: "last-round", "stays", ["--exit-timeout", "0.2"], "did not exit within 0.2 s of the end";
    pieces: "pieces", "whole-messages", [], "left the game";
    together: "together", "one-a-read", ["--move-time", "100"], "did not answer: nothing within 0.5 s";
    unknown: "unknown", "strict", [], "left the game";
    last_move: "last-move", "fears-hints", [], "left the game";
    names: "names", "ascii", [], "left the game";
    open: "open", "needs-code", [], "ended before the game began, with exit status: 1";
    late: "late", "impatient", [], "left the game";
    pause: "pause", "impatient", [], "left the game";
    cancelled: "cancelled", "stays", ["--exit-timeout", "0.2"], "did not exit within 0.2 s of the end";
    left_open: "left-open", "waits-for-eof", ["--exit-timeout", "0.2"], "did not exit within 0.2 s of the end";
    lost: "lost", "stays", ["--exit-timeout", "0.2"], "did not exit within 0.2 s of the end";
    refused: "refused", "stays", ["--exit-timeout", "0.2"], "was still there";
    time: "time", "slow", ["--move-time", "250"], "answered too late";
    game_red: "game-red", "gives-up", [], "left the game";
    game_blue: "game-blue", "gives-up", [], "left the game";
}

#[test]
fn a_fault_after_the_last_move_or_by_an_unknown_part_of_any_message_is_seen() {
    if !has_python() {
        return;
    }
    for (situation, fault, did) in [
        ("first", "adds-nonsense", "sent a malformed message"),
        ("first", "dies", "left the game"),
        ("lost", "dies", "left the game"),
        ("cancelled", "dies", "left the game"),
        ("last-round", "adds-nonsense", "sent a malformed message"),
        ("last-round", "dies", "left the game"),
        ("unknown", "strict-data", "left the game"),
        ("unknown", "strict-result", "left the game"),
    ] {
        // A long moment; a client that is gone ends it.
        let told = compare(situation, fault, &["--exit-timeout", "500"])["did"].to_string();
        assert!(told.contains(did), "{situation}, {fault}: {told}");
    }
}

#[test]
fn moves_that_the_contest_refuses_are_faults() {
    if !has_python() {
        return;
    }
    for (fault, did) in [
        ("adds-note", "in room/data/note: unknown element"),
        ("leaves-out-room", "in data: unknown message"),
        ("leaves-out-data", "hat kein Zug-Objekt gesendet."),
        (
            "off-corner",
            "sent a malformed message: the board has no field (5,5,-10)",
        ),
    ] {
        let found = compare("first", fault, &[])["did"].to_string();
        assert!(found.contains(did), "{fault}: {found}");
    }
}

#[test]
fn every_situation_is_tried_here_and_fits_a_line() {
    let listed = Command::new(WABE)
        .args(["check", "--list"])
        .output()
        .unwrap();
    let listed = text(&listed.stdout);
    assert!(listed.lines().all(|line| line.len() <= 80), "{listed}");
    let names = listed.lines().filter_map(|line| line.split(' ').next());
    let names: Vec<&str> = names.collect();
    let mut tried = TRIED.to_vec();
    tried.sort_by_key(|name| names.iter().position(|other| other == name));
    assert_eq!(tried, names);
}

#[test]
fn the_report_says_what_was_done_and_what_should_have_been() {
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
fn a_client_that_floods_or_says_nothing_loses_and_one_that_never_comes_ends_the_check() {
    if !has_python() {
        return;
    }
    let fault = compare("game-red", "floods", &[]);
    assert_eq!(
        fault["did"],
        "sent a malformed message: more than 1000 that mean nothing here"
    );
    let fault = compare("first", "silent", &["--move-time", "50"]);
    assert_eq!(fault["did"], "did not answer: nothing within 0.25 s");
    let fault = compare("second", "ignores-code", &[]);
    assert_eq!(
        fault["did"],
        "asked for any game in place of its reservation"
    );
    let output = check("never-comes", &["--join-timeout", "0.3"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("no other situation was tried"));
    assert!(text(&output.stdout).ends_with("\n0 of 1 situations passed\n"));
}

#[test]
fn what_cannot_be_checked_is_said_in_a_line() {
    for (arguments, code, words) in [
        (&["random"][..], 2, "`random` is a built-in player: give"),
        (
            &["nosuch"],
            1,
            "there is no such program; give the command line",
        ),
        (&[""], 2, "the command line is empty: give"),
        (&["python3", "bot.py"], 2, "give \"python3 bot.py\""),
        (
            &["cmd:python3", "bot.py"],
            2,
            "give \"cmd:'python3 bot.py'\"",
        ),
        (&["cmd:python3 bot.py"], 2, "quotes: cmd:'python3 bot.py'"),
        (
            &["x", "--only", "y"],
            2,
            "there is no situation `y`, but first, second",
        ),
        (&["/no/such/bot"], 1, "cannot start `/no/such/bot`"),
        (&["bot 'half"], 2, "quote without its partner"),
    ] {
        let output = Command::new(WABE)
            .arg("check")
            .args(arguments)
            .output()
            .unwrap();
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{said}");
        assert!(said.contains(words), "{said}");
        assert_eq!(said.lines().count(), 1, "{said}");
    }
}

#[test]
fn every_fault_leads_to_a_section_of_the_protocols_description() {
    let protocol = include_str!("../../docs/protocol.md");
    let anchors = super::links::anchors(protocol);
    for situation in Situation::all() {
        let section = situation.section;
        assert!(anchors.iter().any(|anchor| anchor == section), "{section}");
    }
}

/// All 15,204 positions take a quarter of a minute: every 1st in place of every 50th.
#[test]
fn the_examples_moves_are_those_of_the_contests_server() {
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
fn the_example_plays_matches_without_a_fault() {
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
fn a_program_that_never_asks_for_its_seat_is_not_refused_but_wrong() {
    let output = Command::new(WABE)
        .args(["check", "--only", "refused", "true"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    let told = text(&output.stdout);
    assert!(told.contains("ended before the game began"), "{told}");
}

#[cfg(unix)]
#[test]
fn an_interrupt_ends_the_check_and_the_client() {
    use std::io::{BufRead, BufReader};
    use std::process::Stdio;

    if !has_python() {
        return;
    }
    // Each game's client adds its process's number to a file.
    let folder = tempfile::tempdir().unwrap();
    let clients = folder.path().join("clients");
    let program = file("tests/programs/broken-client.py");
    let client = format!(
        "sh -c 'echo $$ >>\"{}\"; exec \"{}\" -S \"{}\" silent \"$@\"' client",
        clients.display(),
        PYTHON.as_deref().unwrap_or("python3"),
        program.display()
    );
    let mut child = Command::new(WABE)
        .args(["check", &client, "--move-time", "60000"])
        .args(["--only", "refused", "--only", "first"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut out = BufReader::new(child.stdout.take().unwrap()).lines();
    assert_eq!(out.next().unwrap().unwrap(), "refused        ok");
    let playing = loop {
        let started = std::fs::read_to_string(&clients).unwrap();
        if let Some(second) = started.split_inclusive('\n').nth(1)
            && let Some(number) = second.strip_suffix('\n')
        {
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
    assert!(out.next().is_none());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    assert!(text(&output.stderr).contains("1 of 2 situations were tried"));
    assert!(!send("-0", &playing), "the client has ended");
}
