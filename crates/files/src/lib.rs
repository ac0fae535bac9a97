//! Files: atomic writes, reading with a size limit, gzip and ZIP.

pub mod text;
mod written;

use std::fs::{self, File, TryLockError};
use std::io::{self, Read};
use std::io::{BufRead, BufReader};
use std::path::Path;

use flate2::bufread::{DeflateDecoder, MultiGzDecoder};
use rawzip::{CompressionMethod, ZipArchive};

pub use written::{
    check_writable, is_same, make_folder, numbered_paths, replace, replace_by, sync_folder,
    write_new,
};

/// Locks a file until it is closed. On file systems without locks it always succeeds.
///
/// # Errors
/// If another process holds the lock.
pub fn lock(file: &File) -> io::Result<()> {
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => {
            Err(io::Error::other("another run is writing to the file"))
        }
        _ => Ok(()),
    }
}

/// Waits until no other process holds the lock of a file, then locks it until it is closed. Does
/// not wait on file systems without locks.
pub fn wait_for_lock(file: &File) {
    while let Err(error) = file.lock() {
        if error.kind() != io::ErrorKind::Interrupted {
            break;
        }
    }
}

/// True if a file that begins with these bytes is gzip.
pub fn is_gzip(beginning: &[u8]) -> bool {
    beginning.starts_with(&[0x1f, 0x8b])
}

/// The contents of a source, decompressed if it is gzip.
///
/// # Errors
/// If the first bytes cannot be read.
pub fn unpacked<'a>(mut source: impl BufRead + 'a) -> io::Result<Box<dyn BufRead + 'a>> {
    Ok(if is_gzip(source.fill_buf()?) {
        Box::new(BufReader::new(MultiGzDecoder::new(source)))
    } else {
        Box::new(source)
    })
}

/// True if a file that begins with these bytes is a ZIP archive with at least one file.
pub fn is_zip(beginning: &[u8]) -> bool {
    beginning.starts_with(b"PK\x03\x04")
}

/// Maximum total size of the files in a ZIP archive, in bytes.
const MAX_UNZIPPED: u64 = 256 << 20;

/// Calls `visit` with the name and contents of each file in a ZIP archive, in order. Skips folders
/// and hidden files.
///
/// # Errors
/// If the archive is damaged or too large, or `visit` fails. If a file cannot be decompressed,
/// reading its contents fails.
pub fn unzip<E: From<io::Error>>(
    archive: &[u8],
    mut visit: impl FnMut(&str, &mut dyn Read) -> Result<(), E>,
) -> Result<(), E> {
    let damaged = |error| io::Error::other(format!("damaged ZIP archive: {error}"));
    let archive = ZipArchive::from_slice(archive).map_err(damaged)?;
    let mut entries = archive.entries();
    let mut left = MAX_UNZIPPED;
    while let Some(entry) = entries.next_entry().map_err(damaged)? {
        if entry.is_dir() {
            continue;
        }
        let name = String::from_utf8_lossy(entry.file_path().as_ref()).into_owned();
        // The macOS Finder adds metadata files.
        if name.starts_with("__MACOSX/")
            || name.rsplit('/').next().unwrap_or_default().starts_with('.')
        {
            continue;
        }
        let file = archive.get_entry(entry.wayfinder());
        let file = file.map_err(damaged)?;
        let contents: Box<dyn Read> = match entry.compression_method() {
            _ if entry.flags().is_encrypted() => Box::new(Unreadable("it is encrypted")),
            CompressionMethod::STORE => Box::new(file.verifying_reader(file.data())),
            CompressionMethod::DEFLATE => {
                Box::new(file.verifying_reader(DeflateDecoder::new(file.data())))
            }
            _ => Box::new(Unreadable("its compression method is not supported")),
        };
        let mut contents = contents.take(left);
        visit(&name, &mut contents)?;
        left = contents.limit();
        if left == 0 {
            let problem = format!("its files are larger than {} MiB", MAX_UNZIPPED >> 20);
            return Err(io::Error::other(problem).into());
        }
    }
    Ok(())
}

