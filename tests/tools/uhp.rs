//! `wabe uhp` over pipes.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use crate::wabe::{command, fail, path_in};

/// A running engine.
struct Engine {
    process: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Engine {
    /// Starts an engine with a small tree and one thread. Reads its first answer.
    fn start(options: &str) -> Engine {
        let small = "--set Threads=1 --set MemoryMiB=64";
        let mut process = command(&format!("uhp {small} {options}"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut engine = Engine {
            input: process.stdin.take(),
            output: BufReader::new(process.stdout.take().unwrap()),
            process,
        };
        let info = engine.answer();
        assert!(info[0].starts_with("id wabe "), "{info:?}");
        assert_eq!(info[1..], ["Mosquito;Ladybug;Pillbug"]);
        engine
    }

    fn send(&mut self, line: &str) {
        let input = self.input.as_mut().unwrap();
        writeln!(input, "{line}").unwrap();
        input.flush().unwrap();
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        let read = self.output.read_line(&mut line).unwrap();
        assert!(read > 0, "the engine has exited");
        line.trim_end().to_owned()
    }

    /// Reads lines until `ok`.
    fn answer(&mut self) -> Vec<String> {
        let mut lines = Vec::new();
        loop {
            match self.line() {
                line if line == "ok" => return lines,
                line => lines.push(line),
            }
        }
    }

    /// Sends a command and returns its answer, which must be one line.
    fn ask(&mut self, line: &str) -> String {
        self.send(line);
        let answer = self.answer();
        assert_eq!(answer.len(), 1, "{line}: {answer:?}");
        answer.into_iter().next().unwrap()
    }

    /// Sends a command and checks how its answer begins.
    fn expect(&mut self, line: &str, beginning: &str) {
        let answer = self.ask(line);
        assert!(answer.starts_with(beginning), "{line}: {answer}");
    }

    fn valid_moves(&mut self) -> Vec<String> {
        let moves = self.ask("validmoves");
        moves.split(';').map(str::to_owned).collect()
    }

    /// Closes stdin and waits for the engine to exit.
    fn end(mut self) {
        self.input = None;
        assert!(self.process.wait().unwrap().success());
    }
}

#[test]
fn uhp_answers_a_typical_session() {
    let folder = tempfile::tempdir().unwrap();
    let log = path_in(&folder, "dialogue.txt");
    std::fs::write(&log, "> of an earlier session\n").unwrap();
    let mut engine = Engine::start(&format!("--log '{log}'"));
    let first = "Base+MLP;InProgress;Black[1];wS1";
    for (line, answer) in [
        ("validmoves", "err No game in progress"),
        ("newgame Base+MLP", "Base+MLP;NotStarted;White[1]"),
        ("play wS1", first),
        (
            "PLAY  bG1   wS1-",
            "Base+MLP;InProgress;White[2];wS1;bG1 wS1-",
        ),
        ("play bQ bG1-", "invalidmove "),
        ("pass", "invalidmove "),
        ("undo", first),
        ("undo 5", "err "),
    ] {
        engine.expect(line, answer);
    }
    let valid = engine.valid_moves();
    for search in [
        "bestmove time 00:00:01",
        "bestmove time 00:00:00.2",
        "bestmove depth 2",
    ] {
        let best = engine.ask(search);
        assert!(valid.contains(&best), "{search}: {best}");
    }
    assert_eq!(engine.ask(&format!("newgame {first}")), first);
    engine.ask("newgame Base+MLP");
    engine.send("perft 3");
    assert_eq!(engine.answer(), ["0: 1", "1: 7", "2: 294", "3: 6678"]);
    engine.send("help");
    assert!(engine.answer().len() > 10);
    engine.send("exit");
    assert_eq!(engine.answer(), [""; 0]);
    engine.end();
    let log = std::fs::read_to_string(log).unwrap();
    assert!(log.starts_with("> of an earlier session\n"), "{log}");
    for part in [
        "> newgame Base+MLP\n< Base+MLP;NotStarted;White[1]\n< ok\n",
        "> perft 3\n< 0: 1\n",
    ] {
        assert!(log.contains(part), "{log}");
    }
}

#[cfg(unix)]
#[test]
fn uhp_interrupt_ends_only_a_search() {
    use crate::wabe::kill;

    let mut engine = Engine::start("");
    engine.ask("options set ReportIntermediateBestMoves True");
    engine.ask("newgame Base");
    engine.ask("play wS1");
    let valid = engine.valid_moves();
    engine.send("bestmove");
    // A report during the search.
    let report = engine.line();
    let parts: Vec<&str> = report.split(';').collect();
    let [mv, depth, score, variation @ ..] = &parts[..] else {
        panic!("{report}");
    };
    assert!(valid.contains(&(*mv).to_owned()), "{report}");
    assert_eq!(*depth, variation.len().to_string(), "{report}");
    assert!(score.parse::<f64>().unwrap().abs() <= 100.0, "{report}");
    assert_eq!(variation.first(), Some(mv), "{report}");
    assert!(kill("INT", engine.process.id()));
    let rest = engine.answer();
    assert!(valid.contains(rest.last().unwrap()), "{rest:?}");
    assert_eq!(engine.ask("undo"), "Base;NotStarted;White[1]");
    assert!(kill("INT", engine.process.id()));
    engine.send("exit");
    assert_eq!(engine.answer(), [""; 0]);
    engine.end();
}

/// White wins in one.
const WIN_IN_ONE: &str = r"Base;;;wG1;bB1 /wG1;wA1 wG1-;bQ -bB1;wQ \wA1;bS1 bB1\;wA1 /bQ;bS1 wQ-;wB1 -wA1;bB2 bS1-;wB1 wA1;bB2 bS1;wB1 bQ;bB2 wQ;wB2 \wB1;bA1 \bB2;wS1 /wB2;bA2 bS1-;wA2 -wS1;bG1 \bS1;wA2 wB1\;bA2 -bA1";

#[test]
fn uhp_reports_proven_results() {
    let mut engine = Engine::start("");
    engine.ask("options set ReportIntermediateBestMoves True");
    let mut game = WIN_IN_ONE;
    for (plies, score) in [(1, "100.00"), (2, "-100.00"), (3, "100.00")] {
        engine.ask(&format!("newgame {game}"));
        engine.send("bestmove time 00:01:00");
        let lines = engine.answer();
        let [.., report, best] = &lines[..] else {
            panic!("{lines:?}");
        };
        let expected = format!("{best};{plies};{score};{best}");
        assert!(report.starts_with(&expected), "{lines:?}");
        game = game.rsplit_once(';').unwrap().0;
    }
    engine.end();
}

#[test]
fn uhp_answers_do_not_depend_on_pondering() {
    let mut engine = Engine::start("--set Pondering=True --set Threads=2");
    engine.ask("newgame Base+P");
    for _ in 0..6 {
        let valid = engine.valid_moves();
        let best = engine.ask("bestmove depth 2");
        assert!(valid.contains(&best), "{best}");
        let state = engine.ask(&format!("play {best}"));
        assert!(state.starts_with("Base+P;InProgress;"), "{state}");
    }
    engine.end();
}

/// If the engine did not notice the closed pipe, these commands would run for days.
#[cfg(target_os = "linux")]
#[test]
fn uhp_exits_when_stdout_is_closed() {
    for command in [
        "perft 30",
        "bestmove depth 40",
        "bestmove time 999:00:00",
        "bestmove",
    ] {
        let mut engine = Engine::start("");
        engine.ask("newgame");
        engine.send(command);
        let Engine {
            mut process,
            input,
            output,
        } = engine;
        drop(output);
        let status = process.wait().unwrap();
        assert_eq!(status.code(), Some(0), "{command}");
        drop(input);
    }
}

#[test]
fn uhp_rejects_invalid_commands() {
    let mut engine = Engine::start("");
    for line in [
        "x",
        "play wS1",
        "undo",
        "bestmove depth 1",
        "perft 2",
        "newgame Base+X",
        "newgame Base;;;wS9",
        "options get X",
        "options set Threads 0",
        "bestmove time x",
        "\u{7f}\u{1b}[A",
        "newgame \u{0}",
        "🐝",
        &"x".repeat(5_000_000),
    ] {
        engine.expect(line, "err ");
    }
    // The long line got a single answer. Blank lines are ignored.
    assert!(engine.ask("y").contains("Invalid command"));
    engine.send(" \t ");
    engine.ask("newgame");
    for line in ["play", "play x", "play wS1 wS1 wS1", "undo 1"] {
        let answer = engine.ask(line);
        let is_error = answer.starts_with("err ") || answer.starts_with("invalidmove ");
        assert!(is_error, "{line}: {answer}");
    }
    engine.end();
}

#[test]
fn uhp_rejects_moves_after_the_end() {
    let mut engine = Engine::start("");
    // Black wins with one move of its grasshopper.
    let before = r"Base;InProgress;Black[6];wS1;bS1 wS1-;wQ \wS1;bQ bS1/;wG1 -wQ;bG1 bQ-;wA1 wG1\;bA1 bQ\;wA2 \wQ;bA2 \bG1;wG2 wQ/";
    engine.ask(&format!("newgame {before}"));
    let best = engine.ask("bestmove depth 3");
    engine.expect(&format!("play {best}"), "Base;BlackWins;");
    for line in [
        "validmoves",
        "play wB1 wG2/",
        "pass",
        "bestmove depth 1",
        "bestmove time 00:00:01",
    ] {
        engine.expect(line, "err The game is over");
    }
    engine.expect("undo 1", "Base;InProgress;");
}

#[test]
fn uhp_sets_options_from_arguments() {
    let mut engine = Engine::start("--set strength=3 --set Threads=2");
    assert_eq!(engine.ask("options get Strength"), "Strength;int;3;10;1;10");
    engine.expect("options get Threads", "Threads;int;2;");
    for (option, part) in [
        ("Strength", "NAME=VALUE"),
        ("Strength=11", "a whole number from 1 to 10."),
        ("Pondering=1", "True or False."),
        ("Nothing=1", "not valid"),
    ] {
        let message = fail(&format!("uhp --set {option}"), 2);
        assert!(message.contains(part), "{option}: {message}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn uhp_survives_log_errors() {
    let mut engine = Engine::start("--log /dev/full");
    engine.ask("newgame Base");
    engine.expect("play wS1", "Base;InProgress;");
    engine.end();
}
