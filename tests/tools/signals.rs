//! Signals end a run with its results, and its exit code tells which one it was.
#![cfg(target_os = "linux")]

use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

use crate::wabe::WABE;

/// Starts it with a shell's command before it, and waits until it has printed a line that begins like this.
fn start(before: &str, arguments: &str, line: &str) -> Child {
    let script = format!("{before} exec '{WABE}' {arguments}");
    // `nohup` and background jobs ignore some signals, and so would everything that they start.
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
    let mut said = lines.by_ref().map_while(Result::ok);
    assert!(said.any(|said| said.starts_with(line)));
    child
}

fn signal(child: &Child, name: &str) {
    let kill = format!("kill -{name} {}", child.id());
    assert!(
        Command::new("sh")
            .args(["-c", &kill])
            .status()
            .unwrap()
            .success()
    );
}

fn end(child: Child, name: &str) -> Output {
    signal(&child, name);
    child.wait_with_output().unwrap()
}

const MATCH: &str = "match --red greedy --blue random --delay 600000 --replays";

fn replays_in(folder: &Path) -> usize {
    std::fs::read_dir(folder).unwrap().count()
}

#[test]
fn a_match_whose_terminal_closes_leaves_its_replay() {
    let folder = tempfile::tempdir().unwrap();
    let game = format!("{MATCH} '{}'", folder.path().display());
    let output = end(start("", &game, " 1. "), "HUP");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(129), "{said}");
    assert!(
        said.contains("the terminal has closed; the match is not over"),
        "{said}"
    );
    assert_eq!(replays_in(folder.path()), 1);
}

#[test]
fn a_match_that_is_to_outlive_its_terminal_does() {
    let folder = tempfile::tempdir().unwrap();
    let game = format!("{MATCH} '{}'", folder.path().display());
    let child = start("trap '' HUP;", &game, " 1. ");
    signal(&child, "HUP");
    let output = end(child, "TERM");
    assert_eq!(output.status.code(), Some(143), "{output:?}");
}

#[test]
fn a_check_does_not_wait_for_a_client_after_a_signal() {
    let folder = tempfile::tempdir().unwrap();
    let (bot, fifo) = (folder.path().join("bot.sh"), folder.path().join("fifo"));
    let made = Command::new("mkfifo").arg(&fifo).status().unwrap();
    assert!(made.success());
    let script = format!(
        "#!/bin/sh\n'{WABE}' \"$@\"\necho played > '{}'\nsleep 3000\n",
        fifo.display()
    );
    std::fs::write(&bot, script).unwrap();
    let command = format!(
        "check --exit-timeout 100 --only cancelled --move-time 10000 'sh {}'",
        bot.display()
    );
    let child = Command::new("sh")
        .args(["-c", &format!("exec '{WABE}' {command}")])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    assert_eq!(std::fs::read_to_string(fifo).unwrap(), "played\n");
    let output = end(child, "TERM");
    assert_eq!(output.status.code(), Some(143), "{output:?}");
}

#[test]
fn an_arena_prints_its_summary_on_every_signal() {
    for (name, code) in [("HUP", 129), ("INT", 130), ("TERM", 143)] {
        let games = "arena --engine greedy --engine random --games 1000000";
        let output = end(start("", games, "pair"), name);
        assert_eq!(output.status.code(), Some(code), "{output:?}");
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(said.contains("greedy"), "{said}");
    }
}
