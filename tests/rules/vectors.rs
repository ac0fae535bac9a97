//! The rules agree with everything measured on the contest's server.

use std::fs::File;
use std::path::Path;

use wabe::hive::contest::Contest;
use wabe::verify::{Report, verify};

fn check(name: &str) -> Report {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/data")
        .join(name);
    let report = verify::<Contest>(File::open(path).unwrap()).unwrap();
    let first: Vec<String> = report
        .disagreements
        .iter()
        .take(5)
        .map(ToString::to_string)
        .collect();
    assert!(first.is_empty(), "{}", first.join("\n"));
    report
}

#[test]
fn positions_agree_in_moves_free_fields_and_result() {
    assert_eq!(check("sc2020-positions.jsonl.gz").rows, 15_204);
}

#[test]
fn perft_rows_agree() {
    assert_eq!(check("sc2020-perft.jsonl").rows, 28);
}
