//! Recorded games of either rule book, in whatever form.

use std::fmt;
use std::io::{self, BufRead, BufReader, Cursor, Read};

use flate2::bufread::MultiGzDecoder;

use super::read::is_gzip;
use super::standard::{
    begins_like_a_game_string, begins_like_pgn, begins_like_sgf, read_game_string, read_pgn,
    read_sgf,
};
use super::{Album, Replay, ReplayError, StandardReplay, export, read};

/// How many bytes tell the form of a recording.
const BEGINNING: u64 = 512;

/// A text longer than this is no game.
const LONGEST_TEXT: u64 = 16 << 20;

/// A recorded game.
#[derive(Clone, Debug)]
pub enum Recording {
    /// Of the contest.
    Contest(Box<Replay>),
    /// Of standard Hive.
    Standard(Box<StandardReplay>),
}

/// The forms in which games are recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    ContestStream,
    GameString,
    Pgn,
    Sgf,
}

impl Form {
    fn of(beginning: &[u8]) -> Form {
        let text = String::from_utf8_lossy(beginning);
        let text = text.trim_start_matches('\u{feff}').trim_start();
        if begins_like_a_game_string(text) {
            Form::GameString
        } else if begins_like_pgn(text) {
            Form::Pgn
        } else if begins_like_sgf(text) {
            Form::Sgf
        } else {
            Form::ContestStream
        }
    }
}

impl Recording {
    /// Reads a recording of any form to its end, unpacking it first if it begins like a gzip file.
    ///
    /// # Errors
    /// When there is not even one position in it.
    pub fn read(source: impl Read + 'static) -> Result<Recording, ReplayError> {
        let mut source = BufReader::new(source);
        let mut source: Box<dyn BufRead> = if is_gzip(source.fill_buf()?) {
            Box::new(BufReader::new(MultiGzDecoder::new(source)))
        } else {
            Box::new(source)
        };
        let mut beginning = Vec::new();
        // What is damaged already here is for the contest's reader to say: the other forms are not packed.
        let damage = (&mut source).take(BEGINNING).read_to_end(&mut beginning);
        let form = Form::of(&beginning);
        let whole = Cursor::new(beginning).chain(Rest {
            source,
            damage: damage.err(),
        });
        let replay = match form {
            Form::ContestStream => return Ok(Recording::Contest(Box::new(read(whole)?))),
            Form::GameString => read_game_string(&text(whole)?)?,
            Form::Pgn => read_pgn(&text(whole)?)?,
            Form::Sgf => read_sgf(&text(whole)?)?,
        };
        Ok(Recording::Standard(Box::new(replay)))
    }

    /// The game as it is shown.
    pub fn album(&self) -> Album {
        match self {
            Recording::Contest(replay) => (&**replay).into(),
            Recording::Standard(replay) => (&**replay).into(),
        }
    }

    /// The game as JSON.
    pub fn json(&self) -> serde_json::Value {
        match self {
            Recording::Contest(replay) => export::json(replay),
            Recording::Standard(replay) => replay.json(),
        }
    }

    /// Number of positions that could be read.
    pub fn positions(&self) -> usize {
        match self {
            Recording::Contest(replay) => replay.plies.len(),
            Recording::Standard(replay) => replay.plies() + 1,
        }
    }

    /// What is wrong with the recording, if it is not whole.
    pub fn damage(&self) -> Option<&dyn fmt::Display> {
        match self {
            Recording::Contest(replay) => replay.damage.as_ref().map(|damage| damage as _),
            Recording::Standard(replay) => replay.damage.as_ref().map(|damage| damage as _),
        }
    }

    /// How many further games are in the same file.
    pub fn further_games(&self) -> usize {
        match self {
            Recording::Contest(_) => 0,
            Recording::Standard(replay) => replay.further_games,
        }
    }
}

/// What follows a recording's beginning, unless reading that failed.
struct Rest {
    source: Box<dyn BufRead>,
    damage: Option<io::Error>,
}

impl Read for Rest {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self.damage.take() {
            Some(error) => Err(error),
            None => self.source.read(buffer),
        }
    }
}

/// The text of a recording. Its first bytes may be a mark of its encoding, which is UTF-8 or some other that extends ASCII.
fn text(source: impl Read) -> Result<String, ReplayError> {
    let mut bytes = Vec::new();
    source.take(LONGEST_TEXT + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > LONGEST_TEXT {
        return Err(ReplayError::TooLong);
    }
    let text = String::from_utf8_lossy(&bytes);
    Ok(text.trim_start_matches('\u{feff}').to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_form_is_told_by_the_content() {
        assert_eq!(
            Form::of(b"\xef\xbb\xbf\nBase;NotStarted;White[1]"),
            Form::GameString
        );
        assert_eq!(Form::of(b"\n[White \"A\"]"), Form::Pgn);
        assert_eq!(Form::of(b"1. wS1"), Form::Pgn);
        assert_eq!(Form::of(b" (;\nGM[27]"), Form::Sgf);
        assert_eq!(Form::of(b"[{\"json\": 1}]"), Form::ContestStream);
        assert_eq!(Form::of(b"<protocol>"), Form::ContestStream);
        assert_eq!(Form::of(b""), Form::ContestStream);
    }
}
