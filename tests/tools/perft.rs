//! `wabe perft`.

use crate::wabe::succeed;

const MIDGAME: &str =
    "12 -4,0;3,1;5,0 1,2:bB;2,0:bArB;2,1:bQ;2,2:bG;3,-1:rQ;4,-1:rS;5,-2:rB AAAGGSS/AABGSSS";

/// Runs `perft`. Returns the lines that do not depend on time.
fn run_perft(options: &str) -> Vec<String> {
    let out = succeed(&format!("perft '{MIDGAME}' --depth 3 {options}"));
    assert!(out.contains("\nseconds ") && out.contains("\nnodes/s "));
    let is_timing = |line: &&str| line.starts_with("seconds") || line.starts_with("nodes/s");
    let lines = out.lines().filter(|line| !is_timing(line));
    lines.map(str::to_owned).collect()
}

#[test]
fn perft_counts_do_not_depend_on_threads() {
    let lines = run_perft("--divide");
    assert_eq!(lines.len(), 32, "30 moves and two totals");
    let count = |line: &String| line.rsplit(' ').next().unwrap().parse::<u64>().unwrap();
    assert_eq!(lines[..30].iter().map(count).sum::<u64>(), 25_886);
    assert_eq!(lines[30..], ["moves   30", "nodes   25886"]);
    assert_eq!(run_perft("--divide --threads 3"), lines);
    assert_eq!(run_perft("--threads 2"), ["nodes   25886"]);
}
