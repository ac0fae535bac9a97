//! Reads and writes files of training games.

use std::fs::{File, OpenOptions};
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};
use std::marker::PhantomData;
use std::path::Path;

use thiserror::Error;

use super::TrainingGame;
use super::encoding::MOVE_ORDER;
use crate::ArenaGame;

/// The first bytes of every file.
pub const MAGIC: &[u8] = b"wabegame";

/// Version of the format.
const VERSION: u8 = 1;

/// Marks the start of every game, so that reading can continue after damage.
const MARKER: &[u8] = b"G:";

/// Length of the frame before each record: marker, record length, game number, checksum.
const FRAME: usize = MARKER.len() + 12;

/// Maximum length of a record in bytes, about a thousand times the usual length.
const MAX_RECORD: usize = 4 << 20;

/// Bytes per read.
const CHUNK: usize = 64 << 10;

/// The header of a file for games of `G`.
fn header<G: ArenaGame>(has_visits: bool) -> Vec<u8> {
    let mut header = MAGIC.to_vec();
    let length = G::WORD.len() as u8;
    header.extend([VERSION, MOVE_ORDER, has_visits.into(), length]);
    header.extend(G::WORD.bytes());
    header
}

/// Why a file or one of its games cannot be read or appended to.
#[derive(Debug, Error)]
pub enum DatasetError {
    /// Reading or writing failed.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The file has an unexpected format, version, game or end, is open in another run, or a game
    /// was rejected by its receiver.
    #[error("{0}")]
    File(String),
    /// A checksum is wrong, or the file ends within a game.
    #[error("bytes {from} to {to}, {}, are damaged or incomplete", describe_place(*.game))]
    Damaged {
        /// Offset of the first damaged byte in the file.
        from: u64,
        /// Offset of the first byte after the damage.
        to: u64,
        /// Number of the last game before the damage.
        game: Option<u32>,
    },
    /// A record has the correct checksum but cannot be replayed.
    #[error("game {}: {message}", u64::from(*game) + 1)]
    Record {
        /// Number of the game, from 0.
        game: u32,
        /// The problem and its ply.
        message: String,
    },
}

fn wrong_format() -> DatasetError {
    DatasetError::File("not a file of training games".to_owned())
}

fn describe_place(game: Option<u32>) -> String {
    game.map_or("before the first game".to_owned(), |game| {
        format!("after game {}", u64::from(game) + 1)
    })
}

/// Reads a file's header. Returns the word of its game, and whether it contains visits.
fn read_header(input: &mut impl Read) -> Result<(String, bool), DatasetError> {
    let mut read = |count: usize| -> Result<Vec<u8>, DatasetError> {
        let mut bytes = Vec::with_capacity(count);
        let found = input.take(count as u64).read_to_end(&mut bytes)?;
        (found == count).then_some(bytes).ok_or_else(wrong_format)
    };
    if read(MAGIC.len())? != MAGIC {
        return Err(wrong_format());
    }
    for (what, expected) in [("format", VERSION), ("move order", MOVE_ORDER)] {
        let found = read(1)?[0];
        if found != expected {
            return Err(DatasetError::File(format!(
                "expected training games of {what} {expected}, found {found}"
            )));
        }
    }
    let has_visits = read(1)?[0] != 0;
    let length = read(1)?[0].into();
    let word = String::from_utf8(read(length)?).map_err(|_| wrong_format())?;
    Ok((word, has_visits))
}

/// Reads the [word](wabe_hive::game::Game::WORD) of a file's game.
///
/// # Errors
/// When `input` is not a file of training games, or cannot be read.
pub fn game_word(mut input: impl Read) -> Result<String, DatasetError> {
    read_header(&mut input).map(|(word, _)| word)
}

/// Iterates over the games of a file. For each damaged game it returns an error and continues.
#[derive(Debug)]
pub struct GameReader<G: ArenaGame, R: Read> {
    input: R,
    /// Bytes that were read but not yet used.
    buffer: Vec<u8>,
    /// Offset of the buffer's first byte in the file.
    offset: u64,
    has_visits: bool,
    last_game: Option<u32>,
    failed: bool,
    game: PhantomData<G>,
}

