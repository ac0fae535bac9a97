//! Runs of the arena give the same results on any number of threads, and interrupted runs go on where they stopped.
//!
//! A binary of its own, in which no test starts a process: one that is just starting would hold a journal's lock for a moment
//! longer than the journal lives.

use std::fs::OpenOptions;
use std::io::Write;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use wabe::arena::{
    EngineSpec, Format, GameSettings, Games, Journal, JournalError, OpeningSettings, Openings,
    PairRecord, Plan, RunEnd, RunSettings, Schedule, Shard, run,
};
use wabe::hive::contest::{Contest, Deal, Position};
use wabe::statistics::GameScore;

const SEED: u64 = 11;

fn opening_settings() -> OpeningSettings {
    OpeningSettings {
        seed: SEED,
        plies: 4,
        balanced: true,
    }
}

fn games() -> Games<Contest> {
    Games {
        variant: Deal::Server,
        openings: Openings::Drawn(opening_settings()),
        max_plies: None,
    }
}

fn engines() -> Vec<EngineSpec> {
    ["mcts:nodes=30", "greedy", "random"]
        .map(|text| text.parse().unwrap())
        .to_vec()
}

fn game_settings() -> GameSettings {
    GameSettings {
        move_time: Duration::from_secs(1000),
        margin: Duration::from_secs(1000),
        seed: SEED,
        ..GameSettings::default()
    }
}

fn settings() -> RunSettings {
    RunSettings::new(
        engines(),
        Format::RoundRobin,
        &game_settings(),
        &games(),
        Shard::WHOLE,
    )
}

