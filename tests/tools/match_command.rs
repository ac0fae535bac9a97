//! `wabe match` as typed: the referee, both players and the drawings of one match.

use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Output};

use tempfile::{TempDir, tempdir};
use wabe_contest::protocol::Cause;
use wabe_hive::Color;
use wabe_hive::contest::Contest;
use wabe_records::{self, Replay};

use crate::wabe::WABE;

/// A finished `wabe match` and the folder that it wrote its replay to.
struct Match {
    output: Output,
    folder: TempDir,
}

impl Match {
    fn play(arguments: &[&str]) -> Match {
        let folder = tempdir().unwrap();
        let output = Command::new(WABE)
            .arg("match")
            .args(arguments)
            .arg("--replays")
            .arg(folder.path())
            .env_remove("RUST_LOG")
            .output()
            .unwrap();
        Match { output, folder }
    }

    fn exit_code(&self) -> Option<i32> {
        self.output.status.code()
    }

    fn stdout(&self) -> &str {
        std::str::from_utf8(&self.output.stdout).unwrap()
    }

    fn stderr(&self) -> &str {
        std::str::from_utf8(&self.output.stderr).unwrap()
    }

    fn replay(&self) -> Replay<Contest> {
        let paths: Vec<_> = fs::read_dir(self.folder.path())
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .collect();
        let [path] = &paths[..] else {
            panic!("expected one replay, found {paths:?}");
        };
        assert!(
            self.stdout()
                .contains(&format!("replay {}", path.display())),
            "the replay's path is printed"
        );
        read_replay(path)
    }
}

fn read_replay(path: &Path) -> Replay<Contest> {
    let replay = wabe_records::read::<Contest>(File::open(path).unwrap()).unwrap();
    let [replay] = &replay[..] else {
        panic!("expected one game");
    };
    assert_eq!(replay.damage, None);
    replay.clone()
}

#[test]
fn match_draws_every_ply() {
    let game = Match::play(&[
        "--red",
        "mcts:nodes=50,memory=32",
        "--blue",
        "greedy",
        "--seed",
        "3",
        "--delay",
        "1",
    ]);
    assert_eq!(game.exit_code(), Some(0), "{}", game.stderr());
    assert_eq!(game.stderr(), "");
    let out = game.stdout();
    assert!(!out.contains('\u{1b}'), "no escape sequences into a pipe");
    assert!(out.starts_with("red   mcts:nodes=50,memory=32\nblue  greedy\nseed  3\n"));
    let replay = game.replay();
    let boards = out.matches("0↗ -1↗ -2↗ -3↗ -4↗ -5↗").count();
    assert_eq!(boards, replay.positions());
    for (number, ply) in (1..).zip(replay.record.plies()) {
        let mv = ply.mv;
        let line = format!("{number:2}. {}", Color::to_move(number - 1));
        assert!(
            out.lines()
                .any(|l| l.starts_with(&line) && l.contains(&mv.to_string())),
            "{line} … {mv}"
        );
    }
    assert!(out.contains(&replay.record.state_in_words()));
    assert!(out.contains("    score=0."), "evaluations are shown");
}

#[test]
fn match_repeats_with_seed_under_node_limits() {
    let moves = || {
        let arguments = [
            "--red",
            "mcts:nodes=40,memory=32",
            "--blue",
            "random",
            "--seed",
            "11",
        ];
        let game = Match::play(&arguments);
        assert_eq!(game.exit_code(), Some(0), "{}", game.stderr());
        let replay = game.replay();
        (*replay.record.position(), replay.remarks)
    };
    assert_eq!(moves(), moves());
}

#[test]
fn a_quiet_match_prints_the_result_alone() {
    let game = Match::play(&[
        "--red", "greedy", "--blue", "random", "--seed", "5", "--quiet",
    ]);
    assert_eq!(game.exit_code(), Some(0), "{}", game.stderr());
    let lines: Vec<&str> = game.stdout().lines().collect();
    assert_eq!(lines.len(), 7, "{lines:#?}");
    assert!(lines[1].starts_with("red   "), "{}", lines[1]);
    assert!(lines[2].starts_with("blue  "), "{}", lines[2]);
    assert_eq!(lines[6], "seed  5");
}

#[test]
fn a_program_plays_over_the_protocol() {
    let program = format!("'{WABE}' play --player random --seed 2");
    let game = Match::play(&["--red", &program, "--blue", "greedy", "--seed", "4"]);
    assert_eq!(game.exit_code(), Some(0), "{}", game.stderr());
    let replay = game.replay();
    let result = replay.stated.clone().unwrap().verdict.unwrap();
    assert_eq!(result.scores.red.cause, Cause::Regular);
    assert!(replay.names.red.starts_with("wabe"), "{}", replay.names.red);
    assert_eq!(replay.names.blue, "greedy");
}

