//! Results outlive full disks, wrong paths, signals, damaged files and readers that have gone.

use std::path::Path;
use std::process::{Command, Output, Stdio};

const WABE: &str = env!("CARGO_BIN_EXE_wabe");

const GAMES: [&str; 7] = [
    "arena", "--engine", "greedy", "--engine", "random", "--games", "4",
];

fn wabe(arguments: &[&str]) -> Command {
    let mut command = Command::new(WABE);
    command.args(arguments).env_remove("RUST_LOG");
    command
}

fn run(arguments: &[&str]) -> Output {
    wabe(arguments).output().unwrap()
}

fn texts(output: &Output) -> (String, String) {
    let [out, err] = [&output.stdout, &output.stderr].map(|b| String::from_utf8_lossy(b).into());
    (out, err)
}

fn path_in(folder: &Path, name: &str) -> String {
    folder.join(name).to_str().unwrap().to_owned()
}

/// Plays the games and keeps their results.
fn play(results: &str) {
    let output = run(&[&GAMES[..], &["--results", results]].concat());
    assert!(output.status.success(), "{output:?}");
}

#[test]
fn paths_of_results_are_tried_before_anything_is_played() {
    let folder = tempfile::tempdir().unwrap();
    let missing = &path_in(folder.path(), "missing/x.html");
    let file = &path_in(folder.path(), "file");
    std::fs::write(file, "").unwrap();
    for (option, path) in [
        ("--report", missing),
        ("--results", missing),
        ("--positions", missing),
        ("--replays", file),
        ("--bad-output", file),
    ] {
        let output = run(&[&GAMES[..], &[option, path]].concat());
        let (out, err) = texts(&output);
        assert_eq!((output.status.code(), out.as_str()), (Some(1), ""), "{err}");
        assert!(
            err.contains(path.as_str()) && !err.contains("pair"),
            "{err}"
        );
    }
    let output = run(&[
        "match",
        "--red",
        "greedy",
        "--blue",
        "random",
        "--replays",
        file,
    ]);
    assert_eq!(texts(&output).0, "");
    let results = &path_in(folder.path(), "run.jsonl");
    let output = run(&[&GAMES[..], &["--results", results, "--positions", file]].concat());
    assert!(texts(&output).1.contains(file.as_str()), "{output:?}");
    assert!(!Path::new(results).exists());
    std::fs::write(results, "7 - 0,0:rA;1,0:bA AAQBBGGSSS/AAQBBGGSSS").unwrap();
    for options in [
        &["--max-plies", "4"][..],
        &["--max-plies", "7", "--openings", results],
    ] {
        let output = run(&[&GAMES[..], options].concat());
        assert!(
            texts(&output).1.contains("--max-plies leaves nothing"),
            "{output:?}"
        );
    }
    let output = run(&["analyze", "--tree", missing, "--nodes", "10"]);
    assert!(!texts(&output).0.contains("to move"), "{output:?}");
}

#[test]
fn a_result_is_not_written_over_another_one() {
    let folder = tempfile::tempdir().unwrap();
    let in_folder = |arguments: &[&str]| {
        let mut command = wabe(arguments);
        command.current_dir(folder.path()).output().unwrap()
    };
    let with = |more: &[&'static str]| [&GAMES[..], more].concat();
    let assert_refused = |arguments: &[&str], name: &str| {
        let output = in_folder(arguments);
        let (out, err) = texts(&output);
        assert_eq!((output.status.code(), out.as_str()), (Some(2), ""), "{err}");
        assert!(err.contains(&format!("{name} is named twice")), "{err}");
    };
    assert_refused(&with(&["--results", "a", "--report", "./a"]), "./a");
    assert_refused(&with(&["--results", "a", "--positions", "a"]), "a");
    assert_refused(&with(&["--positions", "a", "--report", "a"]), "a");
    assert!(!folder.path().join("a").exists());
    let output = in_folder(&with(&["--results", "a"]));
    assert!(output.status.success(), "{output:?}");
    let results = std::fs::read(folder.path().join("a")).unwrap();
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("a", folder.path().join("link")).unwrap();
        assert_refused(&with(&["--resume", "a", "--report", "link"]), "link");
        assert_refused(&["arena", "merge", "a", "--report", "link"], "link");
    }
    assert_refused(&with(&["--resume", "a", "--report", "a"]), "a");
    std::fs::write(
        folder.path().join("openings"),
        "0 - - AAABBGGSSSQ/AAABBGGSSSQ",
    )
    .unwrap();
    let over_openings = ["--openings", "openings", "--report", "./openings"];
    assert_refused(&with(&over_openings), "./openings");
    assert_refused(&["arena", "merge", "a", "--report", "a"], "a");
    assert_refused(
        &["arena", "merge", "a", "--positions", "b", "--report", "b"],
        "b",
    );
    assert_eq!(std::fs::read(folder.path().join("a")).unwrap(), results);
    let output = in_folder(&["arena", "merge", "a", "--report", "/dev/null"]);
    assert_eq!(output.status.success(), cfg!(unix), "{output:?}");
}

