//! Results of a long run on disk, safe against interruptions: JSON Lines, the settings first, then one entry a line.
//!
//! Each line is synced to disk before the run continues. An interruption therefore leaves complete lines and perhaps a damaged last one
//! (torn, or with zero bytes where a power loss kept its length but not its content), which is cut off on opening.
//!
//! The last field of each line, `crc`, is the CRC-32 of the line before (0 for the first line, four bytes, the lowest first) and of
//! the line itself without that field. This detects lines that were changed, copied, moved or left out. Files without checksums, as older
//! versions wrote them, are read, and continued without checksums.

use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::marker::PhantomData;
use std::path::Path;

use flate2::Crc;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use thiserror::Error;

use crate::files;

/// Longest line, in bytes. The settings of a run may hold a list of openings.
const LONGEST_LINE: u64 = 64 << 20;

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
    /// A line was changed, copied or moved, or lines before it are missing.
    #[error("line {0} is damaged or out of place: its checksum is wrong")]
    Checksum(usize),
    /// A line is longer than any that a run writes.
    #[error("line {0} is longer than {most} MiB", most = LONGEST_LINE >> 20)]
    TooLong(usize),
    /// Runs cannot be continued in devices and pipes.
    #[error("it is not a regular file")]
    NotAFile,
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
    #[error("the file was written with other settings: {}", .0.join(", "))]
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
    /// The last line's checksum; `None` in a file without checksums.
    checksum: Option<u32>,
    of: PhantomData<fn(S, E)>,
}

