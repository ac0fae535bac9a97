//! Checks the rules against measured vectors, one JSON object a line, plain or gzipped.
//!
//! Two forms may be mixed in a file:
//!
//! - `{"position": TEXT, …}`, for every game: the text form of a record, and of its last position any of `moves` (texts in any order),
//!   `result` (`null`, a side's name or `"draw"`) and `perft` (the numbers of move sequences of length 1, 2, …);
//! - the form of the contest's vectors: `turn`, `brambles` as `[x, y]`, `stacks` as `[x, y, "pieces bottom to top"]` and `reserve` per
//!   side; then either `perft`, or all of `moves`, `result` and `free` (free fields around red's and blue's bee, -1 while unplaced).

use std::collections::BTreeSet;
use std::fmt;
use std::io::{BufRead, BufReader, Read};

use serde::{Deserialize, Deserializer};
use thiserror::Error;

use crate::files;
use crate::game::{Ending, Game, Record};
use crate::hex::Hex;
use crate::hive::perft::perft;
use crate::hive::{
    ByColor, Color, Move, ParsePositionError, Position, Setup, Stack, parse_pieces, parse_reserve,
};
use crate::text::printable;

/// Longest line, in bytes.
const LONGEST_LINE: u64 = 1 << 20;

/// Largest number of disagreements that a report keeps.
const MOST_KEPT: usize = 1_000;

/// Longest text in a disagreement, in characters.
const LONGEST_TEXT: usize = 4_000;

/// A row with which the rules disagree. Its texts are printable, long ones cut.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Disagreement {
    /// Line in the file, from 1.
    pub line: usize,
    /// The text form of the position or game.
    pub position: String,
    /// A line for each difference.
    pub differences: Vec<String>,
}

impl fmt::Display for Disagreement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.position)?;
        self.differences
            .iter()
            .try_for_each(|difference| write!(f, "\n  {difference}"))
    }
}

/// The result of checking a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Rows read.
    pub rows: usize,
    /// Number of rows with which the rules disagree.
    pub disagreeing: usize,
    /// The first of them, at most a thousand, in the order of the file.
    pub disagreements: Vec<Disagreement>,
}

/// The fault that ended the check of a vector file.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("line {line}: {problem}")]
pub struct VerifyError {
    /// Line in the file, from 1.
    pub line: usize,
    /// The fault: the line cannot be read, is not a vector, or has nothing to compare.
    pub problem: String,
}

impl VerifyError {
    fn at(line: usize, problem: impl fmt::Display) -> VerifyError {
        VerifyError {
            line,
            problem: problem.to_string(),
        }
    }
}

/// Reads a file of vectors line by line.
pub struct Lines {
    source: Box<dyn BufRead>,
    line: usize,
}

impl Lines {
    /// Unpacks the file if it begins like a gzip file.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn of(input: impl Read + 'static) -> Result<Lines, VerifyError> {
        let source = files::unpacked(BufReader::new(input));
        let source = source.map_err(|error| VerifyError::at(1, error))?;
        Ok(Lines { source, line: 0 })
    }

    /// The next line that is not blank; `None` at the end.
    ///
    /// # Errors
    /// When it cannot be read or is too long.
    pub fn next_line(&mut self) -> Result<Option<String>, VerifyError> {
        loop {
            self.line += 1;
            let line = self.line;
            let mut text = String::new();
            let mut limited = (&mut self.source).take(LONGEST_LINE);
            let length = limited
                .read_line(&mut text)
                .map_err(|error| VerifyError::at(line, error))?;
            if length == 0 {
                return Ok(None);
            }
            if length as u64 == LONGEST_LINE {
                let problem = format!("the line is longer than {LONGEST_LINE} bytes");
                return Err(VerifyError { line, problem });
            }
            if !text.trim().is_empty() {
                return Ok(Some(text));
            }
        }
    }

    /// Checks the rest of the file, after `first`, the line read last.
    ///
    /// # Errors
    /// When the file cannot be read or a line is not a vector. Disagreements are not errors; they are reported.
    pub fn verify<G: Game>(mut self, first: Option<String>) -> Result<Report, VerifyError> {
        let mut report = Report::default();
        let mut next = first;
        while let Some(text) = next {
            let line = self.line;
            let row: Row<G> = Row::read(&text).map_err(|problem| VerifyError { line, problem })?;
            report.rows += 1;
            let differences = row.differences();
            report.disagreeing += usize::from(!differences.is_empty());
            if !differences.is_empty() && report.disagreements.len() < MOST_KEPT {
                let show = |text: &String| printable(text, LONGEST_TEXT);
                report.disagreements.push(Disagreement {
                    line,
                    position: show(&row.record.to_string()),
                    differences: differences.iter().map(show).collect(),
                });
            }
            next = self.next_line()?;
        }
        Ok(report)
    }
}

/// Checks every row of a game's vector file, unpacking it first if it begins like a gzip file.
///
/// # Errors
/// When the file cannot be read or a line is not a vector. Disagreements are not errors; they are reported.
pub fn verify<G: Game>(input: impl Read + 'static) -> Result<Report, VerifyError> {
    let mut lines = Lines::of(input)?;
    let first = lines.next_line()?;
    lines.verify::<G>(first)
}

/// The record's text of a row; empty for a row in the form of the contest's vectors.
pub fn record_text(line: &str) -> String {
    #[derive(Deserialize)]
    struct Beginning {
        position: String,
    }
    serde_json::from_str(line).map_or(String::new(), |beginning: Beginning| beginning.position)
}

/// A game and the known facts about its last position.
#[derive(Debug)]
struct Row<G: Game> {
    record: Record<G>,
    known: RawRow,
}

