//! `scripts/against-official.sh` and `scripts/against-client.sh`, with stand-ins for Java and for clients.
//!
//! They need Python 3; without it the tests say so and pass.
#![cfg(unix)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::thread::sleep;
use std::time::Duration;

use tempfile::TempDir;

const WABE: &str = env!("CARGO_BIN_EXE_wabe");
const AGAINST_OFFICIAL: &str = "against-official.sh";
const AGAINST_CLIENT: &str = "against-client.sh";

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// A program that stands in for another one.
fn stand_in(name: &str) -> PathBuf {
    root().join("tests/programs").join(name)
}

fn has_python() -> bool {
    let version = Command::new("python3")
        .args(["-c", "import sys; sys.exit(sys.version_info < (3, 8))"])
        .status();
    let found = version.is_ok_and(|status| status.success());
    if !found {
        eprintln!("skipped: there is no python3 of version 3.8 or newer");
    }
    found
}

/// A folder for everything that a test leaves, and the scripts as they run in it.
struct Scratch(TempDir);

impl Scratch {
    fn new() -> Scratch {
        Scratch(TempDir::new().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// The script with random moves for wabe and without limits of time, called from another folder.
    fn script(&self, name: &str) -> Command {
        let mut command = Command::new(root().join("scripts").join(name));
        command
            .args(["--player", "random"])
            .env("WABE", stand_in("patient-wabe.sh"))
            .env("WABE_UNDER_TEST", WABE)
            .env("JAVA", stand_in("java.sh"))
            .env("MATCH_PATIENCE", "60")
            .env("TMPDIR", self.0.path())
            .current_dir("/");
        command
    }

    /// A folder that looks like the official server's. What plays in it is our own.
    fn official_server(&self) -> PathBuf {
        let folder = self.path("the server");
        fs::create_dir_all(folder.join("plugins")).unwrap();
        for file in ["server.jar", "plugins/hive.jar", "defaultplayer.jar"] {
            fs::write(folder.join(file), "").unwrap();
        }
        fs::write(folder.join("server.properties"), "password = s&cret\n").unwrap();
        folder
    }
}

/// What a script printed: its table and its log.
fn texts(output: &Output) -> (String, String) {
    let [out, err] = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes));
    (out.into_owned(), err.into_owned())
}

/// The cells of the table's row for a player, after the player's name and its colour.
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

/// What stands in a row under a heading.
fn cell(table: &str, player: &str, color: &str, heading: &str) -> String {
    let headings = row(table, "player", "as");
    let column = headings.iter().position(|cell| cell == heading);
    row(table, player, color)[column.unwrap()].clone()
}

/// That a player finished this many games and committed no fault in any.
fn assert_faultless(table: &str, player: &str, color: &str, games: &str) {
    assert_eq!(cell(table, player, color, "games"), games, "{table}");
    for fault in ["illegal", "timeouts", "left", "unknown", "bad exit"] {
        assert_eq!(cell(table, player, color, fault), "0", "{fault}\n{table}");
    }
}

/// That both played to the end, each as often in one colour as in the other.
fn assert_two_good_games(output: &Output, players: [&str; 2]) {
    let (table, log) = texts(output);
    assert_eq!(output.status.code(), Some(0), "{table}{log}");
    for player in players {
        assert_faultless(&table, player, "red", "1");
        assert_faultless(&table, player, "blue", "1");
        assert_faultless(&table, player, "both", "2");
    }
    let [first, second] = players;
    assert!(
        log.contains(&format!("game 1: {first} - {second}: ")),
        "{log}"
    );
    assert!(
        log.contains(&format!("game 2: {second} - {first}: ")),
        "{log}"
    );
    assert!(table.contains("without a result: 0"), "{table}");
}

#[test]
fn a_client_plays_on_our_server_with_colours_alternating() {
    if !has_python() {
        return;
    }
    let scratch = Scratch::new();
    let client = format!("'{WABE}' play --player random");
    let output = scratch
        .script(AGAINST_CLIENT)
        .args([&client, "2"])
        .output()
        .unwrap();
    assert_two_good_games(&output, ["wabe", "client"]);
    let left = fs::read_dir(scratch.0.path()).unwrap().count();
    assert_eq!(left, 0, "logs of a match without trouble are not kept");
}

