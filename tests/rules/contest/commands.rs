//! `wabe perft` and `wabe verify` as they are typed.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use flate2::Compression;
use flate2::write::GzEncoder;

const MIDGAME: &str =
    "12 -4,0;3,1;5,0 1,2:bB;2,0:bArB;2,1:bQ;2,2:bG;3,-1:rQ;4,-1:rS;5,-2:rB AAAGGSS/AABGSSS";

fn wabe(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_wabe"))
        .args(arguments)
        .output()
        .unwrap()
}

fn stdout(output: &Output) -> &str {
    std::str::from_utf8(&output.stdout).unwrap()
}

fn stderr(output: &Output) -> &str {
    std::str::from_utf8(&output.stderr).unwrap()
}

/// The lines up to the node count: everything that does not depend on time.
fn counts(output: &Output) -> Vec<&str> {
    let is_timing = |line: &&str| line.starts_with("seconds") || line.starts_with("nodes/s");
    stdout(output)
        .lines()
        .filter(|line| !is_timing(line))
        .collect()
}

#[test]
fn perft_counts_nodes_and_says_how_fast() {
    let output = wabe(&["perft", MIDGAME, "--depth", "3"]);
    assert_eq!(output.status.code(), Some(0));
    let lines: Vec<&str> = stdout(&output).lines().collect();
    assert_eq!(lines.len(), 3);
    assert_eq!(lines[0], "nodes   25886");
    assert!(lines[1].starts_with("seconds "));
    assert!(lines[2].starts_with("nodes/s "));
}

#[test]
fn perft_starts_on_an_empty_board() {
    let output = wabe(&["perft", "--depth", "1"]);
    assert_eq!(counts(&output), ["nodes   455"]);
    let nothing = wabe(&["perft", "--depth", "0", "--divide"]);
    assert_eq!(counts(&nothing), ["moves   0", "nodes   1"]);
}

#[test]
fn perft_gives_the_same_counts_with_threads_and_with_bulk_counting() {
    let plain = wabe(&["perft", MIDGAME, "-d", "3", "--divide"]);
    let lines = counts(&plain);
    assert_eq!(lines.len(), 32, "30 moves, their number, the sum");
    let sum: u64 = lines[..30]
        .iter()
        .map(|line| line.rsplit(' ').next().unwrap().parse::<u64>().unwrap())
        .sum();
    assert_eq!(lines[30..], ["moves   30", "nodes   25886"]);
    assert_eq!(sum, 25_886);
    for more in [
        &["--threads", "3"][..],
        &["--bulk"],
        &["--bulk", "--threads", "2"],
    ] {
        let arguments = [&["perft", MIDGAME, "-d", "3", "--divide"][..], more].concat();
        assert_eq!(counts(&wabe(&arguments)), lines);
    }
    let without_list = wabe(&["perft", MIDGAME, "-d", "3", "--threads", "2"]);
    assert_eq!(counts(&without_list), ["nodes   25886"]);
}

#[test]
fn perft_refuses_a_bad_position_and_says_why() {
    let cases = [
        ("nonsense", "a position has four fields"),
        ("12 - 9,9:rQ -/-", "(9,9) is not a field of the board"),
        ("12 - 0,0:rQ;2,0:bQ -/-", "do not form one connected hive"),
    ];
    for (position, reason) in cases {
        let output = wabe(&["perft", position, "--depth", "1"]);
        assert_eq!(output.status.code(), Some(2));
        assert!(stderr(&output).contains(reason), "{}", stderr(&output));
        assert_eq!(stdout(&output), "");
    }
    for threads in ["0", "257", "x"] {
        let output = wabe(&["perft", "--depth", "1", "--threads", threads]);
        assert_eq!(output.status.code(), Some(2));
    }
}

fn vectors(name: &str) -> PathBuf {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    data.join(name)
}

fn perft_rows() -> String {
    std::fs::read_to_string(vectors("sc2020-perft.jsonl")).unwrap()
}

fn verify(arguments: &[&Path]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_wabe"));
    command.arg("verify").args(arguments).output().unwrap()
}

fn file_with(directory: &tempfile::TempDir, content: &[u8]) -> PathBuf {
    let path = directory.path().join("vectors");
    std::fs::write(&path, content).unwrap();
    path
}

