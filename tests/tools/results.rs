//! Full disks, wrong paths, damaged files, closed pipes.

use std::fs;
use std::path::Path;
use std::process::{Output, Stdio};

use crate::wabe::{RECORDING, command, path_in, succeed, texts, wabe};

const GAMES: &str = "arena --engine greedy --engine random --games 4";
const MATCH: &str = "match --red greedy --blue random";

fn run_into(output: impl Into<Stdio>, line: &str) -> Output {
    let mut command = command(line);
    command.stderr(Stdio::piped()).stdout(output);
    command.spawn().unwrap().wait_with_output().unwrap()
}

/// Runs a command with a closed pipe as stdout.
fn run_with_closed_stdout(line: &str) -> Output {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    run_into(writer, line)
}

fn count_files(folder: impl AsRef<Path>) -> usize {
    fs::read_dir(folder).unwrap().count()
}

/// Checks the exit code, and that stdout is empty. Returns stderr.
fn check_failure(output: &Output, code: i32) -> String {
    let (out, err) = texts(output);
    assert_eq!((output.status.code(), &*out), (Some(code), ""), "{err}");
    err
}

#[test]
fn wrong_paths_are_reported_before_games() {
    let folder = tempfile::tempdir().unwrap();
    let [missing, file, log, results] =
        &["missing/x", "file", "missing/bot.log", "run.jsonl"].map(|n| path_in(&folder, n));
    fs::write(file, "").unwrap();
    succeed(&format!("{GAMES} --results '{results}'"));
    for (line, path) in [
        (format!("{GAMES} --report '{missing}'"), missing),
        (format!("{GAMES} --results '{missing}'"), missing),
        (format!("{GAMES} --replays '{file}'"), file),
        (format!("{GAMES} --engine \"cmd:bot log='{log}'\""), log),
        (
            format!("arena merge '{results}' --report '{missing}'"),
            missing,
        ),
    ] {
        let error = check_failure(&wabe(&line), 1);
        assert!(error.contains(path), "{error}");
    }
    let played = wabe(&format!("{MATCH} --replays '{file}'"));
    assert_eq!(texts(&played).0, "");
}

#[test]
fn outputs_never_replace_inputs() {
    let folder = tempfile::tempdir().unwrap();
    let in_folder = |line: &str| {
        let mut command = command(line);
        command.current_dir(folder.path()).output().unwrap()
    };
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    let results = in_folder(&format!("{GAMES} --results a"));
    assert!(results.status.success(), "{results:?}");
    write("game", "Base;InProgress;White[2];wS1;bG1 wS1-\n");
    write("openings", "0 - - AAABBGGSSSQ/AAABBGGSSSQ");
    #[cfg(unix)]
    std::os::unix::fs::symlink("a", folder.path().join("link")).unwrap();
    let network = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/crates/engine/src/evaluation/standard.net"
    );
    fs::copy(network, folder.path().join("net")).unwrap();
    let inputs = ["a", "game", "openings", "net"].map(|name| folder.path().join(name));
    let contents = || inputs.each_ref().map(|input| fs::read(input).unwrap());
    let before = contents();
    for line in [
        &*format!("{GAMES} --results b --report ./b"),
        &format!("{GAMES} --results a --report a"),
        #[cfg(unix)]
        &format!("{GAMES} --results a --report link"),
        &format!("{GAMES} --openings openings --report ./openings"),
        "arena merge a --report a",
        "replay game --export txt -o game",
        "analyze game --nodes 1 --output game",
        &format!("{GAMES} --openings openings --engine 'cmd:bot log=./openings'"),
        "arena --game Base --engine mcts:weights=net --engine 'uhp:bot log=net'",
        "uhp --set EvaluationFile=net --log ./net",
    ] {
        let error = check_failure(&in_folder(line), 2);
        let reasons = ["is also an input", "name the same file"];
        assert!(
            reasons.iter().any(|reason| error.contains(reason)),
            "{error}"
        );
    }
    #[cfg(unix)]
    {
        let mut command = command("replay - --export txt -o game");
        let game = fs::File::open(&inputs[1]).unwrap();
        let output = command.current_dir(folder.path()).stdin(game).output();
        check_failure(&output.unwrap(), 2);
    }
    assert_eq!(contents(), before);
    assert!(!folder.path().join("b").exists());
}

#[test]
fn unreadable_games_do_not_affect_others() {
    let folder = tempfile::tempdir().unwrap();
    let [games, picture] = &["games", "picture.svg"].map(|name| path_in(&folder, name));
    fs::write(games, "Base+X;;;wS1\nBase;;;wS1;bS1 wS1-\n").unwrap();
    succeed(&format!("replay '{games}' --export svg -o '{picture}'"));
    assert!(fs::read_to_string(picture).unwrap().contains("<svg"));
    for (ply, is_found) in [(1, true), (9, false)] {
        let output = wabe(&format!("analyze '{games}' --ply {ply} --nodes 1"));
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        assert_eq!(texts(&output).0.contains("to move"), is_found);
    }
}

