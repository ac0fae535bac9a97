//! From bytes to a [`Replay`].

use std::io::{self, BufRead, BufReader, Read};

use flate2::bufread::MultiGzDecoder;
use thiserror::Error;

use super::{Damage, Ply, Replay};
use crate::hive::ByColor;
use crate::protocol::{Frame, Framer, GameResult, Limits, ServerData, ServerMessage, WireState};

/// Bytes read from the source at a time.
const CHUNK: usize = 1 << 16;

/// Why there is nothing to show of a recording.
#[derive(Debug, Error)]
pub enum ReplayError {
    /// Reading failed before there was a position.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// There is no position in it, for this reason.
    #[error("there is no readable position in it: {0}")]
    Damaged(Damage),
    /// It is whole, but has no positions.
    #[error("there is no position in it")]
    Empty,
}

/// Reads a recording to its end or to where it is damaged, unpacking it first if it begins like a gzip file.
///
/// # Errors
/// When there is not even one position in it.
pub fn read(source: impl Read) -> Result<Replay, ReplayError> {
    let mut source = BufReader::with_capacity(CHUNK, source);
    let is_gzip = source.fill_buf()?.starts_with(&[0x1f, 0x8b]);
    let mut recording = Recording::default();
    let damage = if is_gzip {
        recording.read_all(MultiGzDecoder::new(source))
    } else {
        recording.read_all(source)
    };
    recording.finish(damage.err())
}

/// What has been read so far.
#[derive(Default)]
struct Recording {
    messages: usize,
    names: ByColor<String>,
    plies: Vec<Ply>,
    result: Option<GameResult>,
}

impl Recording {
    fn read_all(&mut self, mut source: impl Read) -> Result<(), Damage> {
        let mut framer = Framer::new(Limits::default());
        let mut chunk = vec![0; CHUNK];
        loop {
            let length = match source.read(&mut chunk) {
                Ok(length) => length,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(self.damage(&error)),
            };
            let Some(bytes) = chunk.get(..length).filter(|bytes| !bytes.is_empty()) else {
                break;
            };
            framer.feed(bytes);
            loop {
                match framer.next_frame() {
                    Ok(Some(Frame::Message(message))) => {
                        self.messages += 1;
                        self.take(message)?;
                    }
                    Ok(Some(Frame::End)) => return Ok(()),
                    Ok(None) => break,
                    Err(error) => {
                        self.messages += 1;
                        return Err(self.damage(&error));
                    }
                }
            }
        }
        self.messages += 1;
        // A stream that an observer saved when the room closed need not have been closed itself.
        if self.result.is_some() {
            Ok(())
        } else {
            Err(self.damage(&"the recording is cut off here"))
        }
    }

    fn take(&mut self, message: &str) -> Result<(), Damage> {
        let message = ServerMessage::read(message).map_err(|error| self.damage(&error))?;
        let ServerMessage::Room { data, .. } = message else {
            return Ok(());
        };
        match data {
            ServerData::State(state) => self.take_state(*state),
            ServerData::Result(result) => {
                self.result = Some(*result);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn take_state(&mut self, mut state: WireState) -> Result<(), Damage> {
        let position = state.position().map_err(|error| self.damage(&error))?;
        // A state may be sent again when somebody joins late or a paused game goes on.
        if self
            .plies
            .last()
            .is_some_and(|ply| ply.position == position)
        {
            return Ok(());
        }
        self.plies.push(Ply {
            position,
            last_move: state.last_move().ok().flatten(),
            hint: state.last_move.and_then(|mv| mv.hint),
        });
        self.names = std::mem::take(&mut state.names);
        Ok(())
    }

    fn damage(&self, problem: &impl ToString) -> Damage {
        Damage {
            message: self.messages.max(1),
            problem: problem.to_string(),
        }
    }

    fn finish(self, damage: Option<Damage>) -> Result<Replay, ReplayError> {
        if self.plies.is_empty() {
            return Err(damage.map_or(ReplayError::Empty, ReplayError::Damaged));
        }
        Ok(Replay {
            names: self.names,
            plies: self.plies,
            result: self.result,
            damage,
        })
    }
}