/// Plays from pair `done` on and ends the run after `most` pairs.
fn play(concurrency: usize, shard: Shard, done: u64, most: usize) -> (RunEnd, Vec<PairRecord>) {
    let engines = engines();
    let plan = Plan {
        engines: &engines,
        schedule: &Schedule::new(Format::RoundRobin, engines.len(), 3),
        shard,
        done,
        games: &games(),
        settings: &game_settings(),
        concurrency,
        spectator: None,
    };
    let mut records = Vec::new();
    let end = run(&plan, &AtomicBool::new(false), |record| {
        records.push(without_times(record));
        if records.len() == most {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    });
    (end.unwrap(), records)
}

fn without_times(mut record: PairRecord) -> PairRecord {
    for game in &mut record.games {
        game.micros.clear();
    }
    record
}

#[test]
fn results_do_not_depend_on_concurrency() {
    let (end, alone) = play(1, Shard::WHOLE, 0, usize::MAX);
    assert_eq!((end, alone.len()), (RunEnd::Complete, 9));
    assert_eq!(
        play(3, Shard::WHOLE, 0, usize::MAX),
        (RunEnd::Complete, alone.clone())
    );
    for record in &alone {
        assert!(record.opening.parse::<Position>().is_ok());
        let [first, second] = &record.games;
        assert_eq!((first.red, first.blue), (second.blue, second.red));
        let points = |engine| {
            let scores = record.games.iter().map(|game| game.score(engine).unwrap());
            scores.map(GameScore::half_points).sum::<u8>()
        };
        assert_eq!(points(first.red) + points(first.blue), 4);
        assert!(record.games.iter().all(|game| game.end.is_regular()));
    }
}

#[test]
fn a_run_that_goes_on_and_shards_together_equal_one_run() {
    let (_, whole) = play(2, Shard::WHOLE, 0, usize::MAX);
    let (end, mut resumed) = play(2, Shard::WHOLE, 0, 4);
    assert_eq!(end, RunEnd::Decided);
    resumed.extend(play(1, Shard::WHOLE, 4, usize::MAX).1);
    assert_eq!(resumed, whole);

    let mut shards: Vec<PairRecord> = (1..=2)
        .flat_map(|i| play(2, format!("{i}/2").parse().unwrap(), 0, usize::MAX).1)
        .collect();
    shards.sort_by_key(|record| record.pair);
    assert_eq!(shards, whole);
}

#[test]
fn a_stopped_run_is_interrupted() {
    let engines = engines();
    let plan = Plan {
        engines: &engines,
        schedule: &Schedule::new(Format::RoundRobin, engines.len(), 1_000_000),
        shard: Shard::WHOLE,
        done: 0,
        games: &games(),
        settings: &game_settings(),
        concurrency: 2,
        spectator: None,
    };
    let end = run(&plan, &AtomicBool::new(true), |_| ControlFlow::Continue(()));
    assert_eq!(end.unwrap(), RunEnd::Interrupted);
}

fn journal_with(path: &Path, pairs: &[PairRecord]) {
    let mut journal = Journal::create(path, &settings()).unwrap();
    for pair in pairs {
        journal.append(pair).unwrap();
    }
}

#[test]
fn a_journal_gives_back_what_was_written_and_drops_a_torn_line() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.jsonl");
    let (_, pairs) = play(2, Shard::WHOLE, 0, 3);
    journal_with(&path, &pairs[..2]);
    let whole_lines = std::fs::read(&path).unwrap();
    let mut file = OpenOptions::new().append(true).open(&path).unwrap();
    file.write_all(br#"{"pair":2,"opening":"4 -"#).unwrap();
    drop(file);

    assert_eq!(Journal::load(&path).unwrap().1, pairs[..2]);
    let (mut journal, kept) = Journal::resume(&path, &settings()).unwrap();
    assert_eq!(kept, pairs[..2]);
    assert_eq!(std::fs::read(&path).unwrap(), whole_lines);
    journal.append(&pairs[2]).unwrap();
    assert_eq!(Journal::load(&path).unwrap(), (settings(), pairs));
}

#[test]
fn a_journal_cut_off_anywhere_can_be_resumed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.jsonl");
    let (_, pairs) = play(2, Shard::WHOLE, 0, 2);
    journal_with(&path, &pairs);
    let bytes = std::fs::read(&path).unwrap();
    for length in (0..=bytes.len()).step_by(97) {
        std::fs::write(&path, &bytes[..length]).unwrap();
        let (mut journal, kept) = Journal::resume(&path, &settings()).unwrap();
        for pair in &pairs[kept.len()..] {
            journal.append(pair).unwrap();
        }
        assert_eq!(
            std::fs::read(&path).unwrap(),
            bytes,
            "cut off after {length} bytes"
        );
    }
}

#[test]
fn a_journal_refuses_other_settings_and_names_them() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.jsonl");
    journal_with(&path, &[]);
    let other = RunSettings {
        seed: 99,
        move_time_ms: 7,
        ..settings()
    };
    match Journal::resume(&path, &other) {
        Err(JournalError::OtherSettings(mut names)) => {
            names.sort();
            assert_eq!(names, ["move_time_ms", "seed"]);
        }
        other => panic!("{other:?}"),
    }
    assert!(matches!(
        Journal::create(&path, &settings()),
        Err(JournalError::Io(_))
    ));
}

#[test]
fn openings_come_again_with_their_number() {
    let games = games();
    assert_eq!(games.opening(3), games.opening(3));
    assert_ne!(games.opening(3), games.opening(4));
    assert_eq!(games.opening(3).position().turn(), 4);

    let read = |text: &str| Games::<Contest>::read_openings(text, Deal::Server);
    let text = "# two\n0 - - AQ/AQ\n\n1 - 0,0:rA AQ/AQ\n";
    let listed = Games {
        openings: Openings::Listed(read(text).unwrap()),
        ..games
    };
    assert_eq!(listed.opening(0), listed.opening(2));
    for (text, part) in [
        ("", "no position"),
        ("# x\n0 - -", "line 2"),
        ("60 - 0,0:rQ;1,0:bQ -/-", "over"),
    ] {
        let message = read(text).unwrap_err().to_string();
        assert!(message.contains(part), "{message}");
    }
}
