//! `wabe selfplay`, `wabe positions` and `wabe train`.

use std::collections::HashSet;
use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

use crate::wabe::{command, stderr, stdout};
use wabe_hive::Position;
use wabe_hive::contest::Contest;
use wabe_hive::game::Record;
use wabe_hive::standard::Standard;

/// Working directory for the commands of a test.
struct Folder(TempDir);

impl Folder {
    fn new() -> Folder {
        Folder(tempfile::tempdir().unwrap())
    }

    /// Creates `run.games` with self-play.
    fn with_games() -> Folder {
        let folder = Folder::new();
        folder.selfplay("--game contest --nodes 40 --output run.games");
        folder
    }

    fn selfplay(&self, options: &str) {
        self.succeed(&format!("selfplay --positions 400 {options}"));
    }

    fn command(&self, line: &str) -> Command {
        let mut command = command(line);
        command.current_dir(self.0.path());
        command
    }

    fn run(&self, line: &str) -> Output {
        self.command(line).output().unwrap()
    }

    /// Runs a command that must succeed. Returns its stdout.
    fn succeed(&self, line: &str) -> String {
        let output = self.run(line);
        assert!(output.status.success(), "{line}: {output:?}");
        stdout(&output)
    }

    /// Runs a command that must fail with this code and a message that contains `part`.
    fn fail(&self, line: &str, code: i32, part: &str) {
        let output = self.run(line);
        let error = stderr(&output);
        assert_eq!(output.status.code(), Some(code), "{line}: {error}");
        assert!(error.contains(part), "{line}: {error}");
    }

    fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.0.path().join(name)).unwrap()
    }

    fn write(&self, name: &str, bytes: &[u8]) {
        fs::write(self.0.path().join(name), bytes).unwrap();
    }

    fn has(&self, name: &str) -> bool {
        self.0.path().join(name).exists()
    }

    /// Trains a network twice with equal results, and checks that a player can load it.
    fn train(&self, game: &str, files: &str) {
        let train = |output: &str| {
            self.succeed(&format!(
                "train {files} --validation-share 0.3 --epochs 2 --output {output}"
            ));
            self.read(output)
        };
        assert_eq!(train("trained.net"), train("trained.net"));
        let bench = |options: &str| {
            let out = self.succeed(&format!("bench --game {game} --nodes 3 {options}"));
            let signature = out.lines().find(|line| line.starts_with("signature"));
            signature.unwrap().to_owned()
        };
        assert_ne!(bench("--weights trained.net"), bench(""));
    }
}

#[test]
fn positions_counts_or_prints_positions() {
    let folder = Folder::with_games();
    folder.write("copy.games", &folder.read("run.games"));
    let counted = folder.succeed("positions run.games copy.games");
    let printed = folder.succeed("positions run.games --print");
    let positions = format!(" {} positions, 0 with visits", printed.lines().count());
    let lines: Vec<&str> = counted.lines().collect();
    assert_eq!(lines.len(), 2);
    for (line, file) in lines.iter().zip(["run.games", "copy.games"]) {
        assert!(line.starts_with(&format!("{file}: ")) && line.ends_with(&positions));
    }
    for line in printed.lines() {
        let fields: Vec<&str> = line.split('\t').collect();
        let [position, score, result] = fields[..] else {
            panic!("{line}");
        };
        position.parse::<Position<Contest>>().unwrap();
        assert!((0.0..=1.0).contains(&score.parse().unwrap()), "{line}");
        assert!(["0", "0.5", "1", "-"].contains(&result), "{line}");
    }
    // The game types differ within a file.
    folder.succeed("selfplay --game Base,Base+MLP --nodes 5 --positions 60 --output hive.games");
    let types = folder.succeed("positions hive.games --print");
    let types = types.lines().map(|line| {
        let record: Record<Standard> = line.split('\t').next().unwrap().parse().unwrap();
        record.variant().to_string()
    });
    let types: HashSet<String> = types.collect();
    assert_eq!(types.len(), 2, "{types:?}");

    // Damaged games are skipped.
    let bytes = folder.read("run.games");
    folder.write("cut.games", &bytes[..bytes.len() - 3]);
    let output = folder.run("positions cut.games --print");
    let (out, err) = (stdout(&output), stderr(&output));
    assert_eq!(output.status.code(), Some(1));
    assert!(!out.is_empty() && out.len() < printed.len() && printed.starts_with(&out));
    assert!(err.starts_with("wabe: cut.games: bytes "), "{err}");
    assert!(err.contains("after game "), "{err}");
    folder.fail("positions missing.games", 1, "missing.games");
}

