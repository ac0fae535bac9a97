//! Programs and what they have started do not outlive their games.
#![cfg(target_os = "linux")]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::wabe::{WABE, script};

/// True if a process with this text in its command line runs.
fn is_running(text: &Path) -> bool {
    let text = text.to_str().unwrap();
    let processes = fs::read_dir("/proc").unwrap().flatten();
    let mut lines = processes.filter_map(|entry| fs::read(entry.path().join("cmdline")).ok());
    lines.any(|line| String::from_utf8_lossy(&line).contains(text))
}

/// True if the arena can create control groups here.
fn has_control_groups() -> bool {
    let groups = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    let own = groups.lines().find_map(|line| line.strip_prefix("0::/"));
    let mounts = ["/sys/fs/cgroup", "/sys/fs/cgroup/unified"];
    let found = mounts.iter().any(|mount| {
        let group = Path::new(mount)
            .join(own.unwrap_or_default())
            .join("wabe-test");
        let has_kill = fs::create_dir(&group).is_ok() && group.join("cgroup.kill").exists();
        let _ = fs::remove_dir(&group);
        has_kill
    });
    if !found {
        eprintln!("skipped: no control groups can be created here");
    }
    found
}

/// Plays two games of a program that starts something with these lines and exits once the file `started` is there.
fn play(folder: &Path, lines: &str) {
    let wait = "while ! [ -e started ]; do :; done\nexit 3";
    let bot = script(folder, "bot.sh", &format!("rm -f started\n{lines}\n{wait}"));
    let bot = format!("cmd:{bot} dir='{}'", folder.display());
    let output = Command::new(WABE)
        .args(["arena", "--engine", &bot, "--engine", "greedy"])
        .args(["--games", "2", "--quiet"])
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
}

#[test]
fn kills_children_in_the_process_group() {
    let folder = tempfile::tempdir().unwrap();
    script(folder.path(), "child.sh", "touch started\nsleep 1000");
    play(folder.path(), "\"$PWD/child.sh\" &");
    assert!(!is_running(folder.path()));
}

#[test]
fn kills_children_in_new_sessions() {
    if !has_control_groups() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    script(folder.path(), "child.sh", "touch started\nsleep 1000");
    play(
        folder.path(),
        "env -i PATH=\"$PATH\" setsid \"$PWD/child.sh\" &",
    );
    assert!(!is_running(folder.path()));
}

#[test]
fn kills_children_that_keep_forking() {
    if !has_control_groups() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    // Each process lives for a moment, in a session of its own. Without its file the chain ends.
    let child = "touch started\nsetsid \"$0\" &";
    script(folder.path(), "child.sh", child);
    play(folder.path(), "\"$PWD/child.sh\" &");
    assert!(!is_running(folder.path()));
}

#[test]
fn programs_end_when_the_match_is_killed() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let lines = format!("touch '{}'\nwhile :; do :; done", path("started").display());
    let mut wabe = Command::new(WABE)
        .args(["match", "--red", &script(folder.path(), "bot.sh", &lines)])
        .args(["--blue", "random", "--join-timeout", "600", "--replays"])
        .arg(path("replays"))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    while !path("started").exists() {
        std::thread::yield_now();
    }
    wabe.kill().unwrap();
    wabe.wait().unwrap();
    while is_running(&path("bot.sh")) {
        std::thread::yield_now();
    }
}

#[test]
fn programs_that_cannot_be_executed_end_the_run() {
    let folder = tempfile::tempdir().unwrap();
    let bot = script(folder.path(), "bot.sh", "");
    fs::set_permissions(&bot, fs::Permissions::from_mode(0o644)).unwrap();
    let missing = folder.path().join("missing.sh");
    for (bot, reason) in [
        (
            bot.as_str(),
            "exit status: 126: Permission denied (os error 13)",
        ),
        (
            missing.to_str().unwrap(),
            "exit status: 127: No such file or directory (os error 2)",
        ),
    ] {
        for (game, kind) in [("contest", "cmd"), ("Base", "uhp")] {
            let output = Command::new(WABE)
                .args([
                    "arena",
                    "--game",
                    game,
                    "--engine",
                    &format!("{kind}:{bot}"),
                ])
                .args(["--engine", "random"])
                .output()
                .unwrap();
            let errors = String::from_utf8_lossy(&output.stderr);
            assert_eq!(output.status.code(), Some(1), "{errors}");
            let expected = format!("wabe: cannot start `{bot}` of the engine");
            assert!(errors.contains(&expected), "{errors}");
            assert!(errors.contains(reason), "{errors}");
        }
    }
}
