//! From bytes to a [`Replay`].

use std::io::{self, BufRead, BufReader, Read};

use flate2::bufread::MultiGzDecoder;
use thiserror::Error;

use super::{Damage, Ply, ReadStandardError, Replay};
use crate::hive::ByColor;
use crate::protocol::{
    Frame, Framer, FramingError, GameResult, Limits, STREAM_OPEN, ServerData, ServerMessage,
    StreamPhase, WireState,
};

/// Bytes read from the source at a time.
const CHUNK: usize = 1 << 16;

/// How every message with a state or a result begins. In well-formed XML this stands nowhere else but in comments.
const MESSAGE_START: &[u8] = b"<room";

/// How many bytes behind a damaged message the next one is looked for.
const GIVE_UP_AFTER: usize = 64 << 20;

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
    NoPositions,
    /// It is something else.
    #[error(
        "not a recorded game: that is the XML that the contest's server writes, <protocol> with the states of a game, or a game \
         of standard Hive as a game string (Base;InProgress;White[2];wS1;bG1 wS1-), as PGN or as BoardSpace's SGF, plain or gzipped"
    )]
    NotARecording,
    /// There is nothing in it at all.
    #[error("it is empty")]
    Empty,
    /// It is a text too long for a game.
    #[error("it is longer than any game")]
    TooLong,
    /// It is a game of standard Hive that makes no sense.
    #[error(transparent)]
    Standard(#[from] ReadStandardError),
}

/// Reads a recording to its end, unpacking it first if it begins like a gzip file. Messages that are damaged are passed over.
///
/// # Errors
/// When there is not even one position in it.
pub fn read(source: impl Read) -> Result<Replay, ReplayError> {
    let mut source = BufReader::with_capacity(CHUNK, source);
    let beginning = source.fill_buf()?;
    if beginning.is_empty() {
        return Err(ReplayError::Empty);
    }
    let is_packed = is_gzip(beginning);
    let mut recording = Recording::default();
    if is_packed {
        recording.read_all(MultiGzDecoder::new(source));
    } else {
        recording.read_all(source);
    }
    recording.finish()
}

/// Whether these first bytes are those of a gzip file.
pub(super) fn is_gzip(beginning: &[u8]) -> bool {
    beginning.starts_with(&[0x1f, 0x8b])
}

/// Whether these first bytes are those of a stream, perhaps behind an XML declaration.
fn begins_like_a_recording(bytes: &[u8]) -> bool {
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let text = text.trim_ascii_start();
    [&b"<protocol"[..], b"<?xml", b"<!--"]
        .iter()
        .any(|start| text.starts_with(start))
}

/// What has been read so far.
#[derive(Default)]
struct Recording {
    messages: usize,
    names: ByColor<String>,
    plies: Vec<Ply>,
    result: Option<GameResult>,
    damage: Option<Damage>,
    /// It does not begin as a recording does.
    begins_otherwise: bool,
}

impl Recording {
    fn read_all(&mut self, mut source: impl Read) {
        let mut stream = Stream::new();
        let mut chunk = vec![0; CHUNK];
        let mut is_first = true;
        while !stream.is_hopeless() {
            let length = match source.read(&mut chunk) {
                Ok(length) => length,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => {
                    self.messages += 1;
                    return self.note(&error);
                }
            };
            let Some(bytes) = chunk.get(..length).filter(|bytes| !bytes.is_empty()) else {
                break;
            };
            if std::mem::take(&mut is_first) {
                self.begins_otherwise = !begins_like_a_recording(bytes);
            }
            stream.feed(bytes);
            if self.take_all(&mut stream) {
                return;
            }
        }
        // Without its end a message takes all that follow for parts of itself.
        while stream.has_message_in_message() {
            self.messages += 1;
            self.note(&"a message does not end");
            stream.pass_over_damage();
            self.take_all(&mut stream);
        }
        // A stream that an observer saved when the room closed need not have been closed itself.
        if self.result.is_none() && stream.searched.is_none() {
            self.messages += 1;
            self.note(&"the recording is cut off here");
        }
    }

    /// Takes every message that is there; true at the stream's end.
    fn take_all(&mut self, stream: &mut Stream) -> bool {
        loop {
            match stream.next_frame() {
                Ok(Some(Frame::Message(message))) => {
                    self.messages += 1;
                    if let Err(problem) = self.take(message) {
                        self.note(&problem);
                    }
                }
                Ok(Some(Frame::End)) => return true,
                Ok(None) => return false,
                Err(error) => {
                    self.messages += 1;
                    self.note(&error);
                    stream.pass_over_damage();
                }
            }
        }
    }

    /// What is wrong with the message, if it makes no sense.
    fn take(&mut self, message: &str) -> Result<(), String> {
        let message = ServerMessage::read(message).map_err(|error| error.to_string())?;
        let ServerMessage::Room { data, .. } = message else {
            return Ok(());
        };
        match data {
            ServerData::State(state) => self.take_state(*state),
            ServerData::Result(result) => self.result = Some(*result),
            _ => {}
        }
        Ok(())
    }