#[test]
fn selfplay_continues_interrupted_files() {
    let folder = Folder::with_games();
    let whole = folder.read("run.games");
    for length in [0, 5, 40, whole.len() / 2, whole.len() - 1, whole.len()] {
        folder.write("cut.games", &whole[..length]);
        let line = "selfplay --game contest --nodes 40 --positions 400 --output cut.games";
        let output = folder.run(line);
        assert!(output.status.success(), "{output:?}");
        assert_eq!(folder.read("cut.games"), whole, "{length} bytes");
        let damage = "cut.games: bytes ";
        let is_cut = ![0, 5, whole.len()].contains(&length);
        assert_eq!(stderr(&output).contains(damage), is_cut, "{length} bytes");
    }
    let line = "selfplay --game contest --nodes 40 --positions 400 --output run.games";
    let games = folder.succeed(line);
    let games = games.lines().nth(1).unwrap().replace("games     ", "");
    let counted = folder.succeed("positions run.games");
    assert!(counted.contains(&format!(": {games} games")), "{counted}");
}

#[test]
fn selfplay_continues_only_its_own_files() {
    let folder = Folder::with_games();
    folder.succeed("train --first contest --output other.net");
    let before = folder.read("run.games");
    for other in [
        "--nodes 41",
        "--nodes 40 --seed 2",
        "--nodes 40 --random-plies 3",
        "--nodes 40 --weights other.net",
        "--nodes 40 --game contest,contest,rulebook",
    ] {
        let line = format!("selfplay --positions 500 --output run.games {other}");
        folder.fail(&line, 1, "cannot open run.games: game ");
        assert_eq!(folder.read("run.games"), before, "{other}");
    }
    folder.succeed("selfplay --nodes 40 --positions 500 --output run.games");
    assert!(folder.read("run.games").starts_with(&before));
}

#[test]
fn book_counts_games_per_position() {
    let folder = Folder::new();
    folder.succeed("selfplay --game Base --nodes 20 --positions 1500 --output run.games");
    let book: Value = serde_json::from_str(&folder.succeed("book run.games")).unwrap();
    let positions = book["Base"].as_object().unwrap();
    let all: Vec<[u64; 4]> = (positions.values())
        .map(|entry| serde_json::from_value(entry.clone()).unwrap())
        .collect();
    for [games, wins, draws, percent] in all.iter().copied() {
        assert!(
            games >= 3 && wins + draws <= games && percent <= 100,
            "{book}"
        );
    }
    // Every game begins with the empty board.
    let games = all.iter().map(|[games, ..]| *games).max().unwrap();
    let starts = all.iter().filter(|entry| entry[0] == games).count();
    assert_eq!(starts, 1, "{book}");
    folder.fail("book missing.games", 1, "missing.games");
    folder.fail("book run.games run.games", 2, "run.games is given twice");
    folder.write("text", b"text");
    folder.fail("book text", 1, "text");
}

#[test]
fn book_and_puzzles_report_damaged_files() {
    let folder = Folder::with_games();
    let mut bytes = folder.read("run.games");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    folder.write("damaged.games", &bytes);
    for command in ["book", "puzzles --plies 1"] {
        let output = folder.run(&format!("{command} damaged.games"));
        assert_eq!(output.status.code(), Some(1), "{command}");
        assert!(stderr(&output).starts_with("wabe: damaged.games: "));
    }
}

#[test]
fn puzzles_continues_after_a_file_that_it_cannot_read() {
    let folder = Folder::new();
    folder.selfplay("--nodes 40 --seed 3 --output run.games");
    folder.write("text", b"no game");
    let mut bytes = folder.read("run.games");
    bytes[8] ^= 0x40;
    folder.write("version.games", &bytes);
    let found = folder.succeed("puzzles run.games");
    assert!(!found.is_empty());
    let output = folder.run("puzzles text version.games run.games");
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(stdout(&output), found);
    let error = stderr(&output);
    assert!(
        error.contains("cannot read text: no recorded game found"),
        "{error}"
    );
    assert!(
        error.contains("expected training games of format"),
        "{error}"
    );
}

#[test]
fn puzzles_keeps_the_old_file_if_it_finds_none() {
    let folder = Folder::with_games();
    folder.write("old.jsonl", b"old");
    let output = folder.run("puzzles run.games --game Base --output old.jsonl");
    assert!(output.status.success());
    assert!(stderr(&output).contains("found no puzzles and did not write old.jsonl"));
    assert_eq!(folder.read("old.jsonl"), b"old");
}

