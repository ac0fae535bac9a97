//! Checks the rules against measured vectors: positions with what the contest's server answered for them, and perft rows.
//!
//! A vector file holds one JSON object a line, plain or gzipped. Every line has `turn`, `brambles` as `[x, y]`, `stacks` as
//! `[x, y, "pieces bottom to top"]`, and `reserve` per side. A position line adds `free` (free fields around red's and blue's
//! bee, -1 while unplaced), `result` (`null`, `"red"`, `"blue"`, `"draw"`) and `moves`; a perft line adds `perft`, the numbers
//! of move sequences of length 1, 2, ….

mod row;

use std::fmt;
use std::io::{self, BufRead, BufReader, Read};

use flate2::bufread::MultiGzDecoder;
use thiserror::Error;

pub use row::{ParseRowError, Row};

/// Where and how a row and the rules disagree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Disagreement {
    /// Line in the file, from 1.
    pub line: usize,
    /// The position's text form.
    pub position: String,
    /// One line for each thing that differs.
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

/// What came of checking a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Rows read.
    pub rows: usize,
    /// The rows that the rules disagree with, in the order of the file.
    pub disagreements: Vec<Disagreement>,
}

/// Why a vector file could not be checked to its end.
#[derive(Debug, Error)]
pub enum VerifyError {
    /// Reading failed.
    #[error("line {line}: {source}")]
    Io {
        /// Line in the file, from 1.
        line: usize,
        /// What happened.
        source: io::Error,
    },
    /// A line is no vector.
    #[error("line {line}: {source}")]
    Row {
        /// Line in the file, from 1.
        line: usize,
        /// What is wrong with it.
        source: ParseRowError,
    },
}

/// Checks every row of a vector file, unpacking it first if it begins like a gzip file.
///
/// # Errors
/// When the file cannot be read or a line is no vector. Disagreements are no errors, they are reported.
pub fn verify(input: impl Read) -> Result<Report, VerifyError> {
    let mut input = BufReader::new(input);
    let io_error = |line, source| VerifyError::Io { line, source };
    let is_gzip = input
        .fill_buf()
        .map_err(|e| io_error(1, e))?
        .starts_with(&[0x1f, 0x8b]);
    let lines: Box<dyn Iterator<Item = io::Result<String>>> = if is_gzip {
        Box::new(BufReader::new(MultiGzDecoder::new(input)).lines())
    } else {
        Box::new(input.lines())
    };
    let mut report = Report::default();
    for (line, text) in (1..).zip(lines) {
        let text = text.map_err(|e| io_error(line, e))?;
        if text.trim().is_empty() {
            continue;
        }
        let row: Row = text
            .parse()
            .map_err(|source| VerifyError::Row { line, source })?;
        report.rows += 1;
        let differences = row.differences();
        if !differences.is_empty() {
            report.disagreements.push(Disagreement {
                line,
                position: row.position().to_string(),
                differences,
            });
        }
    }
    Ok(report)
}
