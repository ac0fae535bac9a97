//! `wabe selfplay`, `wabe positions`, `wabe train` and `wabe spsa`.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Output, Stdio};

use wabe_hive::Position;
use wabe_hive::contest::Contest;

use crate::wabe::{WABE, texts};

fn wabe(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(WABE)
        .args(arguments)
        .current_dir(folder)
        .output()
        .unwrap()
}

/// Standard output of a command that must succeed.
fn succeed(folder: &Path, arguments: &[&str]) -> String {
    let output = wabe(folder, arguments);
    let (out, err) = texts(&output);
    assert!(output.status.success(), "{arguments:?}: {err}");
    out
}

/// A folder with short games of self-play in `run.games`.
fn folder_with_games(game: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    selfplay(folder.path(), game, "run.games", "400");
    folder
}

fn selfplay(folder: &Path, game: &str, output: &str, positions: &str) {
    #[rustfmt::skip]
    succeed(folder, &[
        "selfplay", "--game", game, "--output", output, "--positions", positions, "--nodes", "40", "--full-share", "0.1",
    ]);
}

#[test]
fn positions_are_counted_or_printed() {
    let folder = folder_with_games("contest");
    let folder = folder.path();
    let counted = succeed(folder, &["positions", "run.games", "run.games"]);
    let printed = succeed(folder, &["positions", "run.games", "--print"]);
    let positions = format!(" {} positions, 0 with visits", printed.lines().count());
    let lines: Vec<&str> = counted.lines().collect();
    assert_eq!((lines.len(), lines[0]), (2, lines[1]));
    assert!(lines[0].starts_with("run.games: ") && lines[0].ends_with(&positions));
    for line in printed.lines() {
        let fields: Vec<&str> = line.split('\t').collect();
        let [position, score, result] = fields[..] else {
            panic!("{line}");
        };
        position.parse::<Position<Contest>>().unwrap();
        assert!((0.0..=1.0).contains(&score.parse().unwrap()), "{line}");
        assert!(["0", "0.5", "1", "-"].contains(&result), "{line}");
    }
}

#[test]
fn damaged_games_are_left_out() {
    let folder = folder_with_games("contest");
    let folder = folder.path();
    let whole = succeed(folder, &["positions", "run.games", "--print"]);
    let mut bytes = fs::read(folder.join("run.games")).unwrap();
    bytes.truncate(bytes.len() - 3);
    fs::write(folder.join("cut.games"), &bytes).unwrap();
    let output = wabe(folder, &["positions", "cut.games", "--print"]);
    let (out, err) = texts(&output);
    assert_eq!(output.status.code(), Some(1));
    assert!(!out.is_empty() && out.len() < whole.len() && whole.starts_with(&out));
    assert!(
        err.starts_with("wabe: cut.games: bytes ") && err.contains("after game "),
        "{err}"
    );

    let output = wabe(folder, &["positions", "missing.games"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(texts(&output).1.contains("missing.games"));
}

#[test]
fn interrupted_selfplay_continues_its_file() {
    let folder = folder_with_games("contest");
    let folder = folder.path();
    let bytes = |name: &str| fs::read(folder.join(name)).unwrap();
    let whole = bytes("run.games");
    for length in [0, 5, 40, whole.len() / 2, whole.len() - 1, whole.len()] {
        fs::write(folder.join("cut.games"), &whole[..length]).unwrap();
        selfplay(folder, "contest", "cut.games", "400");
        assert_eq!(bytes("cut.games"), whole, "{length} bytes");
    }
}

/// A short tuning of two parameters.
const SPSA: [&str; 12] = [
    "spsa",
    "--engine",
    "mcts:nodes=6,memory=1",
    "--param",
    "exploration start=0.7 least=0.1 most=2",
    "--param",
    "minimax_share",
    "--iterations",
    "12",
    "--pairs",
    "2",
    "--concurrency=2",
];

#[test]
fn killed_spsa_equals_an_uninterrupted_one() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let whole = succeed(
        folder,
        &[&SPSA[..], &["--resume", "whole.jsonl", "--quiet"]].concat(),
    );
    assert!(
        whole.starts_with("12 of 12 iterations, 48 games\n"),
        "{whole}"
    );
    let resumed = [&SPSA[..], &["--resume", "killed.jsonl"]].concat();
    for iterations in [1, 3, 2] {
        let mut child = Command::new(WABE)
            .args(&resumed)
            .current_dir(folder)
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stderr.take().unwrap()).lines();
        lines
            .map_while(Result::ok)
            .take(iterations)
            .for_each(|line| assert!(line.contains("exploration "), "{line}"));
        child.kill().unwrap();
        child.wait().unwrap();
    }
    assert_eq!(succeed(folder, &resumed), whole);
    let bytes = |name: &str| fs::read(folder.join(name)).unwrap();
    assert_eq!(bytes("killed.jsonl"), bytes("whole.jsonl"));

    // What is printed can be given to the arena.
    let engine = whole.lines().find_map(|line| line.strip_prefix("engine "));
    let engine = engine.unwrap().trim();
    assert!(
        engine.starts_with("mcts:nodes=6,memory=1,exploration="),
        "{engine}"
    );
    let arguments = ["--engine", engine, "--engine", "random", "--games", "2"];
    succeed(folder, &[&["arena"], &arguments[..]].concat());
    let table_lines = whole.lines().filter(|line| line.starts_with("source "));
    assert_eq!(table_lines.count(), 2);

    let other = wabe(
        folder,
        &[&resumed[..], &["--seed", "2", "--rate", "0.1"]].concat(),
    );
    assert_eq!(other.status.code(), Some(1));
    let message = texts(&other).1;
    for name in ["seed", "openings", "rate"] {
        assert!(message.contains(name), "{message}");
    }
}