#[test]
fn outputs_are_written_when_stdout_is_closed() {
    let folder = tempfile::tempdir().unwrap();
    let [page, results, replays] =
        &["page.html", "run.jsonl", "replays"].map(|name| path_in(&folder, name));
    let sprt = "--sprt elo0=0 elo1=200 alpha=0.4 beta=0.4";
    for (line, code) in [
        (
            format!("analyze '{RECORDING}' --nodes 5 --output '{page}'"),
            0,
        ),
        (format!("{MATCH} --replays '{replays}'"), 0),
        (format!("{GAMES} --results '{results}' {sprt}"), 4),
        (format!("arena merge '{results}' {sprt}"), 4),
    ] {
        let output = run_with_closed_stdout(&line);
        assert_eq!(output.status.code(), Some(code), "{line}: {output:?}");
    }
    assert!(fs::read(page).unwrap().len() > 500);
    assert_eq!(count_files(replays), 1);
    // With more threads than games.
    succeed(&format!("{GAMES} --concurrency {}", u64::MAX));
}

#[test]
fn unplayable_games_do_not_affect_other_replays() {
    let folder = tempfile::tempdir().unwrap();
    let [results, replays] = &["r.jsonl", "replays"].map(|name| path_in(&folder, name));
    succeed(&format!("{GAMES} --results '{results}'"));
    let mut text = fs::read_to_string(results).unwrap();
    let moves = r#""moves":""#;
    let last = text.find(r#""pair":1,"#).unwrap();
    let first_move = last + text[last..].find(moves).unwrap() + moves.len();
    text.insert_str(first_move, "nonsense;");
    fs::write(results, text).unwrap();
    let merged = wabe(&format!("arena merge '{results}' --replays '{replays}'"));
    let (out, err) = texts(&merged);
    assert_eq!(merged.status.code(), Some(1));
    assert!(err.contains("no replay of pair 2, game 1"), "{err}");
    assert!(!out.is_empty());
    assert_eq!(count_files(replays), 3);

    fs::remove_dir_all(replays).unwrap();
    succeed(&format!(
        "{GAMES} --results '{results}' --replays '{replays}'"
    ));
    assert_eq!(count_files(replays), 3, "when the run is resumed");
}

#[cfg(unix)]
mod unix {
    use super::*;
    use crate::wabe::{WABE, kill, start};
    use std::io::{BufRead, BufReader, Write};
    use std::process::{Child, Command};

    /// Runs a command under a `ulimit`.
    fn run_limited(limit: &str, line: &str) -> Output {
        let script = format!("ulimit {limit}; trap '' XFSZ; exec '{WABE}' {line}");
        Command::new("sh").args(["-c", &script]).output().unwrap()
    }

    #[test]
    fn outputs_can_be_pipes() {
        assert!(succeed("train --first contest --output /dev/stdout").len() > 10_000);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn full_stdout_is_reported() {
        let folder = tempfile::tempdir().unwrap();
        let page = path_in(&folder, "page.html");
        let full = fs::File::options().write(true).open("/dev/full").unwrap();
        let line = format!("analyze '{RECORDING}' --nodes 5 --output '{page}'");
        let output = run_into(full, &line);
        let (_, err) = texts(&output);
        assert_eq!(output.status.code(), Some(1), "{err}");
        assert!(err.contains("cannot write to standard output: "), "{err}");
        assert!(Path::new(&page).is_file());
    }

    #[test]
    fn failed_writes_keep_old_files() {
        let folder = tempfile::tempdir().unwrap();
        let page = path_in(&folder, "page.html");
        let position = "0 - - AAABBGGSSSQ/AAABBGGSSSQ";
        for line in [
            format!("{GAMES} --quiet --report '{page}'"),
            format!("replay '{position}' --export html -o '{page}'"),
        ] {
            fs::write(&page, "old").unwrap();
            let (_, err) = texts(&run_limited("-f 1", &line));
            let fault = format!("wabe: cannot write {page}: File too large");
            assert!(err.contains(&fault), "{line}: {err}");
            assert_eq!(fs::read_to_string(&page).unwrap(), "old");
        }
        assert_eq!(count_files(&folder), 1, "temporary files remain");
    }

    #[test]
    fn failed_replays_do_not_affect_results() {
        let folder = tempfile::tempdir().unwrap();
        let replays = folder.path().display();
        let line = format!("{MATCH} --seed 1 --quiet --replays '{replays}'");
        let output = run_limited("-f 64", &line);
        let (out, err) = texts(&output);
        assert_eq!(output.status.code(), Some(1));
        assert!(out.contains("wins") || out.contains("draw"), "{out}");
        assert!(err.contains("cannot write "), "{err}");
        assert_eq!(count_files(&folder), 0);

        let [results, replays] = ["a", "replays"].map(|name| path_in(&folder, name));
        let line = format!("{GAMES} --concurrency 1 --results '{results}' --replays '{replays}'");
        let output = run_limited("-f 64", &line);
        let (_, err) = texts(&output);
        assert_eq!(output.status.code(), Some(1));
        assert!(err.contains(&format!("cannot write to {replays}")), "{err}");
        assert_eq!(fs::read_to_string(&results).unwrap().lines().count(), 2);
        succeed(&format!(
            "{GAMES} --results '{results}' --replays '{replays}'"
        ));
        assert_eq!(count_files(&replays), 4);
    }

    #[test]
    fn replay_limits_memory() {
        use flate2::{Compression, write::GzEncoder};

        let folder = tempfile::tempdir().unwrap();
        let file = &path_in(&folder, "game");
        for (beginning, text) in [
            ("(;GM[27]SU[hive]", "a[]"),
            ("(;GM[27]SU[hive]", "RE[]"),
            ("[White \"A\"]\n", "[a \"\"]\n"),
            ("[White \"A\"]\n1. wS1 ", "a b "),
            ("[White \"A\"]\n1. wS1 (", "a b "),
            ("[White \"A\"]\n", "1. a *\n"),
            ("Base;x;y", ";a"),
            ("<protocol><room>", "<a/>"),
            ("<protocol><room>", "<a>"),
            ("<protocol><room a='", "'a='"),
        ] {
            let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
            encoder.write_all(beginning.as_bytes()).unwrap();
            let count = ((16 << 20) - beginning.len()) / text.len();
            encoder.write_all(text.repeat(count).as_bytes()).unwrap();
            fs::write(file, encoder.finish().unwrap()).unwrap();
            let output = run_limited("-v 400000", &format!("replay '{file}'"));
            let exited = output.status.code().is_some_and(|code| code <= 1);
            assert!(exited, "{text}: {output:?}");
        }
    }

    #[test]
    fn exports_write_games_one_by_one() {
        let folder = tempfile::tempdir().unwrap();
        let file = &path_in(&folder, "games");
        let dance = "wQ -wS1;bQ bS1-;wQ \\wS1;bQ bS1/;".repeat(1000);
        let game = format!("Base;InProgress;White[1];wS1;bS1 wS1-;{dance}\n");
        fs::write(file, game.repeat(10)).unwrap();
        for form in ["json", "txt"] {
            let line = format!("replay '{file}' --export {form}");
            let output = run_limited("-v 130000", &line);
            assert!(output.status.success(), "{form}: {}", texts(&output).1);
            assert!(output.stdout.len() > 10_000_000, "{form}");
            if form == "json" {
                let games: Vec<serde_json::Value> = serde_json::from_slice(&output.stdout).unwrap();
                assert_eq!(games.len(), 10);
            }
        }
    }

    /// Starts a referee with this stdout. Also returns the lines of its log.
    fn serve(stdout: impl Into<Stdio>) -> (Child, impl Iterator<Item = String>) {
        let mut command = command("-v serve --port 0");
        let mut child = command
            .stdout(stdout)
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stderr.take().unwrap()).lines();
        (child, lines.map_while(Result::ok))
    }

    #[test]
    fn referee_stops_when_stdout_is_blocked() {
        let (reader, mut writer) = std::io::pipe().unwrap();
        // Fill the pipe.
        writer.write_all(&[b'\n'; 1 << 16]).unwrap();
        let (mut child, mut log) = serve(writer);
        assert!(log.any(|line| line.contains("listening on ")));
        kill("TERM", child.id());
        log.for_each(drop);
        assert!(child.wait().unwrap().success());
        drop(reader);
    }

    #[test]
    fn referee_reports_full_stdout() {
        let full = fs::File::options().write(true).open("/dev/full");
        let (mut child, lines) = serve(full.unwrap());
        let mut log = Vec::new();
        for line in lines {
            if line.contains("wabe_contest::server::run] listening on ") {
                kill("TERM", child.id());
            }
            log.push(line);
        }
        let error = "cannot write to standard output: No space left on device";
        let is_seed = |line: &String| line.contains(error) && line.contains(": seed ");
        assert!(log.iter().any(is_seed), "{log:?}");
        let last = log.last().unwrap();
        assert!(last.starts_with(&format!("wabe: {error}")), "{last}");
        assert_eq!(child.wait().unwrap().code(), Some(1));
    }

    #[test]
    fn arena_continues_when_stderr_is_closed() {
        let mut child = start(&format!("{GAMES} -v"));
        drop(child.stderr.take());
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0));
        assert!(texts(&output).0.contains("games    4"));
    }
}
