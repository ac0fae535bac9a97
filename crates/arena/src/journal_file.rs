//! Stores the results of a long run as JSON Lines: its settings, then one entry per line.
//!
//! Each line is synced to disk before the run continues, so an interruption damages at most the
//! last line. It may be torn, or consist of zero bytes after a power loss. Resuming the run removes
//! it.

use std::collections::BTreeSet;
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Seek, SeekFrom, Write};
use std::path::Path;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use thiserror::Error;

use wabe_files::text::{MAX_DETAIL, printable};
use wabe_files::{Line, read_line};

/// Maximum length of a line, in bytes. Settings may contain a list of openings.
const MAX_LINE: u64 = 64 << 20;

/// Why a results file cannot be used.
#[derive(Debug, Error)]
pub enum JournalError {
    /// Reading or writing failed.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// A line before the last is damaged.
    #[error("line {line} is damaged: {source}")]
    Line {
        /// Line in the file, from 1.
        line: usize,
        /// Error of the JSON parser.
        source: serde_json::Error,
    },
    /// A line, counted from 1, exceeds the maximum length.
    #[error("line {0} is longer than {limit} MiB", limit = MAX_LINE >> 20)]
    TooLong(usize),
    /// The file does not begin with settings.
    #[error("the file does not begin with the settings of a run")]
    NoSettings,
    /// The settings in the file cannot be used, for instance because a network file is missing.
    #[error("cannot use the settings in the file")]
    Settings(#[source] serde_json::Error),
    /// The run's settings differ from those in the file, in these fields.
    #[error("the file was written with other settings: {}", .0.join(", "))]
    OtherSettings(Vec<String>),
}

/// The fields in which two settings differ, such as `seed (1 instead of 2)`, theirs first.
pub fn differing_settings<S: Serialize>(ours: &S, theirs: &S) -> Vec<String> {
    let [ours, theirs] = [ours, theirs].map(|settings| match serde_json::to_value(settings) {
        Ok(Value::Object(fields)) => fields,
        _ => Map::new(),
    });
    let names: BTreeSet<&String> = ours.keys().chain(theirs.keys()).collect();
    let value =
        |fields: &Map<String, Value>, name: &String| fields.get(name).cloned().unwrap_or_default();
    let difference = |name: &String| difference(name, value(&ours, name), value(&theirs, name));
    names.into_iter().filter_map(difference).collect()
}

/// Names two values and the field that they belong to, unless they are equal. Of lists, only the
/// first elements that differ.
fn difference(name: &str, ours: Value, theirs: Value) -> Option<String> {
    match (ours, theirs) {
        (ours, theirs) if ours == theirs => None,
        (Value::Array(ours), Value::Array(theirs)) => {
            let length = ours.len().max(theirs.len());
            let element = |list: &[Value], at| list.get(at).cloned().unwrap_or_default();
            (0..length).find_map(|at| {
                let name = format!("{name} {}", at + 1);
                difference(&name, element(&ours, at), element(&theirs, at))
            })
        }
        (ours, theirs) => {
            let text = |value: Value| match value {
                Value::Null => "none".to_owned(),
                value => printable(&value.to_string(), MAX_DETAIL),
            };
            Some(format!(
                "{name} ({} instead of {})",
                text(theirs),
                text(ours)
            ))
        }
    }
}

/// An open results file.
#[derive(Debug)]
pub struct Journal {
    file: File,
}

impl Journal {
    fn begin(file: File, path: &Path, settings: &impl Serialize) -> Result<Journal, JournalError> {
        let mut journal = Journal { file };
        journal.file.write_all(&to_line(settings)?)?;
        // For a new file, also sync its size and directory entry.
        journal.file.sync_all()?;
        wabe_files::sync_folder(path);
        Ok(journal)
    }

