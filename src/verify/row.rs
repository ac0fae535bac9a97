//! One line of a vector file.

use std::collections::BTreeSet;
use std::str::FromStr;

use serde::Deserialize;
use thiserror::Error;

use crate::hex::Hex;
use crate::hive::contest::{Contest, MoveList, Position, Setup};
use crate::hive::{
    ByColor, Color, ParsePositionError, Stack, parse_pieces, parse_reserve, perft::perft,
};

/// A position and what is known of it.
#[derive(Clone, Debug)]
pub struct Row {
    position: Position,
    known: Known,
}

#[derive(Clone, Debug)]
enum Known {
    Answer {
        moves: BTreeSet<String>,
        free: [i64; 2],
        result: Option<String>,
    },
    Perft(Vec<u64>),
}

/// Why a line is no vector.
#[derive(Debug, Error)]
pub enum ParseRowError {
    /// Not JSON of the expected shape.
    #[error(transparent)]
    Json(#[from] serde_json::Error),
    /// Not a possible position.
    #[error(transparent)]
    Position(#[from] ParsePositionError),
    /// Neither a position's answer nor perft numbers.
    #[error("the line has neither `moves`, `free` and `result` nor `perft`")]
    Kind,
}

#[derive(Deserialize)]
struct RawRow {
    turn: u16,
    brambles: Vec<(i8, i8)>,
    stacks: Vec<(i8, i8, String)>,
    reserve: RawReserve,
    moves: Option<BTreeSet<String>>,
    free: Option<[i64; 2]>,
    result: Option<String>,
    perft: Option<Vec<u64>>,
}

#[derive(Deserialize)]
struct RawReserve {
    red: String,
    blue: String,
}

impl FromStr for Row {
    type Err = ParseRowError;

    fn from_str(line: &str) -> Result<Row, ParseRowError> {
        let raw: RawRow = serde_json::from_str(line)?;
        let stacks = raw
            .stacks
            .iter()
            .map(|(x, y, pieces)| {
                Ok(Stack {
                    hex: Hex::new(*x, *y),
                    pieces: parse_pieces::<Contest>(pieces)?,
                })
            })
            .collect::<Result<_, ParsePositionError>>()?;
        let setup = Setup {
            turn: raw.turn,
            obstacles: raw.brambles.iter().map(|&(x, y)| Hex::new(x, y)).collect(),
            stacks,
            reserve: ByColor {
                red: parse_reserve(&raw.reserve.red)?,
                blue: parse_reserve(&raw.reserve.blue)?,
            },
        };
        let position = setup.build().map_err(ParsePositionError::from)?;
        let known = match (raw.moves, raw.free, raw.perft) {
            (Some(moves), Some(free), None) => Known::Answer {
                moves,
                free,
                result: raw.result,
            },
            (None, None, Some(counts)) => Known::Perft(counts),
            _ => return Err(ParseRowError::Kind),
        };
        Ok(Row { position, known })
    }
}

impl Row {
    /// The position.
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// What the rules say differently, a line for each; empty when they agree.
    pub fn differences(&self) -> Vec<String> {
        match &self.known {
            Known::Answer {
                moves,
                free,
                result,
            } => [
                self.compare_moves(moves),
                self.compare_free(*free),
                self.compare_result(result.as_deref()),
            ]
            .into_iter()
            .flatten()
            .collect(),
            Known::Perft(counts) => (1..)
                .zip(counts)
                .map(|(depth, &expected)| (depth, expected, perft(&self.position, depth)))
                .filter(|(_, expected, counted)| expected != counted)
                .map(|(depth, expected, counted)| {
                    format!("perft({depth}): expected {expected}, counted {counted}")
                })
                .collect(),
        }
    }

    fn compare_moves(&self, listed: &BTreeSet<String>) -> Option<String> {
        let mut moves = MoveList::new();
        self.position.legal_moves(&mut moves);
        let ours: BTreeSet<String> = moves.iter().map(ToString::to_string).collect();
        if ours.len() != moves.len() {
            return Some("a move is listed twice".to_owned());
        }
        let mut expected = listed.clone();
        // The server lists nothing where the bee must be placed and cannot be, and then accepts a skip.
        if expected.is_empty() && self.position.outcome().is_none() {
            expected.insert("skip".to_owned());
        }
        if ours == expected {
            return None;
        }
        let join = |moves: Vec<&String>| {
            let words: Vec<&str> = moves.into_iter().map(String::as_str).collect();
            if words.is_empty() {
                "none".to_owned()
            } else {
                words.join("; ")
            }
        };
        Some(format!(
            "moves: missing {} / not expected {}",
            join(expected.difference(&ours).collect()),
            join(ours.difference(&expected).collect()),
        ))
    }

    fn compare_free(&self, expected: [i64; 2]) -> Option<String> {
        let ours = Color::ALL.map(|c| self.position.free_around_bee(c).map_or(-1, i64::from));
        (ours != expected)
            .then(|| format!("free fields (red, blue): expected {expected:?}, counted {ours:?}"))
    }

    fn compare_result(&self, expected: Option<&str>) -> Option<String> {
        let ours = self.position.outcome().map(|outcome| {
            outcome
                .winner()
                .map_or("draw".to_owned(), |w| w.to_string())
        });
        (ours.as_deref() != expected).then(|| {
            let name = |result: Option<&str>| result.unwrap_or("none").to_owned();
            format!(
                "result: expected {}, got {}",
                name(expected),
                name(ours.as_deref())
            )
        })
    }
}
