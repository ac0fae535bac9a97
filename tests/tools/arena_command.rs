//! `wabe arena` on the built binary.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Output, Stdio};

use wabe::hive::contest::Contest;

fn wabe() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_wabe"));
    command.arg("arena");
    command
}

fn arena(arguments: &[&str]) -> Output {
    wabe().args(arguments).output().unwrap()
}

/// The lines of the final block that do not depend on time.
fn summary(output: &Output) -> Vec<String> {
    String::from_utf8(output.stdout.clone())
        .unwrap()
        .lines()
        .filter(|line| !line.starts_with("engine") && !line.starts_with("paused"))
        .map(str::to_owned)
        .collect()
}

fn message(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

const ENGINES: [&str; 4] = [
    "--engine",
    "mcts:nodes=40 name=searcher",
    "--engine",
    "greedy",
];
const STRONGER: [&str; 4] = [
    "--engine",
    "mcts:nodes=100 name=new",
    "--engine",
    "random name=old",
];
const WEAKER: [&str; 4] = [
    "--engine",
    "random name=new",
    "--engine",
    "mcts:nodes=100 name=old",
];
const SPRT: [&str; 3] = ["--sprt", "elo0=0", "elo1=200"];

#[test]
fn a_run_ends_with_its_statistics() {
    let output = arena(&[&ENGINES[..], &["--games", "5", "--seed", "3"]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", message(&output));
    let text = summary(&output).join("\n");
    for part in [
        "searcher against greedy",
        "games    6",
        "as red   3",
        "as blue  3",
        "wins     searcher: ",
        "Elo ",
        "LOS ",
        "colours",
        "ends ",
    ] {
        assert!(text.contains(part), "{part} in {text}");
    }
    assert!(message(&output).contains("pair 3:"), "{}", message(&output));
}

#[test]
fn an_sprt_stops_the_run_and_tells_its_verdict_by_the_exit_code() {
    let limits = ["--games", "400", "--quiet"];
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.jsonl");
    let file = path.to_str().unwrap();
    let gain = arena(&[&STRONGER[..], &limits, &SPRT, &["--results", file]].concat());
    assert_eq!(gain.status.code(), Some(4), "{:?}", summary(&gain));
    assert!(summary(&gain).join("\n").contains("H1 accepted"));
    let merged = arena(&[&["merge", file], &SPRT[..]].concat());
    assert_eq!(merged.status.code(), Some(4), "{}", message(&merged));
    let loss = arena(&[&WEAKER[..], &limits, &SPRT].concat());
    assert_eq!(loss.status.code(), Some(3), "{:?}", summary(&loss));
    assert!(summary(&loss).join("\n").contains("H0 accepted"));
}

/// Starts a run, and kills it when it has told of `pairs` pairs.
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
fn a_run_that_is_killed_again_and_again_equals_an_uninterrupted_one() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let file = &path("run.jsonl");
    let settings = [&ENGINES[..], &["--games", "40", "--seed", "5"]].concat();
    let resumed = [&settings[..], &["--resume", file]].concat();
    for pairs in [1, 3, 2, 1, 4] {
        kill_after(&resumed, pairs);
    }
    let finished = arena(&resumed);
    assert_eq!(finished.status.code(), Some(0), "{}", message(&finished));
    let uninterrupted = arena(&settings);
    assert_eq!(summary(&finished), summary(&uninterrupted));
    // Going on with a finished run plays nothing and tells the same.
    let again = arena(&resumed);
    assert_eq!(summary(&again), summary(&uninterrupted));
    assert_eq!(message(&again), "");
    let merged = arena(&["merge", file]);
    assert_eq!(summary(&merged), summary(&uninterrupted));
}

#[test]
fn merged_shards_equal_one_run() {
    let folder = tempfile::tempdir().unwrap();
    let settings = [&ENGINES[..], &["--games", "12", "--seed", "6"]].concat();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let shards = ["1/3", "2/3", "3/3"].map(|shard| {
        let file = path(&shard.replace('/', "of"));
        let files = ["--results", &file];
        let output = arena(&[&settings[..], &["--shard", shard], &files].concat());
        assert_eq!(output.status.code(), Some(0), "{}", message(&output));
        file
    });
    let one_run = arena(&settings);
    let files = [2, 0, 1].map(|shard: usize| shards[shard].as_str());
    let merged = arena(&[&["merge"], &files[..]].concat());
    assert_eq!(summary(&merged), summary(&one_run));
    assert_eq!(message(&merged), "");
    let without_one = arena(&["merge", &shards[0], &shards[2]]);
    assert!(
        message(&without_one).contains("2 pairs are missing"),
        "{}",
        message(&without_one)
    );

    let twice = arena(&["merge", &shards[0], &shards[0]]);
    assert_eq!(twice.status.code(), Some(1));
    assert!(
        message(&twice).contains("another file"),
        "{}",
        message(&twice)
    );
}

#[test]
fn a_round_robin_ends_with_a_table_and_ratings_merged_or_not() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.jsonl");
    let file = path.to_str().unwrap();
    let settings = [&ENGINES[..], &["--engine", "random", "--games", "4"]].concat();
    let output = arena(&[&settings[..], &["--results", file]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", message(&output));
    let lines = summary(&output);
    let table = lines.iter().position(|line| line.contains("ratings "));
    let table: Vec<Vec<&str>> = lines[table.unwrap()..]
        .iter()
        .map(|line| line.split_whitespace().collect())
        .take(4)
        .collect();
    assert_eq!(
        table[0],
        ["ratings", "Elo", "score", "games", "1", "2", "3"]
    );
    assert_eq!(table[1][..2], ["1", "searcher"]);
    assert!(table[1..].iter().all(|row| row.contains(&"8")), "{table:?}");
    assert_eq!(summary(&arena(&["merge", file])), lines);
}

#[test]
fn replays_are_written_on_request_and_can_be_read_back() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (file, all, lost) = (path("run.jsonl"), path("all"), path("lost"));
    let settings = [&ENGINES[..], &["--games", "4", "--results", &file]].concat();
    let output = arena(&[&settings[..], &["--replays", &all]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", message(&output));
    let mut names: Vec<String> = std::fs::read_dir(&all)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    let expected = [1, 2].map(|pair| [1, 2].map(|game| format!("pair-{pair}-game-{game}.xml")));
    assert_eq!(names, expected.concat());
    for name in names {
        let replay = std::fs::File::open(Path::new(&all).join(name)).unwrap();
        let replay = wabe::replay::read::<Contest>(replay).unwrap().remove(0);
        assert_eq!((replay.damage.clone(), replay.parts.len()), (None, 1));
        assert!(replay.last().ending().is_some());
        assert!(replay.names.red == "searcher" || replay.names.blue == "searcher");
    }
    let merged = arena(&["merge", &file, "--replays", &lost, "--keep-replays", "bad"]);
    assert_eq!(merged.status.code(), Some(0), "{}", message(&merged));
    assert!(!Path::new(&lost).exists());
}

/// The files of a folder with their bytes.
fn files_in(folder: &str) -> std::collections::BTreeMap<String, Vec<u8>> {
    let files = std::fs::read_dir(folder).unwrap().map(|entry| {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        (name, std::fs::read(entry.path()).unwrap())
    });
    files.collect()
}

#[test]
fn runs_that_share_a_folder_keep_all_replays() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (results, replays) = (path("run.jsonl"), path("replays"));
    let play = |options: &[&str]| {
        let options = [options, &["--games", "2", "--replays", &replays]].concat();
        let output = arena(&[&ENGINES[..], &options].concat());
        assert_eq!(output.status.code(), Some(0), "{}", message(&output));
        files_in(&replays)
    };
    let first = play(&["--seed", "1", "--resume", &results]);
    assert_eq!(first.len(), 2);
    let both = play(&["--seed", "2"]);
    let names: Vec<&str> = both.keys().map(String::as_str).collect();
    let expected = [1, 2].map(|game| ["", "_2"].map(|n| format!("pair-1-game-{game}{n}.xml")));
    assert_eq!(names, expected.concat());
    assert!(first.iter().all(|(name, bytes)| both[name] == *bytes));
    // A resumed run writes its last pair again.
    assert_eq!(play(&["--seed", "1", "--resume", &results]), both);
    let merged = arena(&["merge", &results, "--replays", &replays]);
    assert_eq!(merged.status.code(), Some(0), "{}", message(&merged));
    assert_eq!(files_in(&replays), both);
}

#[test]
fn a_report_is_a_page_of_its_own_also_of_merged_shards() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let settings = [&ENGINES[..], &["--games", "8", "--seed", "7"]].concat();
    let shards = ["1/2", "2/2"].map(|shard| {
        let file = path(&shard.replace('/', "of"));
        let output = arena(&[&settings[..], &["--shard", shard, "--results", &file]].concat());
        assert_eq!(output.status.code(), Some(0), "{}", message(&output));
        file
    });
    let page = |name: &str, arguments: &[&str]| {
        let file = path(name);
        let output = arena(&[arguments, &["--report", &file], &SPRT].concat());
        assert!(output.status.success(), "{}", message(&output));
        std::fs::read_to_string(file).unwrap()
    };
    let whole = page("whole.html", &settings);
    let merged = page("merged.html", &["merge", &shards[1], &shards[0]]);
    // What depends on time comes later in the page.
    let curves = |page: &str| {
        let plots: Vec<&str> = page.split("<figure>").collect();
        plots[1..4].concat()
    };
    assert_eq!(curves(&whole), curves(&merged));
    assert!(whole.contains("searcher against greedy"));
    assert_eq!(whole.matches("<svg").count(), 5);
}

#[test]
fn a_file_of_another_run_is_refused_and_kept() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.jsonl");
    let file = path.to_str().unwrap();
    let settings = [&ENGINES[..], &["--games", "2", "--resume", file]].concat();
    assert!(arena(&settings).status.success());
    let before = std::fs::read(&path).unwrap();
    for (other, part) in [
        ([&settings[..], &["--seed", "9"]].concat(), "seed"),
        (
            [&settings[..], &["--plies", "2"]].concat(),
            "openings.plies",
        ),
        (
            [
                &ENGINES[..2],
                &["--engine", "random", "--games", "2", "--resume", file],
            ]
            .concat(),
            "engines[1]",
        ),
        ([&ENGINES[..], &["--results", file]].concat(), "exists"),
    ] {
        let output = arena(&other);
        assert_eq!(output.status.code(), Some(1));
        assert!(message(&output).contains(part), "{}", message(&output));
    }
    assert_eq!(std::fs::read(&path).unwrap(), before);
}

#[test]
fn nonsense_is_refused_with_a_reason() {
    let missing = Path::new("no-such-openings").to_str().unwrap();
    for (arguments, code, part) in [
        (vec!["--engine", "mcts"], 2, "two engines"),
        (vec!["--engine", "mcts", "--engine", "chess"], 2, "chess"),
        ([&ENGINES[..], &["--shard", "3/2"]].concat(), 2, "3/2"),
        (
            [&ENGINES[..], &["--openings", missing]].concat(),
            1,
            missing,
        ),
        ([&ENGINES[..], &["--sprt", "elo0=x"]].concat(), 2, "SPRT"),
        (
            [&ENGINES[..], &SPRT, &["--shard", "1/2"]].concat(),
            2,
            "merge the shards",
        ),
    ] {
        let output = arena(&arguments);
        assert_eq!(output.status.code(), Some(code), "{arguments:?}");
        assert!(message(&output).contains(part), "{}", message(&output));
    }
}