impl<G: ArenaGame, R: Read> GameReader<G, R> {
    /// Reads the header of a file.
    ///
    /// # Errors
    /// When it is not a file with games of `G`, or cannot be read.
    pub fn new(mut input: R) -> Result<GameReader<G, R>, DatasetError> {
        let (found, has_visits) = read_header(&mut input)?;
        if found != G::WORD {
            return Err(DatasetError::File(format!(
                "expected training games of `{}`, found `{found}`",
                G::WORD
            )));
        }
        Ok(GameReader {
            input,
            buffer: Vec::new(),
            offset: header::<G>(has_visits).len() as u64,
            has_visits,
            last_game: None,
            failed: false,
            game: PhantomData,
        })
    }

    /// Reads until the buffer contains `count` bytes. Returns false if the file ends before that.
    fn fill(&mut self, count: usize) -> io::Result<bool> {
        let missing = count.saturating_sub(self.buffer.len());
        if missing > 0 {
            let input = &mut self.input;
            let wanted = missing.max(CHUNK) as u64;
            input.take(wanted).read_to_end(&mut self.buffer)?;
        }
        Ok(self.buffer.len() >= count)
    }

    fn skip(&mut self, count: usize) {
        let count = count.min(self.buffer.len());
        self.buffer.drain(..count);
        self.offset += count as u64;
    }

    /// Reads the frame at the start of the buffer. If marker and checksum are correct, returns the
    /// game's number and the length of its record.
    fn read_frame(&mut self) -> io::Result<Option<(u32, usize)>> {
        if !self.fill(FRAME)? || !self.buffer.starts_with(MARKER) {
            return Ok(None);
        }
        let number = |start: usize| {
            let bytes = self.buffer[MARKER.len() + start..].first_chunk();
            u32::from_le_bytes(*bytes.unwrap_or(&[0; 4]))
        };
        let (length, game, checksum) = (number(0) as usize, number(4), number(8));
        if length > MAX_RECORD || !self.fill(FRAME + length)? {
            return Ok(None);
        }
        let record = &self.buffer[FRAME..FRAME + length];
        Ok((checksum == checksum_of(game, record)).then_some((game, length)))
    }

    fn read_game(&mut self) -> Result<Option<TrainingGame<G>>, DatasetError> {
        let damage = self.offset;
        loop {
            let frame = self.read_frame()?;
            if (frame.is_some() || self.buffer.is_empty()) && self.offset > damage {
                return Err(DatasetError::Damaged {
                    from: damage,
                    to: self.offset,
                    game: self.last_game,
                });
            }
            if let Some((game, length)) = frame {
                let record = &self.buffer[FRAME..FRAME + length];
                let read = TrainingGame::from_record(game, record, self.has_visits);
                self.skip(FRAME + length);
                self.last_game = Some(game);
                return match read {
                    Ok(read) => Ok(Some(read)),
                    Err(message) => Err(DatasetError::Record { game, message }),
                };
            }
            if self.buffer.is_empty() {
                return Ok(None);
            }
            // A marker may continue beyond the end of the buffer.
            let next = (1..self.buffer.len()).find(|&start| {
                let rest = &self.buffer[start..];
                rest.starts_with(MARKER) || MARKER.starts_with(rest)
            });
            self.skip(next.unwrap_or(self.buffer.len()));
        }
    }
}

impl<G: ArenaGame, R: Read> Iterator for GameReader<G, R> {
    type Item = Result<TrainingGame<G>, DatasetError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.failed {
            return None;
        }
        let game = self.read_game();
        self.failed = matches!(game, Err(DatasetError::Io(_)));
        game.transpose()
    }
}

fn checksum_of(game: u32, record: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&(record.len() as u32).to_le_bytes());
    hasher.update(&game.to_le_bytes());
    hasher.update(record);
    hasher.finalize()
}

/// Writes games one after the other.
#[derive(Debug)]
pub struct GameWriter<G: ArenaGame, W: Write> {
    out: W,
    has_visits: bool,
    game: PhantomData<G>,
}

impl<G: ArenaGame, W: Write> GameWriter<G, W> {
    /// Writes the header of a file.
    ///
    /// # Errors
    /// When the header cannot be written.
    pub fn new(mut out: W, has_visits: bool) -> io::Result<GameWriter<G, W>> {
        out.write_all(&header::<G>(has_visits))?;
        Ok(GameWriter::after_games(out, has_visits))
    }

    fn after_games(out: W, has_visits: bool) -> GameWriter<G, W> {
        GameWriter {
            out,
            has_visits,
            game: PhantomData,
        }
    }

