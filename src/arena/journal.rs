//! The results of a run on disk: JSON Lines, the settings first, then one complete pair a line.
//!
//! A line is written and flushed only when its pair is complete, and pairs are written in the order of their numbers. What
//! an interruption leaves behind is therefore a whole number of lines and perhaps a torn one, which is cut off on opening.

use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Seek, SeekFrom, Write};
use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use thiserror::Error;

use super::{EngineSpec, Format, OpeningSettings, PairRecord};

/// Everything that decides the games of a run: a run may only go on with the settings it began with.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunSettings {
    /// Version of the file's form.
    pub version: u32,
    /// Who plays.
    pub engines: Vec<EngineSpec>,
    /// Who meets whom.
    pub format: Format,
    /// Time for a move of an engine that names none, in milliseconds.
    pub move_time_ms: u64,
    /// Allowed lateness, in milliseconds.
    pub margin_ms: u64,
    /// Decides openings and engines.
    pub seed: u64,
    /// How openings are drawn; `None` when they come from a file.
    pub openings: Option<OpeningSettings>,
    /// The file's openings in their text forms; empty when they are drawn.
    pub opening_list: Vec<String>,
    /// The share of the pairs that is played.
    pub shard: String,
}

impl RunSettings {
    /// The version that this program reads and writes.
    pub const VERSION: u32 = 1;

    /// The names of the settings in which two runs differ.
    pub fn differences(&self, other: &RunSettings) -> Vec<String> {
        let fields = |settings: &RunSettings| match serde_json::to_value(settings) {
            Ok(Value::Object(fields)) => fields,
            _ => serde_json::Map::new(),
        };
        let (ours, theirs) = (fields(self), fields(other));
        ours.iter()
            .filter(|(name, value)| theirs.get(*name) != Some(value))
            .map(|(name, _)| name.clone())
            .collect()
    }
}

/// Why a journal cannot be used.
#[derive(Debug, Error)]
pub enum JournalError {
    /// Reading or writing failed.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// A line in the middle is damaged.
    #[error("line {line} is damaged: {source}")]
    Line {
        /// Line in the file, from 1.
        line: usize,
        /// What is wrong.
        source: serde_json::Error,
    },
    /// The file exists but has no settings.
    #[error("the file does not begin with the settings of a run")]
    NoSettings,
    /// A run with other settings.
    #[error("the file was written with other settings: {} differ", .0.join(", "))]
    OtherSettings(Vec<String>),
}

/// An open journal.
#[derive(Debug)]
pub struct Journal {
    file: File,
}

impl Journal {
    /// Begins a journal in a file that does not exist yet.
    ///
    /// # Errors
    /// When the file exists or cannot be written.
    pub fn create(path: &Path, settings: &RunSettings) -> Result<Journal, JournalError> {
        let file = OpenOptions::new().write(true).create_new(true).open(path)?;
        let mut journal = Journal { file };
        journal.write_line(settings)?;
        Ok(journal)
    }

    /// Opens the journal of an earlier run to go on with it, and gives the pairs it holds. A missing file is begun.
    ///
    /// # Errors
    /// When the file cannot be read or written, is no journal, or was written with other settings.
    pub fn resume(
        path: &Path,
        settings: &RunSettings,
    ) -> Result<(Journal, Vec<PairRecord>), JournalError> {
        if !path.exists() {
            return Ok((Journal::create(path, settings)?, Vec::new()));
        }
        let mut file = OpenOptions::new().read(true).write(true).open(path)?;
        let content = read(&file)?;
        let Some(written) = content.settings else {
            // Not even the first line was complete.
            file.set_len(0)?;
            file.seek(SeekFrom::Start(0))?;
            let mut journal = Journal { file };
            journal.write_line(settings)?;
            return Ok((journal, Vec::new()));
        };
        let differences = settings.differences(&written);
        if !differences.is_empty() {
            return Err(JournalError::OtherSettings(differences));
        }
        file.set_len(content.complete_bytes)?;
        file.seek(SeekFrom::Start(content.complete_bytes))?;
        Ok((Journal { file }, content.pairs))
    }

    /// Reads a journal without changing it.
    ///
    /// # Errors
    /// When the file cannot be read or is no journal.
    pub fn load(path: &Path) -> Result<(RunSettings, Vec<PairRecord>), JournalError> {
        let content = read(&File::open(path)?)?;
        Ok((
            content.settings.ok_or(JournalError::NoSettings)?,
            content.pairs,
        ))
    }

    /// Adds a pair and makes sure that it is on disk.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn append(&mut self, pair: &PairRecord) -> Result<(), JournalError> {
        self.write_line(pair)
    }

    fn write_line(&mut self, value: &impl Serialize) -> Result<(), JournalError> {
        let mut line = serde_json::to_vec(value).map_err(io::Error::from)?;
        line.push(b'\n');
        self.file.write_all(&line)?;
        self.file.sync_data()?;
        Ok(())
    }
}

#[derive(Default)]
struct Content {
    settings: Option<RunSettings>,
    pairs: Vec<PairRecord>,
    /// Length of the complete lines.
    complete_bytes: u64,
}

fn read(file: &File) -> Result<Content, JournalError> {
    let mut content = Content::default();
    let mut reader = BufReader::new(file);
    let mut line = Vec::new();
    for number in 1.. {
        line.clear();
        let length = reader.read_until(b'\n', &mut line)?;
        if !line.ends_with(b"\n") {
            break;
        }
        let damaged = |source| JournalError::Line {
            line: number,
            source,
        };
        if number == 1 {
            content.settings =
                Some(serde_json::from_slice(&line).map_err(|_| JournalError::NoSettings)?);
        } else {
            content
                .pairs
                .push(serde_json::from_slice(&line).map_err(damaged)?);
        }
        content.complete_bytes += length as u64;
    }
    Ok(content)
}