    /// Opens the results file of an earlier run, and returns its entries. Creates the file if it is
    /// missing.
    ///
    /// # Errors
    /// When the file cannot be read or written, is not a results file, contains other settings, or
    /// is open in another run.
    pub fn resume<S: Serialize + DeserializeOwned, E: DeserializeOwned>(
        path: &Path,
        settings: &S,
    ) -> Result<(Journal, Vec<E>), JournalError> {
        let mut options = OpenOptions::new();
        let mut file = options
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)?;
        if !file.metadata()?.is_file() {
            return Err(io::Error::other("not a regular file").into());
        }
        wabe_files::lock(&file)?;
        let content: Content<S, E> = read(&file)?;
        let Some(written) = &content.settings else {
            if !is_torn(&content.rest, &to_line(settings)?) {
                return Err(JournalError::NoSettings);
            }
            if !content.rest.is_empty() {
                log::warn!("{}: no complete line, starting again", path.display());
            }
            file.set_len(0)?;
            file.seek(SeekFrom::Start(0))?;
            return Ok((Journal::begin(file, path, settings)?, Vec::new()));
        };
        let differences = differing_settings(settings, written);
        if !differences.is_empty() {
            return Err(JournalError::OtherSettings(differences));
        }
        if !content.rest.is_empty() {
            log::warn!("{}: cut off {}", path.display(), content.torn_line());
            file.set_len(content.complete_bytes)?;
        }
        file.seek(SeekFrom::Start(content.complete_bytes))?;
        Ok((Journal { file }, content.entries))
    }

    /// Reads a results file without changing it.
    ///
    /// # Errors
    /// When the file cannot be read or is not a results file.
    pub fn load<S: DeserializeOwned, E: DeserializeOwned>(
        path: &Path,
    ) -> Result<(S, Vec<E>), JournalError> {
        let content: Content<S, E> = read(&File::open(path)?)?;
        if content.settings.is_some() && !content.rest.is_empty() {
            log::warn!("{}: ignored {}", path.display(), content.torn_line());
        }
        Ok((
            content.settings.ok_or(JournalError::NoSettings)?,
            content.entries,
        ))
    }

    /// Appends an entry and syncs it to disk.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn append(&mut self, entry: &impl Serialize) -> Result<(), JournalError> {
        self.file.write_all(&to_line(entry)?)?;
        Ok(self.file.sync_data()?)
    }
}

fn to_line(value: &impl Serialize) -> Result<Vec<u8>, JournalError> {
    let mut line = serde_json::to_vec(value).map_err(io::Error::from)?;
    line.push(b'\n');
    Ok(line)
}

/// True if an interrupted write of `line` to an empty file may have left `bytes`.
fn is_torn(bytes: &[u8], line: &[u8]) -> bool {
    let zeros = bytes.iter().rev().take_while(|&&byte| byte == 0).count();
    line.starts_with(&bytes[..bytes.len() - zeros])
}

struct Content<S, E> {
    settings: Option<S>,
    entries: Vec<E>,
    /// Length of the complete lines, in bytes.
    complete_bytes: u64,
    /// Bytes of a torn line after them; may be empty.
    rest: Vec<u8>,
}

impl<S, E> Content<S, E> {
    fn torn_line(&self) -> String {
        format!("a torn line of {} bytes at the end", self.rest.len())
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
        let line = match read_line(&mut reader, MAX_LINE)? {
            Line::Complete(line) => line,
            Line::TooLong => return Err(JournalError::TooLong(number)),
            Line::End => break,
        };
        let Some(text) = line.strip_suffix(b"\n") else {
            content.rest = line;
            break;
        };
        let is_last = reader.fill_buf()?.is_empty();
        if number == 1 {
            content.settings = Some(parse_settings(text)?);
        } else {
            match serde_json::from_slice(text) {
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
        content.complete_bytes += line.len() as u64;
    }
    Ok(content)
}

fn parse_settings<S: DeserializeOwned>(line: &[u8]) -> Result<S, JournalError> {
    if !line.starts_with(b"{") {
        return Err(JournalError::NoSettings);
    }
    serde_json::from_slice(line).map_err(JournalError::Settings)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Settings {
        seed: u64,
        name: String,
    }

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Number {
        x: f64,
    }

    fn numbers<const N: usize>(numbers: [f64; N]) -> [Number; N] {
        numbers.map(|x| Number { x })
    }

    fn settings() -> Settings {
        Settings {
            seed: 1,
            name: "a".into(),
        }
    }

    fn resume(path: &Path) -> Result<(Journal, Vec<Number>), JournalError> {
        Journal::resume(path, &settings())
    }

    fn load(path: &Path) -> Result<(Settings, Vec<Number>), JournalError> {
        Journal::load(path)
    }

    #[test]
    fn resume_cuts_off_a_torn_line() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal");
        let mut journal = resume(&path).unwrap().0;
        journal.append(&Number { x: 0.1 }).unwrap();
        journal.append(&Number { x: 1.0 / 3.0 }).unwrap();
        drop(journal);
        let whole = std::fs::read(&path).unwrap();
        for torn in 0..whole.len() {
            std::fs::write(&path, &whole[..torn]).unwrap();
            let (mut journal, entries) = resume(&path).unwrap();
            for entry in numbers([0.1, 1.0 / 3.0]).iter().skip(entries.len()) {
                journal.append(entry).unwrap();
            }
            assert_eq!(
                std::fs::read(&path).unwrap(),
                whole,
                "torn after {torn} bytes"
            );
        }
        assert_eq!(load(&path).unwrap().1, numbers([0.1, 1.0 / 3.0]));
    }

    /// Writes a file with entries 1.5 and 2.5, appends `bytes`, and resumes it. Returns the
    /// entries.
    fn write_journal_then(path: &Path, bytes: &[u8]) -> Vec<u8> {
        let _ = std::fs::remove_file(path);
        let mut journal = resume(path).unwrap().0;
        journal.append(&Number { x: 1.5 }).unwrap();
        journal.append(&Number { x: 2.5 }).unwrap();
        let whole = std::fs::read(path).unwrap();
        std::fs::write(path, [&whole, bytes].concat()).unwrap();
        whole
    }

    #[test]
    fn resume_cuts_off_a_line_of_zero_bytes() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal");
        let zeros = [0; 4096];
        let zeros_then_line_end = [&zeros[..], b"5]}\n"].concat();
        for rest in [&b"3."[..], &zeros, &zeros_then_line_end, b"\n"] {
            let whole = write_journal_then(&path, rest);
            assert_eq!(load(&path).unwrap().1, numbers([1.5, 2.5]));
            let (journal, entries) = resume(&path).unwrap();
            assert_eq!(entries, numbers([1.5, 2.5]));
            drop(journal);
            assert_eq!(std::fs::read(&path).unwrap(), whole);
        }
    }

