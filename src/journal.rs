//! Results of a long run on disk, safe against interruptions: JSON Lines, the settings first, then one entry a line.
//!
//! Each line is synced to disk before the run continues. So an interruption leaves complete lines and perhaps a damaged one at the
//! end (torn, or with zero bytes where a power loss kept its length but not its content), which is cut off on opening.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, BufRead, BufReader, Seek, SeekFrom, Write};
use std::marker::PhantomData;
use std::path::Path;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use thiserror::Error;

/// The reason that a journal cannot be used.
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
        /// The fault.
        source: serde_json::Error,
    },
    /// The file exists but has no settings.
    #[error("the file does not begin with the settings of a run")]
    NoSettings,
    /// The settings are invalid here: they may name a missing network file, for instance.
    #[error("the settings in the file cannot be used")]
    Settings(#[source] serde_json::Error),
    /// Another run has the file open.
    #[error("another run is writing to the file")]
    InUse,
    /// The settings of the run differ from those in the file. Holds the names of the fields.
    #[error("the file was written with other settings: {} differ", .0.join(", "))]
    OtherSettings(Vec<String>),
}

/// Largest number of differences within a list that are named one by one.
const NAMED_DIFFERENCES: usize = 4;

/// The names of the fields in which two settings differ, such as `seed`, `openings.plies` or `engines[1]`.
pub fn differences<S: Serialize>(ours: &S, theirs: &S) -> Vec<String> {
    let mut names = Vec::new();
    if let (Ok(ours), Ok(theirs)) = (serde_json::to_value(ours), serde_json::to_value(theirs)) {
        compare("", &ours, &theirs, &mut names);
    }
    names
}

/// Adds the names of the differences between two values called `name`.
fn compare(name: &str, ours: &Value, theirs: &Value, names: &mut Vec<String>) {
    match (ours, theirs) {
        (Value::Object(ours), Value::Object(theirs)) => {
            let missing_here = theirs.keys().filter(|key| !ours.contains_key(*key));
            for key in ours.keys().chain(missing_here) {
                let separator = if name.is_empty() { "" } else { "." };
                let value =
                    |fields: &Map<String, Value>| fields.get(key).cloned().unwrap_or(Value::Null);
                let name = format!("{name}{separator}{key}");
                compare(&name, &value(ours), &value(theirs), names);
            }
        }
        (Value::Array(ours), Value::Array(theirs)) if ours.len() == theirs.len() => {
            let mut within = Vec::new();
            for (i, (ours, theirs)) in ours.iter().zip(theirs).enumerate() {
                compare(&format!("{name}[{i}]"), ours, theirs, &mut within);
            }
            if within.len() <= NAMED_DIFFERENCES {
                names.append(&mut within);
            } else {
                names.push(name.to_owned());
            }
        }
        _ if ours != theirs => names.push(name.to_owned()),
        _ => {}
    }
}

/// The open journal of a run with settings `S` and entries `E`.
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
        journal.file.write_all(&line(settings)?)?;
        // `sync_all`, because the size of a new file must be on disk too.
        journal.file.sync_all()?;
        Ok(journal)
    }

    /// Begins a journal in a file that does not exist yet.
    ///
    /// # Errors
    /// When the file exists or cannot be written.
    pub fn create(path: &Path, settings: &S) -> Result<Journal<S, E>, JournalError> {
        let file = OpenOptions::new().write(true).create_new(true).open(path)?;
        lock(&file)?;
        Journal::begin(file, settings)
    }

    /// Opens the journal of an earlier run to continue it, and returns its entries. A missing file is created.
    ///
    /// # Errors
    /// When the file cannot be read or written, is not a journal, has other settings, or is locked by another run.
    pub fn resume(path: &Path, settings: &S) -> Result<(Journal<S, E>, Vec<E>), JournalError> {
        if !path.exists() {
            return Ok((Journal::create(path, settings)?, Vec::new()));
        }
        let mut file = OpenOptions::new().read(true).write(true).open(path)?;
        lock(&file)?;
        let content: Content<S, E> = read(&file)?;
        let Some(written) = &content.settings else {
            if !is_torn(&content.rest, &line(settings)?) {
                return Err(JournalError::NoSettings);
            }
            log::warn!("{}: it has no complete line: begun anew", path.display());
            file.set_len(0)?;
            file.seek(SeekFrom::Start(0))?;
            return Ok((Journal::begin(file, settings)?, Vec::new()));
        };
        let differences = differences(settings, written);
        if !differences.is_empty() {
            return Err(JournalError::OtherSettings(differences));
        }
        if !content.rest.is_empty() {
            log::warn!("{}: {} are cut off", path.display(), content.torn_bytes());
            file.set_len(content.complete_bytes)?;
        }
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
    /// When the file cannot be read or is not a journal.
    pub fn load(path: &Path) -> Result<(S, Vec<E>), JournalError> {
        let content: Content<S, E> = read(&File::open(path)?)?;
        if content.settings.is_some() && !content.rest.is_empty() {
            log::warn!("{}: {} are ignored", path.display(), content.torn_bytes());
        }
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
        self.file.write_all(&line(entry)?)?;
        self.file.sync_data()?;
        Ok(())
    }
}

fn line(value: &impl Serialize) -> Result<Vec<u8>, JournalError> {
    let mut line = serde_json::to_vec(value).map_err(io::Error::from)?;
    line.push(b'\n');
    Ok(line)
}

/// Locks the file against other runs until it is closed, unless the file system has no locks.
fn lock(file: &File) -> Result<(), JournalError> {
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => Err(JournalError::InUse),
        Ok(()) | Err(TryLockError::Error(_)) => Ok(()),
    }
}

