//! `wabe positions` and `wabe train` on the results of a run, and `wabe spsa`.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Output, Stdio};

use wabe::dataset::header;
use wabe::game::Game;
use wabe::hive::Position;
use wabe::hive::contest::Contest;
use wabe::hive::standard::Wide;

const WABE: &str = env!("CARGO_BIN_EXE_wabe");

fn wabe(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(WABE)
        .args(arguments)
        .current_dir(folder)
        .output()
        .unwrap()
}

fn texts(output: &Output) -> (String, String) {
    let [out, err] = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes));
    (out.into_owned(), err.into_owned())
}

/// Standard output of a command that must succeed.
fn succeed(folder: &Path, arguments: &[&str]) -> String {
    let output = wabe(folder, arguments);
    let (out, err) = texts(&output);
    assert!(output.status.success(), "{arguments:?}: {err}");
    out
}

/// A folder with the results of a short run of `game`.
fn folder_with_games(game: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    #[rustfmt::skip]
    succeed(folder.path(), &[
        "arena", "--game", game, "--engine", "greedy", "--engine", "random", "--games", "30", "--quiet",
        "--results", "run.jsonl",
    ]);
    folder
}

fn are_counted_sampled_and_written<G: Game>(game: &str) {
    let folder = folder_with_games(game);
    let folder = folder.path();
    let counted = succeed(folder, &["positions", "run.jsonl", "--output", "all.pos"]);
    assert!(counted.contains("games     30"), "{counted}");
    assert_eq!(succeed(folder, &["positions", "all.pos"]), counted);
    let bytes = fs::read(folder.join("all.pos")).unwrap();
    assert!(bytes.starts_with(&header::<G>()));

    let sample = succeed(
        folder,
        &["positions", "all.pos", "--sample", "7", "--print"],
    );
    assert_eq!(sample.lines().count(), 7);
    for line in sample.lines() {
        let fields: Vec<&str> = line.split('\t').collect();
        let [position, _, result, plies] = fields[..] else {
            panic!("{line}");
        };
        position.parse::<Position<G>>().unwrap();
        assert!(["0", "0.5", "1"].contains(&result), "{line}");
        plies.parse::<u8>().unwrap();
    }
    assert_eq!(
        succeed(
            folder,
            &["positions", "run.jsonl", "--sample", "7", "--print"]
        ),
        sample
    );
    // A file that exists is not overwritten.
    let output = wabe(folder, &["positions", "run.jsonl", "--output", "all.pos"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(texts(&output).1.contains("cannot write all.pos"));
    assert_eq!(fs::read(folder.join("all.pos")).unwrap(), bytes);
}

#[test]
fn positions_of_a_run_are_counted_sampled_and_written() {
    are_counted_sampled_and_written::<Contest>("contest");
    are_counted_sampled_and_written::<Wide>("Base+MLP");
}

#[test]
fn a_file_that_breaks_off_is_used_as_far_as_it_goes() {
    let folder = folder_with_games("contest");
    let folder = folder.path();
    succeed(folder, &["positions", "run.jsonl", "--output", "all.pos"]);
    let bytes = fs::read(folder.join("all.pos")).unwrap();
    fs::write(folder.join("cut.pos"), &bytes[..bytes.len() - 3]).unwrap();
    let output = wabe(folder, &["positions", "cut.pos"]);
    let (out, err) = texts(&output);
    assert_eq!(output.status.code(), Some(1));
    assert!(out.contains("games     30"), "{out}");
    assert!(err.contains("ends within the record at byte"), "{err}");

    let output = wabe(folder, &["positions", "missing.pos"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(texts(&output).1.contains("missing.pos"));
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
fn a_tuning_by_play_that_is_killed_again_and_again_equals_an_uninterrupted_one() {
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

#[test]
fn a_tuning_that_makes_no_sense_is_refused_with_a_reason() {
    let folder = tempfile::tempdir().unwrap();
    for (arguments, part) in [
        (&["--engine", "mcts:nodes=5"][..], "--param"),
        (&["--param", "depth"], "exploration, prior_temperature"),
        (&["--param", "exploration most=99"], "0..=10"),
        (&["--param", "exploration start=0"], "shake"),
        (
            &["--param", "exploration", "--param", "exploration"],
            "twice",
        ),
        (&["--param", "exploration", "--engine", "mcts"], "nodes"),
        (
            &["--param", "exploration", "--engine", "greedy"],
            "`greedy`",
        ),
        (
            &["--param", "exploration", "--engine", "cmd:bot"],
            "built-in",
        ),
        (&["--param", "exploration", "--rate", "0"], "--rate"),
        (&["--param", "exploration", "--pairs", "0"], "--pairs"),
    ] {
        let output = wabe(folder.path(), &[&["spsa"], arguments].concat());
        let message = texts(&output).1;
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {message}");
        assert!(message.contains(part), "{arguments:?}: {message}");
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
fn a_network_is_trained_played_with_and_the_same_again() {
    let folder = folder_with_games("contest");
    let folder = folder.path();
    train("contest", &["run.jsonl"], folder);

    let mut damaged = fs::read(folder.join("trained.net")).unwrap();
    damaged.truncate(1000);
    fs::write(folder.join("damaged.net"), damaged).unwrap();
    let diverging = [
        "train",
        "run.jsonl",
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
        (vec!["train", "run.jsonl", "--epochs", "0", "--output", "x.net"], "a whole number from 1"),
        (vec!["train", "run.jsonl", "--output", "missing/x.net", "--epochs", "1"], "cannot write missing/x.net"),
        (vec!["train", "run.jsonl", "--output", "x.net", "--resume", "missing/state"], "cannot write missing/state"),
        (vec!["train", "run.jsonl", "--output", "./run.jsonl"], "./run.jsonl is also an input"),
        (vec!["train", "--output", "x.net"], "<FILES>"),
        (vec!["train", "run.jsonl", "--first", "--output", "x.net"], "--first"),
        (diverging, "diverged in epoch 1"),
        (vec!["selfplay", "--output", "x.pos", "--positions", "1", "--nodes", "5", "--short-nodes", "6"], "--short-nodes 6 is more than --nodes 5"),
        (vec!["train", "run.jsonl", "--output", "x.net", "--resume", "locked"], "cannot write locked: another run"),
    ];
    let lock = fs::File::create(folder.join("locked.lock")).unwrap();
    lock.lock().unwrap();
    for (arguments, complaint) in cases {
        let output = wabe(folder, &arguments);
        let (_, err) = texts(&output);
        assert!(!output.status.success() && err.contains(complaint), "{err}");
    }
    assert!(!folder.join("x.net").exists() && !folder.join("x.pos").exists());
}

#[test]
fn a_policy_is_trained_where_files_tell_the_visits_of_moves() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let play = |game: &str| {
        let output = format!("{game}.pos");
        #[rustfmt::skip]
        succeed(folder, &[
            "selfplay", "--game", game, "--output", &output, "--positions", "400", "--nodes", "40", "--full-share", "0.1",
        ]);
    };
    play("Base+MLP");
    play("contest");
    let train = |arguments: &[&str]| {
        wabe(
            folder,
            &[&["train", "--held-out", "0.5"], arguments].concat(),
        )
    };
    let written = |name: &str| fs::read(folder.join(name)).unwrap();
    let output = train(&["Base+MLP.pos", "--epochs", "1", "--output", "with.net"]);
    let (_, err) = texts(&output);
    assert!(
        output.status.success() && err.contains("policy  6"),
        "{err}"
    );
    let again = ["Base+MLP.pos", "--policy-of", "with.net"];
    assert!(
        train(&[&again[..], &["--output", "again.net"]].concat())
            .status
            .success()
    );
    assert_eq!(written("with.net"), written("again.net"));

    let output = train(&["contest.pos", "--epochs", "1", "--output", "without.net"]);
    let (_, err) = texts(&output);
    assert!(output.status.success() && !err.contains("policy"), "{err}");
    let one_more = train(&[
        "contest.pos",
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
            ["contest.pos", "--policy-of", "without.net"],
            "too few games that tell visits: 0 positions",
        ),
        (
            ["contest.pos", "--policy-of", "with.net"],
            "for the features `wabehiv1`",
        ),
        (["contest.pos", "--policy-of", "contest.pos"], "contest.pos"),
    ] {
        let output = train(&[&arguments[..], &["--output", "x.net"]].concat());
        let (_, err) = texts(&output);
        assert!(!output.status.success() && err.contains(complaint), "{err}");
        assert!(!folder.join("x.net").exists());
    }
}

#[test]
fn a_training_that_is_interrupted_or_over_has_written_its_network() {
    let folder = folder_with_games("contest");
    let folder = folder.path();
    let train = |epochs: &str, output: &str| {
        let mut command = Command::new(WABE);
        command.current_dir(folder).args(["train", "run.jsonl"]);
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
fn a_training_from_nothing_begins_with_the_games_of_a_network_that_was_written_down() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    for game in ["contest", "Base+M"] {
        succeed(
            folder,
            &[
                "train",
                "--first",
                "--game",
                game,
                "--output",
                &format!("{game}.net"),
            ],
        );
        #[rustfmt::skip]
        succeed(folder, &[
            "arena", "--game", game, "--engine", &format!("mcts:nodes=3,weights={game}.net name=one"), "--engine",
            &format!("mcts:nodes=3,weights={game}.net name=two"), "--games", "12", "--quiet", "--results", &format!("{game}.jsonl"),
        ]);
        train(
            game.trim_end_matches("+M"),
            &[&format!("{game}.jsonl")],
            folder,
        );
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
        let files = ["Base+M.jsonl", "contest.jsonl"];
        refused(&[command, &files].concat(), 1, "give files of one game");
    }
}