#[test]
fn the_summary_is_printed_although_its_report_cannot_be_written() {
    let folder = tempfile::tempdir().unwrap();
    let results = &path_in(folder.path(), "run.jsonl");
    play(results);
    let missing = &path_in(folder.path(), "missing/x.html");
    let output = run(&["arena", "merge", results, "--report", missing]);
    let (out, err) = texts(&output);
    assert_eq!(output.status.code(), Some(1), "{err}");
    assert!(out.contains("games    4"), "{out}");
    assert!(err.contains(missing.as_str()), "{err}");
}

#[test]
fn results_with_missing_pairs_are_rejected() {
    let folder = tempfile::tempdir().unwrap();
    let results = &path_in(folder.path(), "run.jsonl");
    play(results);
    let text = std::fs::read_to_string(results).unwrap();
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    for (damaged, fault) in [
        (
            lines[..3].concat() + lines[1],
            "expected pair 3, found pair 1",
        ),
        (
            [lines[0], lines[2]].concat(),
            "expected pair 1, found pair 2",
        ),
        (
            text.replacen("\"version\":3", "\"version\":2", 1),
            "version",
        ),
        (text.replacen("{", "{\"x\":[[{}]],", 1), "unknown field `x`"),
    ] {
        std::fs::write(results, &damaged).unwrap();
        for arguments in [
            &[&GAMES[..], &["--resume", results]].concat()[..],
            &["arena", "merge", results],
        ] {
            let output = run(arguments);
            let (out, err) = texts(&output);
            assert_eq!((output.status.code(), out.as_str()), (Some(1), ""), "{err}");
            assert!(err.contains(fault), "{err}");
        }
        assert_eq!(std::fs::read_to_string(results).unwrap(), damaged);
    }
}

#[test]
fn as_many_games_at_a_time_as_are_left_and_no_results_from_devices() {
    let most = u64::MAX.to_string();
    let output = run(&[&GAMES[..], &["--concurrency", &most]].concat());
    assert!(output.status.success(), "{output:?}");
    for device in ["/dev/zero", "/dev/full"] {
        let output = run(&[&GAMES[..], &["--resume", device]].concat());
        let (out, err) = texts(&output);
        assert_eq!((output.status.code(), out.as_str()), (Some(1), ""));
        assert!(err.contains(device), "{err}");
    }
}

#[cfg(unix)]
#[test]
fn files_of_options_are_read_up_to_a_limit() {
    for arguments in [
        &[&GAMES[..], &["--openings", "/dev/zero"]].concat()[..],
        &["serve", "--password-file", "/dev/zero"],
    ] {
        let (out, err) = texts(&run(arguments));
        assert_eq!(out, "");
        assert!(err.contains("/dev/zero: it is larger than"), "{err}");
    }
}

#[cfg(unix)]
mod signals_and_limits {
    use super::*;
    use std::io::{BufRead, BufReader};

    #[test]
    fn files_that_cannot_be_written_completely_leave_the_old_ones() {
        let folder = tempfile::tempdir().unwrap();
        let page = &path_in(folder.path(), "page.html");
        let tree = &path_in(folder.path(), "tree.svg");
        let position = "0 - - AAABBGGSSSQ/AAABBGGSSSQ";
        for (path, command) in [
            (
                page,
                format!("{} --quiet --report '{page}'", GAMES.join(" ")),
            ),
            (
                page,
                format!("replay '{position}' --export html -o '{page}'"),
            ),
            (
                tree,
                format!("analyze '{position}' --nodes 500 --tree '{tree}'"),
            ),
        ] {
            std::fs::write(path, "old").unwrap();
            let script = format!("ulimit -f 1; trap '' XFSZ; '{WABE}' {command} 2>&1 >/dev/null");
            let output = Command::new("sh").args(["-c", &script]).output().unwrap();
            let (said, _) = texts(&output);
            assert!(said.contains(path.as_str()), "{command}: {said}");
            assert_eq!(std::fs::read_to_string(path).unwrap(), "old");
        }
        let names = std::fs::read_dir(folder.path()).unwrap().count();
        assert_eq!(names, 2, "nothing stays beside them");
    }

