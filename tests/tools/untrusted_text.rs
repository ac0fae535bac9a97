//! Text from servers, files, programs and arguments is sanitized before printing.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::process::Output;

use crate::wabe::{file_with, path_in, stderr, stdout, succeed, wabe};

/// A long text that clears the terminal, reverses the writing direction, and breaks the line.
fn evil_text() -> String {
    format!("a\u{1b}[2J\u{202e}\nINJECTED{}", "x".repeat(10_000))
}

fn assert_harmless(output: &Output) {
    for text in [stdout(output), stderr(output)] {
        assert!(!text.contains(['\u{1b}', '\u{202e}', '\r']), "{text}");
        for line in text.lines() {
            assert!(!line.starts_with("INJECTED"), "{text}");
            assert!(line.chars().count() <= 5_000, "{}", &line[..200]);
        }
    }
}

/// Runs a client against a server that sends this text and closes the connection.
fn play_against(server: &str) -> Output {
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
    let output = wabe(&format!("-vv play --port {port} --player random"));
    server.join().unwrap();
    output
}

fn escape_xml(text: &str) -> String {
    text.replace('\u{1b}', "&#x1b;").replace('\n', "&#10;")
}

#[test]
fn client_sanitizes_server_text() {
    let evil = escape_xml(&evil_text());
    let joined = format!("<protocol><joined roomId=\"{evil}\"/>");
    let data = |data: &str| format!("{joined}<room roomId=\"{evil}\"><data {data}/></room>");
    for text in [
        format!("{joined}<room roomId=\"1\"><data class=\"memento\"/></room>"),
        data(&format!("class=\"error\" message=\"{evil}\"")),
        data(&format!("class=\"{evil}\" a=\"{evil}\"")),
        data(&format!("class=\"welcomeMessage\" color=\"{evil}\"")),
        format!("{joined}<errorpacket message=\"{evil}\"/><left roomId=\"{evil}\"/>"),
        "<protocol><a>\u{1b}[2J</b\u{202e}></a>".to_owned(),
    ] {
        let output = play_against(&text);
        assert_harmless(&output);
        assert!(stderr(&output).contains("connected to 127.0.0.1:"));
    }
}

#[test]
fn recordings_are_sanitized() {
    let folder = tempfile::tempdir().unwrap();
    let replays = path_in(&folder, "replays");
    succeed(&format!(
        "match --red random --blue random --quiet --replays '{replays}'"
    ));
    let entry = fs::read_dir(&replays).unwrap().next().unwrap().unwrap();
    let text = fs::read_to_string(entry.path()).unwrap();
    let evil = evil_text();
    let xml = escape_xml(&evil);
    let (pgn_name, comment) = (evil.replace('\n', " "), &evil);
    let quoted = format!("\"{xml}\"");
    for (name, text) in [
        (
            "a.xml",
            text.replace("\"random\"", &quoted)
                .replace("visits=", &format!("{xml}visits=")),
        ),
        (
            "b.xml",
            text.replacen("<state ", &format!("<state {xml} "), 2),
        ),
        (
            "c.xml",
            text.replace("owner=\"RED\"", &format!("owner={quoted}")),
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
            format!(
                "Base;WhiteWins;;wS1;bS1 {pgn_name}\n# white wins: {}\n",
                pgn_name.trim_end_matches('x')
            ),
        ),
        ("b.uhp", format!("Base+{pgn_name};;;wS1\n")),
        (
            "a.sgf",
            format!("(;GM[27]P0[id \"{evil}\"]VV[1]SU[hive];P0[0 {evil}])"),
        ),
    ] {
        let file = path_in(&folder, name);
        fs::write(&file, text).unwrap();
        for (command, options) in [
            ("replay", ""),
            ("replay", "--export txt"),
            ("replay", "--export uhp"),
            ("analyze", "--nodes 5"),
        ] {
            assert_harmless(&wabe(&format!("{command} '{file}' {options}")));
        }
        // PGN comments may keep their line breaks.
        for (command, options) in [
            ("replay", "--export pgn"),
            ("replay", "--export xml"),
            ("replay", "--export json"),
            ("analyze", "--nodes 5 --json"),
            ("moves", "--json"),
        ] {
            let out = stdout(&wabe(&format!("{command} '{file}' {options}")));
            assert!(!out.contains(['\u{1b}', '\u{202e}']), "{name}");
        }
    }
}

#[test]
fn arguments_are_sanitized_in_errors() {
    let evil = evil_text();
    for engine in [
        format!("greedy name='{evil}'"),
        format!("greedy '{evil}=1'"),
        evil.clone(),
        format!("mcts:nodes='{evil}'"),
        format!("cmd:bot env='{evil}'"),
    ] {
        let options = "--engine random --games 2";
        let output = wabe(&format!("arena --engine \"{engine}\" {options}"));
        assert!(!output.status.success());
        assert_harmless(&output);
        let options = "--blue random --replays /dev/null/x";
        assert_harmless(&wabe(&format!("match --red \"{engine}\" {options}")));
    }
    let (_folder, openings) = file_with(format!("{}\n", evil.replace('\n', " ")));
    let options = format!("--openings '{openings}'");
    let output = wabe(&format!("arena --engine greedy --engine random {options}"));
    assert_harmless(&output);
    // Windows does not allow such file names.
    #[cfg(unix)]
    for line in [
        "EVIL",
        "arena --games EVIL",
        "replay EVIL",
        "analyze EVIL",
        "moves EVIL",
        "perft EVIL",
        "match --replays EVIL --red EVIL",
        "train EVIL --output x",
        "positions EVIL",
        "selfplay --output EVIL --weights EVIL",
        "bench --weights EVIL",
        "uhp --set EVIL",
        "serve --port EVIL",
        "play --host EVIL",
        "board EVIL",
        "check EVIL",
    ] {
        let word = format!("'{}'", evil.replace('\n', " "));
        let output = wabe(&line.replace("EVIL", &word));
        assert!(!output.status.success(), "{line}");
        assert_harmless(&output);
    }
}

#[cfg(unix)]
#[test]
fn crashes_are_reported_with_the_last_output() {
    let folder = tempfile::tempdir().unwrap();
    let lines = "printf 'first\\033[2J\\nno more ideas'; exit 3";
    // A path without a prefix is the command line of a program.
    let bot = crate::wabe::script(folder.path(), "bot.sh", lines);
    let options = "--engine greedy --games 2 --quiet";
    let output = wabe(&format!("arena --engine '{bot}' {options}"));
    assert!(output.status.success(), "{}", stderr(&output));
    assert_harmless(&output);
    let log = stderr(&output);
    for part in [
        "pair 1, game 1: bot.sh (red) left the game (before it began, with exit status: 3)",
        "pair 1, game 2: bot.sh (blue) left the game",
        "its output: first [2J / no more ideas",
    ] {
        assert!(log.contains(part), "{log}");
    }
    let replays = folder.path().display();
    let output = wabe(&format!(
        "match --red '{bot}' --blue greedy --replays '{replays}'"
    ));
    assert_harmless(&output);
    assert!(stderr(&output).contains("red's program left the game (before it began"));
}
