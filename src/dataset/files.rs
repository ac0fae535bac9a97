//! Reading and writing files of labelled positions.

use std::fs::{File, OpenOptions};
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};
use std::marker::PhantomData;
use std::path::Path;

use thiserror::Error;

use super::LabelledPosition;
use super::encoding::{Form, decode, encode};
use crate::files;
use crate::game::Game;

/// The first bytes of a file with positions of `G`.
pub fn header<G: Game>() -> Vec<u8> {
    let mut header = b"wabepos".to_vec();
    header.push(G::DATASET_VERSION);
    if G::DATASET_VERSION > 1 {
        header.push(G::WORD.len() as u8);
        header.extend(G::WORD.bytes());
    }
    header
}

/// The reason that a file cannot be read to its end, or continued.
#[derive(Debug, Error)]
pub enum DatasetError {
    /// Reading failed.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The header differs.
    #[error("not a file of labelled positions, or of another version or game")]
    Header,
    /// The last record is not complete.
    #[error("the file ends within the record at byte {at}")]
    Truncated {
        /// Offset of the record in the file, in bytes.
        at: u64,
    },
    /// A record is invalid.
    #[error("the record at byte {at} is damaged: {message}")]
    Record {
        /// Offset of the record in the file, in bytes.
        at: u64,
        /// The fault.
        message: String,
    },
    /// Another run has the file open.
    #[error("another run is writing to the file")]
    InUse,
    /// The file holds other positions than the run that would continue it.
    #[error("the file holds positions of another run")]
    OtherRun,
}

/// Iterates over the positions of a file, up to the first error.
#[derive(Debug)]
pub struct DatasetReader<G: Game, R: Read> {
    input: R,
    /// Bytes read so far.
    at: u64,
    record: Vec<u8>,
    failed: bool,
    game: PhantomData<G>,
}

impl<G: Game, R: Read> DatasetReader<G, R> {
    /// Reads the header of a file. The records are read in small pieces: `input` should have a buffer.
    ///
    /// # Errors
    /// When it is not a file with positions of `G`, or cannot be read.
    pub fn new(mut input: R) -> Result<DatasetReader<G, R>, DatasetError> {
        let header = header::<G>();
        match find(&mut input, &header)? {
            Found::Same => Ok(DatasetReader {
                input,
                at: header.len() as u64,
                record: Vec::new(),
                failed: false,
                game: PhantomData,
            }),
            Found::CutOff | Found::Other => Err(DatasetError::Header),
        }
    }

    fn read_record(&mut self) -> Result<Option<LabelledPosition<G>>, DatasetError> {
        let number = Form::of::<G>().number;
        if self.read(number)? == 0 {
            return Ok(None);
        }
        let at = self.at;
        let mut length = [0; 2];
        for (to, from) in length.iter_mut().zip(&self.record) {
            *to = *from;
        }
        let length = usize::from(u16::from_le_bytes(length));
        if self.record.len() < number || self.read(length)? < length {
            return Err(DatasetError::Truncated { at });
        }
        self.at += (number + length) as u64;
        match decode(&self.record) {
            Ok(labelled) => Ok(Some(labelled)),
            Err(message) => Err(DatasetError::Record { at, message }),
        }
    }

    /// Reads `count` bytes, or fewer at the end of the file, and returns their number.
    fn read(&mut self, count: usize) -> io::Result<usize> {
        self.record.clear();
        (&mut self.input)
            .take(count as u64)
            .read_to_end(&mut self.record)
    }
}

impl<G: Game, R: Read> Iterator for DatasetReader<G, R> {
    type Item = Result<LabelledPosition<G>, DatasetError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.failed {
            return None;
        }
        let record = self.read_record();
        self.failed = record.is_err();
        record.transpose()
    }
}

/// Writes labelled positions one after the other.
#[derive(Debug)]
pub struct DatasetWriter<G: Game, W: Write> {
    out: W,
    buffer: Vec<u8>,
    game: PhantomData<G>,
}