impl<S, E> Journal<S, E>
where
    S: Serialize + DeserializeOwned,
    E: Serialize + DeserializeOwned,
{
    fn begin(file: File, settings: &S) -> Result<Journal<S, E>, JournalError> {
        let (line, checksum) = line(settings, Some(0))?;
        let mut journal = Journal {
            file,
            checksum,
            of: PhantomData,
        };
        journal.file.write_all(&line)?;
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
        if !file.metadata()?.is_file() {
            return Err(JournalError::NotAFile);
        }
        lock(&file)?;
        let content: Content<S, E> = read(&file)?;
        let Some(written) = &content.settings else {
            if !is_torn(&content.rest, &line(settings, Some(0))?.0) {
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
        content.say_unchecked(path);
        file.seek(SeekFrom::Start(content.complete_bytes))?;
        let journal = Journal {
            file,
            checksum: content.checksum,
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
        content.say_unchecked(path);
        Ok((
            content.settings.ok_or(JournalError::NoSettings)?,
            content.entries,
        ))
    }

    /// Reads only the settings.
    ///
    /// # Errors
    /// When the file cannot be read or does not begin with them.
    pub fn settings(path: &Path) -> Result<S, JournalError> {
        let mut line = Vec::new();
        let start = BufReader::new(File::open(path)?);
        start.take(LONGEST_LINE).read_until(b'\n', &mut line)?;
        let text = line.strip_suffix(b"\n").ok_or(JournalError::NoSettings)?;
        settings_in(&split_checksum(text).map_or_else(|| text.to_owned(), |(text, _)| text))
    }

    /// Adds an entry and makes sure that it is on disk.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn append(&mut self, entry: &E) -> Result<(), JournalError> {
        let (line, checksum) = line(entry, self.checksum)?;
        self.file.write_all(&line)?;
        self.file.sync_data()?;
        self.checksum = checksum;
        Ok(())
    }
}

/// A line and its checksum, if the line before it has one.
fn line(
    value: &impl Serialize,
    before: Option<u32>,
) -> Result<(Vec<u8>, Option<u32>), JournalError> {
    let mut line = serde_json::to_vec(value).map_err(io::Error::from)?;
    let checksum = before.map(|before| checksum(before, &line));
    if let Some(checksum) = checksum {
        if line.pop() != Some(b'}') {
            return Err(io::Error::other("only objects have checksums").into());
        }
        line.extend(checksum_field(checksum).bytes());
    }
    line.push(b'\n');
    Ok((line, checksum))
}

/// The checksum of a line without its field for it, after a line with the checksum `before`.
fn checksum(before: u32, line: &[u8]) -> u32 {
    let mut crc = Crc::new();
    crc.update(&before.to_le_bytes());
    crc.update(line);
    crc.sum()
}

/// The end of a line: its last field and the closing bracket.
fn checksum_field(checksum: u32) -> String {
    format!(",\"crc\":\"{checksum:08x}\"}}")
}

/// Cuts the checksum off from a line without its line break.
fn split_checksum(line: &[u8]) -> Option<(Vec<u8>, u32)> {
    let (rest, field) = line.split_at_checked(line.len().checked_sub(checksum_field(0).len())?)?;
    let digits = field.get(8..16).and_then(|d| std::str::from_utf8(d).ok())?;
    let checksum = u32::from_str_radix(digits, 16).ok()?;
    (field == checksum_field(checksum).as_bytes()).then(|| ([rest, b"}"].concat(), checksum))
}

/// True if an object has the field of a checksum, wherever it stands.
fn has_checksum(line: &[u8]) -> bool {
    serde_json::from_slice::<Map<String, Value>>(line).is_ok_and(|line| line.contains_key("crc"))
}

fn lock(file: &File) -> Result<(), JournalError> {
    if files::lock(file) {
        Ok(())
    } else {
        Err(JournalError::InUse)
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
    /// The checksum of the last complete line; `None` if the settings have none.
    checksum: Option<u32>,
}

impl<S, E> Content<S, E> {
    fn torn_bytes(&self) -> String {
        format!("the last {} bytes, a torn line,", self.rest.len())
    }

    fn say_unchecked(&self, path: &Path) {
        if self.settings.is_some() && self.checksum.is_none() {
            let path = path.display();
            log::warn!(
                "{path}: an older version wrote it, without checksums: damage may pass unnoticed"
            );
        }
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
        checksum: None,
    };
    let mut reader = BufReader::new(file);
    for number in 1.. {
        let mut line = Vec::new();
        let length = (&mut reader)
            .take(LONGEST_LINE)
            .read_until(b'\n', &mut line)?;
        let is_last = reader.fill_buf()?.is_empty();
        let Some(text) = line.strip_suffix(b"\n") else {
            if !is_last {
                return Err(JournalError::TooLong(number));
            }
            content.rest = line;
            break;
        };
        let checked = split_checksum(text);
        let (text, written) = match &checked {
            Some((text, written)) => (&text[..], Some(*written)),
            None => (text, None),
        };
        if number == 1 {
            content.settings = Some(settings_in(text)?);
            // Changed line ends or blanks must not pass for a file without checksums.
            if written.is_none() && has_checksum(text) {
                return Err(JournalError::Checksum(number));
            }
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
        let before = if number == 1 {
            written.map(|_| 0)
        } else {
            content.checksum
        };
        if written != before.map(|before| checksum(before, text)) {
            return Err(JournalError::Checksum(number));
        }
        content.checksum = written;
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

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Number {
        x: f64,
    }

    type Numbers = Journal<Settings, Number>;

    fn numbers<const N: usize>(numbers: [f64; N]) -> [Number; N] {
        numbers.map(|x| Number { x })
    }

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
        journal.append(&Number { x: 0.1 }).unwrap();
        journal.append(&Number { x: 1.0 / 3.0 }).unwrap();
        drop(journal);
        let whole = std::fs::read(&path).unwrap();
        for torn in 0..whole.len() {
            std::fs::write(&path, &whole[..torn]).unwrap();
            let (mut journal, entries) = Numbers::resume(&path, &settings()).unwrap();
            for entry in numbers([0.1, 1.0 / 3.0]).iter().skip(entries.len()) {
                journal.append(entry).unwrap();
            }
            assert_eq!(
                std::fs::read(&path).unwrap(),
                whole,
                "torn after {torn} bytes"
            );
        }
        assert_eq!(Numbers::load(&path).unwrap().1, numbers([0.1, 1.0 / 3.0]));
    }

    /// A journal with the entries 1.5 and 2.5 and these bytes after them.
    fn journal_followed_by(path: &Path, bytes: &[u8]) -> Vec<u8> {
        let _ = std::fs::remove_file(path);
        let mut journal = Numbers::create(path, &settings()).unwrap();
        journal.append(&Number { x: 1.5 }).unwrap();
        journal.append(&Number { x: 2.5 }).unwrap();
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
            assert_eq!(Numbers::load(&path).unwrap().1, numbers([1.5, 2.5]));
            let (journal, entries) = Numbers::resume(&path, &settings()).unwrap();
            assert_eq!(entries, numbers([1.5, 2.5]));
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
        assert_eq!(error, "the file was written with other settings: seed");
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
        std::fs::write(
            &path,
            "{\"seed\":1,\"name\":\"a\"}\n{\"x\":1.5}\nx\n{\"x\":2.5}\n",
        )
        .unwrap();
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

    #[test]
    fn lines_that_were_changed_copied_moved_or_left_out_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal");
        let whole = journal_followed_by(&path, b"");
        let lines: Vec<&[u8]> = whole.split_inclusive(|&byte| byte == b'\n').collect();
        let [settings_line, first, second] = lines[..] else {
            panic!("{} lines", lines.len());
        };
        let assert_refused = |bytes: &[u8]| {
            std::fs::write(&path, bytes).unwrap();
            assert!(Numbers::resume(&path, &settings()).is_err());
            assert!(Numbers::load(&path).is_err());
            assert_eq!(std::fs::read(&path).unwrap(), bytes);
        };
        for order in [
            [first, first, second],
            [second, first, b""],
            [second, b"", b""],
            [first, second, second],
        ] {
            assert_refused(&[&[settings_line][..], &order].concat().concat());
        }
        for line in [first, second] {
            let text = String::from_utf8(line.to_vec()).unwrap();
            let end = text.find(",\"crc").unwrap();
            for other in [
                text.replace(".5", ".6"),
                format!("{}}}\n", &text[..end]),
                text.replace("crc", "crd"),
            ] {
                let before = if line == first { &b""[..] } else { first };
                assert_refused(&[settings_line, before, other.as_bytes()].concat());
            }
        }
        let text = String::from_utf8(whole).unwrap();
        for (from, to) in [
            ("\n", "\r\n"),
            ("\n", " \n"),
            ("{", " {"),
            (",\"crc\":\"", ",\"crc\": \""),
        ] {
            assert_refused(text.replace(from, to).as_bytes());
        }
    }

    #[test]
    fn files_without_checksums_are_continued_without() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal");
        let old = "{\"seed\":1,\"name\":\"a\"}\n{\"x\":1.5}\n";
        std::fs::write(&path, old).unwrap();
        let (mut journal, entries) = Numbers::resume(&path, &settings()).unwrap();
        assert_eq!(entries, numbers([1.5]));
        journal.append(&Number { x: 2.5 }).unwrap();
        drop(journal);
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!(text, format!("{old}{{\"x\":2.5}}\n"));
        assert_eq!(Numbers::load(&path).unwrap().1, numbers([1.5, 2.5]));
    }

    #[cfg(unix)]
    #[test]
    fn devices_are_not_journals() {
        let resumed = Numbers::resume(Path::new("/dev/zero"), &settings());
        assert!(matches!(resumed, Err(JournalError::NotAFile)));
        let loaded = Numbers::load(Path::new("/dev/zero"));
        assert!(matches!(loaded, Err(JournalError::TooLong(1))));
    }
}