#[test]
fn training_is_reproducible() {
    let folder = Folder::with_games();
    folder.train("contest", "run.games");
    folder.write("damaged.net", &folder.read("trained.net")[..1000]);
    let lock = fs::File::create(folder.0.path().join("locked.lock")).unwrap();
    lock.lock().unwrap();
    #[rustfmt::skip]
    let cases = [
        ("bench --weights damaged.net", 2, "found 1000"),
        ("bench --weights run.games", 2, "not a network"),
        ("puzzles damaged.net missing.games", 1, "cannot read missing.games"),
        ("train run.games --output x.net --units 96", 2, "128 or 256"),
        ("train --first contest --output x.net --units 128", 2, "--units"),
        ("train run.games --output x.net --validation-share 1", 2, "a share between 0 and 1"),
        ("train run.games --epochs 0 --output x.net", 2, "a whole number from 1"),
        ("train run.games --output missing/x.net --epochs 1", 1, "cannot write missing/x.net"),
        ("train run.games --output x.net --resume missing/state", 1, "cannot write missing/state"),
        ("train run.games --output ./run.games", 2, "./run.games is also an input"),
        ("train run.games --output x.net --resume ./x.net", 2, "--output and --resume name the same file"),
        ("train --output x.net", 2, "<FILES>"),
        ("train run.games --first contest --output x.net", 2, "--first"),
        ("train --first contest --output x.net --seed 2", 2, "--seed"),
        ("train run.games --output x.net --validation-share 0.3 --learning-rate 1e30 --weight-decay 1e30", 1, "diverged in epoch 1"),
        ("train run.games ./run.games --output x.net", 2, "./run.games is given twice"),
        ("train run.games --output x.net --resume locked", 1, "cannot write locked: another run"),
    ];
    for (line, code, part) in cases {
        folder.fail(line, code, part);
    }
    assert!(!folder.has("x.net") && !folder.has("x.games"));
}

#[test]
fn train_learns_a_policy_from_visits() {
    let folder = Folder::new();
    for game in ["Base+MLP", "contest"] {
        folder.selfplay(&format!("--game {game} --nodes 40 --output {game}.games"));
    }
    let train = |options: &str| folder.run(&format!("train --validation-share 0.5 {options}"));
    let output = train("Base+MLP.games --epochs 1 --output with.net");
    let errors = stderr(&output);
    assert!(output.status.success() && errors.contains("policy  6"));
    let again = train("Base+MLP.games --policy-of with.net --output again.net");
    assert!(again.status.success());
    assert_eq!(folder.read("with.net"), folder.read("again.net"));

    let output = train("contest.games --epochs 1 --output without.net");
    let errors = stderr(&output);
    assert!(output.status.success() && !errors.contains("policy"));
    for (network, code, part) in [
        ("without.net --epochs 1", 2, "--epochs"),
        (
            "without.net",
            1,
            "too few games with visits: 0 training positions",
        ),
        (
            "with.net",
            1,
            "it is for Hive, not for Software Challenge 2020",
        ),
        ("contest.games", 2, "contest.games"),
    ] {
        let files = "contest.games --output x.net";
        let line = format!("train --validation-share 0.5 {files} --policy-of {network}");
        folder.fail(&line, code, part);
        assert!(!folder.has("x.net"));
    }
}

#[test]
fn interrupted_training_writes_its_network() {
    let folder = Folder::with_games();
    let train = |epochs: usize, output: &str| {
        let options = format!("--validation-share 0.3 --resume state --epochs {epochs}");
        format!("train run.games {options} --output {output}")
    };
    for output in ["a.net", "b.net"] {
        folder.succeed(&train(2, output));
    }
    assert_eq!(folder.read("a.net"), folder.read("b.net"));

    #[cfg(unix)]
    {
        fs::remove_file(folder.0.path().join("state")).unwrap();
        let mut command = folder.command(&train(1_000_000, "c.net"));
        let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
        let lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let mut lines = lines.map_while(Result::ok);
        assert!(lines.any(|line| line.starts_with("epoch   2")));
        crate::wabe::kill("INT", child.id());
        assert_eq!(
            lines.last().as_deref(),
            Some("wabe: interrupted; the same command continues")
        );
        assert_eq!(child.wait().unwrap().code(), Some(130));
        assert!(!folder.read("c.net").is_empty());
    }
}

#[test]
fn train_first_writes_a_usable_network() {
    let folder = Folder::new();
    for game in ["contest", "Base+M"] {
        folder.succeed(&format!("train --first {game} --output {game}.net"));
        folder.selfplay(&format!(
            "--game {game} --weights {game}.net --output {game}.games --nodes 8"
        ));
        folder.train(game.trim_end_matches("+M"), &format!("{game}.games"));
    }
    // Files and networks of different games cannot be combined.
    folder.fail("bench --weights trained.net", 2, "it is for Hive");
    for command in ["positions", "train --output x.net"] {
        let line = format!("{command} Base+M.games contest.games");
        folder.fail(&line, 1, "must be of the same game");
    }
}
