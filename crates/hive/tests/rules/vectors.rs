//! The contest's rules against data from its server: moves, free fields around the bees, results
//! and perft.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};

use flate2::read::MultiGzDecoder;
use serde::Deserialize;

use wabe_hive::contest::Contest;
use wabe_hive::game::{Ending, Game, Record};
use wabe_hive::perft::perft;
use wabe_hive::{Color, Move};

#[derive(Deserialize)]
struct Row {
    turn: u16,
    brambles: Vec<(i8, i8)>,
    /// Pieces bottom to top.
    stacks: Vec<(i8, i8, String)>,
    reserve: Reserve,
    moves: Option<BTreeSet<String>>,
    /// Around red's and blue's bee, -1 while unplaced.
    free: Option<[i64; 2]>,
    /// A side's name or `draw`; compared only if `moves` is present.
    result: Option<String>,
    /// Perft at depths 1, 2, …
    #[serde(default)]
    perft: Vec<u64>,
}

#[derive(Deserialize)]
struct Reserve {
    red: String,
    blue: String,
}

impl Row {
    fn record(&self) -> Record<Contest> {
        let join = |parts: Vec<String>| match parts.len() {
            0 => "-".to_owned(),
            _ => parts.join(";"),
        };
        let brambles = self.brambles.iter().map(|(x, y)| format!("{x},{y}"));
        let stacks = self.stacks.iter();
        let stacks = stacks.map(|(x, y, pieces)| format!("{x},{y}:{pieces}"));
        let text = format!(
            "{} {} {} {}/{}",
            self.turn,
            join(brambles.collect()),
            join(stacks.collect()),
            self.reserve.red,
            self.reserve.blue,
        );
        text.parse()
            .unwrap_or_else(|error| panic!("{text}: {error}"))
    }

    fn check(mut self) {
        let record = self.record();
        if let Some(expected) = &mut self.moves {
            let moves = record.legal_moves();
            let ours: BTreeSet<String> = moves.iter().map(|&mv| record.write(mv)).collect();
            assert_eq!(ours.len(), moves.len(), "a move is listed twice: {record}");
            // If the bee must be placed but cannot be, the contest's server lists no moves but
            // accepts a skip.
            if expected.is_empty() && !record.is_over() {
                expected.insert(record.write(Move::Pass));
            }
            assert_eq!(&ours, expected, "{record}");
            let winner = record.ending().map(Ending::winner);
            let result = winner.map(|winner| winner.map_or("draw", |w| Contest::SIDES[w].name()));
            assert_eq!(result, self.result.as_deref(), "{record}");
        }
        if let Some(expected) = self.free {
            let free = |color| record.position().free_around_bee(color);
            let free = Color::ALL.map(|color| free(color).map_or(-1, i64::from));
            assert_eq!(free, expected, "{record}");
        }
        for (depth, &expected) in (1..).zip(&self.perft) {
            assert_eq!(perft(record.position(), depth), expected, "{record}");
        }
    }
}

/// Checks all rows and returns their number.
fn check(file: impl Read) -> usize {
    let rows = BufReader::new(file).lines().map(|line| {
        let row: Row = serde_json::from_str(&line.unwrap()).unwrap();
        row.check();
    });
    rows.count()
}

fn open(name: &str) -> File {
    File::open(format!(
        "{}/../../tests/data/{name}",
        env!("CARGO_MANIFEST_DIR")
    ))
    .unwrap()
}

#[test]
fn positions_match_the_contest_server() {
    let file = MultiGzDecoder::new(open("sc2020-positions.jsonl.gz"));
    assert_eq!(check(file), 15_204);
}

#[test]
fn perft_matches_the_contest_server() {
    assert_eq!(check(open("sc2020-perft.jsonl")), 28);
}