fn gzipped(content: &str) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(content.as_bytes()).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn verify_counts_the_positions_that_agree_plain_or_gzipped() {
    let directory = tempfile::tempdir().unwrap();
    let plain = vectors("sc2020-perft.jsonl");
    let packed = file_with(&directory, &gzipped(&perft_rows()));
    let output = verify(&[&plain, &packed]);
    assert_eq!(output.status.code(), Some(0));
    let lines: Vec<&str> = stdout(&output).lines().collect();
    assert_eq!(lines.len(), 2);
    for (line, path) in lines.iter().zip([plain, packed]) {
        let expected = format!("{}: 28 of 28 positions agree", path.display());
        assert_eq!(*line, expected);
    }
}

#[test]
fn verify_prints_disagreements_in_full_and_exits_with_1() {
    let directory = tempfile::tempdir().unwrap();
    // Rows 2 and 4 of five claim what is not so.
    let row = |moves: &str, free: &str, result: &str, perft: &str| {
        let known = if perft.is_empty() {
            format!(r#""free":{free},"result":{result},"moves":{moves}"#)
        } else {
            format!(r#""perft":{perft}"#)
        };
        format!(
            r#"{{"turn":58,"brambles":[[-1,0]],"stacks":[[0,0,"rQ"],[1,0,"bQ"]],"reserve":{{"red":"","blue":""}},{known}}}"#
        )
    };
    let all = r#"["drag 0,0 0,1","drag 0,0 1,-1"]"#;
    let rows = [
        row(all, "[4,5]", "null", ""),
        row(
            r#"["drag 0,0 0,1","drag 0,0 5,0"]"#,
            "[4,4]",
            r#""red""#,
            "",
        ),
        row(all, "[4,5]", "null", "[2,4]"),
        row(all, "[4,5]", "null", "[2,5]"),
        row(all, "[4,5]", "null", ""),
    ];
    let path = file_with(&directory, rows.join("\n").as_bytes());
    let output = verify(&[&path]);
    assert_eq!(output.status.code(), Some(1));
    let text = "58 -1,0 0,0:rQ;1,0:bQ -/-";
    let expected = format!(
        "{}: 3 of 5 positions agree
line 2: {text}
  moves: only in the file drag 0,0 5,0 / only by wabe drag 0,0 1,-1
  free fields (red, blue): expected [4, 4], counted [4, 5]
  result: expected red, got none
line 4: {text}
  perft(2): expected 5, counted 4
",
        path.display()
    );
    assert_eq!(stdout(&output), expected);
    assert_eq!(stderr(&output), "");
    let brief = wabe(&["verify", "--show", "0", path.to_str().unwrap()]);
    assert_eq!(stdout(&brief).lines().count(), 1);
    assert_eq!(brief.status.code(), Some(1));
}

#[test]
fn verify_names_the_line_that_is_no_vector() {
    let directory = tempfile::tempdir().unwrap();
    let rows = perft_rows();
    let first = rows.lines().next().unwrap();
    let wrong = first.replacen("\"turn\":0", "\"turn\":99", 1);
    let neither = r#"{"turn":0,"brambles":[],"stacks":[],"reserve":{"red":"","blue":""}}"#;
    let cases = [
        ("this is no JSON", "expected"),
        ("[1,2,3]", "invalid"),
        (neither, "the line has neither"),
        (&wrong, "turn 99 is beyond the last turn, 60"),
    ];
    for (line, reason) in cases {
        let path = file_with(&directory, format!("{first}\n\n{line}\n").as_bytes());
        let output = verify(&[&path]);
        assert_eq!(output.status.code(), Some(1));
        assert_eq!(stdout(&output), "");
        let message = stderr(&output);
        assert!(message.contains("line 3: "), "{message}");
        assert!(message.contains(reason), "{message}");
        assert_eq!(message.lines().count(), 1, "{message}");
    }
}

#[test]
fn verify_reports_files_that_cannot_be_read_and_goes_on_with_the_rest() {
    let directory = tempfile::tempdir().unwrap();
    let missing = directory.path().join("missing");
    let mut packed = gzipped(&perft_rows());
    packed.truncate(packed.len() / 2);
    let truncated = file_with(&directory, &packed);
    let good = vectors("sc2020-perft.jsonl");
    let output = verify(&[&missing, &truncated, &good]);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(stdout(&output).lines().count(), 1);
    assert!(stdout(&output).contains("28 of 28 positions agree"));
    let messages: Vec<&str> = stderr(&output).lines().collect();
    assert_eq!(messages.len(), 2, "{messages:?}");
    assert!(messages[0].contains(&*missing.to_string_lossy()));
    assert!(messages[1].contains("line "), "{}", messages[1]);
}

#[test]
fn verify_needs_a_file() {
    assert_eq!(wabe(&["verify"]).status.code(), Some(2));
}