#[test]
fn what_programs_write_is_kept_where_one_asks_for_it() {
    let logs = tempdir().unwrap();
    let program = format!("'{WABE}' play --player random");
    let game = Match::play(&[
        "--red",
        "random",
        "--blue",
        &program,
        "--logs",
        logs.path().to_str().unwrap(),
    ]);
    assert_eq!(game.exit_code(), Some(0), "{}", game.stderr());
    let log = fs::read_to_string(logs.path().join("blue.log")).unwrap();
    assert!(log.contains("as blue"), "{log}");
    assert!(!logs.path().join("red.log").exists());
}

#[test]
fn a_program_that_does_not_exist_is_named() {
    let game = Match::play(&["--blue", "./no-such-client --fast"]);
    assert_eq!(game.exit_code(), Some(1));
    let message = "cannot start blue's program `./no-such-client`";
    assert!(game.stderr().contains(message), "{}", game.stderr());
    assert_eq!(game.stderr().lines().count(), 1);
}

#[test]
fn a_player_that_loses_on_time_makes_the_match_fail() {
    let program = format!("'{WABE}' play --move-time 2100 --memory 32");
    let game = Match::play(&["--red", &program, "--blue", "random", "--quiet"]);
    assert_eq!(game.exit_code(), Some(1));
    assert!(
        game.stdout()
            .starts_with("blue wins: red answered too late\n"),
        "{}",
        game.stdout()
    );
    assert!(
        game.stderr()
            .starts_with("wabe: red answered too late (after 2.")
            && game.stderr().contains(" s too late)\n"),
        "{}",
        game.stderr()
    );
    let replay = game.replay();
    let line = replay.result_line();
    assert_eq!(
        replay.stated.unwrap().verdict.unwrap().scores.red.cause,
        Cause::SoftTimeout
    );
    let told = game.stderr().lines().next().unwrap();
    let told = told.strip_prefix("wabe: ").unwrap();
    assert!(line.ends_with(&format!("; {told}")), "{line}");
}

#[test]
fn a_player_that_expects_to_lose_may_resign() {
    let arguments = [
        "--red",
        "greedy",
        "--blue",
        "mcts:nodes=40,memory=16",
        "--seed",
        "3",
    ];
    let rule = ["--quiet", "--resign", "score=0.5,plies=2"];
    let game = Match::play(&[&arguments[..], &rule].concat());
    assert_eq!(game.exit_code(), Some(0), "{}", game.stderr());
    let first = game.stdout().lines().next().unwrap().to_owned();
    assert!(first.ends_with(" resigned"), "{first}");
    let resigned = first.split(": ").nth(1).unwrap();
    assert!(game.replay().result_line().ends_with(resigned));
}

#[cfg(unix)]
mod scripts {
    use super::*;

    #[test]
    fn match_kills_programs_that_do_not_exit() {
        let program = format!("sh -c '\"{WABE}\" play --player random \"$@\"; sleep 600' bot");
        let game = Match::play(&[
            "--red",
            &program,
            "--blue",
            "random",
            "--exit-timeout",
            "0.2",
            "--quiet",
        ]);
        assert_eq!(game.exit_code(), Some(0), "{}", game.stderr());
        assert_eq!(
            game.stderr(),
            "wabe: red's program did not exit after the game and was killed\n"
        );
    }

    #[test]
    fn terminated_match_kills_its_programs() {
        let folder = tempdir().unwrap();
        let pid_file = folder.path().join("pid");
        let bot = format!(
            "sh -c 'echo $$ > \"{}\"; exec sleep 600' bot",
            pid_file.display()
        );
        let mut child = Command::new(WABE)
            .args(["match", "--red", &bot, "--blue", "random", "--replays"])
            .args([folder.path().to_str().unwrap(), "--join-timeout", "600"])
            .stderr(std::process::Stdio::null())
            .stdout(std::process::Stdio::null())
            .spawn()
            .unwrap();
        let bot_pid = loop {
            let text = fs::read_to_string(&pid_file).unwrap_or_default();
            if let Ok(pid) = text.trim().parse::<u32>() {
                break pid;
            }
            std::thread::yield_now();
        };
        let kill = |signal: &str, pid: u32| {
            let script = format!("kill {signal} {pid}");
            Command::new("sh").args(["-c", &script]).output().unwrap()
        };
        assert!(kill("-0", bot_pid).status.success());
        kill("-TERM", child.id());
        assert_eq!(child.wait().unwrap().code(), Some(143));
        assert!(!kill("-0", bot_pid).status.success(), "the program is gone");
    }
}
