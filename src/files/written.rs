//! Result files that appear only when complete: written to a temporary file in the same folder, synced, and renamed.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

/// Creates a temporary file in the folder of `path`, with the permissions of any new file. It is deleted unless [`keep_new`] names it.
///
/// Write through [`NamedTempFile::as_file`]: its errors do not name the temporary file.
pub(crate) fn begin(path: &Path) -> io::Result<NamedTempFile> {
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    // Opened here: the crate's own error would name the temporary file.
    tempfile::Builder::new().make_in(folder.unwrap_or(Path::new(".")), |path| {
        let mut options = fs::File::options();
        options.read(true).write(true).create_new(true).open(path)
    })
}

/// The file that `path` leads to through symbolic links, even if the last one leads to nothing yet.
fn target_of(path: &Path) -> PathBuf {
    if let Ok(target) = fs::canonicalize(path) {
        return target;
    }
    let mut path = path.to_owned();
    // Linux follows as many; in a circle of links the result is one of them.
    for _ in 0..40 {
        let Ok(target) = fs::read_link(&path) else {
            break;
        };
        path = path.parent().unwrap_or(Path::new("")).join(target);
    }
    path
}

/// The first of the written files that is also read, or written under another name, through links or not. Devices and pipes may be shared.
pub(crate) fn named_twice<'a>(
    read: impl IntoIterator<Item = &'a Path>,
    written: impl IntoIterator<Item = &'a Path>,
) -> Option<&'a Path> {
    let real = |path: &Path| {
        let target = target_of(path);
        let folder = target.parent().filter(|f| !f.as_os_str().is_empty());
        // The file itself may not exist yet.
        let folder = fs::canonicalize(folder.unwrap_or(Path::new("."))).ok()?;
        Some(folder.join(target.file_name()?))
    };
    let is_special = |path: &Path| fs::metadata(path).is_ok_and(|found| !found.is_file());
    let mut others: Vec<_> = read.into_iter().map(real).collect();
    written.into_iter().find(|path| {
        let file = real(path);
        let is_taken = file.is_some() && others.contains(&file) && !is_special(path);
        others.push(file);
        is_taken
    })
}

/// Syncs the folder of a file, so that its name survives a power loss. If that is not possible, the file is complete all the same.
fn sync_folder(path: &Path) {
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    if cfg!(unix)
        && let Ok(folder) = fs::File::open(folder.unwrap_or(Path::new(".")))
    {
        let _ = folder.sync_all();
    }
}

/// Renames a complete file to `path`.
///
/// # Errors
/// When a file of that name exists, or it cannot be synced or renamed.
pub(crate) fn keep_new(file: NamedTempFile, path: &Path) -> io::Result<()> {
    file.as_file().sync_all()?;
    file.persist_noclobber(path)?;
    sync_folder(path);
    Ok(())
}

/// The names that files called `stem.extension` get in a folder: `game.xml`, `game_2.xml`, `game_3.xml` …
pub(crate) fn numbered(
    folder: &Path,
    (stem, extension): (&str, &str),
) -> impl Iterator<Item = PathBuf> {
    let name = move |number| match number {
        1 => format!("{stem}.{extension}"),
        _ => format!("{stem}_{number}.{extension}"),
    };
    (1u64..).map(move |number| folder.join(name(number)))
}

