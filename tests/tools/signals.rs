//! Signals stop a run with its results, and an exit code of 128 plus the signal.
#![cfg(target_os = "linux")]

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, Output, Stdio};

use crate::wabe::{WABE, kill, path_in, script, stderr, stdout, succeed};

/// Starts wabe in a shell after the command `before`. Waits for a line that starts with `line`.
fn start(before: &str, arguments: &str, line: &str) -> Child {
    let script = format!("{before} exec '{WABE}' {arguments}");
    // Children of `nohup` and of background jobs inherit ignored signals.
    let mut child = Command::new("env")
        .args(["--default-signal=HUP,INT,TERM", "sh", "-c", &script])
        .env_remove("RUST_LOG")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let stream: &mut dyn Read = match line {
        "pair" => child.stderr.as_mut().unwrap(),
        _ => child.stdout.as_mut().unwrap(),
    };
    let mut lines = BufReader::with_capacity(1, stream).lines();
    let mut printed = lines.by_ref().map_while(Result::ok);
    assert!(printed.any(|printed| printed.starts_with(line)));
    child
}

fn stop(child: Child, signal: &str) -> Output {
    assert!(kill(signal, child.id()));
    child.wait_with_output().unwrap()
}

#[test]
fn interrupted_matches_write_replays() {
    for (game, signal, code) in [
        ("contest", "HUP", 129),
        ("contest", "INT", 130),
        ("Base", "INT", 130),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let players = format!("--red greedy --blue random --game {game} --delay 600000");
        let line = format!("match {players} --replays '{}'", folder.path().display());
        let output = stop(start("", &line, " 1. "), signal);
        assert_eq!(output.status.code(), Some(code), "{output:?}");
        let replay = folder.path().read_dir().unwrap().next().unwrap();
        let replay = replay.unwrap().path().display().to_string();
        let message = stderr(&output);
        assert!(message.contains(&replay), "{message}");
        assert_eq!(message.contains("terminal has closed"), signal == "HUP");
        let shown = succeed(&format!("replay '{replay}'"));
        assert!(shown.contains("ply 1:") && shown.contains("no result"));
    }
}

#[test]
fn match_ignores_blocked_hangups() {
    let folder = tempfile::tempdir().unwrap();
    let replays = folder.path().display();
    let game = format!("match --red greedy --blue random --delay 600000 --replays '{replays}'");
    let child = start("trap '' HUP;", &game, " 1. ");
    assert!(kill("HUP", child.id()));
    let output = stop(child, "TERM");
    assert_eq!(output.status.code(), Some(143), "{output:?}");
}

#[test]
fn signals_end_check_during_its_last_client() {
    let folder = tempfile::tempdir().unwrap();
    let fifo = path_in(&folder, "fifo");
    assert!(
        Command::new("mkfifo")
            .arg(&fifo)
            .status()
            .unwrap()
            .success()
    );
    let lines = format!("'{WABE}' \"$@\"\necho played > '{fifo}'\nsleep 3000");
    let bot = script(folder.path(), "bot.sh", &lines);
    let options = "--exit-timeout 100 --only cancelled --time 10000";
    let child = crate::wabe::start(&format!("check {options} 'sh {bot}'"));
    assert_eq!(std::fs::read_to_string(fifo).unwrap(), "played\n");
    let output = stop(child, "TERM");
    assert_eq!(output.status.code(), Some(143), "{output:?}");
}

#[test]
fn arena_prints_its_summary_on_every_signal() {
    for (signal, code) in [("HUP", 129), ("INT", 130), ("TERM", 143)] {
        let games = "arena --engine greedy --engine random --games 1000000";
        let output = stop(start("", games, "pair"), signal);
        assert_eq!(output.status.code(), Some(code), "{output:?}");
        assert!(stdout(&output).contains("greedy"), "{output:?}");
    }
}

#[test]
fn analyze_prints_what_it_has_found() {
    for (signal, code) in [("INT", 130), ("TERM", 143)] {
        let output = stop(start("", "analyze Base --time 3600000", "Base"), signal);
        assert_eq!(output.status.code(), Some(code), "{output:?}");
        assert!(stdout(&output).contains("visits"), "{output:?}");
    }
}
