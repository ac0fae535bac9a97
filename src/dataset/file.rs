//! A file that keeps pace with a run.

use std::fs::{File, OpenOptions};
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};
use std::path::Path;

use thiserror::Error;

use super::encoding::encode;
use super::{LabelledPosition, MAGIC};

/// Why a file cannot be gone on with.
#[derive(Debug, Error)]
pub enum DatasetFileError {
    /// Reading or writing failed.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// It does not begin as it should.
    #[error("not a file of labelled positions, or of another version")]
    Magic,
    /// It holds other positions than the run.
    #[error("the file holds positions of another run")]
    OtherRun,
}

/// A file of labelled positions to which a run adds a batch at a time, each with one write.
///
/// The run's own record decides what belongs into it: what an interruption leaves behind is mended by [`DatasetFile::resume`].
#[derive(Debug)]
pub struct DatasetFile {
    file: File,
    buffer: Vec<u8>,
}

/// What a file has where a piece of it is expected.
enum Found {
    /// The piece.
    Same,
    /// A beginning of the piece, or nothing: then the file ends.
    CutOff,
    /// Something else.
    Other,
}

impl DatasetFile {
    /// Begins a file that does not exist yet.
    ///
    /// # Errors
    /// When it exists or cannot be written.
    pub fn create(path: &Path) -> io::Result<DatasetFile> {
        let mut file = File::create_new(path)?;
        file.write_all(&MAGIC)?;
        Ok(DatasetFile::at_end_of(file))
    }

    /// Opens the file of a run that has handed out `batches` so far, and makes it hold them and nothing else: what is missing is
    /// added, what is too much or damaged is cut off. A missing file is begun.
    ///
    /// # Errors
    /// When the file cannot be read or written, is no file of labelled positions, or does not even begin with what the run
    /// handed out first.
    pub fn resume(
        path: &Path,
        batches: impl IntoIterator<Item = Vec<LabelledPosition>>,
    ) -> Result<DatasetFile, DatasetFileError> {
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)?;
        let mut reader = BufReader::new(&file);
        // Bytes at the beginning that are as they should be.
        let mut sound = match find(&mut reader, &MAGIC)? {
            Found::Same => MAGIC.len() as u64,
            Found::CutOff => 0,
            Found::Other => return Err(DatasetFileError::Magic),
        };
        let mut batches = batches.into_iter().map(|batch| encoded(&batch));
        let mut rest = Vec::new();
        if sound == 0 {
            rest.extend(MAGIC);
        } else {
            for batch in batches.by_ref().filter(|batch| !batch.is_empty()) {
                match find(&mut reader, &batch)? {
                    Found::Same => sound += batch.len() as u64,
                    Found::Other if sound == MAGIC.len() as u64 => {
                        return Err(DatasetFileError::OtherRun);
                    }
                    Found::Other | Found::CutOff => {
                        rest = batch;
                        break;
                    }
                }
            }
            let has_more = !matches!(find(&mut reader, &[0])?, Found::CutOff);
            if has_more && sound == MAGIC.len() as u64 && rest.is_empty() {
                // The run has handed out nothing yet.
                return Err(DatasetFileError::OtherRun);
            }
        }
        file.set_len(sound)?;
        file.seek(SeekFrom::Start(sound))?;
        file.write_all(&rest)?;
        for batch in batches {
            file.write_all(&batch)?;
        }
        Ok(DatasetFile::at_end_of(file))
    }

    fn at_end_of(file: File) -> DatasetFile {
        DatasetFile {
            file,
            buffer: Vec::new(),
        }
    }

    /// Adds a batch.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn append(&mut self, batch: &[LabelledPosition]) -> io::Result<()> {
        self.buffer.clear();
        for labelled in batch {
            encode(labelled, &mut self.buffer);
        }
        self.file.write_all(&self.buffer)
    }
}

fn encoded(batch: &[LabelledPosition]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for labelled in batch {
        encode(labelled, &mut bytes);
    }
    bytes
}

/// Reads as much as `piece` has, and compares.
fn find(reader: &mut impl Read, piece: &[u8]) -> io::Result<Found> {
    let mut found = Vec::with_capacity(piece.len());
    reader.take(piece.len() as u64).read_to_end(&mut found)?;
    Ok(if found == piece {
        Found::Same
    } else if piece.starts_with(&found) {
        Found::CutOff
    } else {
        Found::Other
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::GameScore;

    fn labelled(game: u32) -> LabelledPosition {
        LabelledPosition {
            game,
            position: "2 - 0,0:rQ;1,0:bQ AAABBGGSSS/AAABBGGSSS".parse().unwrap(),
            expected_thousandths: Some(250),
            result: GameScore::Win,
            plies_to_end: 9,
        }
    }

    /// What a run of three batches hands out; the one in the middle is empty.
    fn batches() -> Vec<Vec<LabelledPosition>> {
        vec![
            vec![labelled(0), labelled(1)],
            Vec::new(),
            vec![labelled(4)],
        ]
    }

    fn whole_file(path: &Path) -> Vec<u8> {
        let mut file = DatasetFile::create(path).unwrap();
        for batch in batches() {
            file.append(&batch).unwrap();
        }
        std::fs::read(path).unwrap()
    }

    #[test]
    fn a_file_left_in_any_state_is_mended_from_what_the_run_handed_out() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.pos");
        let whole = whole_file(&path);
        let too_much = [&whole[..], b"torn"].concat();
        for length in 0..=too_much.len() {
            for done in 1..=3 {
                std::fs::write(&path, &too_much[..length]).unwrap();
                let mut file =
                    DatasetFile::resume(&path, batches().into_iter().take(done)).unwrap();
                for batch in &batches()[done..] {
                    file.append(batch).unwrap();
                }
                let mended = std::fs::read(&path).unwrap();
                assert_eq!(mended, whole, "{length} bytes, {done} batches done");
            }
        }
    }

    #[test]
    fn damage_behind_the_first_batch_is_written_anew() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.pos");
        let whole = whole_file(&path);
        let mut damaged = whole.clone();
        *damaged.last_mut().unwrap() ^= 1;
        std::fs::write(&path, damaged).unwrap();
        DatasetFile::resume(&path, batches()).unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), whole);
    }

    #[test]
    fn files_of_other_runs_and_other_files_are_refused_and_kept() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.pos");
        let whole = whole_file(&path);
        let refused = |batches: Vec<Vec<LabelledPosition>>| {
            let error = DatasetFile::resume(&path, batches).unwrap_err();
            error.to_string()
        };
        assert!(refused(vec![vec![labelled(7)]]).contains("another run"));
        assert!(refused(Vec::new()).contains("another run"));
        assert_eq!(std::fs::read(&path).unwrap(), whole);
        assert!(DatasetFile::create(&path).is_err());
        std::fs::write(&path, "something else").unwrap();
        assert!(refused(batches()).contains("not a file"));
        assert_eq!(std::fs::read(&path).unwrap(), b"something else");
    }
}