#[test]
fn the_official_server_is_started_in_its_folder_with_its_password() {
    if !has_python() {
        return;
    }
    let scratch = Scratch::new();
    let output = scratch
        .script(AGAINST_OFFICIAL)
        .arg(scratch.official_server())
        .arg("2")
        .output()
        .unwrap();
    assert_two_good_games(&output, ["wabe", "SimpleClient"]);
}

#[test]
fn a_server_that_does_not_answer_is_started_again_and_its_game_counted() {
    if !has_python() {
        return;
    }
    let scratch = Scratch::new();
    let output = scratch
        .script(AGAINST_OFFICIAL)
        .args(["--logs", scratch.path("logs").to_str().unwrap()])
        .arg(scratch.official_server())
        .arg("3")
        .env("JAVA", stand_in("deaf-java.sh"))
        .env("NOTE", scratch.path("note"))
        .output()
        .unwrap();
    let (table, log) = texts(&output);
    assert_eq!(output.status.code(), Some(1), "{table}{log}");
    assert_eq!(cell(&table, "wabe", "both", "games"), "2", "{table}{log}");
    assert!(table.contains("without a result: 1"), "{table}");
    assert!(log.contains("the server is started again"), "{log}");
}

#[test]
fn wabe_plays_itself_where_there_is_no_simple_client() {
    if !has_python() {
        return;
    }
    let scratch = Scratch::new();
    let server = scratch.official_server();
    fs::remove_file(server.join("defaultplayer.jar")).unwrap();
    let alone = scratch
        .script(AGAINST_OFFICIAL)
        .arg(&server)
        .output()
        .unwrap();
    assert_eq!(alone.status.code(), Some(2));
    let (_, message) = texts(&alone);
    assert!(message.contains("no SimpleClient"), "{message}");

    let output = scratch
        .script(AGAINST_OFFICIAL)
        .arg("--self")
        .arg(&server)
        .arg("2")
        .output()
        .unwrap();
    assert_two_good_games(&output, ["wabe", "wabe-again"]);
}

#[test]
fn what_is_missing_or_wrong_is_said_in_one_line_before_anything_starts() {
    if !has_python() {
        return;
    }
    let scratch = Scratch::new();
    let server = scratch.official_server();
    let bare = scratch.path("bare");
    fs::create_dir(&bare).unwrap();
    fs::write(bare.join("server.jar"), "").unwrap();
    let official = |arguments: &[&Path]| {
        let mut command = scratch.script(AGAINST_OFFICIAL);
        command.args(arguments);
        command
    };
    let client = |arguments: &[&str]| {
        let mut command = scratch.script(AGAINST_CLIENT);
        command.args(arguments);
        command
    };
    let mut without_java = official(&[&server]);
    without_java.env("JAVA", "no-such-java");
    let mut without_build = official(&[&server]);
    without_build.env("WABE", "/no/such/wabe");
    let mut with_folder_for_build = client(&["true"]);
    with_folder_for_build.env("WABE", &server);
    let mut without_place_for_logs = client(&["true"]);
    without_place_for_logs.args(["--logs", "/etc/passwd/logs"]);
    let long = "no-such-client ".repeat(1_000);
    let cases = [
        (official(&[Path::new("/no/such/folder")]), "no folder"),
        (official(&[scratch.0.path()]), "no server.jar"),
        (official(&[&bare]), "no game in"),
        (official(&[]), "SERVER_DIR"),
        (
            official(&[&server, Path::new("0")]),
            "0 is not a positive number",
        ),
        (without_java, "no Java"),
        (without_build, "cargo build --release"),
        (with_folder_for_build, "cargo build --release"),
        (client(&["no-such-client --fast"]), "does not exist"),
        (client(&["/etc/passwd"]), "is not executable"),
        (client(&[""]), "command is empty"),
        (
            client(&["client 'with half a quotation"]),
            "No closing quotation",
        ),
        (client(&[&long]), "does not exist"),
        (client(&["true", "many"]), "many"),
        (without_place_for_logs, "cannot keep logs"),
        (client(&[]), "CLIENT_COMMAND"),
    ];
    for (mut command, expected) in cases {
        let output = command.output().unwrap();
        let (table, message) = texts(&output);
        assert_eq!(output.status.code(), Some(2), "{message}");
        assert!(message.contains(expected), "{expected}: {message}");
        assert_eq!(message.lines().count(), 1, "{message}");
        assert_eq!(table, "");
    }
}

