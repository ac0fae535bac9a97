//! Reading a file.

use std::io::{self, Read};

use thiserror::Error;

use super::encoding::decode;
use super::{LabelledPosition, MAGIC};

/// Why a file cannot be read on.
#[derive(Debug, Error)]
pub enum DatasetError {
    /// Reading failed.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// It does not begin as it should.
    #[error("not a file of labelled positions, or of another version")]
    Magic,
    /// The last record is not complete.
    #[error("the file ends within the record at byte {at}")]
    Truncated {
        /// Where the record begins, in bytes from the file's beginning.
        at: u64,
    },
    /// A record that makes no sense.
    #[error("the record at byte {at} is damaged: {message}")]
    Record {
        /// Where it begins, in bytes from the file's beginning.
        at: u64,
        /// What is wrong.
        message: String,
    },
}

/// Gives the positions of a file one after the other; after an error nothing more.
#[derive(Debug)]
pub struct DatasetReader<R: Read> {
    input: R,
    /// Bytes read so far.
    at: u64,
    failed: bool,
}

impl<R: Read> DatasetReader<R> {
    /// Reads the beginning of a file. Reading goes in small pieces: `input` should have a buffer.
    ///
    /// # Errors
    /// When it is not a file of labelled positions or cannot be read.
    pub fn new(mut input: R) -> Result<DatasetReader<R>, DatasetError> {
        let mut magic = [0; MAGIC.len()];
        match input.read_exact(&mut magic) {
            Ok(()) if magic == MAGIC => Ok(DatasetReader {
                input,
                at: MAGIC.len() as u64,
                failed: false,
            }),
            Ok(()) => Err(DatasetError::Magic),
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Err(DatasetError::Magic),
            Err(error) => Err(error.into()),
        }
    }

    fn read_record(&mut self) -> Result<Option<LabelledPosition>, DatasetError> {
        let mut length = [0];
        if self.input.read(&mut length)? == 0 {
            return Ok(None);
        }
        let at = self.at;
        let length = usize::from(length[0]);
        let mut bytes = [0; u8::MAX as usize];
        let record = &mut bytes[..length];
        self.input
            .read_exact(record)
            .map_err(|error| match error.kind() {
                io::ErrorKind::UnexpectedEof => DatasetError::Truncated { at },
                _ => error.into(),
            })?;
        self.at += 1 + length as u64;
        decode(record)
            .map(Some)
            .map_err(|message| DatasetError::Record { at, message })
    }
}

impl<R: Read> Iterator for DatasetReader<R> {
    type Item = Result<LabelledPosition, DatasetError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.failed {
            return None;
        }
        let record = self.read_record();
        self.failed = record.is_err();
        record.transpose()
    }
}

#[cfg(test)]
mod tests {
    use super::super::DatasetWriter;
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

    fn file() -> Vec<u8> {
        let mut writer = DatasetWriter::new(Vec::new()).unwrap();
        writer.write(&[labelled(1), labelled(2)]).unwrap();
        writer.write(&[labelled(3)]).unwrap();
        writer.finish().unwrap()
    }

    #[test]
    fn what_was_written_is_read() {
        let read: Vec<_> = DatasetReader::new(&file()[..])
            .unwrap()
            .map(Result::unwrap)
            .collect();
        assert_eq!(read, [labelled(1), labelled(2), labelled(3)]);
    }

    #[test]
    fn a_cut_off_file_gives_what_is_whole_and_then_says_where_it_ends() {
        let file = file();
        for length in MAGIC.len()..file.len() {
            let mut reader = DatasetReader::new(&file[..length]).unwrap();
            let whole = reader.by_ref().take_while(Result::is_ok).count();
            assert!(reader.next().is_none());
            assert_eq!(
                whole,
                (length - MAGIC.len()) * 3 / (file.len() - MAGIC.len())
            );
        }
        let last = DatasetReader::new(&file[..file.len() - 1]).unwrap().last();
        assert!(
            last.unwrap()
                .unwrap_err()
                .to_string()
                .contains("ends within")
        );
    }

    #[test]
    fn other_files_are_refused() {
        for bytes in [&b""[..], b"wabe", b"wabepos\x02", b"{\"version\":1}"] {
            assert!(matches!(
                DatasetReader::new(bytes),
                Err(DatasetError::Magic)
            ));
        }
    }
}
