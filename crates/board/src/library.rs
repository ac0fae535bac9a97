//! The library: a user's games, analyses and notes, kept as files in a folder.
//!
//! An entry is a JSON file in the page's own format, and for games a copy in a format that other
//! programs can read: PGN for standard Hive, XML for the contest. Several boards can use the same
//! folder: a page states which revision of an entry it changes, and nothing is overwritten that
//! another page has saved since.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::answer::{export, parse_game, record_of};
use super::opening::keys;
use super::protocol::{
    Draft, ExportRequest, LibraryEntry, Problem, Reply, Request, SaveResult, Summary,
};
use wabe_files::{read, replace};
use wabe_records::with_game;

/// The `format` of files.
const FORMAT: &str = "wabe-game";

/// Maximum size of a file in bytes.
const MAX_ENTRY_BYTES: u64 = 8 << 20;

/// Maximum length of an id.
const MAX_ID: usize = 64;

/// Subfolder of deleted entries.
const TRASH: &str = "trash";

/// Name of the file that is locked while entries change.
const LOCK: &str = ".lock";

/// Extensions of copies for other programs. Also the names of their formats.
const COPIES: [&str; 2] = ["pgn", "xml"];

/// A folder of entries. Can be shared between threads.
#[derive(Debug)]
pub struct Library {
    folder: PathBuf,
    /// The files read so far, by id. Unchanged files are not read again.
    known: Mutex<HashMap<String, Known>>,
}

#[derive(Debug)]
struct Known {
    modified: SystemTime,
    length: u64,
    /// `None` for notes and unreadable files.
    game: Option<(LibraryEntry, Vec<String>)>,
    is_readable: bool,
}

/// The content of a file. `S` is the page's state.
#[derive(Serialize, Deserialize)]
struct Stored<S, K = Vec<String>> {
    format: String,
    /// Incremented whenever the entry is saved, from 1.
    revision: u64,
    /// `None` for notes.
    summary: Option<Summary>,
    /// Keys of the first positions, for the opening explorer.
    #[serde(default)]
    keys: K,
    state: S,
}

impl Library {
    /// Opens a library, and creates the folder if it does not exist.
    ///
    /// # Errors
    /// If the folder cannot be created or written to.
    pub fn open(folder: &Path) -> io::Result<Library> {
        fs::create_dir_all(folder)?;
        File::create(folder.join(LOCK))?;
        Ok(Library {
            folder: folder.to_owned(),
            known: Mutex::default(),
        })
    }

    /// Answers a request that is [for the library](Request::is_for_library).
    ///
    /// # Errors
    /// If a file cannot be read or written.
    pub(super) fn answer(&self, request: Request) -> Result<Reply, Problem> {
        let cannot_read = |error| cannot_read(&self.folder, &error);
        match request {
            Request::LibraryKeys {} => {
                let games = self.keys().map_err(cannot_read)?;
                Ok(Reply::LibraryKeys { games })
            }
            Request::Read { entry } => self.read(&entry),
            Request::Save { drafts } => {
                let results = self.save(drafts)?;
                Ok(Reply::Saved { results })
            }
            Request::Remove { entries, back } => {
                self.remove(&entries, back)?;
                Ok(Reply::Removed)
            }
            _ => {
                let (entries, unreadable) = self.list().map_err(cannot_read)?;
                Ok(Reply::Library {
                    entries,
                    unreadable,
                    folder: self.folder.display().to_string(),
                })
            }
        }
    }

    /// All games, and the number of unreadable files. The first call reads all files, later calls
    /// only those that have changed.
    ///
    /// # Errors
    /// If the folder cannot be read.
    fn list(&self) -> io::Result<(Vec<LibraryEntry>, usize)> {
        self.with_games(|(entry, _)| entry.clone())
    }

    /// The ids of all games with the keys of their first positions.
    fn keys(&self) -> io::Result<Vec<(String, Vec<String>)>> {
        let all = self.with_games(|(entry, keys)| (entry.id.clone(), keys.clone()));
        all.map(|(keys, _)| keys)
    }

