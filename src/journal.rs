//! A long run on disk that survives an interruption: JSON Lines, the settings first, then one complete entry a line.
//!
//! A line is on disk before the run goes on. What an interruption leaves behind is therefore a whole number of lines and perhaps
//! a torn one, which is cut off on opening.

use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Seek, SeekFrom, Write};
use std::marker::PhantomData;
use std::path::Path;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use thiserror::Error;

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

/// The names of the fields in which two settings differ.
pub fn differences<S: Serialize>(ours: &S, theirs: &S) -> Vec<String> {
    let fields = |settings: &S| match serde_json::to_value(settings) {
        Ok(Value::Object(fields)) => fields,
        _ => serde_json::Map::new(),
    };
    let (ours, theirs) = (fields(ours), fields(theirs));
    let missing_here = theirs.keys().filter(|name| !ours.contains_key(*name));
    ours.iter()
        .filter(|(name, value)| theirs.get(*name) != Some(value))
        .map(|(name, _)| name)
        .chain(missing_here)
        .cloned()
        .collect()
}

/// The open journal of a run with settings `S` whose results come as entries `E`.
#[derive(Debug)]
pub struct Journal<S, E> {
    file: File,
    of: PhantomData<fn(S, E)>,
}

impl<S, E> Journal<S, E>
where
    S: Serialize + DeserializeOwned,
    E: Serialize + DeserializeOwned,
{
    fn begin(file: File, settings: &S) -> Result<Journal<S, E>, JournalError> {
        let mut journal = Journal {
            file,
            of: PhantomData,
        };
        journal.write_line(settings)?;
        Ok(journal)
    }

    /// Begins a journal in a file that does not exist yet.
    ///
    /// # Errors
    /// When the file exists or cannot be written.
    pub fn create(path: &Path, settings: &S) -> Result<Journal<S, E>, JournalError> {
        let file = OpenOptions::new().write(true).create_new(true).open(path)?;
        Journal::begin(file, settings)
    }

    /// Opens the journal of an earlier run to go on with it, and gives the entries it holds. A missing file is begun.
    ///
    /// # Errors
    /// When the file cannot be read or written, is no journal, or was written with other settings.
    pub fn resume(path: &Path, settings: &S) -> Result<(Journal<S, E>, Vec<E>), JournalError> {
        if !path.exists() {
            return Ok((Journal::create(path, settings)?, Vec::new()));
        }
        let mut file = OpenOptions::new().read(true).write(true).open(path)?;
        let content: Content<S, E> = read(&file)?;
        let Some(written) = content.settings else {
            // Not even the first line was complete.
            file.set_len(0)?;
            file.seek(SeekFrom::Start(0))?;
            return Ok((Journal::begin(file, settings)?, Vec::new()));
        };
        let differences = differences(settings, &written);
        if !differences.is_empty() {
            return Err(JournalError::OtherSettings(differences));
        }
        file.set_len(content.complete_bytes)?;
        file.seek(SeekFrom::Start(content.complete_bytes))?;
        let journal = Journal {
            file,
            of: PhantomData,
        };
        Ok((journal, content.entries))
    }

    /// Reads a journal without changing it.
    ///
    /// # Errors
    /// When the file cannot be read or is no journal.
    pub fn load(path: &Path) -> Result<(S, Vec<E>), JournalError> {
        let content = read(&File::open(path)?)?;
        Ok((
            content.settings.ok_or(JournalError::NoSettings)?,
            content.entries,
        ))
    }

    /// Adds an entry and makes sure that it is on disk.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn append(&mut self, entry: &E) -> Result<(), JournalError> {
        self.write_line(entry)
    }

    fn write_line(&mut self, value: &impl Serialize) -> Result<(), JournalError> {
        let mut line = serde_json::to_vec(value).map_err(io::Error::from)?;
        line.push(b'\n');
        self.file.write_all(&line)?;
        self.file.sync_data()?;
        Ok(())
    }
}

struct Content<S, E> {
    settings: Option<S>,
    entries: Vec<E>,
    /// Length of the complete lines.
    complete_bytes: u64,
}

fn read<S: DeserializeOwned, E: DeserializeOwned>(
    file: &File,
) -> Result<Content<S, E>, JournalError> {
    let mut content = Content {
        settings: None,
        entries: Vec::new(),
        complete_bytes: 0,
    };
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
                .entries
                .push(serde_json::from_slice(&line).map_err(damaged)?);
        }
        content.complete_bytes += length as u64;
    }
    Ok(content)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Settings {
        seed: u64,
        name: String,
    }

    type Numbers = Journal<Settings, f64>;

    fn settings() -> Settings {
        Settings {
            seed: 1,
            name: "a".into(),
        }
    }

    #[test]
    fn a_torn_line_is_cut_off_and_the_run_goes_on_behind_the_last_whole_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal");
        let mut journal = Numbers::create(&path, &settings()).unwrap();
        journal.append(&0.1).unwrap();
        journal.append(&(1.0 / 3.0)).unwrap();
        drop(journal);
        let whole = std::fs::read(&path).unwrap();
        for torn in 0..whole.len() {
            std::fs::write(&path, &whole[..torn]).unwrap();
            let (mut journal, entries) = Numbers::resume(&path, &settings()).unwrap();
            for entry in [0.1, 1.0 / 3.0].iter().skip(entries.len()) {
                journal.append(entry).unwrap();
            }
            assert_eq!(
                std::fs::read(&path).unwrap(),
                whole,
                "torn after {torn} bytes"
            );
        }
        assert_eq!(Numbers::load(&path).unwrap().1, [0.1, 1.0 / 3.0]);
    }

    #[test]
    fn other_settings_are_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal");
        Numbers::create(&path, &settings()).unwrap();
        let other = Settings {
            seed: 2,
            ..settings()
        };
        let error = Numbers::resume(&path, &other).unwrap_err().to_string();
        assert_eq!(
            error,
            "the file was written with other settings: seed differ"
        );
    }

    #[test]
    fn damage_in_the_middle_is_told_with_its_line() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal");
        std::fs::write(&path, "{\"seed\":1,\"name\":\"a\"}\n1.5\nx\n2.5\n").unwrap();
        let error = Numbers::load(&path).unwrap_err().to_string();
        assert!(error.starts_with("line 3 is damaged"), "{error}");
        std::fs::write(&path, "[]\n").unwrap();
        assert!(matches!(
            Numbers::load(&path),
            Err(JournalError::NoSettings)
        ));
    }
}
