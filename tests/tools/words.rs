//! Faults are named for the right side, and text from outside does nothing to a terminal.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Command, Output};

const WABE: &str = env!("CARGO_BIN_EXE_wabe");

fn run(arguments: &[&str]) -> Output {
    let mut command = Command::new(WABE);
    command.args(arguments).env_remove("RUST_LOG");
    command.output().unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn path_in(folder: &Path, name: &str) -> String {
    folder.join(name).to_str().unwrap().to_owned()
}

/// Clears a terminal, turns the direction of writing, begins a line, and is long.
fn evil() -> String {
    format!("a\u{1b}[2J\u{202e}\nINJECTED{}", "x".repeat(100_000))
}

fn assert_harmless(output: &Output) {
    for bytes in [&output.stdout, &output.stderr] {
        let text = String::from_utf8_lossy(bytes);
        assert!(!text.contains(['\u{1b}', '\u{202e}', '\r']), "{text}");
        for line in text.lines() {
            assert!(!line.starts_with("INJECTED"), "{text}");
            assert!(line.chars().count() <= 5_000, "{}", &line[..200]);
        }
    }
}

/// Runs a client against a server that says this and hangs up.
fn client_of(server: &str) -> Output {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port().to_string();
    let text = server.to_owned();
    let server = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        stream.write_all(text.as_bytes()).unwrap();
        let mut rest = Vec::new();
        stream.shutdown(std::net::Shutdown::Write).unwrap();
        let _ = stream.read_to_end(&mut rest);
    });
    let output = run(&["-vv", "play", "--port", &port, "--player", "random"]);
    server.join().unwrap();
    output
}

fn escaped(text: &str) -> String {
    text.replace('\u{1b}', "&#x1b;").replace('\n', "&#10;")
}

#[test]
fn a_client_prints_harmless_text_whatever_the_server_says() {
    let evil = escaped(&evil());
    let joined = format!("<protocol><joined roomId=\"{evil}\"/>");
    for text in [
        format!("{joined}<room roomId=\"1\"><data class=\"memento\"/></room>"),
        format!(
            "{joined}<room roomId=\"{evil}\"><data class=\"error\" message=\"{evil}\"/></room>"
        ),
        format!("{joined}<room roomId=\"{evil}\"><data class=\"{evil}\" a=\"{evil}\"/></room>"),
        format!(
            "{joined}<room roomId=\"{evil}\"><data class=\"welcomeMessage\" color=\"{evil}\"/></room>"
        ),
        format!("{joined}<errorpacket message=\"{evil}\"/><left roomId=\"{evil}\"/>"),
        "<protocol><a>\u{1b}[2J</b\u{202e}></a>".to_owned(),
    ] {
        let output = client_of(&text);
        assert_harmless(&output);
        assert!(
            stderr(&output).contains("connected to 127.0.0.1:"),
            "{output:?}"
        );
    }
}