    fn with_games<T>(
        &self,
        map: impl Fn(&(LibraryEntry, Vec<String>)) -> T,
    ) -> io::Result<(Vec<T>, usize)> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let mut before = std::mem::take(&mut *known);
        for file in fs::read_dir(&self.folder)? {
            let file = file?;
            let name = file.file_name();
            let Some(id) = name.to_str().and_then(|name| name.strip_suffix(".json")) else {
                continue;
            };
            // Fails if the entry has just been deleted.
            let Ok(metadata) = file.metadata() else {
                continue;
            };
            if !metadata.is_file() || !is_id(id) {
                continue;
            }
            let (modified, length) = (metadata.modified()?, metadata.len());
            let unchanged = before
                .remove(id)
                .filter(|known| known.modified == modified && known.length == length);
            let of_file = unchanged.unwrap_or_else(|| {
                let stored = stored::<IgnoredAny, _>(&file.path());
                let is_readable = stored.is_ok();
                Known {
                    modified,
                    length,
                    game: stored.ok().and_then(|stored| {
                        let entry = entry(id, stored.revision, stored.summary?, modified);
                        Some((entry, stored.keys))
                    }),
                    is_readable,
                }
            });
            known.insert(id.to_owned(), of_file);
        }
        let games = known.values().filter_map(|known| known.game.as_ref());
        let unreadable = known.values().filter(|known| !known.is_readable).count();
        Ok((games.map(map).collect(), unreadable))
    }

    /// The page's state of an entry, and its revision. A missing entry has revision 0 and no state.
    ///
    /// # Errors
    /// If a file cannot be read or written.
    fn read(&self, id: &str) -> Result<Reply, Problem> {
        let path = self.path(id)?;
        match stored::<Box<RawValue>, IgnoredAny>(&path) {
            Ok(stored) => Ok(Reply::Entry {
                revision: stored.revision,
                summary: stored.summary,
                state: Some(stored.state.get().to_owned()),
            }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Reply::Entry {
                revision: 0,
                summary: None,
                state: None,
            }),
            Err(error) => Err(cannot_read(&path, &error)),
        }
    }

    /// Saves drafts. Each is written completely or not at all.
    ///
    /// # Errors
    /// If one of them is invalid or cannot be written. Those before it are saved.
    fn save(&self, drafts: Vec<Draft>) -> Result<Vec<SaveResult>, Problem> {
        let _lock = self.lock()?;
        drafts
            .into_iter()
            .map(|draft| self.save_one(draft))
            .collect()
    }

    /// Keeps other pages and processes from changing entries until the file is closed.
    fn lock(&self) -> Result<File, Problem> {
        // NFS locks a file exclusively only if it is open for writing.
        let lock = File::create(self.folder.join(LOCK));
        let lock = lock.map_err(|error| self.cannot_save(&error))?;
        wabe_files::wait_for_lock(&lock);
        Ok(lock)
    }

    fn cannot_save(&self, error: &io::Error) -> Problem {
        let path = self.folder.display().to_string();
        Problem::from_io(error, path.clone()).unwrap_or_else(|| Problem::CannotSave {
            path,
            detail: error.to_string(),
        })
    }

    fn save_one(&self, draft: Draft) -> Result<SaveResult, Problem> {
        let id = draft.id;
        let path = self.path(&id)?;
        let known = match stored::<Box<RawValue>, _>(&path) {
            Ok(stored) => Some(stored),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(cannot_read(&path, &error)),
        };
        let revision = known.as_ref().map_or(0, |known| known.revision);
        if revision != draft.revision {
            return Ok(SaveResult::Conflict { id });
        }
        let revision = revision + 1;
        let (known_keys, known_state) = known
            .map(|known| (known.keys, known.state))
            .unwrap_or_default();
        let state = match draft.state {
            Some(state) => RawValue::from_string(state).map_err(Problem::invalid_request)?,
            None => known_state,
        };
        let (copy, keys) = match draft.copy {
            // Never lose a game because of its copy.
            Some(request) => copy_of(request)
                .inspect_err(|problem| log::warn!("no copy of {id}: {problem:?}"))
                .unwrap_or_default(),
            None => (None, known_keys),
        };
        let stored = Stored {
            format: FORMAT.to_owned(),
            revision,
            summary: draft.summary,
            keys,
            state,
        };
        let text = serde_json::to_string(&stored).map_err(Problem::invalid_request)?;
        if text.len() as u64 > MAX_ENTRY_BYTES {
            return Err(Problem::EntryTooLarge {
                max_mib: MAX_ENTRY_BYTES >> 20,
            });
        }
        // The copy first: if it fails, the page tries again with the same revision.
        if let Some((extension, text)) = copy {
            let copied = replace(&path.with_extension(extension), text.as_bytes());
            copied.map_err(|error| self.cannot_save(&error))?;
        }
        replace(&path, text.as_bytes()).map_err(|error| self.cannot_save(&error))?;
        Ok(SaveResult::Saved { id, revision })
    }

    /// Moves entries to the trash, or back.
    ///
    /// # Errors
    /// If one cannot be moved. Those before it are moved.
    fn remove(&self, ids: &[String], back: bool) -> Result<(), Problem> {
        // An entry that is being saved would come back.
        let _lock = self.lock()?;
        let trash = self.folder.join(TRASH);
        fs::create_dir_all(&trash).map_err(|error| self.cannot_save(&error))?;
        for id in ids {
            let path = self.path(id)?;
            for extension in ["json"].iter().chain(&COPIES) {
                let path = path.with_extension(extension);
                let Some(name) = path.file_name() else {
                    continue;
                };
                let trashed = trash.join(name);
                let (from, to) = if back {
                    (&trashed, &path)
                } else {
                    (&path, &trashed)
                };
                if back && to.exists() {
                    let path = to.display().to_string();
                    return Err(Problem::ExistsAgain { path });
                }
                match fs::rename(from, to) {
                    Err(error) if error.kind() != io::ErrorKind::NotFound => {
                        return Err(self.cannot_save(&error));
                    }
                    _ => {}
                }
            }
        }
        Ok(())
    }

    /// The JSON file of an entry.
    fn path(&self, id: &str) -> Result<PathBuf, Problem> {
        if !is_id(id) {
            return Err(Problem::invalid_request("not the id of an entry"));
        }
        Ok(self.folder.join(format!("{id}.json")))
    }
}

