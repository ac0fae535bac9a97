//! `wabe positions`, `wabe train` and `wabe tune` on the results of a run, and `wabe spsa`.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Output, Stdio};

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

/// A folder with the results of a short run.
fn folder_with_games() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    succeed(
        folder.path(),
        &[
            "arena",
            "--engine",
            "greedy",
            "--engine",
            "random",
            "--games",
            "30",
            "--quiet",
            "--results",
            "run.jsonl",
        ],
    );
    folder
}

#[test]
fn positions_of_a_run_are_counted_sampled_and_written() {
    let folder = folder_with_games();
    let folder = folder.path();
    let counted = succeed(folder, &["positions", "run.jsonl", "--output", "all.pos"]);
    assert!(counted.contains("games     30"), "{counted}");
    assert_eq!(succeed(folder, &["positions", "all.pos"]), counted);

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
        position.parse::<wabe::hive::contest::Position>().unwrap();
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
}

#[test]
fn a_file_that_breaks_off_is_used_as_far_as_it_goes() {
    let folder = folder_with_games();
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

#[test]
fn fitted_weights_are_loaded_by_the_engine_and_a_resumed_fit_equals_a_whole_one() {
    let folder = folder_with_games();
    let folder = folder.path();
    let tune = |extra: &[&str]| {
        let mut arguments = vec!["tune", "run.jsonl", "--held-out", "0.3"];
        arguments.extend(extra);
        succeed(folder, &arguments)
    };
    tune(&["--epochs", "6", "--output", "whole.txt"]);
    tune(&[
        "--epochs",
        "2",
        "--output",
        "half.txt",
        "--resume",
        "fit.jsonl",
    ]);
    tune(&[
        "--epochs",
        "6",
        "--output",
        "resumed.txt",
        "--resume",
        "fit.jsonl",
    ]);
    let read = |name: &str| fs::read_to_string(folder.join(name)).unwrap();
    assert_eq!(read("resumed.txt"), read("whole.txt"));
    assert!(tune(&["--epochs", "1", "--source"]).starts_with("const DEFAULTS"));

    let bench = |extra: &[&str]| {
        let mut arguments = vec!["bench", "--nodes", "50"];
        arguments.extend(extra);
        let out = succeed(folder, &arguments);
        let signature = out.lines().find(|line| line.starts_with("signature"));
        signature.unwrap().to_owned()
    };
    assert_ne!(bench(&["--weights", "whole.txt"]), bench(&[]));
    succeed(
        folder,
        &[
            "arena",
            "--engine",
            "greedy:weights=whole.txt",
            "--engine",
            "greedy",
            "--games",
            "2",
            "--quiet",
        ],
    );

    let output = wabe(
        folder,
        &[
            "tune",
            "run.jsonl",
            "--resume",
            "fit.jsonl",
            "--held-out",
            "0.3",
            "--batch",
            "7",
        ],
    );
    assert_eq!(output.status.code(), Some(1));
    assert!(texts(&output).1.contains("batch differ"));
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

#[test]
fn a_network_is_trained_played_with_and_the_same_again() {
    let folder = folder_with_games();
    let folder = folder.path();
    let train = |output: &str| {
        let arguments = ["train", "run.jsonl", "--epochs", "2", "--output", output];
        succeed(folder, &arguments);
        fs::read(folder.join(output)).unwrap()
    };
    assert_eq!(train("one.net"), train("two.net"));
    let position = "4 - 0,0:rQ;1,0:bQ;-1,0:rA;2,0:bA AA/AA";
    let arguments = ["analyze", position, "--nodes", "20", "--weights", "one.net"];
    assert!(succeed(folder, &arguments).contains("20 iterations"));

    let mut damaged = fs::read(folder.join("one.net")).unwrap();
    damaged.truncate(1000);
    fs::write(folder.join("damaged.net"), damaged).unwrap();
    for (arguments, complaint) in [
        (
            vec!["analyze", position, "--weights", "damaged.net"],
            "1000 bytes in place of",
        ),
        (
            vec!["tune", "run.jsonl", "--start", "one.net"],
            "is a network",
        ),
        (
            vec!["train", "run.jsonl", "--epochs", "0", "--output", "x.net"],
            "at least 1",
        ),
        (
            vec![
                "train",
                "run.jsonl",
                "--output",
                "missing/x.net",
                "--epochs",
                "1",
            ],
            "cannot write missing/x.net",
        ),
    ] {
        let output = wabe(folder, &arguments);
        let (_, err) = texts(&output);
        assert!(!output.status.success() && err.contains(complaint), "{err}");
    }
}

#[test]
fn standard_hive_is_learned_from_runs_of_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    #[rustfmt::skip]
    succeed(folder, &[
        "arena", "--game", "Base+MLP", "--engine", "greedy", "--engine", "random", "--games", "20", "--quiet",
        "--results", "hive.jsonl",
    ]);
    succeed(
        folder,
        &[
            "tune",
            "hive.jsonl",
            "--held-out",
            "0.3",
            "--output",
            "w.txt",
        ],
    );
    let weights = fs::read_to_string(folder.join("w.txt")).unwrap();
    assert!(weights.contains("queen_in_hand"), "{weights}");
    #[rustfmt::skip]
    succeed(folder, &["train", "hive.jsonl", "--held-out", "0.3", "--epochs", "2", "--output", "hive.net"]);
    // Both are played with, against each other.
    #[rustfmt::skip]
    let summary = succeed(folder, &[
        "arena", "--game", "Base", "--engine", "mcts:nodes=2,weights=w.txt name=sum", "--engine",
        "mcts:nodes=2,weights=hive.net name=net", "--games", "2", "--quiet",
    ]);
    assert!(
        summary.contains("sum") && summary.contains("net"),
        "{summary}"
    );
    // And neither in the contest's game.
    let refused = |arguments: &[&str], code, part: &str| {
        let output = wabe(folder, arguments);
        let (_, err) = texts(&output);
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {err}");
        assert!(err.contains(part), "{arguments:?}: {err}");
    };
    refused(&["bench", "--weights", "hive.net"], 2, "for Hive, not for");
    refused(&["positions", "hive.jsonl"], 1, "of the contest's game");
    #[rustfmt::skip]
    succeed(folder, &["arena", "--engine", "greedy", "--engine", "random", "--games", "2", "--quiet", "--results", "sc.jsonl"]);
    refused(
        &["tune", "hive.jsonl", "sc.jsonl"],
        1,
        "only one game can be learned",
    );
}