#[test]
fn recordings_are_shown_with_harmless_text() {
    let folder = tempfile::tempdir().unwrap();
    let replays = path_in(folder.path(), "replays");
    let played = run(&[
        "match",
        "--red",
        "random",
        "--blue",
        "random",
        "--quiet",
        "--replays",
        &replays,
    ]);
    assert!(played.status.success(), "{played:?}");
    let entry = fs::read_dir(&replays).unwrap().next().unwrap().unwrap();
    let text = fs::read_to_string(entry.path()).unwrap();
    let evil = evil();
    let xml = escaped(&evil);
    let (pgn_name, comment) = (evil.replace('\n', " "), &evil);
    let files = [
        (
            "a.xml",
            text.replace("\"random\"", &format!("\"{xml}\""))
                .replace("visits=", &format!("{xml}visits=")),
        ),
        (
            "b.xml",
            text.replacen("<state ", &format!("<state {xml} "), 2),
        ),
        (
            "c.xml",
            text.replace("owner=\"RED\"", &format!("owner=\"{xml}\"")),
        ),
        (
            "a.pgn",
            format!(
                "[White \"{pgn_name}\"]\n[{pgn_name} \"{pgn_name}\"]\n1. wS1 {{{comment}}}\n2. bG1 wS1-{pgn_name}\n"
            ),
        ),
        ("b.pgn", format!("[GameType \"{pgn_name}\"]\n1. wS1\n")),
        (
            "a.uhp",
            format!("Base;x;{pgn_name};wS1;bS1 {pgn_name}\n# white wins: {pgn_name}\n"),
        ),
        ("b.uhp", format!("Base+{pgn_name};x;y;wS1\n")),
        (
            "a.sgf",
            format!("(;GM[27]P0[id \"{evil}\"]VV[1]SU[hive];P0[0 {evil}])"),
        ),
    ];
    for (name, text) in files {
        let file = path_in(folder.path(), name);
        fs::write(&file, text).unwrap();
        for arguments in [
            &["replay", &file][..],
            &["replay", &file, "--export", "txt"],
            &["replay", &file, "--export", "pgn"],
            &["replay", &file, "--export", "uhp"],
            &["replay", &file, "--export", "xml"],
            &["replay", &file, "--export", "json"],
            &["analyze", &file, "--nodes", "5"],
            &["analyze", &file, "--nodes", "5", "--json"],
            &["moves", &file, "--json"],
        ] {
            // The comment of a PGN file keeps its lines, data are on one line.
            let data = ["pgn", "xml", "json", "--json"];
            if arguments.iter().any(|argument| data.contains(argument)) {
                let text = String::from_utf8(run(arguments).stdout).unwrap();
                assert!(!text.contains(['\u{1b}', '\u{202e}']), "{name}");
            } else {
                assert_harmless(&run(arguments));
            }
        }
    }
}

#[test]
fn engines_and_their_names_are_told_with_harmless_text() {
    let evil = evil();
    for text in [
        format!("greedy name='{evil}'"),
        format!("greedy '{evil}=1'"),
        evil.clone(),
        format!("mcts:nodes='{evil}'"),
        format!("cmd:bot env='{evil}'"),
    ] {
        let output = run(&[
            "arena", "--engine", &text, "--engine", "random", "--games", "2",
        ]);
        assert!(!output.status.success());
        assert_harmless(&output);
        let output = run(&[
            "match",
            "--red",
            &text,
            "--blue",
            "random",
            "--replays",
            "/dev/null/x",
        ]);
        assert_harmless(&output);
    }
    let folder = tempfile::tempdir().unwrap();
    let openings = path_in(folder.path(), "openings");
    fs::write(&openings, format!("{}\n", evil.replace('\n', " "))).unwrap();
    let output = run(&[
        "arena",
        "--engine",
        "greedy",
        "--engine",
        "random",
        "--openings",
        &openings,
    ]);
    assert_harmless(&output);
}

// Windows has no such names of files.
#[cfg(unix)]
#[test]
fn command_lines_are_printed_harmlessly() {
    let evil = evil().replace('\n', " ");
    for arguments in [
        &[&*evil][..],
        &["arena", "--games", &evil],
        &["replay", &evil],
        &["analyze", &evil],
        &["moves", &evil],
        &["perft", &evil],
        &["match", "--replays", &evil, "--red", &evil],
        &["train", &evil, "--output", "x"],
        &["positions", &evil],
        &["selfplay", "--output", &evil, "--weights", &evil],
        &["bench", "--weights", &evil],
        &["uhp", "--set", &evil],
        &["serve", "--port", &evil],
        &["play", "--host", &evil],
        &["board", &evil],
        &["check", &evil],
        &["spsa", "--param", &evil],
    ] {
        let output = run(arguments);
        assert!(!output.status.success(), "{}", arguments[0]);
        assert_harmless(&output);
    }
}

