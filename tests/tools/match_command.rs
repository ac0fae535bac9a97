//! `wabe match`: referee, players and the boards on screen.

use std::fs::{self, File};
use std::process::Output;

use tempfile::{TempDir, tempdir};

use crate::wabe::{WABE, path_in, stderr, stdout, wabe};
use wabe_contest::protocol::Cause;
use wabe_hive::Color;
use wabe_hive::contest::Contest;
use wabe_records::Replay;

/// The output of a finished match, and the folder with its replay.
struct Match {
    output: Output,
    folder: TempDir,
}

impl Match {
    fn play(arguments: &str, code: i32) -> Match {
        let folder = tempdir().unwrap();
        let replays = folder.path().display();
        let output = wabe(&format!("match {arguments} --replays '{replays}'"));
        assert_eq!(output.status.code(), Some(code), "{output:?}");
        Match { output, folder }
    }

    fn stdout(&self) -> String {
        stdout(&self.output)
    }

    fn stderr(&self) -> String {
        stderr(&self.output)
    }

    fn replay(&self) -> Replay<Contest> {
        let mut entries = fs::read_dir(self.folder.path()).unwrap();
        let path = entries.next().unwrap().unwrap().path();
        assert!(entries.next().is_none(), "expected one replay");
        let printed = format!("replay {}", path.display());
        assert!(self.stdout().contains(&printed), "{}", self.stdout());
        let mut replays = wabe_records::read::<Contest>(File::open(path).unwrap()).unwrap();
        assert_eq!((replays.len(), &replays[0].damage), (1, &None));
        replays.remove(0)
    }
}

#[test]
fn match_draws_every_ply() {
    let game = Match::play(
        "--red mcts:nodes=50,memory=32 --blue greedy --seed 3 --delay 1",
        0,
    );
    assert_eq!(game.stderr(), "");
    let out = game.stdout();
    assert!(!out.contains('\u{1b}'), "escape sequences in a pipe");
    assert!(out.starts_with("red   mcts:nodes=50,memory=32\nblue  greedy\nseed  3\n"));
    let replay = game.replay();
    let boards = out.matches("0↗ -1↗ -2↗ -3↗ -4↗ -5↗").count();
    assert_eq!(boards, replay.positions());
    for (number, ply) in (1..).zip(replay.record.plies()) {
        let mv = ply.mv.to_string();
        let line = format!("{number:2}. {}", Color::to_move(number - 1));
        let mut lines = out.lines();
        let is_drawn = lines.any(|l| l.starts_with(&line) && l.contains(&mv));
        assert!(is_drawn, "{line} … {mv}");
    }
    assert!(out.contains(&replay.record.describe_state()));
    assert!(out.contains("    score=0."), "no evaluations: {out}");
}

#[test]
fn match_repeats_with_seed_under_node_limits() {
    let moves = || {
        let players = "--red mcts:nodes=40,memory=32 --blue random --seed 11";
        let game = Match::play(&format!("{players} --quiet"), 0);
        let out = game.stdout();
        let lines: Vec<&str> = out.lines().collect();
        assert_eq!(lines.len(), 7, "only the result: {lines:#?}");
        assert_eq!(lines[6], "seed  11");
        let replay = game.replay();
        (*replay.record.position(), replay.remarks)
    };
    assert_eq!(moves(), moves());
}

#[test]
fn match_plays_programs_over_the_protocol() {
    let logs = tempdir().unwrap();
    let folder = logs.path().display();
    let program = format!("'{WABE}' play --player random --seed 2");
    let game = Match::play(
        &format!(
            "--red \"{program}\" --blue greedy --game rulebook --seed 4 \
             --logs '{folder}'"
        ),
        0,
    );
    let replay = game.replay();
    let result = replay.stated.unwrap().game_result.unwrap();
    assert_eq!(result.scores.red.cause, Cause::Regular);
    assert!(replay.names.red.starts_with("wabe"), "{}", replay.names.red);
    assert_eq!(replay.names.blue, "greedy");
    // Output and messages of programs are written to logs.
    let log = fs::read_to_string(path_in(&logs, "red.log")).unwrap();
    assert!(log.contains("as red"), "{log}");
    assert!(!logs.path().join("blue.log").exists());
    let log = fs::read_to_string(path_in(&logs, "red-protocol.log")).unwrap();
    for part in [
        "< <joinPrepared",
        "> <joined",
        "> <room",
        "sc.framework.plugins.protocol.MoveRequest",
        "< <room",
        "class=\"result\"",
    ] {
        assert!(log.contains(part), "{part}");
    }
}

