//! Atomic writes: files are written to a temporary file in the same folder, synced and renamed.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

/// Creates a temporary file in the folder of `path`, with default permissions. It is deleted unless
/// it is renamed.
///
/// Write through [`NamedTempFile::as_file`]: its errors do not name the temporary file.
fn create_temporary(path: &Path) -> io::Result<NamedTempFile> {
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    // Opened here, because an error of `tempfile` would name the temporary file.
    tempfile::Builder::new().make_in(folder.unwrap_or(Path::new(".")), |path| {
        let mut options = fs::File::options();
        options.read(true).write(true).create_new(true).open(path)
    })
}

/// True if both paths resolve to the same existing file.
pub fn is_same(a: &Path, b: &Path) -> bool {
    matches!((fs::canonicalize(a), fs::canonicalize(b)), (Ok(a), Ok(b)) if a == b)
}

/// Syncs the folder of a file, so that its name survives a power loss. Errors are ignored, because
/// the file itself is already synced.
pub fn sync_folder(path: &Path) {
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    if cfg!(unix)
        && let Ok(folder) = fs::File::open(folder.unwrap_or(Path::new(".")))
    {
        let _ = folder.sync_all();
    }
}

/// The paths for files called `stem.extension` in a folder: `game.xml`, `game_2.xml`, `game_3.xml`
/// …
pub fn numbered_paths(
    folder: &Path,
    (stem, extension): (&str, &str),
) -> impl Iterator<Item = PathBuf> {
    let name = move |number| match number {
        1 => format!("{stem}.{extension}"),
        _ => format!("{stem}_{number}.{extension}"),
    };
    (1u64..).map(move |number| folder.join(name(number)))
}

