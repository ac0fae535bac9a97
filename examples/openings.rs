//! Counts the results per opening in recorded games of standard Hive: openings FILE…

use std::collections::BTreeMap;
use std::error::Error;
use std::fs::File;

use wabe_hive::Color;
use wabe_hive::standard::Standard;

/// Number of plies in an opening.
const PLIES: usize = 4;

fn main() -> Result<(), Box<dyn Error>> {
    let mut openings: BTreeMap<String, [u32; 3]> = BTreeMap::new();
    for path in std::env::args().skip(1) {
        for game in wabe_records::read::<Standard>(open(&path)?)
            .map_err(|error| format!("{path}: {error}"))?
        {
            let plies = game.record.plies().iter().take(PLIES);
            let moves: Vec<&str> = plies.map(|ply| ply.text.as_str()).collect();
            let [wins, draws, losses] = openings.entry(moves.join(", ")).or_default();
            match game.winner() {
                Some(Some(Color::Red)) => *wins += 1,
                Some(Some(Color::Blue)) => *losses += 1,
                Some(None) => *draws += 1,
                // Unfinished.
                None => {}
            }
        }
    }
    for (moves, [wins, draws, losses]) in openings {
        println!("+{wins} ={draws} -{losses}  {moves}");
    }
    Ok(())
}

fn open(path: &str) -> Result<File, String> {
    File::open(path).map_err(|error| format!("{path}: {error}"))
}