    #[test]
    fn resume_rewrites_torn_settings() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal");
        for bytes in [&b""[..], &[0; 512], b"{\"see\0\0\0\0"] {
            std::fs::write(&path, bytes).unwrap();
            let (_, entries) = resume(&path).unwrap();
            assert!(entries.is_empty());
            assert_eq!(load(&path).unwrap().0, settings());
        }
    }

    #[test]
    fn resume_rejects_foreign_or_locked_files() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal");
        std::fs::write(&path, "Dear diary").unwrap();
        let error = || resume(&path).unwrap_err();
        assert!(matches!(error(), JournalError::NoSettings));
        assert_eq!(std::fs::read(&path).unwrap(), b"Dear diary");
        std::fs::remove_file(&path).unwrap();
        let first = resume(&path).unwrap().0;
        assert!(error().to_string().contains("another run"));
        drop(first);
        let other = Settings {
            seed: 2,
            ..settings()
        };
        let error = Journal::resume::<_, Number>(&path, &other).unwrap_err();
        assert_eq!(
            error.to_string(),
            "the file was written with other settings: seed (1 instead of 2)"
        );
    }

    #[test]
    fn load_reports_the_damaged_line() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal");
        std::fs::write(
            &path,
            "{\"seed\":1,\"name\":\"a\"}\n{\"x\":1.5}\nx\n{\"x\":2.5}\n",
        )
        .unwrap();
        let error = load(&path).unwrap_err().to_string();
        assert!(error.starts_with("line 3 is damaged"), "{error}");
        for settings in [
            "{\"seed\":-1,\"name\":\"a\"}\n",
            "{\"seed\":1,\"name\":\"a\",\"crc\":\"0\"}\n",
        ] {
            std::fs::write(&path, settings).unwrap();
            assert!(matches!(load(&path), Err(JournalError::Settings(_))));
        }
        std::fs::write(&path, "[]\n").unwrap();
        assert!(matches!(load(&path), Err(JournalError::NoSettings)));
    }

    #[cfg(unix)]
    #[test]
    fn resume_follows_a_link_to_a_missing_file() {
        let folder = tempfile::tempdir().unwrap();
        let [link, path] = ["link", "journal"].map(|name| folder.path().join(name));
        std::os::unix::fs::symlink(&path, &link).unwrap();
        resume(&link).unwrap();
        assert_eq!(load(&path).unwrap().0, settings());
    }

    #[cfg(unix)]
    #[test]
    fn devices_are_not_journals() {
        assert!(resume(Path::new("/dev/zero")).is_err());
        let loaded = load(Path::new("/dev/zero"));
        assert!(matches!(loaded, Err(JournalError::TooLong(1))));
    }
}
