//! Programs do not outlive their games, whatever they and the arena do.
#![cfg(target_os = "linux")]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};

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

/// True if a process runs: one that has ended has no environment, even if nobody has asked how it ended.
fn is_running(process: u32) -> bool {
    fs::read(format!("/proc/{process}/environ")).is_ok_and(|environment| !environment.is_empty())
}

#[test]
fn what_a_program_has_started_in_a_session_of_its_own_is_killed_with_it() {
    let folder = tempfile::tempdir().unwrap();
    let pid = folder.path().join("pid");
    let lines = format!(
        "rm -f '{0}'\nsetsid sh -c 'echo $$ >\"{0}\"; while :; do sleep 1; done' &\nwhile ! [ -s '{0}' ]; do :; done\nexit 3",
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
fn programs_end_although_the_match_is_killed() {
    let folder = tempfile::tempdir().unwrap();
    let pid = folder.path().join("pid");
    // Another program in its place would have no environment for a moment.
    let lines = format!("echo $$ >'{}'\nwhile :; do sleep 1; done", pid.display());
    let bot = script(folder.path(), &lines);
    let mut wabe = Command::new(WABE)
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
        .arg(folder.path())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let bot = number_in(&pid);
    assert!(is_running(bot));
    wabe.kill().unwrap();
    wabe.wait().unwrap();
    while is_running(bot) {
        std::thread::yield_now();
    }
}

#[test]
fn a_programs_memory_is_bounded_on_request() {
    let folder = tempfile::tempdir().unwrap();
    // The bound is set just after the start.
    let lines =
        "while [ \"$(ulimit -d)\" = unlimited ]; do :; done\necho bound $(ulimit -d)\nexit 3";
    let bot = script(folder.path(), lines);
    let output = Command::new(WABE)
        .args(["arena", "--engine", &format!("cmd:{bot} limit=memory:64")])
        .args(["--engine", "greedy", "--games", "2", "--quiet"])
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(told.contains("its last words: bound 65536"), "{told}");
}
