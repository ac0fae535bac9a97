//! Result files that appear only when complete; reading with a size limit, and of packed files.

#[cfg(feature = "server")]
mod written;

use std::fs::{self, File, TryLockError};
use std::io::{self, Read};
#[cfg(feature = "replay")]
use std::io::{BufRead, BufReader};
use std::path::Path;

#[cfg(feature = "replay")]
use flate2::bufread::MultiGzDecoder;

#[cfg(feature = "server")]
pub(crate) use written::{
    begin, keep_new, named_twice, numbered, replace, replace_by, try_folder, try_path, write_new,
};

/// Locks a file against other runs until it is closed, unless the file system has no locks. Returns `false` if another run holds the lock.
pub(crate) fn lock(file: &File) -> bool {
    !matches!(file.try_lock(), Err(TryLockError::WouldBlock))
}

/// True if these first bytes are those of a gzip file.
#[cfg(feature = "replay")]
pub fn is_gzip(beginning: &[u8]) -> bool {
    beginning.starts_with(&[0x1f, 0x8b])
}

/// The content of a source, unpacked if it begins like a gzip file.
///
/// # Errors
/// When the beginning cannot be read.
#[cfg(feature = "replay")]
pub(crate) fn unpacked<'a>(mut source: impl BufRead + 'a) -> io::Result<Box<dyn BufRead + 'a>> {
    Ok(if is_gzip(source.fill_buf()?) {
        Box::new(BufReader::new(MultiGzDecoder::new(source)))
    } else {
        Box::new(source)
    })
}

/// Reads a file of at most `most` bytes.
///
/// # Errors
/// When it cannot be read or is larger.
pub(crate) fn read(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    fs::File::open(path)?
        .take(most + 1)
        .read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        return Err(io::Error::other(format!(
            "it is larger than {}",
            match most >> 20 {
                0 => format!("{} KiB", most >> 10),
                mib => format!("{mib} MiB"),
            }
        )));
    }
    Ok(bytes)
}

/// Reads a text of at most `most` bytes.
///
/// # Errors
/// When it cannot be read, is larger, or is not UTF-8.
#[cfg(feature = "server")]
pub(crate) fn read_text(path: &Path, most: u64) -> io::Result<String> {
    String::from_utf8(read(path, most)?).map_err(io::Error::other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_so_much_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        fs::write(&path, [1; 20]).unwrap();
        assert_eq!(read(&path, 20).unwrap(), [1; 20]);
        assert!(read(&path, 19).is_err());
    }
}
