//! Faults are named for the right side, and text from outside does nothing to a terminal.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::process::Output;

use crate::wabe::{WABE, path_in, stderr, wabe};

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
    let output = wabe(&["-vv", "play", "--port", &port, "--player", "random"]);
    server.join().unwrap();
    output
}

fn escaped(text: &str) -> String {
    text.replace('\u{1b}', "&#x1b;").replace('\n', "&#10;")
}

#[test]
fn client_prints_harmless_text() {
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
    let played = wabe(&[
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
                let text = String::from_utf8(wabe(arguments).stdout).unwrap();
                assert!(!text.contains(['\u{1b}', '\u{202e}']), "{name}");
            } else {
                assert_harmless(&wabe(arguments));
            }
        }
    }
}

#[test]
fn engine_names_are_printed_harmlessly() {
    let evil = evil();
    for text in [
        format!("greedy name='{evil}'"),
        format!("greedy '{evil}=1'"),
        evil.clone(),
        format!("mcts:nodes='{evil}'"),
        format!("cmd:bot env='{evil}'"),
    ] {
        let output = wabe(&[
            "arena", "--engine", &text, "--engine", "random", "--games", "2",
        ]);
        assert!(!output.status.success());
        assert_harmless(&output);
        let output = wabe(&[
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
    let output = wabe(&[
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
        let output = wabe(arguments);
        assert!(!output.status.success(), "{}", arguments[0]);
        assert_harmless(&output);
    }
}

#[cfg(unix)]
mod scripts {
    use super::*;
    use crate::wabe::script;

    #[test]
    fn crashes_are_reported_with_the_last_output() {
        let folder = tempfile::tempdir().unwrap();
        let lines = "printf 'first\\033[2J\\nno more ideas'; exit 3";
        let bot = script(folder.path(), "bot.sh", lines);
        // A path alone is a program.
        let output = wabe(&[
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
        let output = wabe(&[
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
    fn both_directions_of_a_contest_game_are_kept() {
        let folder = tempfile::tempdir().unwrap();
        let bot = format!("'{WABE}' play --player random");
        let logs = path_in(folder.path(), "logs");
        let output = wabe(&[
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