/// True if an interruption while `line` was written to an empty file can have left these bytes.
fn is_torn(bytes: &[u8], line: &[u8]) -> bool {
    let zeros = bytes.iter().rev().take_while(|&&byte| byte == 0).count();
    line.starts_with(&bytes[..bytes.len() - zeros])
}

struct Content<S, E> {
    settings: Option<S>,
    entries: Vec<E>,
    /// Length of the complete lines.
    complete_bytes: u64,
    /// The torn line after them.
    rest: Vec<u8>,
}

impl<S, E> Content<S, E> {
    fn torn_bytes(&self) -> String {
        format!("the last {} bytes, a torn line,", self.rest.len())
    }
}

fn read<S: DeserializeOwned, E: DeserializeOwned>(
    file: &File,
) -> Result<Content<S, E>, JournalError> {
    let mut content = Content {
        settings: None,
        entries: Vec::new(),
        complete_bytes: 0,
        rest: Vec::new(),
    };
    let mut reader = BufReader::new(file);
    for number in 1.. {
        let mut line = Vec::new();
        let length = reader.read_until(b'\n', &mut line)?;
        let is_last = reader.fill_buf()?.is_empty();
        if !line.ends_with(b"\n") {
            content.rest = line;
            break;
        }
        if number == 1 {
            content.settings = Some(settings_in(&line)?);
        } else {
            match serde_json::from_slice(&line) {
                Ok(entry) => content.entries.push(entry),
                Err(_) if is_last => {
                    content.rest = line;
                    break;
                }
                Err(source) => {
                    return Err(JournalError::Line {
                        line: number,
                        source,
                    });
                }
            }
        }
        content.complete_bytes += length as u64;
    }
    Ok(content)
}

fn settings_in<S: DeserializeOwned>(line: &[u8]) -> Result<S, JournalError> {
    serde_json::from_slice(line).map_err(|error| {
        if serde_json::from_slice::<Map<String, Value>>(line).is_ok() {
            JournalError::Settings(error)
        } else {
            JournalError::NoSettings
        }
    })
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
    fn a_torn_line_is_cut_off_and_the_run_continues_after_the_last_whole_one() {
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

    /// A journal with the entries 1.5 and 2.5 and these bytes after them.
    fn journal_followed_by(path: &Path, bytes: &[u8]) -> Vec<u8> {
        let _ = std::fs::remove_file(path);
        let mut journal = Numbers::create(path, &settings()).unwrap();
        journal.append(&1.5).unwrap();
        journal.append(&2.5).unwrap();
        let whole = std::fs::read(path).unwrap();
        std::fs::write(path, [&whole, bytes].concat()).unwrap();
        whole
    }

    #[test]
    fn a_last_line_that_a_power_loss_damaged_is_cut_off() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal");
        let zeros = [0; 4096];
        let line_without_its_beginning = [&zeros[..], b"5]}\n"].concat();
        for rest in [&b"3."[..], &zeros, &line_without_its_beginning, b"\n"] {
            let whole = journal_followed_by(&path, rest);
            assert_eq!(Numbers::load(&path).unwrap().1, [1.5, 2.5]);
            let (journal, entries) = Numbers::resume(&path, &settings()).unwrap();
            assert_eq!(entries, [1.5, 2.5]);
            drop(journal);
            assert_eq!(std::fs::read(&path).unwrap(), whole);
        }
    }

    #[test]
    fn settings_torn_by_a_power_loss_are_written_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal");
        for bytes in [&b""[..], &[0; 512], b"{\"see\0\0\0\0"] {
            std::fs::write(&path, bytes).unwrap();
            let (_, entries) = Numbers::resume(&path, &settings()).unwrap();
            assert!(entries.is_empty());
            assert_eq!(Numbers::load(&path).unwrap().0, settings());
        }
    }

    #[test]
    fn a_file_that_is_not_a_journal_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("diary");
        std::fs::write(&path, "Dear diary").unwrap();
        assert!(matches!(
            Numbers::resume(&path, &settings()),
            Err(JournalError::NoSettings)
        ));
        assert_eq!(std::fs::read(&path).unwrap(), b"Dear diary");
    }

    #[test]
    fn one_run_at_a_time_writes_to_a_journal() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal");
        let first = Numbers::create(&path, &settings()).unwrap();
        assert!(matches!(
            Numbers::resume(&path, &settings()),
            Err(JournalError::InUse)
        ));
        drop(first);
        Numbers::resume(&path, &settings()).unwrap();
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
    fn nested_differences_are_named_unless_there_are_too_many() {
        let value = |text: &str| serde_json::from_str::<Value>(text).unwrap();
        let ours =
            value(r#"{"engines":["a","b"],"openings":{"plies":4},"list":[1,2,3,4,5],"x":1}"#);
        let theirs =
            value(r#"{"engines":["a","c"],"openings":{"plies":5},"list":[5,4,0,2,1],"y":1}"#);
        assert_eq!(
            differences(&ours, &theirs),
            ["engines[1]", "list", "openings.plies", "x", "y"]
        );
        assert_eq!(differences(&ours, &ours), [""; 0]);
    }

    #[test]
    fn damage_in_the_middle_is_reported_with_its_line() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal");
        std::fs::write(&path, "{\"seed\":1,\"name\":\"a\"}\n1.5\nx\n2.5\n").unwrap();
        let error = Numbers::load(&path).unwrap_err().to_string();
        assert!(error.starts_with("line 3 is damaged"), "{error}");
        std::fs::write(&path, "{\"seed\":-1,\"name\":\"a\"}\n").unwrap();
        assert!(matches!(
            Numbers::load(&path),
            Err(JournalError::Settings(_))
        ));
        std::fs::write(&path, "[]\n").unwrap();
        assert!(matches!(
            Numbers::load(&path),
            Err(JournalError::NoSettings)
        ));
    }
}