impl<G: Game, W: Write> DatasetWriter<G, W> {
    /// Begins a file.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn new(mut out: W) -> io::Result<DatasetWriter<G, W>> {
        out.write_all(&header::<G>())?;
        Ok(DatasetWriter::after_records(out))
    }

    fn after_records(out: W) -> DatasetWriter<G, W> {
        DatasetWriter {
            out,
            buffer: Vec::new(),
            game: PhantomData,
        }
    }

    /// Adds positions, with one write for all of them.
    ///
    /// # Errors
    /// When they cannot be written.
    pub fn append<'a>(
        &mut self,
        positions: impl IntoIterator<Item = &'a LabelledPosition<G>>,
    ) -> io::Result<()> {
        self.buffer.clear();
        for labelled in positions {
            encode(labelled, &mut self.buffer);
        }
        self.out.write_all(&self.buffer)
    }

    /// Flushes and returns the output.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn finish(mut self) -> io::Result<W> {
        self.out.flush()?;
        Ok(self.out)
    }
}

/// A file to which a run adds labelled positions in batches.
///
/// The run's journal decides which batches belong in it: [`resume`](DatasetFile::resume) repairs the file after an interruption.
pub type DatasetFile<G> = DatasetWriter<G, File>;

impl<G: Game> DatasetFile<G> {
    /// Begins a file that does not exist yet.
    ///
    /// # Errors
    /// When it exists or cannot be written.
    pub fn create(path: &Path) -> io::Result<DatasetFile<G>> {
        let file = File::create_new(path)?;
        // No other run can have locked a new file.
        files::lock(&file);
        DatasetWriter::new(file)
    }

    /// Opens a file to add games to it until it has `wanted` positions, or begins one. Hands its positions to `receive`, and returns the
    /// number of the next game. If there are too few positions, the last game, which may be incomplete, is cut off before.
    ///
    /// # Errors
    /// When the file cannot be read or written, another run writes to it, it has another header, or is damaged before its last record.
    pub fn append_games(
        path: &Path,
        wanted: u64,
        mut receive: impl FnMut(LabelledPosition<G>),
    ) -> Result<(DatasetFile<G>, u32), DatasetError> {
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)?;
        if !files::lock(&file) {
            return Err(DatasetError::InUse);
        }
        // A file that ends within its header is treated as new: the run that began it was killed, or its disk was full.
        if let Found::CutOff = find(&mut &file, &header::<G>())? {
            file.set_len(0)?;
            file.rewind()?;
            return Ok((DatasetWriter::new(file)?, 0));
        }
        file.rewind()?;
        let mut reader = DatasetReader::<G, _>::new(BufReader::new(&file))?;
        let mut sound = reader.at;
        let mut game: Vec<LabelledPosition<G>> = Vec::new();
        let mut found = 0;
        let end = loop {
            let at = reader.at;
            match reader.next() {
                Some(Ok(labelled)) => {
                    if game.first().is_none_or(|first| first.game != labelled.game) {
                        game.drain(..).for_each(&mut receive);
                        sound = at;
                    }
                    game.push(labelled);
                    found += 1;
                }
                None | Some(Err(DatasetError::Truncated { .. })) => break at,
                Some(Err(error)) => return Err(error),
            }
        };
        let mut next = game.first().map_or(0, |first| first.game);
        if found >= wanted && !game.is_empty() {
            game.into_iter().for_each(receive);
            next = next.saturating_add(1);
            sound = end;
        }
        file.set_len(sound)?;
        file.seek(SeekFrom::Start(sound))?;
        Ok((DatasetWriter::after_records(file), next))
    }

    /// Opens the file of a run that has produced `batches` so far, and makes it hold exactly them: missing ones are added, surplus and
    /// damaged bytes are cut off. A missing file is created.
    ///
    /// # Errors
    /// When the file cannot be read or written, has another header, or does not begin with the first batch of the run.
    pub fn resume(
        path: &Path,
        batches: impl IntoIterator<Item = Vec<LabelledPosition<G>>>,
    ) -> Result<DatasetFile<G>, DatasetError> {
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)?;
        if !files::lock(&file) {
            return Err(DatasetError::InUse);
        }
        let mut reader = BufReader::new(&file);
        let header = header::<G>();
        let header_length = header.len() as u64;
        // Length of the correct beginning.
        let mut sound = match find(&mut reader, &header)? {
            Found::Same => header_length,
            Found::CutOff => 0,
            Found::Other => return Err(DatasetError::Header),
        };
        let mut batches = batches.into_iter().map(|batch| {
            let mut bytes = Vec::new();
            for labelled in &batch {
                encode(labelled, &mut bytes);
            }
            bytes
        });
        let mut rest = Vec::new();
        if sound == 0 {
            rest = header;
        } else {
            for batch in batches.by_ref().filter(|batch| !batch.is_empty()) {
                match find(&mut reader, &batch)? {
                    Found::Same => sound += batch.len() as u64,
                    Found::Other if sound == header_length => {
                        return Err(DatasetError::OtherRun);
                    }
                    Found::Other | Found::CutOff => {
                        rest = batch;
                        break;
                    }
                }
            }
            let has_more = !matches!(find(&mut reader, &[0])?, Found::CutOff);
            if has_more && sound == header_length && rest.is_empty() {
                // The run has produced nothing yet.
                return Err(DatasetError::OtherRun);
            }
        }
        file.set_len(sound)?;
        file.seek(SeekFrom::Start(sound))?;
        file.write_all(&rest)?;
        for batch in batches {
            file.write_all(&batch)?;
        }
        Ok(DatasetWriter::after_records(file))
    }
}

