//! Result files that appear complete or not at all: written to a temporary file in the same folder, synced, and renamed.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use tempfile::NamedTempFile;

/// Creates a temporary file in the folder of `path`, with the permissions of any new file. It is deleted unless [`keep_new`] names it.
pub(crate) fn begin(path: &Path) -> io::Result<NamedTempFile> {
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    #[cfg(unix)]
    {
        tempfile::Builder::new()
            .permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666))
            .tempfile_in(folder)
    }
    #[cfg(not(unix))]
    NamedTempFile::new_in(folder)
}

/// Renames a complete file to `path`.
///
/// # Errors
/// When a file of that name exists, and when it cannot be synced or renamed.
pub(crate) fn keep_new(file: NamedTempFile, path: &Path) -> io::Result<()> {
    file.as_file().sync_all()?;
    file.persist_noclobber(path)?;
    Ok(())
}

/// Writes a file, or replaces it. Devices and pipes are written to directly.
///
/// # Errors
/// When the file cannot be written, synced or renamed; an old one is unchanged then.
pub(crate) fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    // A symbolic link stays; its target is replaced.
    let path = &fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    if fs::metadata(path).is_ok_and(|found| !found.is_file()) {
        return fs::write(path, bytes);
    }
    let mut file = begin(path)?;
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    file.persist(path)?;
    Ok(())
}

/// Tries whether [`replace`] can write a file, without writing it, so that long work does not end in vain.
///
/// # Errors
/// When its folder is missing or cannot be written to, and when it is a folder itself.
pub(crate) fn try_path(path: &Path) -> io::Result<()> {
    match fs::metadata(path) {
        Ok(found) if found.is_dir() => Err(io::ErrorKind::IsADirectory.into()),
        Ok(found) if !found.is_file() => Ok(()),
        _ => begin(&fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())).map(drop),
    }
}

/// Tries whether a folder can be made, if it is missing, and files written into it. Nothing is made.
///
/// # Errors
/// When they cannot.
pub(crate) fn try_folder(folder: &Path) -> io::Result<()> {
    let is_there = |folder: &&Path| fs::symlink_metadata(folder).is_ok();
    let mut parents = folder.ancestors().filter(|f| !f.as_os_str().is_empty());
    begin(&parents.find(is_there).unwrap_or(Path::new(".")).join("a")).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

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
        assert!(try_path(&folder.path().join("missing/a")).is_err());
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
        let mut file = begin(&path).unwrap();
        file.write_all(b"three").unwrap();
        assert!(keep_new(file, &path).is_err());
        assert_eq!(fs::read_to_string(&path).unwrap(), "two");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