    fn take_state(&mut self, mut state: WireState) {
        let position = state.position;
        // A state may be sent again when somebody joins late or a paused game goes on.
        if self
            .plies
            .last()
            .is_some_and(|ply| ply.position == position)
        {
            return;
        }
        self.plies.push(Ply {
            position,
            last_move: state.last_move().ok().flatten(),
            hint: state.last_move.and_then(|mv| mv.hint),
            time: state.last_move_time,
        });
        self.names = std::mem::take(&mut state.names);
    }

    fn note(&mut self, problem: &impl ToString) {
        match &mut self.damage {
            Some(damage) => damage.further += 1,
            None => {
                self.damage = Some(Damage {
                    message: self.messages,
                    after: self.plies.last().map(|ply| ply.position.turn()),
                    problem: problem.to_string(),
                    further: 0,
                });
            }
        }
    }

    fn finish(self) -> Result<Replay, ReplayError> {
        if self.plies.is_empty() && self.begins_otherwise {
            return Err(ReplayError::NotARecording);
        }
        if self.plies.is_empty() {
            return Err(self
                .damage
                .map_or(ReplayError::NoPositions, ReplayError::Damaged));
        }
        Ok(Replay {
            names: self.names,
            plies: self.plies,
            result: self.result,
            damage: self.damage,
        })
    }
}

/// A stream of messages that can be read on behind a damaged one.
struct Stream {
    framer: Framer,
    /// What the framer has been given and has not completed.
    pending: Vec<u8>,
    /// The place in the whole stream where the framer's own stream would have begun.
    origin: i128,
    /// The place in the whole stream where `pending` begins.
    pending_from: i128,
    /// While the next message is looked for: how many bytes have been looked through.
    searched: Option<usize>,
    /// Where reading went on behind damage.
    resumed_at: Option<i128>,
}

impl Stream {
    fn new() -> Stream {
        Stream {
            framer: Framer::new(Limits::default()),
            pending: Vec::new(),
            origin: 0,
            pending_from: 0,
            searched: None,
            resumed_at: None,
        }
    }

    fn feed(&mut self, bytes: &[u8]) {
        self.pending.extend_from_slice(bytes);
        if self.searched.is_some() {
            self.search(0);
        } else {
            self.framer.feed(bytes);
        }
    }

    fn next_frame(&mut self) -> Result<Option<Frame<'_>>, FramingError> {
        if self.searched.is_some() {
            return Ok(None);
        }
        self.discard_completed();
        let origin = self.origin;
        self.framer.next_frame().map_err(|error| match error {
            FramingError::Malformed { offset, fault } => FramingError::Malformed {
                offset: u64::try_from(origin + i128::from(offset)).unwrap_or(offset),
                fault,
            },
            other => other,
        })
    }

    /// Goes on with the next message that begins behind the beginning of the damaged one, which the framer has just refused.
    fn pass_over_damage(&mut self) {
        self.discard_completed();
        // Damage between messages, or before the root, leaves the next message whole.
        let is_in_message = self.framer.phase() == StreamPhase::InMessage;
        let is_repeated = self.resumed_at == Some(self.pending_from);
        self.searched = Some(0);
        self.search(usize::from(is_in_message || is_repeated));
    }

    fn has_message_in_message(&mut self) -> bool {
        self.discard_completed();
        self.searched.is_none()
            && self.framer.phase() == StreamPhase::InMessage
            && find_message(&self.pending, 1).is_some()
    }

    fn search(&mut self, from: usize) {
        if let Some(found) = find_message(&self.pending, from) {
            self.discard(self.pending_from + found as i128);
            self.searched = None;
            self.resumed_at = Some(self.pending_from);
            self.origin = self.pending_from - STREAM_OPEN.len() as i128;
            self.framer = Framer::new(Limits::default());
            self.framer.feed(STREAM_OPEN.as_bytes());
            self.framer.feed(&self.pending);
        } else {
            let kept = self.pending.len().min(MESSAGE_START.len() - 1);
            let gone = self.pending.len() - kept;
            self.discard(self.pending_from + gone as i128);
            self.searched = self.searched.map(|searched| searched + gone);
        }
    }

    fn discard_completed(&mut self) {
        self.discard(self.origin + i128::from(self.framer.completed_bytes()));
    }

    fn discard(&mut self, up_to: i128) {
        let count = usize::try_from(up_to - self.pending_from).unwrap_or(0);
        let count = count.min(self.pending.len());
        self.pending.drain(..count);
        self.pending_from += count as i128;
    }

    fn is_hopeless(&self) -> bool {
        self.searched
            .is_some_and(|searched| searched > GIVE_UP_AFTER)
    }
}

/// Where the first message at or behind `from` begins.
fn find_message(bytes: &[u8], from: usize) -> Option<usize> {
    let rest = bytes.get(from..)?;
    let mut windows = rest.windows(MESSAGE_START.len());
    let found = windows.position(|window| window == MESSAGE_START)?;
    Some(from + found)
}