    /// Appends a game in one write.
    ///
    /// # Errors
    /// When the game cannot be encoded or written.
    pub fn append(&mut self, game: &TrainingGame<G>) -> io::Result<()> {
        let record = game.to_record(self.has_visits);
        let record = record.map_err(io::Error::other)?;
        if record.len() > MAX_RECORD {
            return Err(io::Error::other("the game is too long"));
        }
        let mut bytes = MARKER.to_vec();
        bytes.extend((record.len() as u32).to_le_bytes());
        bytes.extend(game.number.to_le_bytes());
        bytes.extend(checksum_of(game.number, &record).to_le_bytes());
        bytes.extend(record);
        self.out.write_all(&bytes)
    }
}

/// Opens or creates a file to append games. Passes its games to `receive` and returns the number of
/// the next one. Removes an incomplete game at the end, but keeps earlier damage. Logs both.
///
/// # Errors
/// When the file cannot be read or written, is open in another run, has a different header, ends
/// with something other than a game, or when `receive` rejects a game. The file is then as before.
pub fn continue_file<G: ArenaGame>(
    path: &Path,
    has_visits: bool,
    mut receive: impl FnMut(TrainingGame<G>) -> Result<(), String>,
) -> Result<(GameWriter<G, File>, u32), DatasetError> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    let mut file = options.open(path)?;
    wabe_files::lock(&file)?;
    // A killed run may have written only part of the header.
    let header = header::<G>(has_visits);
    let mut start = Vec::new();
    (&file).take(header.len() as u64).read_to_end(&mut start)?;
    if start.len() < header.len() && header.starts_with(&start) {
        file.set_len(0)?;
        file.rewind()?;
        return Ok((GameWriter::new(file, has_visits)?, 0));
    }
    file.rewind()?;
    let mut reader = GameReader::<G, _>::new(BufReader::new(&file))?;
    if reader.has_visits != has_visits {
        let found = if reader.has_visits { "with" } else { "without" };
        return Err(DatasetError::File(format!(
            "the file was started {found} visits"
        )));
    }
    let (mut intact_end, mut next) = (reader.offset, 0);
    while let Some(game) = reader.next() {
        match game {
            Ok(game) => {
                next = next.max(game.number.saturating_add(1));
                intact_end = reader.offset;
                receive(game).map_err(DatasetError::File)?;
            }
            Err(damage @ DatasetError::Damaged { .. }) => {
                log::warn!("{}: {damage}", path.display());
            }
            Err(error) => return Err(error),
        }
    }
    let length = file.metadata()?.len();
    file.seek(SeekFrom::Start(intact_end))?;
    let mut rest = Vec::new();
    (&file).take(MARKER.len() as u64).read_to_end(&mut rest)?;
    if !MARKER.starts_with(&rest) {
        return Err(DatasetError::File(format!(
            "bytes {intact_end} to {length} are not a game: cut them off, or choose a new file"
        )));
    }
    if length > intact_end {
        log::warn!(
            "{}: removing bytes {intact_end} to {length}",
            path.display()
        );
    }
    file.set_len(intact_end)?;
    file.seek(SeekFrom::Start(intact_end))?;
    Ok((GameWriter::after_games(file, has_visits), next))
}

#[cfg(test)]
mod tests {
    use super::super::random_game;
    use super::*;
    use wabe_hive::contest::Contest;
    use wabe_hive::standard::Standard;

    fn games<G: ArenaGame>() -> Vec<TrainingGame<G>> {
        [3, 4, 7]
            .map(|number| random_game(number, G::Variant::default()))
            .to_vec()
    }

    /// Writes games to a file in memory. Returns it with the offset of each game.
    fn write<G: ArenaGame>(games: &[TrainingGame<G>]) -> (Vec<u8>, Vec<usize>) {
        let mut bytes = Vec::new();
        let mut starts = Vec::new();
        let mut writer = GameWriter::new(&mut bytes, true).unwrap();
        for game in games {
            starts.push(writer.out.len());
            writer.append(game).unwrap();
        }
        (bytes, starts)
    }

    type Read<G> = (Vec<TrainingGame<G>>, Vec<String>);

    fn read<G: ArenaGame>(bytes: &[u8]) -> Read<G> {
        let (mut games, mut errors) = (Vec::new(), Vec::new());
        for game in GameReader::new(bytes).unwrap() {
            match game {
                Ok(game) => games.push(game),
                Err(error) => errors.push(error.to_string()),
            }
        }
        (games, errors)
    }

    #[test]
    fn files_round_trip() {
        fn check<G: ArenaGame>() {
            assert_eq!(read::<G>(&write(&games::<G>()).0), (games(), Vec::new()));
        }
        check::<Contest>();
        check::<Standard>();
    }