/// A reader that always fails with this message.
struct Unreadable(&'static str);

impl Read for Unreadable {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        Err(io::Error::other(self.0))
    }
}

/// Reads a file of at most `max_bytes` bytes.
///
/// # Errors
/// If the file cannot be read or is larger.
pub fn read(path: &Path, max_bytes: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    fs::File::open(path)?
        .take(max_bytes + 1)
        .read_to_end(&mut bytes)?;
    if bytes.len() as u64 > max_bytes {
        return Err(io::Error::other(format!(
            "it is larger than {}",
            match max_bytes >> 20 {
                0 => format!("{} KiB", max_bytes >> 10),
                mib => format!("{mib} MiB"),
            }
        )));
    }
    Ok(bytes)
}

/// The result of [`read_line`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Line {
    /// A line with its line end. The last one may have none.
    Complete(Vec<u8>),
    /// The line is longer than the limit. Its rest has not been read.
    TooLong,
    /// There are no more lines.
    End,
}

/// Reads a line of at most `max_bytes` bytes.
///
/// # Errors
/// If the source cannot be read.
pub fn read_line(source: &mut impl BufRead, max_bytes: u64) -> io::Result<Line> {
    let mut line = Vec::new();
    source.take(max_bytes).read_until(b'\n', &mut line)?;
    Ok(match line.last() {
        None => Line::End,
        Some(&last) if last != b'\n' && line.len() as u64 == max_bytes => Line::TooLong,
        Some(_) => Line::Complete(line),
    })
}

/// Reads a text file of at most `max_bytes` bytes.
///
/// # Errors
/// If the file cannot be read, is larger or is not UTF-8.
pub fn read_text(path: &Path, max_bytes: u64) -> io::Result<String> {
    String::from_utf8(read(path, max_bytes)?).map_err(io::Error::other)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The files contain only zeros, so the archive itself is small.
    #[test]
    fn unzip_rejects_oversized_archives() {
        use std::io::Write;

        use flate2::Compression;
        use flate2::write::DeflateEncoder;

        const FILE: usize = 64 << 20;
        let mut writer = rawzip::ZipArchiveWriter::new(Vec::new());
        for number in 0..5 {
            let (mut entry, config) = writer
                .new_file(format!("{number}"))
                .compression_method(CompressionMethod::DEFLATE)
                .start()
                .unwrap();
            let mut file = config.wrap(DeflateEncoder::new(&mut entry, Compression::fast()));
            file.write_all(&vec![0; FILE]).unwrap();
            let (encoder, descriptor) = file.finish().unwrap();
            encoder.finish().unwrap();
            entry.finish(descriptor).unwrap();
        }
        let archive = writer.finish().unwrap();
        let mut sizes = Vec::new();
        let error = unzip::<io::Error>(&archive, |_, file| {
            sizes.push(io::copy(file, &mut io::sink())?);
            Ok(())
        });
        assert!(
            error
                .unwrap_err()
                .to_string()
                .contains("larger than 256 MiB")
        );
        assert_eq!(sizes, [FILE as u64; 4]);
        assert!(unzip::<io::Error>(&archive[..archive.len() / 2], |_, _| Ok(())).is_err());
    }

    #[test]
    fn read_line_limits_the_length() {
        let mut source = &b"one\ntwelve\nlast"[..];
        let complete = |line: &[u8]| Line::Complete(line.to_vec());
        assert_eq!(read_line(&mut source, 5).unwrap(), complete(b"one\n"));
        assert_eq!(read_line(&mut source, 5).unwrap(), Line::TooLong);
        assert_eq!(read_line(&mut source, 5).unwrap(), complete(b"e\n"));
        assert_eq!(read_line(&mut source, 5).unwrap(), complete(b"last"));
        assert_eq!(read_line(&mut source, 5).unwrap(), Line::End);
    }

    #[test]
    fn read_rejects_oversized_files() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        fs::write(&path, [1; 20]).unwrap();
        assert_eq!(read(&path, 20).unwrap(), [1; 20]);
        assert!(read(&path, 19).is_err());
    }
}