#[derive(Debug, Deserialize)]
struct RawRow {
    position: Option<String>,
    turn: Option<u16>,
    #[serde(default)]
    brambles: Vec<(i8, i8)>,
    #[serde(default)]
    stacks: Vec<(i8, i8, String)>,
    #[serde(default)]
    reserve: RawReserve,
    moves: Option<BTreeSet<String>>,
    free: Option<[i64; 2]>,
    /// `Some(None)` for an unfinished game.
    #[serde(default, deserialize_with = "present")]
    result: Option<Option<String>>,
    perft: Option<Vec<u64>>,
}

#[derive(Debug, Default, Deserialize)]
struct RawReserve {
    red: String,
    blue: String,
}

/// Distinguishes `null` from a missing value.
fn present<'de, D: Deserializer<'de>>(value: D) -> Result<Option<Option<String>>, D::Error> {
    Deserialize::deserialize(value).map(Some)
}

/// The position of a row in the form of the contest's vectors.
fn position_of<G: Game>(raw: &RawRow) -> Result<Position<G>, ParsePositionError> {
    let stacks = raw.stacks.iter().map(|(x, y, pieces)| {
        Ok(Stack {
            hex: Hex::new(*x, *y),
            pieces: parse_pieces::<G>(pieces)?,
        })
    });
    let setup = Setup {
        turn: raw.turn.unwrap_or(0),
        obstacles: raw.brambles.iter().map(|&(x, y)| Hex::new(x, y)).collect(),
        stacks: stacks.collect::<Result<_, ParsePositionError>>()?,
        reserve: ByColor {
            red: parse_reserve(&raw.reserve.red)?,
            blue: parse_reserve(&raw.reserve.blue)?,
        },
    };
    Ok(setup.build()?)
}

impl<G: Game> Row<G> {
    fn read(line: &str) -> Result<Row<G>, String> {
        let mut known: RawRow = serde_json::from_str(line).map_err(|error| error.to_string())?;
        known.perft = known.perft.filter(|numbers| !numbers.is_empty());
        let record = match &known.position {
            Some(text) => text
                .parse::<Record<G>>()
                .map_err(|error| error.to_string())?,
            None => position_of::<G>(&known)
                .map_err(|error| error.to_string())?
                .into(),
        };
        let RawRow {
            moves: None,
            free: None,
            result: None,
            perft: None,
            ..
        } = &known
        else {
            return Ok(Row { record, known });
        };
        Err("the line has neither `moves`, `result` or `free` nor `perft`".to_owned())
    }

    /// A line for each difference; empty when the rules agree.
    fn differences(&self) -> Vec<String> {
        // After a wrong number the next ones are not counted: each takes about as long as it is large, and a small file may ask for any
        // depth.
        let perft = (1..)
            .zip(self.known.perft.iter().flatten())
            .find_map(|(depth, &expected)| {
                let counted = perft(self.record.position(), depth);
                (counted != expected)
                    .then(|| format!("perft({depth}): expected {expected}, counted {counted}"))
            });
        [
            self.compare_moves(),
            self.compare_free(),
            self.compare_result(),
        ]
        .into_iter()
        .flatten()
        .chain(perft)
        .collect()
    }

    fn compare_moves(&self) -> Option<String> {
        let mut expected = self.known.moves.clone()?;
        let moves = self.record.legal_moves();
        let ours: BTreeSet<String> = moves.iter().map(|&mv| self.record.write(mv)).collect();
        if ours.len() != moves.len() {
            return Some("a move is listed twice".to_owned());
        }
        // The contest's server lists no move where the bee must be placed and cannot be, but accepts a skip.
        if expected.is_empty() && !self.record.is_over() {
            expected.insert(self.record.write(Move::Pass));
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
            "moves: only in the file {} / only by wabe {}",
            join(expected.difference(&ours).collect()),
            join(ours.difference(&expected).collect()),
        ))
    }

    fn compare_free(&self) -> Option<String> {
        let expected = self.known.free?;
        let free = |color| self.record.position().free_around_bee(color);
        let ours = Color::ALL.map(|color| free(color).map_or(-1, i64::from));
        (ours != expected)
            .then(|| format!("free fields (red, blue): expected {expected:?}, counted {ours:?}"))
    }

    fn compare_result(&self) -> Option<String> {
        let expected = self.known.result.as_ref()?.as_deref();
        let ours = self.record.ending().map(Ending::winner);
        let ours = ours.map(|winner| winner.map_or("draw", |winner| G::SIDES[winner].name()));
        (ours != expected).then(|| {
            let name = |result: Option<&str>| result.unwrap_or("none").to_owned();
            format!("result: expected {}, got {}", name(expected), name(ours))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hive::standard::Wide;

    #[test]
    fn a_game_of_any_kind_can_be_checked() {
        let row = |rest: &str| {
            let text = format!(r#"{{"position":"Base;InProgress;White[2];wS1;bS1 wS1-"{rest}}}"#);
            verify::<Wide>(std::io::Cursor::new(text)).map(|report| report.disagreements)
        };
        assert_eq!(row(r#","perft":[15],"result":null"#).unwrap(), []);
        let wrong = row(r#","moves":["wQ -wS1"],"result":"white","perft":[14]"#).unwrap();
        let differences = &wrong[0].differences;
        assert_eq!(differences.len(), 3, "{differences:?}");
        assert_eq!(differences[1], "result: expected white, got none");
        assert_eq!(differences[2], "perft(1): expected 14, counted 15");
        assert!(row("").is_err());
    }
}