    #[test]
    fn damage_loses_only_its_game() {
        let games = games::<Contest>();
        let (bytes, starts) = write(&games);
        for at in (starts[1]..starts[1] + FRAME).chain((starts[1]..starts[2]).step_by(37)) {
            let mut damaged = bytes.clone();
            damaged[at] ^= 0x41;
            let (found, errors) = read::<Contest>(&damaged);
            assert_eq!(found, [games[0].clone(), games[2].clone()], "byte {at}");
            let (from, to) = (starts[1], starts[2]);
            let expected = format!("bytes {from} to {to}, after game 4, are damaged or incomplete");
            assert_eq!(errors, [expected]);
        }
    }

    #[test]
    fn continue_file_keeps_complete_games() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.games");
        let games = games::<Contest>();
        let (bytes, starts) = write(&games);
        let ends = [starts[1], starts[2], bytes.len()];
        for length in (0..30).chain((30..bytes.len()).step_by(53)).chain(ends) {
            let complete = ends.iter().filter(|&&end| end <= length).count();
            std::fs::write(&path, &bytes[..length]).unwrap();
            let mut found = Vec::new();
            let opened = continue_file(&path, true, |game| {
                found.push(game);
                Ok(())
            });
            let (mut writer, next) = opened.unwrap();
            assert_eq!(found, games[..complete]);
            assert_eq!(next, found.last().map_or(0, |game| game.number + 1));
            let missing = games[complete..].iter();
            missing.for_each(|game| writer.append(game).unwrap());
            assert_eq!(std::fs::read(&path).unwrap(), bytes, "{length} bytes");
        }
    }

    #[test]
    fn unplayable_records_are_named() {
        let (mut bytes, starts) = write(&games::<Contest>());
        let record = b"\x01x";
        bytes.truncate(starts[1]);
        bytes.extend(MARKER);
        bytes.extend(2u32.to_le_bytes());
        bytes.extend(8u32.to_le_bytes());
        bytes.extend(checksum_of(8, record).to_le_bytes());
        bytes.extend(record);
        let (found, errors) = read::<Contest>(&bytes);
        assert_eq!(found.len(), 1);
        assert_eq!(errors, ["game 9: `x` is not a variant"]);
    }

    #[test]
    fn headers_of_other_files_are_rejected() {
        let error = |bytes: &[u8]| {
            GameReader::<Contest, _>::new(bytes)
                .unwrap_err()
                .to_string()
        };
        for bytes in [&b""[..], b"wabe", b"wabepos\x01", b"{\"version\":1}"] {
            assert_eq!(error(bytes), "not a file of training games");
        }
        let mut header = header::<Standard>(true);
        assert_eq!(
            error(&header),
            "expected training games of `contest`, found `Base`"
        );
        assert_eq!(game_word(&header[..]).unwrap(), "Base");
        header[9] = MOVE_ORDER + 1;
        assert_eq!(
            error(&header),
            "expected training games of move order 1, found 2"
        );
        header[8] = 9;
        assert_eq!(
            error(&header),
            "expected training games of format 1, found 9"
        );
    }

    #[test]
    fn continue_file_rejects_other_files() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.games");
        let open = |visits| continue_file::<Contest>(&path, visits, |_| Ok(()));
        let first = open(true).unwrap();
        let error = |visits| open(visits).unwrap_err().to_string();
        assert_eq!(error(true), "another run is writing to the file");
        drop(first);
        assert_eq!(error(false), "the file was started with visits");
        std::fs::write(&path, "something else").unwrap();
        assert_eq!(error(true), "not a file of training games");
        assert_eq!(std::fs::read(&path).unwrap(), b"something else");

        let (mut bytes, _) = write(&games::<Contest>());
        bytes.pop();
        std::fs::write(&path, &bytes).unwrap();
        let reject = |game: TrainingGame<_>| Err(format!("game {} is foreign", game.number));
        let rejected = continue_file::<Contest>(&path, true, reject).unwrap_err();
        assert_eq!(rejected.to_string(), "game 3 is foreign");
        assert_eq!(std::fs::read(&path).unwrap(), bytes);

        let (mut bytes, _) = write(&games::<Contest>());
        let end = bytes.len();
        bytes.extend(b"a note");
        std::fs::write(&path, &bytes).unwrap();
        let expected = format!("bytes {end} to {} are not a game: ", bytes.len());
        assert!(error(true).starts_with(&expected), "{}", error(true));
        assert_eq!(std::fs::read(&path).unwrap(), bytes);
    }
}