    #[test]
    fn positions_that_cannot_be_written_completely_leave_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let (results, positions) = (
            &path_in(folder.path(), "run.jsonl"),
            &path_in(folder.path(), "run.pos"),
        );
        play(results);
        let merge = format!("'{WABE}' arena merge '{results}' --positions '{positions}'");
        let script = format!("ulimit -f 1; trap '' XFSZ; {merge} 2>&1 >/dev/null");
        let output = Command::new("sh").args(["-c", &script]).output().unwrap();
        assert!(texts(&output).0.contains(positions.as_str()), "{output:?}");
        let names = std::fs::read_dir(folder.path()).unwrap().count();
        assert_eq!(names, 1, "the results alone");
        let output = Command::new("sh").args(["-c", &merge]).output().unwrap();
        assert!(output.status.success(), "{output:?}");
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
            std::fs::write(file, encoder.finish().unwrap()).unwrap();
            let script = format!("ulimit -v 400000; exec '{WABE}' replay '{file}'");
            let output = Command::new("sh").args(["-c", &script]).output().unwrap();
            assert!(
                output.status.code().is_some_and(|code| code <= 1),
                "{text}: {output:?}"
            );
        }
    }

    #[test]
    fn games_are_written_in_other_forms_one_by_one() {
        let folder = tempfile::tempdir().unwrap();
        let file = &path_in(folder.path(), "games");
        let dance = "wQ -wS1;bQ bS1-;wQ \\wS1;bQ bS1/;".repeat(1000);
        let game = format!("Base;InProgress;White[1];wS1;bS1 wS1-;{dance}\n");
        std::fs::write(file, game.repeat(10)).unwrap();
        for form in ["json", "txt"] {
            let replay = format!("exec '{WABE}' replay '{file}' --export {form}");
            let script = format!("ulimit -v 130000; {replay}");
            let output = Command::new("sh").args(["-c", &script]).output().unwrap();
            assert!(output.status.success(), "{form}: {}", texts(&output).1);
            assert!(output.stdout.len() > 25_000_000, "{form}");
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
            let mut child = wabe(&[
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
            let replay = std::fs::read_dir(folder.path()).unwrap().next();
            let replay = replay.unwrap().unwrap().path();
            let (_, err) = texts(&output);
            assert!(err.contains(replay.to_str().unwrap()), "{err}");
            let output = run(&["replay", replay.to_str().unwrap()]);
            let (out, err) = texts(&output);
            assert!(output.status.success(), "{err}");
            assert!(out.contains("ply 1:") && out.contains("no result"), "{out}");
        }
    }

    #[test]
    fn a_referee_ends_although_nobody_reads_its_results() {
        use std::io::Write;

        let (reader, mut writer) = std::io::pipe().unwrap();
        // As much as fits.
        writer.write_all(&[b'\n'; 1 << 16]).unwrap();
        let mut child = wabe(&["-v", "serve", "--port", "0"])
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
        let full = std::fs::File::options().write(true).open("/dev/full");
        let mut child = wabe(&["-v", "serve", "--port", "0"])
            .stdout(full.unwrap())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let mut log = Vec::new();
        for line in lines.map_while(Result::ok) {
            if line.contains("wabe::server::run] listening on ") {
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
    fn a_referee_plays_and_ends_although_nobody_reads_its_log() {
        use std::io::{Read, Write};
        use std::net::TcpStream;
        use std::os::fd::OwnedFd;
        use std::os::unix::net::UnixStream;

        let (reader, mut writer) = UnixStream::pair().unwrap();
        // As much as fits.
        writer.set_nonblocking(true).unwrap();
        for length in [1 << 12, 1] {
            while writer.write(&[b'\n'; 1 << 12][..length]).is_ok() {}
        }
        writer.set_nonblocking(false).unwrap();
        let mut child = wabe(&["-v", "serve", "--port", "0"])
            .stdout(Stdio::piped())
            .stderr(OwnedFd::from(writer))
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let first = lines.next().unwrap().unwrap();
        let address = first.strip_prefix("listening on ").unwrap();
        for _ in 0..20 {
            let mut stranger = TcpStream::connect(address).unwrap();
            let patience = Some(std::time::Duration::from_secs(30));
            stranger.set_read_timeout(patience).unwrap();
            let guess = b"<protocol><authenticate password=\"guess\"/>";
            stranger.write_all(guess).unwrap();
            let mut answer = String::new();
            stranger.read_to_string(&mut answer).unwrap();
            assert!(answer.contains("CloseConnection"), "{answer}");
        }
        let kill = format!("kill -TERM {}", child.id());
        Command::new("sh").args(["-c", &kill]).status().unwrap();
        assert!(child.wait().unwrap().success());
        drop(reader);
    }

    #[test]
    fn a_reader_of_messages_that_has_gone_ends_nothing() {
        let mut child = wabe(&GAMES)
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
