//! Programs and their children must not outlive their games.
#![cfg(target_os = "linux")]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use crate::wabe::{fail, path_in, script, start, succeed};

/// True if a process with this text in its command line is running.
fn is_running(text: &Path) -> bool {
    let text = text.to_str().unwrap();
    let processes = fs::read_dir("/proc").unwrap().flatten();
    let mut lines = processes.filter_map(|entry| fs::read(entry.path().join("cmdline")).ok());
    lines.any(|line| String::from_utf8_lossy(&line).contains(text))
}

/// True if the arena can create control groups on this machine.
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
        eprintln!("skipped: cannot create control groups");
    }
    found
}

/// Plays two games with a program that starts `child.sh` with the command `start`, and exits once
/// the file `started` exists. Checks that no process is left.
fn assert_killed(child: &str, start: &str) {
    let folder = tempfile::tempdir().unwrap();
    script(folder.path(), "child.sh", child);
    let wait = "while ! [ -e started ]; do :; done\nexit 3";
    let lines = format!("rm -f started\n{start} &\n{wait}");
    let bot = script(folder.path(), "bot.sh", &lines);
    let dir = folder.path().display();
    succeed(&format!(
        "arena --engine \"cmd:{bot} dir='{dir}'\" --engine greedy --games 2 --quiet"
    ));
    assert!(!is_running(folder.path()));
}

const SLEEPING: &str = "touch started\nsleep 1000";

#[test]
fn kills_children_in_the_process_group() {
    assert_killed(SLEEPING, "\"$PWD/child.sh\"");
}

#[test]
fn kills_children_in_new_sessions() {
    if has_control_groups() {
        assert_killed(SLEEPING, "env -i PATH=\"$PATH\" setsid \"$PWD/child.sh\"");
    }
}

#[test]
fn kills_children_that_keep_forking() {
    if has_control_groups() {
        // Each process runs only briefly, in a new session. Deleting the script ends the chain.
        assert_killed("touch started\nsetsid \"$0\" &", "\"$PWD/child.sh\"");
    }
}

#[test]
fn killing_a_match_ends_its_programs() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let lines = format!("touch '{}'\nwhile :; do :; done", path("started").display());
    let bot = script(folder.path(), "bot.sh", &lines);
    let replays = path("replays");
    let mut wabe = start(&format!(
        "match --red '{bot}' --blue random --replays '{}'",
        replays.display()
    ));
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
fn unexecutable_programs_end_the_run() {
    let folder = tempfile::tempdir().unwrap();
    let bot = script(folder.path(), "bot.sh", "");
    fs::set_permissions(&bot, fs::Permissions::from_mode(0o644)).unwrap();
    let missing = path_in(&folder, "missing.sh");
    for (bot, reason) in [(bot, "Permission denied"), (missing, "No such file")] {
        for (game, kind) in [("contest", "cmd"), ("Base", "uhp")] {
            let line = format!("arena --game {game} --engine {kind}:{bot} --engine random");
            let errors = fail(&line, 1);
            let expected = format!("cannot start `{bot}` of the engine");
            assert!(errors.contains(&expected), "{errors}");
            assert!(errors.contains(reason), "{errors}");
        }
    }
}