fn cannot_read(path: &Path, error: &io::Error) -> Problem {
    let path = path.display().to_string();
    Problem::from_io(error, path.clone()).unwrap_or_else(|| Problem::CannotRead {
        path,
        detail: error.to_string(),
    })
}

/// True for letters, digits and hyphens, which are safe in file names.
fn is_id(id: &str) -> bool {
    let is_safe = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
    (1..=MAX_ID).contains(&id.len()) && id.bytes().all(is_safe)
}

fn entry(id: &str, revision: u64, summary: Summary, modified: SystemTime) -> LibraryEntry {
    let saved = modified.duration_since(UNIX_EPOCH).unwrap_or_default();
    LibraryEntry {
        id: id.to_owned(),
        revision,
        saved_ms: u64::try_from(saved.as_millis()).unwrap_or(u64::MAX),
        summary,
    }
}

fn stored<S, K>(path: &Path) -> io::Result<Stored<S, K>>
where
    S: for<'de> Deserialize<'de>,
    K: for<'de> Deserialize<'de> + Default,
{
    let bytes = read(path, MAX_ENTRY_BYTES)?;
    let stored: Stored<S, K> = serde_json::from_slice(&bytes)?;
    match &*stored.format {
        FORMAT => Ok(stored),
        other => {
            let message = format!("expected the format `{FORMAT}`, found `{other}`");
            Err(io::Error::new(io::ErrorKind::InvalidData, message))
        }
    }
}

/// A copy for other programs, as extension and text.
type FileCopy = Option<(String, String)>;

