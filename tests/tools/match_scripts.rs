//! `scripts/against-official.sh` and `scripts/against-client.sh`, with stand-ins for Java and
//! clients. Skipped without Python 3.
#![cfg(unix)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

use crate::wabe::{WABE, has_python, kill, texts};

const AGAINST_OFFICIAL: &str = "against-official.sh";
const AGAINST_CLIENT: &str = "against-client.sh";

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The path of a stand-in program.
fn stand_in(name: &str) -> PathBuf {
    root().join("tests/programs").join(name)
}

/// A temporary folder for all files of a script.
struct Scratch(TempDir);

impl Scratch {
    fn new() -> Scratch {
        Scratch(TempDir::new().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// The command for a script, run from another folder, with random moves and no time limits.
    fn script(&self, name: &str) -> Command {
        let mut command = Command::new(root().join("scripts").join(name));
        command
            .args(["--player", "random"])
            .env("WABE", stand_in("patient-wabe.sh"))
            .env("WABE_UNDER_TEST", WABE)
            .env("JAVA", stand_in("java.sh"))
            .env("MATCH_TIME_FACTOR", "60")
            .env("TMPDIR", self.0.path())
            .current_dir("/");
        command
    }

    /// Creates a folder like that of the official server. The stand-in for Java runs wabe instead.
    fn create_official_server(&self) -> PathBuf {
        let folder = self.path("the server");
        fs::create_dir_all(folder.join("plugins")).unwrap();
        for file in ["server.jar", "plugins/hive.jar", "defaultplayer.jar"] {
            fs::write(folder.join(file), "").unwrap();
        }
        fs::write(folder.join("server.properties"), "password = s&cret\n").unwrap();
        folder
    }
}

/// The cells in a player's row of the table, without name and colour.
fn row(table: &str, player: &str, color: &str) -> Vec<String> {
    let rows = table.lines().map(|line| {
        let cells = line.split('|').map(|cell| cell.trim().to_owned());
        cells.filter(|cell| !cell.is_empty()).collect::<Vec<_>>()
    });
    let mut found = rows.filter(|cells| cells.len() > 2 && cells[..2] == [player, color]);
    found
        .next()
        .unwrap_or_else(|| panic!("no row for {player} as {color} in\n{table}"))
        .split_off(2)
}

/// A cell in a player's row.
fn cell(table: &str, player: &str, color: &str, heading: &str) -> String {
    let headings = row(table, "player", "as");
    let column = headings.iter().position(|cell| cell == heading);
    row(table, player, color)[column.unwrap()].clone()
}

/// Checks that a player finished this many games without faults.
fn assert_faultless(table: &str, player: &str, color: &str, games: &str) {
    assert_eq!(cell(table, player, color, "games"), games, "{table}");
    for fault in ["illegal", "timeouts", "left", "unknown", "bad exit"] {
        assert_eq!(cell(table, player, color, fault), "0", "{fault}\n{table}");
    }
}

/// Checks that two games were finished, with alternating colours and without faults.
fn assert_two_good_games(output: &Output, players: [&str; 2]) {
    let (table, log) = texts(output);
    assert_eq!(output.status.code(), Some(0), "{table}{log}");
    for player in players {
        assert_faultless(&table, player, "red", "1");
        assert_faultless(&table, player, "blue", "1");
        assert_faultless(&table, player, "both", "2");
    }
    let [first, second] = players;
    for game in [
        format!("game 1: {first} - {second}: "),
        format!("game 2: {second} - {first}: "),
    ] {
        assert!(log.contains(&game), "{log}");
    }
    assert!(table.contains("without a result: 0"), "{table}");
}

#[test]
fn match_script_alternates_colours() {
    if !has_python() {
        return;
    }
    let scratch = Scratch::new();
    let client = format!("'{WABE}' play --player random");
    let mut script = scratch.script(AGAINST_CLIENT);
    let output = script.args([&client, "2"]).output().unwrap();
    assert_two_good_games(&output, ["wabe", "client"]);
    let left = fs::read_dir(scratch.0.path()).unwrap().count();
    assert_eq!(left, 0, "logs of a match without errors are deleted");
}

#[test]
fn match_script_starts_the_official_server() {
    if !has_python() {
        return;
    }
    let scratch = Scratch::new();
    let server = scratch.create_official_server();
    let play = |options: &[&str]| {
        let mut script = scratch.script(AGAINST_OFFICIAL);
        script.args(options).arg(&server).arg("2").output().unwrap()
    };
    assert_two_good_games(&play(&[]), ["wabe", "SimpleClient"]);

    fs::remove_file(server.join("defaultplayer.jar")).unwrap();
    let failed = play(&[]);
    assert_eq!(failed.status.code(), Some(2));
    let (_, message) = texts(&failed);
    assert!(message.contains("no SimpleClient"), "{message}");
    assert_two_good_games(&play(&["--self"]), ["wabe", "wabe-again"]);
}

#[test]
fn match_script_restarts_silent_servers() {
    if !has_python() {
        return;
    }
    let scratch = Scratch::new();
    let output = scratch
        .script(AGAINST_OFFICIAL)
        .args(["--logs", scratch.path("logs").to_str().unwrap()])
        .arg(scratch.create_official_server())
        .arg("3")
        .env("JAVA", stand_in("deaf-java.sh"))
        .env("NOTE", scratch.path("note"))
        .output()
        .unwrap();
    let (table, log) = texts(&output);
    assert_eq!(output.status.code(), Some(1), "{table}{log}");
    assert_eq!(cell(&table, "wabe", "both", "games"), "2", "{table}{log}");
    assert!(table.contains("without a result: 1"), "{table}");
    assert!(log.contains("restarting the server"), "{log}");
}

#[test]
fn match_script_continues_after_crashes() {
    if !has_python() {
        return;
    }
    let scratch = Scratch::new();
    let mut script = scratch.script(AGAINST_CLIENT);
    let output = script.arg(stand_in("leaving-client.py")).arg("4").output();
    let output = output.unwrap();
    let (table, log) = texts(&output);
    // The client is at fault, and every game has a result.
    assert_eq!(output.status.code(), Some(0), "{table}{log}");
    assert_faultless(&table, "wabe", "both", "4");
    assert_eq!(cell(&table, "wabe", "both", "won"), "4", "{table}");
    assert_eq!(cell(&table, "client", "both", "left"), "4", "{table}");
    assert_eq!(cell(&table, "client", "both", "bad exit"), "4", "{table}");
    assert!(log.contains("client: LEFT"), "{log}");
    assert!(log.contains("client: exit status 4"), "{log}");
}

#[test]
fn terminated_match_script_kills_its_programs() {
    if !has_python() {
        return;
    }
    let scratch = Scratch::new();
    let note = scratch.path("process");
    let mut running = scratch
        .script(AGAINST_CLIENT)
        .arg(stand_in("waiting-client.sh"))
        .env("NOTE", &note)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    while !note.exists() {
        assert!(running.try_wait().unwrap().is_none(), "the script exited");
        std::thread::yield_now();
    }
    let process = fs::read_to_string(&note).unwrap().trim().to_owned();
    assert!(kill("0", &process));
    assert!(kill("TERM", running.id()));
    assert_eq!(running.wait().unwrap().code(), Some(143));
    assert!(!kill("0", &process));
}
