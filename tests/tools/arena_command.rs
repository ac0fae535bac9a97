//! `wabe arena` with built-in players.

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::Output;

use crate::wabe::{fail, path_in, start, stderr, stdout, wabe};
use wabe_hive::contest::Contest;

/// Runs the arena to the end. Returns the summary.
fn run_arena(line: &str) -> Vec<String> {
    let output = wabe(line);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    summary(&output)
}

/// The summary, without lines that depend on time.
pub(super) fn summary(output: &Output) -> Vec<String> {
    let text = stdout(output);
    let lines = text.lines();
    let lines = lines.filter(|line| !line.starts_with("engine") && !line.starts_with("paused"));
    lines.map(str::to_owned).collect()
}

const ARENA: &str = "arena --engine 'mcts:nodes=40 name=searcher' --engine greedy";

#[test]
fn sprt_decides_the_exit_code() {
    let folder = tempfile::tempdir().unwrap();
    let file = path_in(&folder, "run.jsonl");
    let sprt = "--sprt elo0=0 elo1=200";
    let (strong, weak) = ("mcts:nodes=100", "random");
    let run = |first: &str, second: &str, options: &str| {
        let engines = format!("--engine {first} --engine {second}");
        wabe(&format!("arena {engines} --games 400 {options} {sprt}"))
    };
    let gain = run(strong, weak, &format!("--results '{file}'"));
    assert_eq!(gain.status.code(), Some(4), "{:?}", summary(&gain));
    fail(&format!("arena merge '{file}' {sprt}"), 4);
    // Options are checked before any file is read.
    fail("arena merge missing --sprt elo0=x", 2);
    let loss = run(weak, strong, "");
    assert_eq!(loss.status.code(), Some(3), "{:?}", summary(&loss));
}

/// Starts a run, and kills it once it has reported this number of pairs.
fn kill_after(line: &str, pairs: usize) {
    let mut child = start(line);
    let lines = BufReader::new(child.stderr.take().unwrap()).lines();
    lines.map_while(Result::ok).take(pairs).for_each(drop);
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn killed_runs_resume_identically() {
    let folder = tempfile::tempdir().unwrap();
    let file = path_in(&folder, "run.jsonl");
    // The number is rounded up to even, because only complete pairs are played.
    let settings = format!("{ARENA} --games 39 --seed 5");
    let resumed = format!("{settings} --results '{file}'");
    for pairs in [1, 3, 2, 1, 4] {
        kill_after(&resumed, pairs);
    }
    let uninterrupted = run_arena(&settings);
    assert_eq!(run_arena(&resumed), uninterrupted);
    let text = uninterrupted.join("\n");
    for part in [
        "searcher against greedy",
        "games    40",
        "as red   20",
        "Elo ",
        "ends ",
    ] {
        assert!(text.contains(part), "{part} in {text}");
    }
    // A complete run plays no more games.
    let again = wabe(&resumed);
    assert_eq!((&summary(&again), &*stderr(&again)), (&uninterrupted, ""));
    assert_eq!(run_arena(&format!("arena merge '{file}'")), uninterrupted);
}

#[test]
fn merged_shards_equal_one_run() {
    let folder = tempfile::tempdir().unwrap();
    let settings = format!("{ARENA} --games 12 --seed 6");
    let [first, second, third] = [1, 2, 3].map(|shard| {
        let file = path_in(&folder, &shard.to_string());
        run_arena(&format!("{settings} --shard {shard}/3 --results '{file}'"));
        file
    });
    let merged = run_arena(&format!("arena merge '{third}' '{first}' '{second}'"));
    assert_eq!(merged, run_arena(&settings));
    let without_one = stderr(&wabe(&format!("arena merge '{first}' '{third}'")));
    assert!(without_one.contains("missing pairs: 2"), "{without_one}");
    let twice = fail(&format!("arena merge '{first}' '{first}'"), 1);
    assert!(twice.contains("pair 1 is also in another file"), "{twice}");
}

#[test]
fn round_robin_ends_with_ratings() {
    let folder = tempfile::tempdir().unwrap();
    let file = path_in(&folder, "run.jsonl");
    let lines = run_arena(&format!(
        "{ARENA} --engine random --games 4 --results '{file}'"
    ));
    let mut table = lines.iter().skip_while(|line| !line.contains("ratings "));
    let mut cells = || -> Vec<&str> { table.next().unwrap().split_whitespace().collect() };
    let headings = ["ratings", "Elo", "score", "games", "1", "2", "3"];
    assert_eq!(cells(), headings);
    assert_eq!(cells()[..2], ["1", "searcher"]);
    assert_eq!(run_arena(&format!("arena merge '{file}'")), lines);
}

#[test]
fn arena_writes_readable_replays() {
    let folder = tempfile::tempdir().unwrap();
    let [all, again, file] = ["all", "again", "run.jsonl"].map(|name| path_in(&folder, name));
    run_arena(&format!(
        "{ARENA} --games 4 --results '{file}' --replays '{all}'"
    ));
    assert_eq!(fs::read_dir(&all).unwrap().count(), 4);
    for (pair, game) in [(1, 1), (1, 2), (2, 1), (2, 2)] {
        let replay = fs::File::open(format!("{all}/pair-{pair}-game-{game}.xml")).unwrap();
        let replay = wabe_records::read::<Contest>(replay).unwrap().remove(0);
        assert!(replay.record.ending().is_some());
        assert!(replay.names.red == "searcher" || replay.names.blue == "searcher");
    }
    run_arena(&format!("arena merge '{file}' --replays '{again}'"));
    assert_eq!(fs::read_dir(&again).unwrap().count(), 4);
}

#[test]
fn reports_name_the_replays_of_their_run() {
    let folder = tempfile::tempdir().unwrap();
    let [replays, file, report] =
        ["replays", "run.jsonl", "report.html"].map(|name| path_in(&folder, name));
    run_arena(&format!("{ARENA} --games 2 --seed 1 --replays '{replays}'"));
    // The first pair of the other run is played without replays.
    let run = format!("{ARENA} --seed 2 --results '{file}'");
    run_arena(&format!("{run} --games 2"));
    run_arena(&format!(
        "{run} --games 4 --replays '{replays}' --report '{report}'"
    ));
    let names = |text: &str| {
        let names = text.split('"').filter(|part| part.ends_with(".xml"));
        names.map(str::to_owned).collect::<Vec<_>>()
    };
    let named = names(&fs::read_to_string(&report).unwrap());
    let [first, second] = ["pair-1-game-1_2.xml", "pair-1-game-2_2.xml"];
    let [third, fourth] = ["pair-2-game-1.xml", "pair-2-game-2.xml"];
    assert_eq!(named, [first, second, third, fourth]);
    assert_eq!(fs::read_dir(&replays).unwrap().count(), 6);
}
