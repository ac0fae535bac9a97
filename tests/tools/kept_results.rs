//! Results are written whatever becomes of standard output and of each other, and messages say what was meant.
#![cfg(unix)]

use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Output, Stdio};

const WABE: &str = env!("CARGO_BIN_EXE_wabe");

const RECORDING: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/tests/data/transcripts/replay_1.xml.gz"
);

const GAMES: [&str; 7] = [
    "arena", "--engine", "greedy", "--engine", "random", "--games", "4",
];

fn run_into(output: impl Into<Stdio>, arguments: &[&str]) -> Output {
    let mut command = Command::new(WABE);
    command.args(arguments).env_remove("RUST_LOG");
    command.stderr(Stdio::piped()).stdout(output);
    command.spawn().unwrap().wait_with_output().unwrap()
}

fn run(arguments: &[&str]) -> Output {
    run_into(Stdio::piped(), arguments)
}

/// Runs it with a standard output whose reader has gone.
fn run_unread(arguments: &[&str]) -> Output {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    run_into(writer, arguments)
}

fn message(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn path_in(folder: &Path, name: &str) -> String {
    folder.join(name).to_str().unwrap().to_owned()
}

fn play(results: &str) {
    let output = run(&[&GAMES[..], &["--results", results]].concat());
    assert!(output.status.success(), "{output:?}");
}

#[test]
fn files_of_analyses_are_written_although_nobody_reads_the_rest() {
    let folder = tempfile::tempdir().unwrap();
    let file = &path_in(folder.path(), "file.html");
    for arguments in [
        ["analyze", RECORDING, "--nodes", "5", "--output", file],
        ["analyze", "0 - - AQ/AQ", "--nodes", "5", "--tree", file],
    ] {
        let output = run_unread(&arguments);
        assert!(output.status.success(), "{output:?}");
        assert!(fs::read(file).unwrap().len() > 500);
        fs::remove_file(file).unwrap();
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_standard_output_is_named_and_files_are_written() {
    let folder = tempfile::tempdir().unwrap();
    let [results, page, positions, replays] =
        &["run.jsonl", "page.html", "x.pos", "replays"].map(|name| path_in(folder.path(), name));
    play(results);
    let merge = ["arena", "merge", results, "--positions", positions];
    for arguments in [
        &["analyze", RECORDING, "--nodes", "5", "--output", page][..],
        &[&merge[..], &["--replays", replays]].concat(),
        &["positions", results, "--print"],
        &["moves", "0 - - AQ/AQ"],
    ] {
        let full = File::options().write(true).open("/dev/full").unwrap();
        let output = run_into(full, arguments);
        let told = message(&output);
        assert_eq!(output.status.code(), Some(1), "{told}");
        assert!(
            told.contains("wabe: cannot write to standard output: "),
            "{told}"
        );
    }
    for path in [page, positions] {
        assert!(Path::new(path).is_file(), "{path}");
    }
    assert_eq!(fs::read_dir(replays).unwrap().count(), 4);
}

#[test]
fn merged_positions_and_replays_are_written_although_the_report_cannot_be() {
    let folder = tempfile::tempdir().unwrap();
    let [results, positions, replays, missing] =
        &["run.jsonl", "x.pos", "replays", "missing/x.html"].map(|n| path_in(folder.path(), n));
    play(results);
    let merge = ["arena", "merge", results, "--positions", positions];
    let more = ["--replays", replays, "--report", missing];
    let output = run(&[&merge[..], &more].concat());
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(message(&output).contains(missing.as_str()), "{output:?}");
    assert!(Path::new(positions).is_file());
    assert_eq!(fs::read_dir(replays).unwrap().count(), 4);
}

#[test]
fn a_match_is_played_and_kept_although_nobody_reads_it() {
    let folder = tempfile::tempdir().unwrap();
    let replays = path_in(folder.path(), "replays");
    let players = ["match", "--red", "greedy", "--blue", "random"];
    let output = run_unread(&[&players[..], &["--replays", &replays]].concat());
    assert!(output.status.success(), "{output:?}");
    assert_eq!(fs::read_dir(&replays).unwrap().count(), 1);
}

#[test]
fn a_full_disk_is_blamed_on_the_file_by_the_name_that_was_given() {
    let folder = tempfile::tempdir().unwrap();
    let [results, page, positions] =
        &["run.jsonl", "page.html", "x.pos"].map(|name| path_in(folder.path(), name));
    play(results);
    for (arguments, path) in [
        (
            format!("positions '{results}' --output '{positions}'"),
            positions,
        ),
        (
            format!("arena merge '{results}' --positions '{positions}'"),
            positions,
        ),
        (format!("arena merge '{results}' --report '{page}'"), page),
    ] {
        let script = format!("ulimit -f 1; trap '' XFSZ; '{WABE}' {arguments} 2>&1 >/dev/null");
        let output = Command::new("sh").args(["-c", &script]).output().unwrap();
        let told = String::from_utf8_lossy(&output.stdout);
        let words = format!("wabe: cannot write {path}: File too large (os error 27)\n");
        assert_eq!(told, words);
    }
}

#[test]
fn logs_of_programs_are_tried_before_anything_is_played() {
    let folder = tempfile::tempdir().unwrap();
    let [log, replays] = &["missing/bot.log", "replays"].map(|name| path_in(folder.path(), name));
    let bot = &format!("cmd:'{WABE} --player random' log='{log}'");
    for arguments in [
        &[
            "match",
            "--red",
            bot,
            "--blue",
            "random",
            "--replays",
            replays,
        ][..],
        &[
            "arena", "--engine", bot, "--engine", "random", "--games", "2",
        ],
    ] {
        let output = run(arguments);
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        assert!(output.stdout.is_empty(), "{output:?}");
        let told = message(&output);
        assert!(told.contains(&format!("cannot write {log}: ")), "{told}");
    }
}

#[test]
fn words_say_what_was_meant() {
    let folder = tempfile::tempdir().unwrap();
    let results = &path_in(folder.path(), "run.jsonl");
    play(results);
    let large = "99999999999999999999999";
    for (arguments, words) in [
        (
            &["arena", "merge", results, results][..],
            "pair 1 is in another file too",
        ),
        (&["arena", "--games", large], "too large"),
        (&["analyze", "--nodes", large, "0 - - AQ/AQ"], "too large"),
        (
            &["arena", "--concurrency", "0"],
            "expected a whole number from 1",
        ),
        (
            &["spsa", "--concurrency", "0"],
            "expected a whole number from 1",
        ),
        (&["--move-time", "0"], "expected a whole number from 1"),
        (&["play", "--nodes", "0"], "expected a whole number from 1"),
        (&["--player", "human"], "`wabe board`"),
    ] {
        let output = run(arguments);
        assert!(!output.status.success(), "{arguments:?}");
        let told = message(&output);
        assert!(told.contains(words), "{arguments:?}: {told}");
    }
}

/// Runs it with files of at most 32 KiB.
fn run_in_little_room(arguments: &str) -> Output {
    let script = format!("ulimit -f 64; trap '' XFSZ; exec '{WABE}' {arguments}");
    Command::new("sh").args(["-c", &script]).output().unwrap()
}

#[test]
fn a_match_tells_its_result_although_its_replay_cannot_be_written() {
    let folder = tempfile::tempdir().unwrap();
    let replays = folder.path().to_str().unwrap();
    let output = run_in_little_room(&format!(
        "match --red greedy --blue random --seed 1 --quiet --replays '{replays}'"
    ));
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(said.contains("wins") || said.contains("draw"), "{said}");
    assert!(message(&output).contains("cannot write "), "{output:?}");
    assert_eq!(fs::read_dir(replays).unwrap().count(), 0);
}

#[test]
fn a_pair_is_on_record_although_its_replays_cannot_be_written() {
    let folder = tempfile::tempdir().unwrap();
    let [results, replays] = ["a", "replays"].map(|name| path_in(folder.path(), name));
    let games = GAMES.join(" ");
    let output = run_in_little_room(&format!(
        "{games} --concurrency 1 --results '{results}' --replays '{replays}'"
    ));
    assert_eq!(output.status.code(), Some(1));
    assert!(
        message(&output).contains(&format!("cannot write to {replays}")),
        "{output:?}"
    );
    assert_eq!(fs::read_to_string(&results).unwrap().lines().count(), 2);
    let output = run(&[&GAMES[..], &["--resume", &results, "--replays", &replays]].concat());
    assert!(output.status.success(), "{output:?}");
    assert_eq!(fs::read_dir(&replays).unwrap().count(), 4);
}

#[test]
fn games_whose_moves_cannot_be_played_cost_no_other_result() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| path_in(folder.path(), name);
    let (results, replays) = (path("r.jsonl"), path("replays"));
    play(&results);
    let mut text = fs::read_to_string(&results).unwrap();
    let last = text.find(r#""pair":1,"#).unwrap();
    let first_move = last + text[last..].find(r#""moves":""#).unwrap() + r#""moves":""#.len();
    text.insert_str(first_move, "nonsense;");
    fs::write(&results, text).unwrap();

    let options = ["--replays", &replays];
    let merged = run(&[&["arena", "merge", &results][..], &options].concat());
    assert_eq!(merged.status.code(), Some(1));
    let told = "the moves of pair 2, game 1 cannot be played (games without a replay: 1)";
    assert!(message(&merged).contains(told), "{}", message(&merged));
    assert!(!merged.stdout.is_empty());
    let names = || fs::read_dir(&replays).unwrap().count();
    assert_eq!(names(), 3);

    fs::remove_dir_all(&replays).unwrap();
    let resumed = run(&[&GAMES[..], &["--resume", &results], &options].concat());
    assert!(resumed.status.success(), "{resumed:?}");
    let told = "no replay of pair 2, game 1: its moves cannot be played";
    assert!(message(&resumed).contains(told), "{}", message(&resumed));
    assert_eq!(names(), 1, "the last pair's only");
}

#[test]
fn a_file_without_vectors_agrees_with_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let file = path_in(folder.path(), "none.jsonl");
    fs::write(&file, "\n\n").unwrap();
    let verified = run(&["verify", &file]);
    assert_eq!(verified.status.code(), Some(1));
    assert!(message(&verified).contains("it is empty"), "{verified:?}");
    fs::write(
        &file,
        r#"{"position":"Base;NotStarted;White[1]","perft":[]}"#,
    )
    .unwrap();
    assert_eq!(run(&["verify", &file]).status.code(), Some(1));
}

#[test]
fn no_result_replaces_the_file_that_it_was_made_from() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| path_in(folder.path(), name);
    let (game, network, positions) = (path("game.uhp"), path("w.net"), path("p.pos"));
    fs::write(&game, "Base;InProgress;White[2];wS1;bG1 wS1-\n").unwrap();
    let first = ["train", "--first", "--game", "Base", "--output", &network];
    assert!(run(&first).status.success());
    let play = [
        "selfplay",
        "--game",
        "Base",
        "--nodes",
        "8",
        "--positions",
        "50",
    ];
    let play = [&play[..], &["--output", &positions]].concat();
    assert!(run(&play).status.success());
    let inputs = [&game, &network, &positions];
    let contents = || inputs.map(|input| fs::read(input).unwrap());
    let before = contents();
    let engine = format!("mcts:nodes=5,weights={network}");
    for arguments in [
        &["replay", &game, "--export", "txt", "-o", &game][..],
        &["analyze", &game, "--nodes", "1", "--output", &game],
        &[
            "analyze",
            "Base",
            "--nodes",
            "1",
            "--weights",
            &network,
            "--tree",
            &network,
        ],
        &[
            "train",
            &positions,
            "--policy-of",
            &network,
            "--output",
            &network,
        ],
        &[
            "arena", "--game", "Base", "--engine", &engine, "--engine", "random", "--report",
            &network,
        ],
    ] {
        let output = run(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {output:?}");
        assert!(message(&output).contains("named twice"), "{output:?}");
    }
    // Enough positions: there is nothing to play, and nothing is played again.
    for _ in 0..2 {
        assert!(run(&play).status.success());
    }
    assert_eq!(contents(), before);
}

#[test]
fn exit_codes_do_not_depend_on_a_reader() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| path_in(folder.path(), name);
    let (right, wrong, results) = (path("right.jsonl"), path("wrong.jsonl"), path("r.jsonl"));
    for (file, number) in [(&right, 4), (&wrong, 5)] {
        let row = format!(r#"{{"position":"Base;NotStarted;White[1]","perft":[{number}]}}"#);
        fs::write(file, row).unwrap();
    }
    assert_eq!(run_unread(&["verify", &right]).status.code(), Some(0));
    assert_eq!(
        run_unread(&["verify", &right, &wrong]).status.code(),
        Some(1)
    );
    let test = ["--sprt", "elo0=0", "elo1=200", "alpha=0.4", "beta=0.4"];
    let played = run_unread(&[&GAMES[..], &["--results", &results], &test].concat());
    assert_eq!(played.status.code(), Some(4), "{played:?}");
    let merged = run_unread(&[&["arena", "merge", &results], &test[..]].concat());
    assert_eq!(merged.status.code(), Some(4), "{merged:?}");
    let (sample, play) = (path("p.pos"), ["arena", "merge", &results, "--positions"]);
    assert!(run(&[&play[..], &[&sample]].concat()).status.success());
    let copy = path("copy.pos");
    let copied = run_unread(&["positions", &sample, "--print", "--output", &copy]);
    assert_eq!(copied.status.code(), Some(0));
    assert_eq!(fs::read(copy).unwrap(), fs::read(sample).unwrap());
}

#[test]
fn pipes_take_results_and_give_no_positions() {
    let network = run(&["train", "--first", "--output", "/dev/stdout"]);
    assert!(network.status.success(), "{network:?}");
    assert!(network.stdout.len() > 10_000);
    let positions = run(&["positions", "/dev/null"]);
    assert!(
        message(&positions).contains("not a regular file"),
        "{positions:?}"
    );
}

#[test]
fn logs_of_a_run_have_folders_of_their_own() {
    let folder = tempfile::tempdir().unwrap();
    let logs = folder.path().to_str().unwrap();
    let both = ["--bad-output", logs, "--protocol-log", logs];
    assert_eq!(run(&[&GAMES[..], &both].concat()).status.code(), Some(2));
    let results = path_in(folder.path(), "r.jsonl");
    let positions = path_in(folder.path(), "missing/p.pos");
    let files = ["--results", &results, "--positions", &positions];
    assert!(!run(&[&GAMES[..], &files].concat()).status.success());
    assert!(!Path::new(&results).exists());
}