#[test]
fn a_missing_python_is_said_in_one_line() {
    for script in [AGAINST_OFFICIAL, AGAINST_CLIENT] {
        let output = Command::new(root().join("scripts").join(script))
            .arg("true")
            .env("PATH", "/no/such/folder")
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(2));
        let (_, message) = texts(&output);
        assert!(
            message.starts_with(&format!("{script}: no python3")),
            "{message}"
        );
        assert_eq!(message.lines().count(), 1, "{message}");
    }
}

#[test]
fn a_server_that_does_not_start_is_shown_with_its_last_words() {
    if !has_python() {
        return;
    }
    let scratch = Scratch::new();
    let output = scratch
        .script(AGAINST_OFFICIAL)
        .env("JAVA", stand_in("broken-client.sh"))
        .arg(scratch.official_server())
        .output()
        .unwrap();
    let (table, log) = texts(&output);
    assert_eq!(output.status.code(), Some(2), "{log}");
    assert!(log.contains("the server ended with exit status 3"), "{log}");
    assert!(log.contains("| no library for"), "{log}");
    assert_eq!(table, "");
}

#[test]
fn a_client_that_is_no_program_ends_the_match() {
    if !has_python() {
        return;
    }
    let scratch = Scratch::new();
    let output = scratch
        .script(AGAINST_CLIENT)
        .arg(stand_in("no-program"))
        .output()
        .unwrap();
    let (table, log) = texts(&output);
    assert_eq!(output.status.code(), Some(1), "{table}{log}");
    assert!(log.contains("Exec format error"), "{log}");
    assert!(!log.contains("Traceback"), "{log}");
}

#[test]
fn a_client_that_crashes_at_once_is_shown_with_its_last_words_and_ends_the_match_after_three_games()
{
    if !has_python() {
        return;
    }
    let scratch = Scratch::new();
    let logs = scratch.path("logs of the match");
    let output = scratch
        .script(AGAINST_CLIENT)
        .arg("--logs")
        .arg(&logs)
        .arg(stand_in("broken-client.sh"))
        .output()
        .unwrap();
    let (table, log) = texts(&output);
    assert_eq!(output.status.code(), Some(1), "{table}{log}");
    assert_eq!(cell(&table, "client", "both", "left"), "3", "{table}");
    assert_eq!(cell(&table, "wabe", "both", "left"), "0", "{table}");
    assert!(table.contains("without a result: 3"), "{table}");
    assert!(log.contains("client ended before the game began"), "{log}");
    assert!(log.contains("| no library for --host"), "{log}");
    assert!(log.contains("no more are played"), "{log}");
    assert!(logs.join("game-001-client.err").is_file());
}

#[test]
fn a_client_that_crashes_in_its_game_loses_it_and_the_match_goes_on() {
    if !has_python() {
        return;
    }
    let scratch = Scratch::new();
    let output = scratch
        .script(AGAINST_CLIENT)
        .arg(stand_in("leaving-client.py"))
        .arg("4")
        .output()
        .unwrap();
    let (table, log) = texts(&output);
    // wabe did nothing wrong, and every game has a result.
    assert_eq!(output.status.code(), Some(0), "{table}{log}");
    assert_faultless(&table, "wabe", "both", "4");
    assert_eq!(cell(&table, "wabe", "both", "won"), "4", "{table}");
    assert_eq!(cell(&table, "client", "both", "left"), "4", "{table}");
    assert_eq!(cell(&table, "client", "both", "bad exit"), "4", "{table}");
    assert!(log.contains("client: LEFT"), "{log}");
    assert!(log.contains("client: exit status 4"), "{log}");
}

#[test]
fn a_script_that_is_ended_takes_its_programs_with_it() {
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
        assert!(running.try_wait().unwrap().is_none(), "the script ended");
        sleep(Duration::from_millis(10));
    }
    let is_running = |process: &str| {
        let output = Command::new("kill").args(["-0", process]).output().unwrap();
        output.status.success()
    };
    let process = fs::read_to_string(&note).unwrap().trim().to_owned();
    assert!(is_running(&process));
    let script_process = running.id().to_string();
    let ended = Command::new("kill").arg(&script_process).status().unwrap();
    assert!(ended.success());
    assert_eq!(running.wait().unwrap().code(), Some(143));
    assert!(!is_running(&process));
}