/// The content of a file compared with expected bytes.
enum Found {
    /// The file has the expected bytes.
    Same,
    /// The file ends within the expected bytes.
    CutOff,
    /// The file has other bytes.
    Other,
}

/// Reads as many bytes as `expected` has, and compares them.
fn find(reader: &mut impl Read, expected: &[u8]) -> io::Result<Found> {
    let mut found = Vec::with_capacity(expected.len());
    reader.take(expected.len() as u64).read_to_end(&mut found)?;
    Ok(if found == expected {
        Found::Same
    } else if expected.starts_with(&found) {
        Found::CutOff
    } else {
        Found::Other
    })
}

#[cfg(test)]
mod tests {
    use super::super::example;
    use super::*;
    use crate::hive::contest::Contest;
    use crate::hive::standard::Wide;

    fn labelled<G: Game>(game: u32) -> LabelledPosition<G> {
        example(game, "2 - 0,0:rQ;1,0:bQ AAABBGGSS/AAABBGGSS")
    }

    /// The batches that a run of three hands out; the one in the middle is empty.
    fn batches<G: Game>() -> Vec<Vec<LabelledPosition<G>>> {
        vec![
            vec![labelled(0), labelled(1)],
            Vec::new(),
            vec![labelled(4)],
        ]
    }

    fn bytes<G: Game>() -> Vec<u8> {
        let mut writer = DatasetWriter::new(Vec::new()).unwrap();
        for batch in batches::<G>() {
            writer.append(&batch).unwrap();
        }
        writer.finish().unwrap()
    }

    fn read<G: Game>(bytes: &[u8]) -> Vec<Result<LabelledPosition<G>, DatasetError>> {
        DatasetReader::new(bytes).unwrap().collect()
    }