#[test]
fn match_names_missing_programs() {
    let game = Match::play("--blue './no-such-client --fast'", 1);
    let message = "cannot start blue's program `./no-such-client`";
    assert!(game.stderr().contains(message), "{}", game.stderr());
    assert_eq!(game.stderr().lines().count(), 1);
    let game = Match::play("--blue \"cmd:./bot dir=./missing\"", 1);
    let message = "dir=./missing is not a folder";
    assert!(game.stderr().contains(message), "{}", game.stderr());
}

#[cfg(unix)]
#[test]
fn match_reports_logs_that_cannot_be_written() {
    let folder = tempdir().unwrap();
    let [bot, logs] = ["bot.sh", "logs"].map(|name| path_in(&folder, name));
    fs::write(
        &bot,
        format!("echo words; rmdir '{logs}'; : >'{logs}'; exit 3"),
    )
    .unwrap();
    let options = format!("--logs '{logs}'");
    let game = Match::play(&format!("--red \"sh '{bot}'\" --blue greedy {options}"), 1);
    let error = game.stderr();
    assert!(
        error.contains("cannot write") && error.contains("red.log"),
        "{error}"
    );
    assert!(error.contains("red's program"), "{error}");
}

#[test]
fn match_fails_when_a_player_is_late() {
    let program = format!("'{WABE}' play --time 2100 --memory 32");
    let game = Match::play(&format!("--red \"{program}\" --blue random --quiet"), 1);
    let out = game.stdout();
    assert!(
        out.starts_with("blue wins: red answered too late\n"),
        "{out}"
    );
    let replay = game.replay();
    let line = replay.result_line();
    let result = replay.stated.unwrap().game_result.unwrap();
    assert_eq!(result.scores.red.cause, Cause::SoftTimeout);
    let errors = game.stderr();
    let reason = errors.lines().next().unwrap();
    let reason = reason.strip_prefix("wabe: ").unwrap();
    assert!(reason.starts_with("red answered too late (after 2."));
    assert!(line.ends_with(&format!("; {reason}")), "{line}");
}

#[cfg(unix)]
mod scripts {
    use super::*;
    use crate::wabe::{kill, script, start};

    #[test]
    fn match_kills_programs_that_do_not_exit() {
        let folder = tempdir().unwrap();
        let lines = format!("'{WABE}' play --player random \"$@\"; sleep 600");
        let bot = script(folder.path(), "bot.sh", &lines);
        let options = "--blue random --quiet";
        let game = Match::play(&format!("--red '{bot}' {options}"), 0);
        assert!(game.stderr().contains("did not exit"), "{}", game.stderr());
        assert_eq!(game.stderr().lines().count(), 1);
    }

    #[test]
    fn terminated_match_kills_its_programs() {
        let folder = tempdir().unwrap();
        let pid_file = path_in(&folder, "pid");
        let lines = format!("echo $$ > '{pid_file}'; exec sleep 600");
        let bot = script(folder.path(), "bot.sh", &lines);
        let replays = folder.path().display();
        let mut child = start(&format!(
            "match --red '{bot}' --blue random --replays '{replays}'"
        ));
        let bot = loop {
            let text = fs::read_to_string(&pid_file).unwrap_or_default();
            if let Ok(pid) = text.trim().parse::<u32>() {
                break pid;
            }
            std::thread::yield_now();
        };
        assert!(kill("0", bot));
        kill("TERM", child.id());
        assert_eq!(child.wait().unwrap().code(), Some(143));
        assert!(!kill("0", bot), "the program is still running");
    }
}