/// Trains a network, checks that it comes out the same again and that a player loads it.
fn train(game: &str, files: &[&str], folder: &Path) {
    let train = |output: &str| {
        let options = ["--held-out", "0.3", "--epochs", "2", "--output", output];
        succeed(folder, &[&["train"], files, &options].concat());
        fs::read(folder.join(output)).unwrap()
    };
    assert_eq!(train("trained.net"), train("trained.net"));
    let bench = |extra: &[&str]| {
        let arguments = ["bench", "--game", game, "--nodes", "3"];
        let out = succeed(folder, &[&arguments, extra].concat());
        let signature = out.lines().find(|line| line.starts_with("signature"));
        signature.unwrap().to_owned()
    };
    assert_ne!(bench(&["--weights", "trained.net"]), bench(&[]));
}

#[test]
fn training_is_reproducible() {
    let folder = folder_with_games("contest");
    let folder = folder.path();
    train("contest", &["run.games"], folder);

    let mut damaged = fs::read(folder.join("trained.net")).unwrap();
    damaged.truncate(1000);
    fs::write(folder.join("damaged.net"), damaged).unwrap();
    let diverging = [
        "train",
        "run.games",
        "--output",
        "x.net",
        "--held-out",
        "0.3",
    ];
    let diverging = [
        &diverging[..],
        &["--learning-rate", "1e30", "--decay", "1e30"],
    ]
    .concat();
    #[rustfmt::skip]
    let cases = [
        (vec!["bench", "--weights", "damaged.net"], "1000 bytes in place of"),
        (vec!["train", "run.games", "--epochs", "0", "--output", "x.net"], "a whole number from 1"),
        (vec!["train", "run.games", "--output", "missing/x.net", "--epochs", "1"], "cannot write missing/x.net"),
        (vec!["train", "run.games", "--output", "x.net", "--resume", "missing/state"], "cannot write missing/state"),
        (vec!["train", "run.games", "--output", "./run.games"], "./run.games is also an input"),
        (vec!["train", "--output", "x.net"], "<FILES>"),
        (vec!["train", "run.games", "--first", "--output", "x.net"], "--first"),
        (diverging, "diverged in epoch 1"),
        (vec!["selfplay", "--output", "x.games", "--positions", "1", "--nodes", "5", "--short-nodes", "6"], "--short-nodes 6 is more than --nodes 5"),
        (vec!["train", "run.games", "--output", "x.net", "--resume", "locked"], "cannot write locked: another run"),
    ];
    let lock = fs::File::create(folder.join("locked.lock")).unwrap();
    lock.lock().unwrap();
    for (arguments, complaint) in cases {
        let output = wabe(folder, &arguments);
        let (_, err) = texts(&output);
        assert!(!output.status.success() && err.contains(complaint), "{err}");
    }
    assert!(!folder.join("x.net").exists() && !folder.join("x.games").exists());
}