/// Writes a new file at the first of its [`numbered_paths`] that does not exist yet. Creates
/// `folder` if it is missing. The file appears only when it is complete.
///
/// # Errors
/// If the file cannot be written, synced or renamed.
pub fn write_new(
    folder: &Path,
    name: (&str, &str),
    write: impl FnOnce(&fs::File) -> io::Result<()>,
) -> io::Result<PathBuf> {
    fs::create_dir_all(folder)?;
    let mut file = create_temporary(&folder.join(name.0))?;
    write(file.as_file())?;
    file.as_file().sync_all()?;
    for path in numbered_paths(folder, name) {
        match file.persist_noclobber(&path) {
            Ok(_) => {
                sync_folder(&path);
                return Ok(path);
            }
            Err(taken) if taken.error.kind() == io::ErrorKind::AlreadyExists => file = taken.file,
            Err(failed) => return Err(failed.error),
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

/// Creates a folder if it is missing, and checks that files can be written into it.
///
/// # Errors
/// If the folder cannot be created or written to.
pub fn make_folder(path: &Path) -> io::Result<()> {
    if path.exists() && !path.is_dir() {
        return Err(io::Error::other("it is not a folder"));
    }
    fs::create_dir_all(path)?;
    create_temporary(&path.join("any")).map(drop)
}

/// Writes `bytes` with [`replace_by`].
pub fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    replace_by(path, |file| file.write_all(bytes))
}

/// Creates a file, or replaces it and keeps its permissions. Devices and pipes are written to
/// directly.
///
/// # Errors
/// If `write` fails, or the file cannot be created, synced or renamed. An existing file is then
/// unchanged.
pub fn replace_by<E: From<io::Error>>(
    path: &Path,
    write: impl FnOnce(&mut fs::File) -> Result<(), E>,
) -> Result<(), E> {
    let existing = existing_metadata(path)?;
    if (existing.as_ref()).is_some_and(|existing| !existing.is_file()) {
        return write(&mut fs::File::create(path)?);
    }
    // Symbolic links are kept; their target is replaced.
    let path = &fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let mut file = create_temporary(path)?;
    if let Some(existing) = existing.filter(|_| cfg!(unix))
        && existing.permissions() != file.as_file().metadata()?.permissions()
    {
        file.as_file().set_permissions(existing.permissions())?;
    }
    write(file.as_file_mut())?;
    file.as_file().sync_all()?;
    file.persist(path).map_err(|error| error.error)?;
    sync_folder(path);
    Ok(())
}

/// The metadata of the file that a path resolves to; `None` if it does not exist.
///
/// # Errors
/// If the file is write-protected, because renaming would replace it anyway.
fn existing_metadata(path: &Path) -> io::Result<Option<fs::Metadata>> {
    match fs::metadata(path) {
        Ok(found) if found.is_file() && found.permissions().readonly() => Err(io::Error::new(
            io::ErrorKind::PermissionDenied,
            "it is write-protected",
        )),
        Ok(found) => Ok(Some(found)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Checks that [`replace`] can write a file, without writing it. For use before long runs.
///
/// # Errors
/// If the folder of the file is missing or not writable, or the path is a folder.
pub fn check_writable(path: &Path) -> io::Result<()> {
    match existing_metadata(path)? {
        Some(found) if found.is_dir() => Err(io::ErrorKind::IsADirectory.into()),
        Some(found) if !found.is_file() => Ok(()),
        _ => {
            create_temporary(&fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())).map(drop)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn write_new_numbers_concurrent_files() {
        let folder = tempfile::tempdir().unwrap();
        let names: std::collections::BTreeSet<PathBuf> = std::thread::scope(|scope| {
            let write = |number: u8| {
                let bytes = [number];
                let folder = folder.path();
                move || {
                    let write = |mut file: &fs::File| file.write_all(&bytes);
                    write_new(folder, ("game", "xml"), write).unwrap()
                }
            };
            let writers: Vec<_> = (0..8).map(|number| scope.spawn(write(number))).collect();
            writers.into_iter().map(|w| w.join().unwrap()).collect()
        });
        assert_eq!(names.len(), 8);
        let mut found: Vec<u8> = names.iter().flat_map(|p| fs::read(p).unwrap()).collect();
        found.sort_unstable();
        assert_eq!(found, [0, 1, 2, 3, 4, 5, 6, 7]);
        assert!(names.contains(&folder.path().join("game.xml")));
        assert!(names.contains(&folder.path().join("game_8.xml")));
    }

    #[test]
    fn check_writable_leaves_no_trace() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        check_writable(&path).unwrap();
        assert!(!path.exists());
        replace(&path, b"one").unwrap();
        check_writable(&path).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"one");
        assert!(check_writable(folder.path()).is_err());
        let error = check_writable(&folder.path().join("missing/a")).unwrap_err();
        assert!(error.raw_os_error().is_some(), "{error}");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn make_folder_accepts_any_content() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new/folder");
        make_folder(&path).unwrap();
        for name in ["a", "any"] {
            fs::create_dir(path.join(name)).unwrap();
        }
        make_folder(&path).unwrap();
        assert_eq!(fs::read_dir(&path).unwrap().count(), 2);
        fs::write(folder.path().join("file"), "").unwrap();
        assert!(make_folder(&folder.path().join("file")).is_err());
    }

    #[test]
    fn replace_leaves_no_temporary_files() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        for text in ["one", "two"] {
            replace(&path, text.as_bytes()).unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
        }
        assert!(replace(folder.path(), b"").is_err());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn replace_rejects_write_protected_files() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        fs::write(&path, "one").unwrap();
        let usual = fs::metadata(&path).unwrap().permissions();
        let mut protected = usual.clone();
        protected.set_readonly(true);
        fs::set_permissions(&path, protected).unwrap();
        assert!(check_writable(&path).is_err());
        assert!(replace(&path, b"two").is_err());
        assert_eq!(fs::read(&path).unwrap(), b"one");
        // Windows cannot delete write-protected files.
        fs::set_permissions(&path, usual).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn replace_keeps_permissions_of_link_targets() {
        use std::os::unix::fs::{PermissionsExt, symlink};

        let folder = tempfile::tempdir().unwrap();
        let [target, link, second] = ["target", "link", "second"].map(|n| folder.path().join(n));
        symlink("link", &second).unwrap();
        symlink("target", &link).unwrap();
        fs::write(&target, b"one").unwrap();
        assert!(is_same(&target, &second));
        fs::set_permissions(&target, fs::Permissions::from_mode(0o640)).unwrap();
        replace(&second, b"two").unwrap();
        assert!(link.is_symlink() && second.is_symlink());
        let [there, back] = ["there", "back"].map(|n| folder.path().join(n));
        symlink("there", &back).unwrap();
        symlink("back", &there).unwrap();
        assert!(check_writable(&there).is_err() && replace(&there, b"one").is_err());
        assert!(there.is_symlink() && back.is_symlink());
        assert_eq!(fs::read(&target).unwrap(), b"two");
        let mode = fs::symlink_metadata(&target).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o640);
        // New files have the same permissions as those of the standard library.
        let [new, usual] = ["new", "usual"].map(|name| folder.path().join(name));
        replace(&new, b"").unwrap();
        fs::write(&usual, b"").unwrap();
        let mode = |path| fs::metadata(path).unwrap().permissions();
        assert_eq!(mode(new), mode(usual));
    }
}
