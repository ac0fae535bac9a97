//! `wabe arena` with built-in players.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Output, Stdio};

use wabe_hive::contest::Contest;

fn wabe() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_wabe"));
    command.arg("arena");
    command
}

fn arena(arguments: &[&str]) -> Output {
    wabe().args(arguments).output().unwrap()
}

/// The final block of a run that plays all its games, without the lines that depend on time.
fn finished(arguments: &[&str]) -> Vec<String> {
    let output = arena(arguments);
    assert_eq!(output.status.code(), Some(0), "{}", message(&output));
    summary(&output)
}

fn summary(output: &Output) -> Vec<String> {
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    let lines = text.lines();
    let lines = lines.filter(|line| !line.starts_with("engine") && !line.starts_with("paused"));
    lines.map(str::to_owned).collect()
}

fn message(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn path_in(folder: &tempfile::TempDir, name: &str) -> String {
    folder.path().join(name).to_str().unwrap().to_owned()
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
    assert_eq!(output.status.code(), Some(0), "{}", message(&output));
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
    assert!(message(&output).contains("pair 3:"), "{}", message(&output));
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
    assert_eq!(merged.status.code(), Some(4), "{}", message(&merged));
    let loss = run(weak, strong, &[]);
    assert_eq!(loss.status.code(), Some(3), "{:?}", summary(&loss));
}

/// Starts a run, and kills it after it has reported this number of pairs.
fn kill_after(arguments: &[&str], pairs: usize) {
    let mut child = wabe()
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
        (summary(&again), message(&again)),
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
    let missing = message(&without_one);
    assert!(missing.contains("2 pairs are missing"), "{missing}");
    let twice = arena(&["merge", first, first]);
    assert_eq!(twice.status.code(), Some(1));
    assert!(
        message(&twice).contains("pair 1 is in another file"),
        "{}",
        message(&twice)
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

#[test]
fn runs_that_share_a_folder_keep_all_replays() {
    let folder = tempfile::tempdir().unwrap();
    let [results, replays] = &["run.jsonl", "replays"].map(|name| path_in(&folder, name));
    let play = |options: &[&str]| {
        let options = [options, &["--games", "2", "--replays", replays]].concat();
        finished(&[&ENGINES[..], &options].concat());
        files_in(replays)
    };
    let first = play(&["--seed", "1", "--resume", results]);
    let both = play(&["--seed", "2"]);
    let names: Vec<&str> = both.keys().map(String::as_str).collect();
    let expected = [1, 2].map(|game| ["", "_2"].map(|n| format!("pair-1-game-{game}{n}.xml")));
    assert_eq!(names, expected.concat());
    assert!(first.iter().all(|(name, bytes)| both[name] == *bytes));
    // A resumed run writes its last pair again.
    assert_eq!(play(&["--seed", "1", "--resume", results]), both);
    finished(&["merge", results, "--replays", replays]);
    assert_eq!(files_in(replays), both);
}

#[test]
fn report_of_merged_shards_is_that_of_one_run() {
    let folder = tempfile::tempdir().unwrap();
    let [first, second, page] = &["1", "2", "x.html"].map(|name| path_in(&folder, name));
    let settings = [&ENGINES[..], &["--games", "8", "--seed", "7"]].concat();
    finished(&[&settings[..], &["--shard", "1/2", "--results", first]].concat());
    finished(&[&settings[..], &["--shard", "2/2", "--results", second]].concat());
    let curves = |arguments: &[&str]| {
        finished(&[arguments, &["--report", page], &SPRT].concat());
        let page = std::fs::read_to_string(page).unwrap();
        assert!(page.contains("searcher against greedy"));
        // What depends on time comes later in the page.
        page.split("<figure>").take(4).skip(1).collect::<String>()
    };
    assert_eq!(curves(&settings), curves(&["merge", second, first]));
}

#[test]
fn results_of_another_run_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    let file = &path_in(&folder, "run.jsonl");
    let settings = [&ENGINES[..], &["--games", "2", "--resume", file]].concat();
    finished(&settings);
    let before = std::fs::read(file).unwrap();
    let other_engine = ["--engine", "random", "--games", "2", "--resume", file];
    for (other, part) in [
        ([&settings[..], &["--seed", "9"]].concat(), "seed"),
        (
            [&settings[..], &["--plies", "2"]].concat(),
            "openings.plies",
        ),
        ([&ENGINES[..2], &other_engine].concat(), "engines[1]"),
        ([&ENGINES[..], &["--results", file]].concat(), "exists"),
    ] {
        let output = arena(&other);
        assert_eq!(output.status.code(), Some(1));
        assert!(message(&output).contains(part), "{}", message(&output));
    }
    assert_eq!(std::fs::read(file).unwrap(), before);
}

#[test]
fn rejects_unusable_arguments() {
    for (arguments, code) in [
        (&["--engine", "mcts"][..], 2),
        (&["--engine", "mcts", "--engine", "chess"], 2),
        (&[&ENGINES[..], &["--shard", "3/2"]].concat(), 2),
        (&[&ENGINES[..], &["--sprt", "elo0=x"]].concat(), 2),
        (&[&ENGINES[..], &SPRT, &["--shard", "1/2"]].concat(), 2),
        (&[&ENGINES[..], &["--openings", "no-such-file"]].concat(), 1),
    ] {
        let output = arena(arguments);
        assert_eq!(output.status.code(), Some(code), "{arguments:?}");
    }
}
