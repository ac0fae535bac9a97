//! `wabe perft` on the command line.

use std::process::{Command, Output};

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

/// The lines up to the node count: everything that does not depend on time.
fn counts(output: &Output) -> Vec<&str> {
    let is_timing = |line: &&str| line.starts_with("seconds") || line.starts_with("nodes/s");
    stdout(output)
        .lines()
        .filter(|line| !is_timing(line))
        .collect()
}

#[test]
fn perft_prints_nodes_with_speed() {
    let output = wabe(&["perft", MIDGAME, "--depth", "3"]);
    assert_eq!(output.status.code(), Some(0));
    let lines: Vec<&str> = stdout(&output).lines().collect();
    assert_eq!(lines.len(), 3);
    assert_eq!(lines[0], "nodes   25886");
    assert!(lines[1].starts_with("seconds "));
    assert!(lines[2].starts_with("nodes/s "));
}

#[test]
fn perft_counts_do_not_depend_on_threads() {
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