#[test]
fn train_makes_a_policy_of_visits() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    for game in ["Base+MLP", "contest"] {
        selfplay(folder, game, &format!("{game}.games"), "400");
    }
    let train = |arguments: &[&str]| {
        wabe(
            folder,
            &[&["train", "--held-out", "0.5"], arguments].concat(),
        )
    };
    let written = |name: &str| fs::read(folder.join(name)).unwrap();
    let output = train(&["Base+MLP.games", "--epochs", "1", "--output", "with.net"]);
    let (_, err) = texts(&output);
    assert!(
        output.status.success() && err.contains("policy  6"),
        "{err}"
    );
    let again = ["Base+MLP.games", "--policy-of", "with.net"];
    assert!(
        train(&[&again[..], &["--output", "again.net"]].concat())
            .status
            .success()
    );
    assert_eq!(written("with.net"), written("again.net"));

    let output = train(&["contest.games", "--epochs", "1", "--output", "without.net"]);
    let (_, err) = texts(&output);
    assert!(output.status.success() && !err.contains("policy"), "{err}");
    let one_more = train(&[
        "contest.games",
        "--policy-of",
        "without.net",
        "--epochs",
        "1",
        "--output",
        "x.net",
    ]);
    assert_eq!(one_more.status.code(), Some(2));
    for (arguments, complaint) in [
        (
            ["contest.games", "--policy-of", "without.net"],
            "too few games with visits: 0 positions",
        ),
        (
            ["contest.games", "--policy-of", "with.net"],
            "for the features `wabehiv1`",
        ),
        (
            ["contest.games", "--policy-of", "contest.games"],
            "contest.games",
        ),
    ] {
        let output = train(&[&arguments[..], &["--output", "x.net"]].concat());
        let (_, err) = texts(&output);
        assert!(!output.status.success() && err.contains(complaint), "{err}");
        assert!(!folder.join("x.net").exists());
    }
}

#[test]
fn interrupted_training_writes_its_network() {
    let folder = folder_with_games("contest");
    let folder = folder.path();
    let train = |epochs: &str, output: &str| {
        let mut command = Command::new(WABE);
        command.current_dir(folder).args(["train", "run.games"]);
        command.args(["--held-out", "0.3", "--resume", "state"]);
        command.args(["--epochs", epochs, "--output", output]);
        command
    };
    for output in ["a.net", "b.net"] {
        assert!(train("2", output).status().unwrap().success());
    }
    let network = |name| fs::read(folder.join(name)).unwrap();
    assert_eq!(network("a.net"), network("b.net"));

    #[cfg(unix)]
    {
        use std::io::{BufRead, BufReader};

        fs::remove_file(folder.join("state")).unwrap();
        let mut child = train("1000000", "c.net");
        let mut child = child.stderr(std::process::Stdio::piped()).spawn().unwrap();
        let lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let mut lines = lines.map_while(Result::ok);
        assert!(lines.any(|line| line.starts_with("epoch   2")));
        let kill = format!("kill -INT {}", child.id());
        Command::new("sh").args(["-c", &kill]).status().unwrap();
        lines.for_each(drop);
        assert_eq!(child.wait().unwrap().code(), Some(130));
        assert!(!network("c.net").is_empty());
    }
}

#[test]
fn training_begins_with_a_first_network() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    for game in ["contest", "Base+M"] {
        let (network, games) = (format!("{game}.net"), format!("{game}.games"));
        let first = ["train", "--first", "--game", game, "--output", &network];
        succeed(folder, &first);
        #[rustfmt::skip]
        succeed(folder, &[
            "selfplay", "--game", game, "--weights", &network, "--output", &games, "--nodes", "8", "--positions", "400",
        ]);
        train(game.trim_end_matches("+M"), &[&games], folder);
    }
    // One game at a time, and its networks for it alone.
    let refused = |arguments: &[&str], code, part: &str| {
        let output = wabe(folder, arguments);
        let (_, err) = texts(&output);
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {err}");
        assert!(err.contains(part), "{arguments:?}: {err}");
    };
    refused(&["bench", "--weights", "trained.net"], 2, "`wabehiv1`");
    for command in [&["positions"][..], &["train", "--output", "x.net"]] {
        let files = ["Base+M.games", "contest.games"];
        refused(&[command, &files].concat(), 1, "give files of one game");
    }
    let selfplay = [
        "selfplay",
        "--output",
        "contest.games",
        "--positions",
        "900",
    ];
    refused(
        &[&selfplay[..], &["--visits", "true"]].concat(),
        1,
        "begun with --visits false",
    );
}
