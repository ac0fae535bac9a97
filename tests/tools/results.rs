//! Results survive full disks, wrong paths, signals, damaged files and closed pipes.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use crate::wabe::{WABE, command, path_in, texts, wabe};

const RECORDING: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/tests/data/transcripts/replay_1.xml.gz"
);

const GAMES: [&str; 7] = [
    "arena", "--engine", "greedy", "--engine", "random", "--games", "4",
];

/// Runs the arena's games with more options.
fn run_games(options: &[&str]) -> Output {
    wabe(&[&GAMES[..], options].concat())
}

fn run_into(output: impl Into<Stdio>, arguments: &[&str]) -> Output {
    let mut command = command(arguments);
    command.stderr(Stdio::piped()).stdout(output);
    command.spawn().unwrap().wait_with_output().unwrap()
}

/// Runs it with a standard output whose reader has gone.
fn run_unread(arguments: &[&str]) -> Output {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    run_into(writer, arguments)
}

fn count_files(folder: impl AsRef<Path>) -> usize {
    fs::read_dir(folder).unwrap().count()
}

/// Plays the games and keeps their results.
fn play(results: &str) {
    let output = run_games(&["--results", results]);
    assert!(output.status.success(), "{output:?}");
}

#[test]
fn wrong_paths_are_reported_before_any_game() {
    let folder = tempfile::tempdir().unwrap();
    let [missing, file, log] =
        &["missing/x", "file", "missing/bot.log"].map(|n| path_in(folder.path(), n));
    fs::write(file, "").unwrap();
    let bot = &format!("cmd:bot log='{log}'");
    for (option, value, path) in [
        ("--report", missing, missing),
        ("--results", missing, missing),
        ("--replays", file, file),
        ("--engine", bot, log),
    ] {
        let output = run_games(&[option, value]);
        let (out, err) = texts(&output);
        assert_eq!((output.status.code(), out.as_str()), (Some(1), ""), "{err}");
        assert!(err.contains(path.as_str()), "{err}");
    }
    let players = ["match", "--red", "greedy", "--blue", "random"];
    let output = wabe(&[&players[..], &["--replays", file]].concat());
    assert_eq!(texts(&output).0, "");
    let logs = folder.path().to_str().unwrap();
    let output = run_games(&["--bad-output", logs, "--protocol-log", logs]);
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn results_never_replace_inputs_or_other_results() {
    let folder = tempfile::tempdir().unwrap();
    let in_folder = |arguments: &[&str]| {
        let mut command = command(arguments);
        command.current_dir(folder.path()).output().unwrap()
    };
    let with = |more: &[&'static str]| [&GAMES[..], more].concat();
    assert!(in_folder(&with(&["--results", "a"])).status.success());
    fs::write(
        folder.path().join("game"),
        "Base;InProgress;White[2];wS1;bG1 wS1-\n",
    )
    .unwrap();
    fs::write(
        folder.path().join("openings"),
        "0 - - AAABBGGSSSQ/AAABBGGSSSQ",
    )
    .unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink("a", folder.path().join("link")).unwrap();
    let inputs = ["a", "game", "openings"].map(|name| folder.path().join(name));
    let contents = || inputs.each_ref().map(|input| fs::read(input).unwrap());
    let before = contents();
    for arguments in [
        &with(&["--results", "b", "--report", "./b"])[..],
        &with(&["--resume", "a", "--report", "a"]),
        #[cfg(unix)]
        &with(&["--resume", "a", "--report", "link"]),
        &with(&["--openings", "openings", "--report", "./openings"]),
        &["arena", "merge", "a", "--report", "a"],
        &["replay", "game", "--export", "txt", "-o", "game"],
        &["analyze", "game", "--nodes", "1", "--output", "game"],
    ] {
        let output = in_folder(arguments);
        let (out, err) = texts(&output);
        assert_eq!((output.status.code(), out.as_str()), (Some(2), ""), "{err}");
        assert!(
            err.contains("is also an input") || err.contains("name the same file"),
            "{err}"
        );
    }
    assert_eq!(contents(), before);
    assert!(!folder.path().join("b").exists());
}

#[test]
fn merge_checks_its_report_before_the_work() {
    let folder = tempfile::tempdir().unwrap();
    let [results, missing] =
        &["run.jsonl", "missing/x.html"].map(|name| path_in(folder.path(), name));
    play(results);
    let output = wabe(&["arena", "merge", results, "--report", missing]);
    let (out, err) = texts(&output);
    assert_eq!((output.status.code(), out.as_str()), (Some(1), ""), "{err}");
    assert!(err.contains(missing.as_str()), "{err}");
}

#[test]
fn concurrency_is_capped_by_the_games_left() {
    let output = run_games(&["--concurrency", &u64::MAX.to_string()]);
    assert!(output.status.success(), "{output:?}");
}

#[test]
fn outputs_do_not_depend_on_a_reader() {
    let folder = tempfile::tempdir().unwrap();
    let [page, results, replays] =
        &["page.html", "run.jsonl", "replays"].map(|name| path_in(folder.path(), name));
    let output = run_unread(&["analyze", RECORDING, "--nodes", "5", "--output", page]);
    assert!(output.status.success(), "{output:?}");
    assert!(fs::read(page).unwrap().len() > 500);
    let players = ["match", "--red", "greedy", "--blue", "random"];
    let output = run_unread(&[&players[..], &["--replays", replays]].concat());
    assert!(output.status.success(), "{output:?}");
    assert_eq!(count_files(replays), 1);
    let test = ["--sprt", "elo0=0", "elo1=200", "alpha=0.4", "beta=0.4"];
    let played = run_unread(&[&GAMES[..], &["--results", results], &test].concat());
    assert_eq!(played.status.code(), Some(4), "{played:?}");
    let merged = run_unread(&[&["arena", "merge", results], &test[..]].concat());
    assert_eq!(merged.status.code(), Some(4), "{merged:?}");
}

#[test]
fn unplayable_games_cost_no_other_replay() {
    let folder = tempfile::tempdir().unwrap();
    let [results, replays] = &["r.jsonl", "replays"].map(|name| path_in(folder.path(), name));
    play(results);
    let mut text = fs::read_to_string(results).unwrap();
    let last = text.find(r#""pair":1,"#).unwrap();
    let first_move = last + text[last..].find(r#""moves":""#).unwrap() + r#""moves":""#.len();
    text.insert_str(first_move, "nonsense;");
    fs::write(results, text).unwrap();
    let merged = wabe(&["arena", "merge", results, "--replays", replays]);
    let (out, err) = texts(&merged);
    assert_eq!(merged.status.code(), Some(1));
    assert!(
        err.contains("the moves of pair 2, game 1 cannot be played"),
        "{err}"
    );
    assert!(!out.is_empty());
    assert_eq!(count_files(replays), 3);

    fs::remove_dir_all(replays).unwrap();
    let resumed = run_games(&["--resume", results, "--replays", replays]);
    assert!(resumed.status.success(), "{resumed:?}");
    assert_eq!(count_files(replays), 1, "the last pair's only");
}

#[cfg(unix)]
mod unix {
    use super::*;
    use std::io::{BufRead, BufReader};

    /// Runs it with files of at most this many blocks of 512 bytes.
    fn run_in_little_room(blocks: u32, arguments: &str) -> Output {
        let script = format!("ulimit -f {blocks}; trap '' XFSZ; exec '{WABE}' {arguments}");
        Command::new("sh").args(["-c", &script]).output().unwrap()
    }

    #[test]
    fn results_go_to_pipes() {
        let network = wabe(&["train", "--first", "--output", "/dev/stdout"]);
        assert!(network.status.success(), "{network:?}");
        assert!(network.stdout.len() > 10_000);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_full_standard_output_is_reported() {
        let folder = tempfile::tempdir().unwrap();
        let page = &path_in(folder.path(), "page.html");
        let full = fs::File::options().write(true).open("/dev/full").unwrap();
        let output = run_into(
            full,
            &["analyze", RECORDING, "--nodes", "5", "--output", page],
        );
        let (_, err) = texts(&output);
        assert_eq!(output.status.code(), Some(1), "{err}");
        assert!(err.contains("cannot write to standard output: "), "{err}");
        assert!(Path::new(page).is_file());
    }

    #[test]
    fn incomplete_files_leave_the_old_ones() {
        let folder = tempfile::tempdir().unwrap();
        let page = &path_in(folder.path(), "page.html");
        for command in [
            format!("{} --quiet --report '{page}'", GAMES.join(" ")),
            format!("replay '0 - - AAABBGGSSSQ/AAABBGGSSSQ' --export html -o '{page}'"),
        ] {
            fs::write(page, "old").unwrap();
            let (_, err) = texts(&run_in_little_room(1, &command));
            let fault = format!("wabe: cannot write {page}: File too large (os error 27)\n");
            assert!(err.contains(&fault), "{command}: {err}");
            assert_eq!(fs::read_to_string(page).unwrap(), "old");
        }
        assert_eq!(count_files(folder.path()), 1, "nothing stays beside it");
    }

    #[test]
    fn match_reports_its_result_without_a_replay() {
        let folder = tempfile::tempdir().unwrap();
        let replays = folder.path().display();
        let output = run_in_little_room(
            64,
            &format!("match --red greedy --blue random --seed 1 --quiet --replays '{replays}'"),
        );
        let (out, err) = texts(&output);
        assert_eq!(output.status.code(), Some(1));
        assert!(out.contains("wins") || out.contains("draw"), "{out}");
        assert!(err.contains("cannot write "), "{err}");
        assert_eq!(count_files(folder.path()), 0);
    }

    #[test]
    fn pairs_are_recorded_before_their_replays() {
        let folder = tempfile::tempdir().unwrap();
        let [results, replays] = ["a", "replays"].map(|name| path_in(folder.path(), name));
        let games = GAMES.join(" ");
        let files = format!("--results '{results}' --replays '{replays}'");
        let output = run_in_little_room(64, &format!("{games} --concurrency 1 {files}"));
        let (_, err) = texts(&output);
        assert_eq!(output.status.code(), Some(1));
        assert!(err.contains(&format!("cannot write to {replays}")), "{err}");
        assert_eq!(fs::read_to_string(&results).unwrap().lines().count(), 2);
        let output = run_games(&["--resume", &results, "--replays", &replays]);
        assert!(output.status.success(), "{output:?}");
        assert_eq!(count_files(&replays), 4);
    }

    #[test]
    fn small_recordings_take_little_memory() {
        use flate2::{Compression, write::GzEncoder};
        use std::io::Write;

        let folder = tempfile::tempdir().unwrap();
        let file = &path_in(folder.path(), "game");
        for (beginning, text) in [
            ("(;GM[27]SU[hive]", "a[]"),
            ("(;GM[27]SU[hive]", "RE[]"),
            ("[White \"A\"]\n", "[a \"\"]\n"),
            ("[White \"A\"]\n1. wS1 ", "a b "),
            ("[White \"A\"]\n1. wS1 (", "a b "),
            ("[White \"A\"]\n", "1. a *\n"),
            ("Base;x;y", ";a"),
        ] {
            let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
            encoder.write_all(beginning.as_bytes()).unwrap();
            let most = ((16 << 20) - beginning.len()) / text.len();
            encoder.write_all(text.repeat(most).as_bytes()).unwrap();
            fs::write(file, encoder.finish().unwrap()).unwrap();
            let script = format!("ulimit -v 400000; exec '{WABE}' replay '{file}'");
            let output = Command::new("sh").args(["-c", &script]).output().unwrap();
            assert!(
                output.status.code().is_some_and(|code| code <= 1),
                "{text}: {output:?}"
            );
        }
    }

    #[test]
    fn exports_write_games_one_by_one() {
        let folder = tempfile::tempdir().unwrap();
        let file = &path_in(folder.path(), "games");
        let dance = "wQ -wS1;bQ bS1-;wQ \\wS1;bQ bS1/;".repeat(1000);
        let game = format!("Base;InProgress;White[1];wS1;bS1 wS1-;{dance}\n");
        fs::write(file, game.repeat(10)).unwrap();
        for form in ["json", "txt"] {
            let replay = format!("exec '{WABE}' replay '{file}' --export {form}");
            let script = format!("ulimit -v 130000; {replay}");
            let output = Command::new("sh").args(["-c", &script]).output().unwrap();
            assert!(output.status.success(), "{form}: {}", texts(&output).1);
            assert!(output.stdout.len() > 10_000_000, "{form}");
            if form == "json" {
                let games: Vec<serde_json::Value> = serde_json::from_slice(&output.stdout).unwrap();
                assert_eq!(games.len(), 10);
            }
        }
    }

    #[test]
    fn an_interrupted_match_leaves_its_replay() {
        for game in ["contest", "Base"] {
            let folder = tempfile::tempdir().unwrap();
            let mut child = command(&[
                "match", "--red", "greedy", "--blue", "random", "--game", game,
            ])
            .args(["--delay", "600000", "--replays"])
            .arg(folder.path())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
            let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
            let mut said = lines.by_ref().map_while(Result::ok);
            assert!(said.any(|line| line.starts_with(" 1. ")));
            let kill = format!("kill -INT {}", child.id());
            Command::new("sh").args(["-c", &kill]).status().unwrap();
            lines.for_each(drop);
            let output = child.wait_with_output().unwrap();
            assert_eq!(output.status.code(), Some(130));
            let replay = fs::read_dir(folder.path()).unwrap().next();
            let replay = replay.unwrap().unwrap().path();
            let (_, err) = texts(&output);
            assert!(err.contains(replay.to_str().unwrap()), "{err}");
            let output = wabe(&["replay", replay.to_str().unwrap()]);
            let (out, err) = texts(&output);
            assert!(output.status.success(), "{err}");
            assert!(out.contains("ply 1:") && out.contains("no result"), "{out}");
        }
    }

    #[test]
    fn referee_stops_when_stdout_is_blocked() {
        use std::io::Write;

        let (reader, mut writer) = std::io::pipe().unwrap();
        // As much as fits.
        writer.write_all(&[b'\n'; 1 << 16]).unwrap();
        let mut child = command(&["-v", "serve", "--port", "0"])
            .stdout(writer)
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let mut lines = lines.map_while(Result::ok);
        assert!(lines.any(|line| line.contains("listening on ")));
        let kill = format!("kill -TERM {}", child.id());
        Command::new("sh").args(["-c", &kill]).status().unwrap();
        lines.for_each(drop);
        assert!(child.wait().unwrap().success());
        drop(reader);
    }

    #[test]
    fn referee_reports_results_it_cannot_print() {
        let full = fs::File::options().write(true).open("/dev/full");
        let mut child = command(&["-v", "serve", "--port", "0"])
            .stdout(full.unwrap())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let mut log = Vec::new();
        for line in lines.map_while(Result::ok) {
            if line.contains("wabe_contest::server::run] listening on ") {
                let kill = format!("kill -TERM {}", child.id());
                Command::new("sh").args(["-c", &kill]).status().unwrap();
            }
            log.push(line);
        }
        let lost = "cannot write to standard output: No space left on device";
        let is_seed = |line: &String| line.contains(lost) && line.contains(": seed ");
        assert!(log.iter().any(is_seed), "{log:?}");
        let last = log.last().unwrap();
        assert!(last.starts_with(&format!("wabe: {lost}")), "{last}");
        assert_eq!(child.wait().unwrap().code(), Some(1));
    }

    #[test]
    fn runs_go_on_when_stderr_is_closed() {
        let mut child = command(&GAMES)
            .arg("-v")
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stderr.take());
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0));
        assert!(texts(&output).0.contains("games    4"));
    }
}