/// The copy of a game and the keys of its first positions. Games that no format can represent have
/// no copy.
fn copy_of(mut request: ExportRequest) -> Result<(FileCopy, Vec<String>), Problem> {
    let game = parse_game(&request.line.game)?;
    with_game!(game, |G, variant| {
        let keys = keys(&record_of::<G>(&request.line, variant)?);
        let forms = <G as wabe_records::Recorded>::FORMATS;
        let form = COPIES
            .into_iter()
            .find(|name| forms.iter().any(|form| form.name == *name));
        request.form = form.unwrap_or_default().to_owned();
        let extension = request.form.clone();
        let copy = match export::<G>(request, variant) {
            Ok(Reply::Exported { text, .. }) => Some((extension, text)),
            Ok(_) => None,
            Err(problem) => {
                log::info!("no copy for other programs: {problem:?}");
                None
            }
        };
        Ok((copy, keys))
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::protocol::GameLine;

    const ID: &str = "20200517-00000001";

    fn library() -> (tempfile::TempDir, Library) {
        let folder = tempfile::tempdir().unwrap();
        let library = Library::open(&folder.path().join("games")).unwrap();
        (folder, library)
    }

    fn summary(title: &str) -> Summary {
        Summary {
            game: "Base".to_owned(),
            title: title.to_owned(),
            date: "2020.05.17".to_owned(),
            plies: 2,
            ..Summary::default()
        }
    }

    fn draft(id: &str, revision: u64, title: &str) -> Draft {
        let line = GameLine {
            game: "Base".to_owned(),
            start: None,
            moves: ["wS1", "bS1 wS1-"].map(str::to_owned).to_vec(),
        };
        let copy = serde_json::from_value(json!({"line": line, "form": ""})).unwrap();
        Draft {
            id: id.to_owned(),
            revision,
            summary: Some(summary(title)),
            state: Some(json!({ "title": title }).to_string()),
            copy: Some(copy),
        }
    }

    fn save(library: &Library, draft: Draft) -> SaveResult {
        library.save(vec![draft]).unwrap().remove(0)
    }

    fn saved(revision: u64) -> SaveResult {
        SaveResult::Saved {
            id: ID.to_owned(),
            revision,
        }
    }

    fn conflict() -> SaveResult {
        SaveResult::Conflict { id: ID.to_owned() }
    }

    fn titles(library: &Library) -> Vec<String> {
        let (entries, _) = library.list().unwrap();
        let mut titles: Vec<String> = entries.into_iter().map(|e| e.summary.title).collect();
        titles.sort();
        titles
    }

    #[test]
    fn second_writer_gets_a_conflict() {
        let (_folder, library) = library();
        let other = Library::open(&library.folder).unwrap();
        assert_eq!(save(&library, draft(ID, 0, "first")), saved(1));
        assert_eq!(save(&other, draft(ID, 1, "second")), saved(2));
        assert_eq!(save(&library, draft(ID, 1, "late")), conflict());
        assert_eq!(titles(&library), ["second"]);
        let Ok(Reply::Entry {
            revision: 2,
            state: Some(state),
            ..
        }) = library.read(ID)
        else {
            panic!("{:?}", library.read(ID));
        };
        assert_eq!(state, r#"{"title":"second"}"#);
    }

    #[test]
    fn games_have_copies_for_other_programs() {
        let (_folder, library) = library();
        assert_eq!(save(&library, draft(ID, 0, "one")), saved(1));
        let pgn = fs::read_to_string(library.folder.join(format!("{ID}.pgn"))).unwrap();
        assert!(pgn.contains("2. bS1 wS1-"), "{pgn}");
        let keys = library.keys().unwrap();
        assert_eq!((keys[0].0.as_str(), keys[0].1.len()), (ID, 3));
    }

    #[test]
    fn games_with_illegal_moves_are_saved() {
        let (_folder, library) = library();
        let mut illegal = draft(ID, 0, "one");
        let copy = illegal.copy.as_mut().unwrap();
        copy.line.moves.push("wS1 bS1-".to_owned());
        assert_eq!(save(&library, illegal), saved(1));
        assert_eq!(titles(&library), ["one"]);
        assert_eq!(library.keys().unwrap()[0].1, [""; 0]);
    }

    #[test]
    fn failed_save_can_be_repeated() {
        let (_folder, library) = library();
        assert_eq!(save(&library, draft(ID, 0, "one")), saved(1));
        let copy = library.folder.join(format!("{ID}.pgn"));
        fs::remove_file(&copy).unwrap();
        fs::create_dir(&copy).unwrap();
        assert!(library.save(vec![draft(ID, 1, "two")]).is_err());
        fs::remove_dir(&copy).unwrap();
        assert_eq!(save(&library, draft(ID, 1, "two")), saved(2));
    }

    #[test]
    fn renaming_keeps_the_rest() {
        let (_folder, library) = library();
        assert_eq!(save(&library, draft(ID, 0, "one")), saved(1));
        let renamed = Draft {
            state: None,
            copy: None,
            ..draft(ID, 1, "two")
        };
        assert_eq!(save(&library, renamed), saved(2));
        assert_eq!(titles(&library), ["two"]);
        assert_eq!(library.keys().unwrap()[0].1.len(), 3);
        let Ok(Reply::Entry {
            state: Some(state), ..
        }) = library.read(ID)
        else {
            panic!("{:?}", library.read(ID));
        };
        assert_eq!(state, r#"{"title":"one"}"#);
    }

    #[test]
    fn removed_entries_can_be_put_back() {
        let (_folder, library) = library();
        assert_eq!(save(&library, draft(ID, 0, "one")), saved(1));
        library.remove(&[ID.to_owned()], false).unwrap();
        assert_eq!(titles(&library), [""; 0]);
        // Saving a removed game must not bring it back under its old id.
        assert_eq!(save(&library, draft(ID, 1, "again")), conflict());
        library.remove(&[ID.to_owned()], true).unwrap();
        assert_eq!(titles(&library), ["one"]);
    }

    #[test]
    fn notes_and_damaged_files_are_not_listed() {
        let (_folder, library) = library();
        let note = Draft {
            summary: None,
            copy: None,
            ..draft("tour", 0, "note")
        };
        library.save(vec![note]).unwrap();
        fs::write(library.folder.join("20200101-1.json"), "{").unwrap();
        fs::write(library.folder.join("other.txt"), "text").unwrap();
        assert_eq!(library.list().unwrap(), (Vec::new(), 1));
        assert!(matches!(
            library.read("tour"),
            Ok(Reply::Entry { revision: 1, .. })
        ));
        assert!(library.read("20200101-1").is_err());
        let damaged = library.save(vec![draft("20200101-1", 0, "new")]);
        assert!(damaged.is_err(), "{damaged:?}");
        assert!(matches!(
            library.read("missing"),
            Ok(Reply::Entry { revision: 0, .. })
        ));
    }

    #[test]
    fn ids_cannot_leave_the_folder() {
        let (_folder, library) = library();
        for id in ["../a", "a/b", "", "a.b", "C:a", &"a".repeat(MAX_ID + 1)] {
            assert!(library.read(id).is_err(), "{id}");
            assert!(library.save(vec![draft(id, 0, "")]).is_err(), "{id}");
            assert!(library.remove(&[id.to_owned()], false).is_err(), "{id}");
        }
    }

    #[test]
    fn list_reads_only_changed_files_again() {
        let (_folder, library) = library();
        assert_eq!(save(&library, draft(ID, 0, "one")), saved(1));
        assert_eq!(titles(&library), ["one"]);
        let path = library.folder.join(format!("{ID}.json"));
        let (bytes, modified) = (fs::read(&path).unwrap(), fs::metadata(&path).unwrap());
        fs::write(&path, vec![b' '; bytes.len()]).unwrap();
        let file = File::options().write(true).open(&path).unwrap();
        file.set_modified(modified.modified().unwrap()).unwrap();
        assert_eq!(titles(&library), ["one"]);
        file.set_modified(SystemTime::now()).unwrap();
        assert_eq!(library.list().unwrap(), (Vec::new(), 1));
    }
}
