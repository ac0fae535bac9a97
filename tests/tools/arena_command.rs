//! `wabe arena` with built-in players.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Output, Stdio};

use wabe_hive::contest::Contest;

use crate::wabe::{arena, command, path_in, stderr};

/// The final block of a run that plays all its games, without the lines that depend on time.
fn finished(arguments: &[&str]) -> Vec<String> {
    let output = arena(arguments);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    summary(&output)
}

fn summary(output: &Output) -> Vec<String> {
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    let lines = text.lines();
    let lines = lines.filter(|line| !line.starts_with("engine") && !line.starts_with("paused"));
    lines.map(str::to_owned).collect()
}

const ENGINES: [&str; 4] = [
    "--engine",
    "mcts:nodes=40 name=searcher",
    "--engine",
    "greedy",
];
const SPRT: [&str; 3] = ["--sprt", "elo0=0", "elo1=200"];

#[test]
fn run_ends_with_statistics() {
    let output = arena(&[&ENGINES[..], &["--games", "5", "--seed", "3"]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let text = summary(&output).join("\n");
    for part in [
        "searcher against greedy",
        "games    6",
        "as red   3",
        "Elo ",
        "ends ",
    ] {
        assert!(text.contains(part), "{part} in {text}");
    }
    assert!(stderr(&output).contains("pair 3:"), "{}", stderr(&output));
}

#[test]
fn sprt_decides_the_exit_code() {
    let folder = tempfile::tempdir().unwrap();
    let file = &path_in(&folder, "run.jsonl");
    let run = |first: &str, second: &str, options: &[&str]| {
        let engines = ["--engine", first, "--engine", second, "--games", "400"];
        arena(&[&engines[..], &SPRT, options].concat())
    };
    let (strong, weak) = ("mcts:nodes=100", "random");
    let gain = run(strong, weak, &["--results", file]);
    assert_eq!(gain.status.code(), Some(4), "{:?}", summary(&gain));
    let merged = arena(&[&["merge", file], &SPRT[..]].concat());
    assert_eq!(merged.status.code(), Some(4), "{}", stderr(&merged));
    let loss = run(weak, strong, &[]);
    assert_eq!(loss.status.code(), Some(3), "{:?}", summary(&loss));
}

/// Starts a run, and kills it after it has reported this number of pairs.
fn kill_after(arguments: &[&str], pairs: usize) {
    let mut child = command(&["arena"])
        .args(arguments)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(child.stderr.take().unwrap()).lines();
    lines.map_while(Result::ok).take(pairs).for_each(drop);
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn killed_runs_equal_an_uninterrupted_one() {
    let folder = tempfile::tempdir().unwrap();
    let file = &path_in(&folder, "run.jsonl");
    let settings = [&ENGINES[..], &["--games", "40", "--seed", "5"]].concat();
    let resumed = [&settings[..], &["--resume", file]].concat();
    for pairs in [1, 3, 2, 1, 4] {
        kill_after(&resumed, pairs);
    }
    let uninterrupted = finished(&settings);
    assert_eq!(finished(&resumed), uninterrupted);
    // A complete run plays nothing.
    let again = arena(&resumed);
    assert_eq!(
        (summary(&again), stderr(&again)),
        (uninterrupted.clone(), String::new())
    );
    assert_eq!(finished(&["merge", file]), uninterrupted);
}

#[test]
fn merged_shards_equal_one_run() {
    let folder = tempfile::tempdir().unwrap();
    let settings = [&ENGINES[..], &["--games", "12", "--seed", "6"]].concat();
    let [first, second, third] = &["1/3", "2/3", "3/3"].map(|shard| {
        let file = path_in(&folder, &shard.replace('/', "of"));
        finished(&[&settings[..], &["--shard", shard, "--results", &file]].concat());
        file
    });
    assert_eq!(
        finished(&["merge", third, first, second]),
        finished(&settings)
    );
    let without_one = arena(&["merge", first, third]);
    let missing = stderr(&without_one);
    assert!(missing.contains("2 pairs are missing"), "{missing}");
    let twice = arena(&["merge", first, first]);
    assert_eq!(twice.status.code(), Some(1));
    assert!(
        stderr(&twice).contains("pair 1 is in another file"),
        "{}",
        stderr(&twice)
    );
}

#[test]
fn round_robin_ends_with_ratings() {
    let folder = tempfile::tempdir().unwrap();
    let file = &path_in(&folder, "run.jsonl");
    let engines = [&ENGINES[..], &["--engine", "random", "--games", "4"]].concat();
    let lines = finished(&[&engines[..], &["--results", file]].concat());
    let table = lines
        .iter()
        .position(|line| line.contains("ratings "))
        .unwrap();
    let cells = |line: &String| line.split_whitespace().map(str::to_owned).collect();
    let table: Vec<Vec<String>> = lines[table..].iter().take(4).map(cells).collect();
    assert_eq!(
        table[0],
        ["ratings", "Elo", "score", "games", "1", "2", "3"]
    );
    assert_eq!(table[1][..2], ["1", "searcher"]);
    assert_eq!(finished(&["merge", file]), lines);
}

/// The files of a folder with their bytes.
fn files_in(folder: &str) -> BTreeMap<String, Vec<u8>> {
    let files = std::fs::read_dir(folder).unwrap().map(|entry| {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        (name, std::fs::read(entry.path()).unwrap())
    });
    files.collect()
}

#[test]
fn replays_can_be_read() {
    let folder = tempfile::tempdir().unwrap();
    let [all, bad, file] = &["all", "bad", "run.jsonl"].map(|name| path_in(&folder, name));
    let settings = [&ENGINES[..], &["--games", "4", "--results", file]].concat();
    finished(&[&settings[..], &["--replays", all]].concat());
    let replays = files_in(all);
    let names = [1, 2].map(|pair| [1, 2].map(|game| format!("pair-{pair}-game-{game}.xml")));
    assert_eq!(replays.keys().cloned().collect::<Vec<_>>(), names.concat());
    for bytes in replays.values() {
        let replay = wabe_records::read::<Contest>(&bytes[..]).unwrap().remove(0);
        assert!(replay.record.ending().is_some());
        assert!(replay.names.red == "searcher" || replay.names.blue == "searcher");
    }
    finished(&["merge", file, "--replays", bad, "--keep-replays", "bad"]);
    assert!(!Path::new(bad).exists());
}
