//! Result files that appear only when complete; reading with a size limit, and of packed files.

pub mod text;
mod written;

use std::fs::{self, File, TryLockError};
use std::io::{self, Read};
use std::io::{BufRead, BufReader};
use std::path::Path;

use flate2::bufread::{DeflateDecoder, MultiGzDecoder};
use rawzip::{CompressionMethod, ZipArchive};

pub use written::{check_writable, is_same, numbered, replace, replace_by, sync_folder, write_new};

/// Locks a file against other runs until it is closed, unless the file system has no locks. Returns
/// `false` if another run holds the lock.
pub fn lock(file: &File) -> bool {
    !matches!(file.try_lock(), Err(TryLockError::WouldBlock))
}

/// True if these first bytes are those of a gzip file.
pub fn is_gzip(beginning: &[u8]) -> bool {
    beginning.starts_with(&[0x1f, 0x8b])
}

/// The content of a source, unpacked if it begins like a gzip file.
///
/// # Errors
/// When the beginning cannot be read.
pub fn unpacked<'a>(mut source: impl BufRead + 'a) -> io::Result<Box<dyn BufRead + 'a>> {
    Ok(if is_gzip(source.fill_buf()?) {
        Box::new(BufReader::new(MultiGzDecoder::new(source)))
    } else {
        Box::new(source)
    })
}

/// True if these first bytes are those of a ZIP archive with a file.
pub fn is_zip(beginning: &[u8]) -> bool {
    beginning.starts_with(b"PK\x03\x04")
}

/// Largest size of all files of a ZIP archive together, in bytes.
const MAX_UNZIPPED: u64 = 256 << 20;

/// Calls `visit` with the name and the content of each file of a ZIP archive, in its order.
///
/// # Errors
/// When the archive is damaged or too large, and those of `visit`. A file that cannot be unpacked
/// is reported by its content.
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
        // Finder adds files of its own.
        if name.starts_with("__MACOSX/")
            || name.rsplit('/').next().unwrap_or_default().starts_with('.')
        {
            continue;
        }
        let file = archive.get_entry(entry.wayfinder());
        let file = file.map_err(damaged)?;
        let content: Box<dyn Read> = match entry.compression_method() {
            _ if entry.flags().is_encrypted() => Box::new(Unreadable("it is encrypted")),
            CompressionMethod::STORE => Box::new(file.verifying_reader(file.data())),
            CompressionMethod::DEFLATE => {
                Box::new(file.verifying_reader(DeflateDecoder::new(file.data())))
            }
            _ => Box::new(Unreadable("its method of compression is not supported")),
        };
        let mut content = content.take(left);
        visit(&name, &mut content)?;
        left = content.limit();
        if left == 0 {
            let problem = format!("its files are larger than {} MiB", MAX_UNZIPPED >> 20);
            return Err(io::Error::other(problem).into());
        }
    }
    Ok(())
}

/// A file whose reading fails.
struct Unreadable(&'static str);

impl Read for Unreadable {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        Err(io::Error::other(self.0))
    }
}

/// Reads a file of at most `most` bytes.
///
/// # Errors
/// When it cannot be read or is larger.
pub fn read(path: &Path, most: u64) -> io::Result<Vec<u8>> {
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
pub fn read_text(path: &Path, most: u64) -> io::Result<String> {
    String::from_utf8(read(path, most)?).map_err(io::Error::other)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Zeros take little space in an archive.
    #[test]
    fn archives_have_a_largest_size() {
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
    fn only_so_much_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        fs::write(&path, [1; 20]).unwrap();
        assert_eq!(read(&path, 20).unwrap(), [1; 20]);
        assert!(read(&path, 19).is_err());
    }
}