    fn games_are_added<G: Game>() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.pos");
        let numbers = |path: &Path| -> Vec<u32> {
            let records = read::<G>(&std::fs::read(path).unwrap());
            records
                .into_iter()
                .map(|record| record.unwrap().game)
                .collect()
        };
        let (mut file, next) =
            DatasetFile::<G>::append_games(&path, u64::MAX, |_| panic!("new")).unwrap();
        assert_eq!(next, 0);
        for game in [0, 0, 1, 3, 3] {
            file.append([&labelled(game)]).unwrap();
        }
        drop(file);
        // Wherever a run was killed, the last game of its file is played again.
        let whole = std::fs::read(&path).unwrap();
        let begun = whole.len() - header::<G>().len();
        for (cut, kept, next) in [
            (0, 3, 3),
            (1, 3, 3),
            (begun, 0, 0),
            (begun + 1, 0, 0),
            (whole.len(), 0, 0),
        ] {
            std::fs::write(&path, &whole[..whole.len() - cut]).unwrap();
            let mut received = 0;
            let (mut file, number) =
                DatasetFile::<G>::append_games(&path, u64::MAX, |_| received += 1).unwrap();
            assert_eq!((received, number), (kept, next));
            file.append([&labelled(9)]).unwrap();
            drop(file);
            assert_eq!(numbers(&path).len(), kept + 1);
        }
        let first = DatasetFile::<G>::append_games(&path, u64::MAX, |_| ()).unwrap();
        let second = DatasetFile::<G>::append_games(&path, u64::MAX, |_| ());
        assert!(matches!(second, Err(DatasetError::InUse)));
        let resumed = DatasetFile::<G>::resume(&path, []);
        assert!(matches!(resumed, Err(DatasetError::InUse)));
        drop(first);
        std::fs::write(&path, &whole).unwrap();
        let mut received = 0;
        let enough = DatasetFile::<G>::append_games(&path, 5, |_| received += 1).unwrap();
        assert_eq!((received, enough.1), (5, 4));
        drop(enough);
        assert_eq!(std::fs::read(&path).unwrap(), whole);
        std::fs::write(&path, b"something else").unwrap();
        assert!(DatasetFile::<G>::append_games(&path, u64::MAX, |_| ()).is_err());
        assert_eq!(std::fs::read(&path).unwrap(), b"something else");
    }

    #[test]
    fn games_are_added_to_files_of_either_version() {
        games_are_added::<Contest>();
        games_are_added::<Wide>();
    }

    fn a_cut_off_file_gives_its_whole_records<G: Game>() {
        let file = bytes::<G>();
        let whole: Vec<_> = read::<G>(&file).into_iter().map(Result::unwrap).collect();
        assert_eq!(whole, batches::<G>().concat());
        let header = header::<G>().len();
        let record = (file.len() - header) / 3;
        for length in header..file.len() {
            let (records, rest) = ((length - header) / record, (length - header) % record);
            let mut found = read::<G>(&file[..length]);
            if rest > 0 {
                let error = found.pop().unwrap().unwrap_err().to_string();
                let at = header + records * record;
                assert!(
                    error.ends_with(&format!("the record at byte {at}")),
                    "{error}"
                );
            }
            assert_eq!(found.len(), records);
            assert!(found.iter().all(Result::is_ok));
        }
    }

    #[test]
    fn a_cut_off_file_gives_its_whole_records_and_says_where_it_ends() {
        a_cut_off_file_gives_its_whole_records::<Contest>();
        a_cut_off_file_gives_its_whole_records::<Wide>();
    }

    #[test]
    fn headers_tell_versions_and_games_apart() {
        assert_eq!(header::<Contest>(), b"wabepos\x01");
        assert_eq!(header::<Wide>(), b"wabepos\x02\x04Base");
        let is_refused = |bytes: &[u8]| {
            matches!(
                DatasetReader::<Contest, _>::new(bytes),
                Err(DatasetError::Header)
            )
        };
        for bytes in [&b""[..], b"wabe", b"wabepos\x03", b"{\"version\":1}"] {
            assert!(is_refused(bytes));
        }
        assert!(is_refused(&bytes::<Wide>()));
    }

    fn a_file_left_in_any_state_is_repaired<G: Game>() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.pos");
        let whole = bytes::<G>();
        let too_much = [&whole[..], b"torn"].concat();
        for length in 0..=too_much.len() {
            for done in 1..=3 {
                std::fs::write(&path, &too_much[..length]).unwrap();
                let handed_out = batches::<G>().into_iter().take(done);
                let mut file = DatasetFile::resume(&path, handed_out).unwrap();
                for batch in &batches()[done..] {
                    file.append(batch).unwrap();
                }
                let repaired = std::fs::read(&path).unwrap();
                assert_eq!(repaired, whole, "{length} bytes, {done} batches done");
            }
        }
    }

    #[test]
    fn a_file_left_in_any_state_is_repaired_from_the_runs_batches() {
        a_file_left_in_any_state_is_repaired::<Contest>();
        a_file_left_in_any_state_is_repaired::<Wide>();
    }

    #[test]
    fn damage_after_the_first_batch_is_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.pos");
        let whole = bytes::<Contest>();
        let mut damaged = whole.clone();
        *damaged.last_mut().unwrap() ^= 1;
        std::fs::write(&path, damaged).unwrap();
        DatasetFile::<Contest>::resume(&path, batches()).unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), whole);
    }

    #[test]
    fn files_of_other_runs_and_other_files_are_refused_and_kept() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.pos");
        let whole = bytes::<Contest>();
        std::fs::write(&path, &whole).unwrap();
        let refused = |batches: Vec<Vec<LabelledPosition<Contest>>>| {
            let error = DatasetFile::resume(&path, batches).unwrap_err();
            error.to_string()
        };
        assert!(refused(vec![vec![labelled(7)]]).contains("another run"));
        assert!(refused(Vec::new()).contains("another run"));
        assert!(DatasetFile::<Wide>::resume(&path, Vec::new()).is_err());
        assert_eq!(std::fs::read(&path).unwrap(), whole);
        assert!(DatasetFile::<Contest>::create(&path).is_err());
        std::fs::write(&path, "something else").unwrap();
        assert!(refused(batches()).contains("not a file"));
        assert_eq!(std::fs::read(&path).unwrap(), b"something else");
    }
}