/// Writes a new file into `folder`, which is created if missing, under the first of its
/// [`numbered`] names that is free. The file appears when it is complete.
///
/// # Errors
/// When the file cannot be written, synced or renamed.
pub(crate) fn write_new(
    folder: &Path,
    name: (&str, &str),
    write: impl FnOnce(&fs::File) -> io::Result<()>,
) -> io::Result<PathBuf> {
    fs::create_dir_all(folder)?;
    let mut file = begin(&folder.join(name.0))?;
    write(file.as_file())?;
    file.as_file().sync_all()?;
    for path in numbered(folder, name) {
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

/// Writes a file, or replaces it, like [`replace_by`].
pub(crate) fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    replace_by(path, |file| file.write_all(bytes))
}

/// Writes a file, or replaces it, with the permissions of the old one. Devices and pipes are written to directly.
///
/// # Errors
/// When `write` fails, or the file cannot be created, synced or renamed; an old one is then unchanged.
pub(crate) fn replace_by<E: From<io::Error>>(
    path: &Path,
    write: impl FnOnce(&mut fs::File) -> Result<(), E>,
) -> Result<(), E> {
    let found = found(path)?;
    if found.as_ref().is_some_and(|found| !found.is_file()) {
        return write(&mut fs::File::create(path)?);
    }
    // A symbolic link stays; its target is replaced.
    let path = &target_of(path);
    check_writable(found.as_ref())?;
    let mut file = begin(path)?;
    if let Some(found) = found.filter(|_| cfg!(unix))
        && found.permissions() != file.as_file().metadata()?.permissions()
    {
        file.as_file().set_permissions(found.permissions())?;
    }
    write(file.as_file_mut())?;
    file.as_file().sync_all()?;
    file.persist(path).map_err(|error| error.error)?;
    sync_folder(path);
    Ok(())
}

/// The file at the end of a path; `None` if missing.
fn found(path: &Path) -> io::Result<Option<fs::Metadata>> {
    match fs::metadata(path) {
        Ok(found) => Ok(Some(found)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        // For instance a circle of links, which renaming would break up.
        Err(error) => Err(error),
    }
}

/// Refuses an existing file that is write-protected: renaming would ignore that.
fn check_writable(found: Option<&fs::Metadata>) -> io::Result<()> {
    match found {
        Some(found) if found.permissions().readonly() => Err(io::Error::new(
            io::ErrorKind::PermissionDenied,
            "it is write-protected",
        )),
        _ => Ok(()),
    }
}

/// Checks that [`replace`] can write a file, without writing it, so that long work is not done in vain.
///
/// # Errors
/// When its folder is missing or cannot be written to, or it is a folder itself.
pub(crate) fn try_path(path: &Path) -> io::Result<()> {
    match found(path)? {
        Some(found) if found.is_dir() => Err(io::ErrorKind::IsADirectory.into()),
        Some(found) if !found.is_file() => Ok(()),
        found => {
            check_writable(found.as_ref())?;
            begin(&target_of(path)).map(drop)
        }
    }
}

/// Checks that a folder can be created, if it is missing, and files written into it. Nothing is created.
///
/// # Errors
/// When that is not possible.
pub(crate) fn try_folder(folder: &Path) -> io::Result<()> {
    let is_there = |folder: &&Path| fs::symlink_metadata(folder).is_ok();
    let mut parents = folder.ancestors().filter(|f| !f.as_os_str().is_empty());
    begin(&parents.find(is_there).unwrap_or(Path::new(".")).join("a")).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_written_at_the_same_time_under_one_name_are_all_there() {
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
    fn write_new_writes_once_for_a_taken_name() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().join("new");
        let calls = std::cell::Cell::new(0);
        let write = |_: &fs::File| {
            calls.set(calls.get() + 1);
            Ok(())
        };
        for number in 1..=20 {
            write_new(&folder, ("game", "xml"), write).unwrap();
            assert_eq!(calls.get(), number);
        }
        let names = numbered(&folder, ("game", "xml"));
        assert!(names.take(20).all(|name| name.exists()));
    }

    #[test]
    fn paths_are_tried_without_a_trace() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        try_path(&path).unwrap();
        assert!(!path.exists());
        replace(&path, b"one").unwrap();
        try_path(&path).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"one");
        assert!(try_path(folder.path()).is_err());
        let error = try_path(&folder.path().join("missing/a")).unwrap_err();
        assert!(error.raw_os_error().is_some(), "{error}");
        assert!(try_folder(&path).is_err());
        assert!(try_folder(&path.join("folder")).is_err());
        try_folder(&folder.path().join("new/folder")).unwrap();
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn files_are_replaced_whole_and_nothing_stays_beside_them() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        for text in ["one", "two"] {
            replace(&path, text.as_bytes()).unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
        }
        assert!(replace(folder.path(), b"").is_err());
        let file = begin(&path).unwrap();
        file.as_file().write_all(b"three").unwrap();
        assert!(keep_new(file, &path).is_err());
        assert_eq!(fs::read_to_string(&path).unwrap(), "two");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_file_is_known_by_any_of_its_names() {
        let folder = tempfile::tempdir().unwrap();
        let [one, again, other] = ["a", "./a", "b"].map(|name| folder.path().join(name));
        fs::create_dir(folder.path().join("folder")).unwrap();
        let around = folder.path().join("folder/../a");
        for is_there in [false, true] {
            if is_there {
                fs::write(&one, "").unwrap();
            }
            for name in [&one, &again, &around] {
                assert_eq!(named_twice([&*one], [&**name]), Some(&**name));
                assert_eq!(named_twice([], [&*other, &one, name]), Some(&**name));
            }
            assert_eq!(named_twice([&*one, &one], [&*other]), None);
        }
        let missing = folder.path().join("missing/a");
        assert_eq!(named_twice([&*missing], [&*missing]), None);
        assert_eq!(named_twice([folder.path()], [folder.path()]), None);
    }

    #[test]
    fn write_protected_files_stay_as_they_are() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        fs::write(&path, "one").unwrap();
        let usual = fs::metadata(&path).unwrap().permissions();
        let mut protected = usual.clone();
        protected.set_readonly(true);
        fs::set_permissions(&path, protected).unwrap();
        assert!(try_path(&path).is_err());
        assert!(replace(&path, b"two").is_err());
        assert_eq!(fs::read(&path).unwrap(), b"one");
        // Windows deletes no protected files.
        fs::set_permissions(&path, usual).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn permissions_and_symbolic_links_stay_as_they_were() {
        use std::os::unix::fs::{PermissionsExt, symlink};

        let folder = tempfile::tempdir().unwrap();
        let [target, link, second] = ["target", "link", "second"].map(|n| folder.path().join(n));
        symlink("link", &second).unwrap();
        symlink("target", &link).unwrap();
        assert_eq!(named_twice([&*target], [&*second]), Some(&*second));
        try_path(&second).unwrap();
        replace(&second, b"one").unwrap();
        fs::set_permissions(&target, fs::Permissions::from_mode(0o640)).unwrap();
        replace(&second, b"two").unwrap();
        assert!(link.is_symlink() && second.is_symlink());
        let [there, back] = ["there", "back"].map(|n| folder.path().join(n));
        symlink("there", &back).unwrap();
        symlink("back", &there).unwrap();
        assert!(try_path(&there).is_err() && replace(&there, b"one").is_err());
        assert!(there.is_symlink() && back.is_symlink());
        assert_eq!(fs::read(&target).unwrap(), b"two");
        let mode = fs::symlink_metadata(&target).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o640);
        // As a new file of the standard library.
        let [new, usual] = ["new", "usual"].map(|name| folder.path().join(name));
        replace(&new, b"").unwrap();
        fs::write(&usual, b"").unwrap();
        let mode = |path| fs::metadata(path).unwrap().permissions();
        assert_eq!(mode(new), mode(usual));
    }
}