#[cfg(unix)]
mod scripts {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    /// A script that runs these lines, and its path.
    fn script(folder: &Path, name: &str, lines: &str) -> String {
        let path = path_in(folder, name);
        fs::write(&path, format!("#!/bin/sh\n{lines}\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        path
    }

    #[test]
    fn a_crash_shows_the_programs_last_words_and_its_side() {
        let folder = tempfile::tempdir().unwrap();
        let lines = "printf 'first\\033[2J\\nno more ideas'; exit 3";
        let bot = script(folder.path(), "bot.sh", lines);
        // A path alone is a program.
        let output = run(&[
            "arena", "--engine", &bot, "--engine", "greedy", "--games", "2", "--quiet",
        ]);
        assert!(output.status.success(), "{}", stderr(&output));
        assert_harmless(&output);
        let told = stderr(&output);
        assert!(told.contains("pair 1, game 1: bot.sh (red) left the game: ended before the game began, with exit status: 3"), "{told}");
        assert!(
            told.contains("pair 1, game 2: bot.sh (blue) left the game"),
            "{told}"
        );
        assert!(
            told.contains("its last words: first [2J / no more ideas"),
            "{told}"
        );
        let output = run(&[
            "match",
            "--red",
            &bot,
            "--blue",
            "greedy",
            "--replays",
            folder.path().to_str().unwrap(),
        ]);
        assert_harmless(&output);
        assert!(stderr(&output).contains("red's program ended before the game began"));
    }

    #[test]
    fn a_client_at_a_terminal_says_that_it_is_connected_and_waiting() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port().to_string();
        let server = std::thread::spawn(move || {
            // A server that hangs up.
            let (mut stream, _) = listener.accept().unwrap();
            stream.write_all(b"<protocol></protocol>").unwrap();
            stream.shutdown(std::net::Shutdown::Write).unwrap();
            let _ = stream.read_to_end(&mut Vec::new());
        });
        let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs/in_terminal.py");
        let output = Command::new(program)
            .args([
                "80", "24", "", WABE, "play", "--port", &port, "--player", "random",
            ])
            .env_remove("RUST_LOG")
            .output()
            .unwrap();
        server.join().unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(
            text.contains(&format!("connected to 127.0.0.1:{port}; waiting")),
            "{output:?}"
        );
    }

    #[test]
    fn an_engine_that_answers_nonsense_is_quoted_and_its_dialogue_kept() {
        let folder = tempfile::tempdir().unwrap();
        let lines = "echo id x; echo ok; while read -r line; do case $line in bestmove*) printf 'w\\033[2JA1\\n';; *) echo x;; esac; echo ok; done";
        let bot = script(folder.path(), "bot.sh", lines);
        let logs = path_in(folder.path(), "logs");
        let output = run(&[
            "arena",
            "--game",
            "Base",
            "--engine",
            &bot,
            "--engine",
            "greedy",
            "--games",
            "2",
            "--protocol-log",
            &logs,
        ]);
        assert_harmless(&output);
        let told = stderr(&output);
        assert!(
            told.contains("bot.sh (white) made an illegal move: `w [2JA1`: "),
            "{told}"
        );
        let log = fs::read_to_string(folder.path().join("logs/pair-1-game-1-white.log")).unwrap();
        assert!(log.contains("> bestmove") && log.contains("\n< w"), "{log}");
        assert!(!folder.path().join("logs/pair-1-game-1-black.log").exists());
    }

    #[test]
    fn both_directions_of_a_contest_game_are_kept() {
        let folder = tempfile::tempdir().unwrap();
        let bot = format!("'{WABE}' play --player random");
        let logs = path_in(folder.path(), "logs");
        let output = run(&[
            "match",
            "--red",
            &bot,
            "--blue",
            "random",
            "--quiet",
            "--protocol-log",
            &logs,
            "--replays",
            &logs,
        ]);
        assert!(output.status.success(), "{}", stderr(&output));
        let log = fs::read_to_string(folder.path().join("logs/pair-1-game-1-red.log")).unwrap();
        for part in [
            "< <joinPrepared",
            "> <joined",
            "> <room",
            "sc.framework.plugins.protocol.MoveRequest",
            "< <room",
            "class=\"result\"",
        ] {
            assert!(log.contains(part), "{part}");
        }
    }
}
