//! Tests the examples of the package.

use std::path::PathBuf;
use std::process::{Command, Output};

use crate::wabe::{STACKS, WABE, stdout, succeed};

/// Path of an example. `cargo test` builds examples next to the binary.
fn example_path(name: &str) -> PathBuf {
    PathBuf::from(WABE)
        .with_file_name("examples")
        .join(format!("{name}{}", std::env::consts::EXE_SUFFIX))
}

fn run(name: &str, arguments: &[&str]) -> Output {
    Command::new(example_path(name))
        .args(arguments)
        .output()
        .unwrap()
}

#[test]
fn example_bots_win() {
    for bot in ["bot", "own_evaluation"] {
        let engine = format!("cmd:'{} --time 60' name=bot", example_path(bot).display());
        let options = "--engine random --games 2 --quiet --margin 60000";
        let summary = succeed(&format!("arena --engine \"{engine}\" {options}"));
        assert!(summary.contains("no faults"), "{summary}");
        assert!(summary.contains("+2 =0 -0"), "{summary}");
    }
}

#[test]
fn example_programs_print_their_results() {
    let closures = stdout(&run("closures", &["2"]));
    assert!(closures.contains("\nElo "), "{closures}");
    let openings = stdout(&run("openings", &[STACKS, STACKS]));
    assert_eq!(openings, "+2 =0 -0  wP, bP \\wP, wQ wP\\, bM \\bP\n");
    assert!(!run("openings", &["no such file"]).status.success());
}
