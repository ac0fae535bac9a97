//! `wabe positions` and `wabe tune` on the results of a run.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

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
