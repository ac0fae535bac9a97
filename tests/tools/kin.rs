//! Programs do not outlive their games, whatever they and the arena do.
#![cfg(target_os = "linux")]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};

const WABE: &str = env!("CARGO_BIN_EXE_wabe");

/// A program that runs these lines, and its path.
fn script(folder: &Path, lines: &str) -> String {
    let path = folder.join("bot.sh");
    fs::write(&path, format!("#!/bin/sh\n{lines}\n")).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path.to_str().unwrap().to_owned()
}

/// Waits until a process has written its number into this file.
fn number_in(path: &Path) -> u32 {
    loop {
        let text = fs::read_to_string(path).unwrap_or_default();
        match text.trim().parse() {
            Ok(number) if text.ends_with('\n') => return number,
            _ => std::thread::yield_now(),
        }
    }
}

/// The name and the state of a process, and the number of its parent; `None` if there is no such process.
fn facts(process: u32) -> Option<(String, char, u32)> {
    let text = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    let (name, rest) = text.split_once('(')?.1.rsplit_once(')')?;
    let mut fields = rest.split_whitespace();
    let state = fields.next()?.chars().next()?;
    Some((name.to_owned(), state, fields.next()?.parse().ok()?))
}

/// True if a process runs, and has not just ended without anybody having asked how.
fn is_running(process: u32) -> bool {
    facts(process).is_some_and(|(_, state, _)| !matches!(state, 'Z' | 'X'))
}

/// The children of a process with that name.
fn children(parent: u32, name: &str) -> Vec<u32> {
    let numbers = fs::read_dir("/proc").unwrap().filter_map(|entry| {
        let process = entry.ok()?.file_name().to_str()?.parse().ok()?;
        let (its_name, _, its_parent) = facts(process)?;
        (its_parent == parent && its_name == name).then_some(process)
    });
    numbers.collect()
}

/// A program in an arena starts a shell with these words and exits; what the shell runs must have ended after the arena.
fn is_killed_with_its_program(starting: &str) {
    let folder = tempfile::tempdir().unwrap();
    let pid = folder.path().join("pid");
    let lines = format!(
        "rm -f '{0}'\n{starting} sh -c 'echo $$ >\"{0}\"; while :; do sleep 1; done' &\nwhile ! [ -s '{0}' ]; do :; done\nexit 3",
        pid.display()
    );
    let bot = script(folder.path(), &lines);
    let output = Command::new(WABE)
        .args([
            "arena", "--engine", &bot, "--engine", "greedy", "--games", "2", "--quiet",
        ])
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    assert!(!is_running(number_in(&pid)));
}

#[test]
fn what_a_program_has_started_in_a_session_of_its_own_is_killed_with_it() {
    is_killed_with_its_program("setsid");
}

#[test]
fn what_a_program_has_started_with_an_empty_environment_is_killed_with_it() {
    is_killed_with_its_program("env -i PATH=\"$PATH\" setsid");
}

/// A match whose program runs these lines and then for ever, and that program's number.
fn endless_match(folder: &Path, lines: &str) -> (Child, u32) {
    let pid = folder.join("pid");
    let lines = format!(
        "{lines}\necho $$ >'{}'\nwhile :; do sleep 1; done",
        pid.display()
    );
    let bot = script(folder, &lines);
    let wabe = Command::new(WABE)
        .args([
            "match",
            "--red",
            &bot,
            "--blue",
            "random",
            "--join-timeout",
            "600",
            "--replays",
        ])
        .arg(folder)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let bot = number_in(&pid);
    assert!(is_running(bot));
    (wabe, bot)
}

fn wait_for_end(process: u32) {
    while is_running(process) {
        std::thread::yield_now();
    }
}

#[test]
fn programs_end_although_the_match_is_killed() {
    let folder = tempfile::tempdir().unwrap();
    let child = folder.path().join("child");
    // The bot goes on when its child, with an empty environment, has written its number.
    let lines = format!(
        "env -i PATH=\"$PATH\" setsid sh -c 'echo $$ >\"{0}\"; while :; do sleep 1; done' &\nwhile ! [ -s '{0}' ]; do :; done",
        child.display()
    );
    let (mut wabe, bot) = endless_match(folder.path(), &lines);
    wabe.kill().unwrap();
    wabe.wait().unwrap();
    wait_for_end(bot);
    wait_for_end(number_in(&child));
}

/// As `killall -9 wabe` does it, for this match alone.
#[test]
fn programs_end_although_everything_called_wabe_is_killed() {
    let folder = tempfile::tempdir().unwrap();
    let (mut wabe, bot) = endless_match(folder.path(), "");
    while children(wabe.id(), "keeper").is_empty() {
        std::thread::yield_now();
    }
    for child in children(wabe.id(), "wabe") {
        let status = Command::new("kill")
            .args(["-9", &child.to_string()])
            .status();
        assert!(status.unwrap().success());
    }
    wabe.kill().unwrap();
    wabe.wait().unwrap();
    wait_for_end(bot);
}
