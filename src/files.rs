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
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder.tempfile_in(folder.unwrap_or(Path::new(".")))
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

#[cfg(test)]
mod tests {
    use super::*;

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
