//! Recordings of the contest: a `<protocol>` document with the states of a game and its result.
//!
//! The contest's server writes such files with `--saveReplay`, its website offered them for
//! download, and viewers save what they receive as observers. A damaged recording is read up to its
//! first error or gap. Files with one record per line are also read.

use std::io::{BufRead, Read};
use std::time::Duration;

use crate::read::{read_lines, read_text};
use crate::{Damage, Fault, FileFormat, Place, Recorded, Replay, ReplayError, StatedResult};
use wabe_contest::protocol::{
    Cause, Frame, Framer, GameResult, RoomId, ServerData, ServerMessage, WireMove, WireState,
};
use wabe_contest::room::{Decision, Start, result_of, states_of, write_states};
use wabe_files::text::decode;
use wabe_hive::contest::Contest;
use wabe_hive::game::{Ending, MAX_PLIES, Record};

/// Maximum size of a recording, in bytes. A game of [`MAX_PLIES`] plies takes at most two thirds
/// of it.
const MAX_RECORDING: u64 = 128 << 20;

/// Bytes fed to the framer per call.
const CHUNK: usize = 1 << 16;

/// The start of every message with a state or a result. In well-formed XML it occurs elsewhere only
/// in comments.
const MESSAGE_START: &str = "<room";

impl Recorded for Contest {
    const REMARK: &'static str = "hint";

    const FORMATS: &'static [FileFormat<Contest>] = &[
        FileFormat {
            name: "xml",
            help: "Recording for the contest's viewers",
            holds_several: false,
            write: write_xml,
        },
        FileFormat::RECORD,
    ];

    fn is_recording(text: &str) -> bool {
        looks_like_stream(text.as_bytes()) || looks_like_position(text.as_bytes())
    }

    fn read_games(source: &mut dyn BufRead) -> Result<Vec<Replay<Contest>>, ReplayError> {
        // `read_stream` reports read errors.
        if source.fill_buf().is_ok_and(looks_like_position) {
            return read_lines(&read_text(source)?);
        }
        Ok(vec![read_stream(source)?])
    }
}

/// Strips a byte order mark and white space from the start.
fn trimmed(bytes: &[u8]) -> &[u8] {
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    text.trim_ascii_start()
}

/// True if a file starts like XML: with the root element, a declaration or a comment.
fn looks_like_stream(bytes: &[u8]) -> bool {
    let starts: [&[u8]; 3] = [b"<protocol", b"<?xml", b"<!--"];
    starts.iter().any(|start| trimmed(bytes).starts_with(start))
}

/// True if a file starts with a number, as a position does with its turn, but not with a PGN move
/// number.
fn looks_like_position(bytes: &[u8]) -> bool {
    let text = trimmed(bytes);
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    digits > 0 && text.get(digits) != Some(&b'.')
}

/// Writes the official format, without a result for an unfinished game.
fn write_xml(replay: &Replay<Contest>) -> Option<String> {
    let record = &replay.record;
    let game_result = replay
        .stated
        .as_ref()
        .and_then(|stated| stated.game_result.as_deref());
    let result = match game_result {
        Some(game_result) => Some(game_result.clone()),
        None => result_of(record.position(), &replay.names, decision(replay)),
    };
    let plies = (1..).zip(record.plies().iter().zip(record.positions()));
    let wire = plies.map(|(index, (ply, before))| {
        let hint = replay.remarks.get(&index).cloned();
        WireMove::new(ply.mv, before.side_to_move(), hint)
    });
    let moves: Vec<WireMove> = wire.collect();
    let times = (1..=moves.len()).map(|index| replay.times.get(&index).copied());
    // Times are an extension of the format. They are written only if all are known.
    let times = times.collect::<Option<Vec<Duration>>>().unwrap_or_default();
    let start = Start {
        position: *record.start(),
        last_move: None,
    };
    let states = states_of(&replay.names, &start, &moves, &times);
    let mut out = Vec::new();
    let room = RoomId("replay".to_owned());
    write_states(&mut out, &room, states, result.as_ref()).ok()?;
    String::from_utf8(out).ok()
}

/// The loser and the reason, for a game that did not end by the rules.
fn decision(replay: &Replay<Contest>) -> Option<Decision> {
    let stated = replay.stated.as_ref();
    let (winner, cause, reason) = match (replay.record.ending(), stated) {
        (Some(ending @ Ending::Agreement(_)), _) => {
            (ending.winner(), None, Some(ending.reason::<Contest>()))
        }
        (None, Some(stated)) => (stated.winner, stated.cause, stated.reason.clone()),
        _ => return None,
    };
    Some(Decision {
        loser: winner.map(|winner| (winner.opponent(), cause.unwrap_or(Cause::Regular))),
        reason: reason?,
    })
}

/// Reads a stream of messages.
fn read_stream(source: &mut dyn BufRead) -> Result<Replay<Contest>, ReplayError> {
    let mut bytes = Vec::new();
    // On an error, `bytes` keeps what was read before it.
    let failure = source.take(MAX_RECORDING + 1).read_to_end(&mut bytes).err();
    let is_too_long = bytes.len() as u64 > MAX_RECORDING;
    // Servers and viewers on Windows wrote Windows-1252.
    let bytes = decode(bytes).into_bytes();
    // The framer accepts an XML declaration only as the first bytes.
    let text = trimmed(&bytes);
    let mut recording = Recording::default();
    let fault = match (recording.read(text), failure) {
        (Err(fault), _) => Some(fault),
        (Ok(Some(end)), _) => {
            let after = String::from_utf8_lossy(text.get(end..).unwrap_or_default());
            after
                .contains(MESSAGE_START)
                .then_some(Fault::SecondRecording)
        }
        (Ok(None), _) if is_too_long => Some(Fault::TooLarge(MAX_RECORDING >> 20)),
        (Ok(None), Some(error)) => Some(Fault::Other(error.to_string())),
        // Streams saved by an observer may lack the end tag.
        (Ok(None), None) if recording.result.is_some() => None,
        (Ok(None), None) => Some(Fault::UnexpectedEnd),
    };
    let Recording {
        messages,
        replay,
        result,
    } = recording;
    let after = (replay.as_ref()).map(|replay| replay.record.position().turn());
    let damage = fault.map(|fault| Damage {
        place: Place::Message {
            number: messages + 1,
            after,
        },
        fault,
        file: None,
    });
    match replay {
        Some(replay) => Ok(Replay {
            stated: result.map(StatedResult::from),
            damage,
            ..replay
        }),
        // Without a position, an unknown format or the damage is the error of the whole file.
        None if !bytes.is_empty() && !looks_like_stream(&bytes) => Err(ReplayError::NotARecording),
        None => Err(damage.map_or(ReplayError::NoPositions, |damage| {
            ReplayError::Damaged(Box::new(damage))
        })),
    }
}

/// The part of a stream that has been read.
#[derive(Default)]
struct Recording {
    messages: usize,
    replay: Option<Replay<Contest>>,
    result: Option<GameResult>,
}

fn malformed(error: impl ToString) -> Fault {
    Fault::Other(error.to_string())
}

impl Recording {
    /// Reads messages. Returns the offset of the end of the stream, or `None` if the end tag is
    /// missing.
    ///
    /// # Errors
    /// The fault of the first invalid message.
    fn read(&mut self, bytes: &[u8]) -> Result<Option<usize>, Fault> {
        let mut framer = Framer::default();
        let mut chunks = bytes.chunks(CHUNK);
        loop {
            match framer.next_frame().map_err(malformed)? {
                Some(Frame::Message(message)) => {
                    self.read_message(message)?;
                    self.messages += 1;
                }
                Some(Frame::End) => return Ok(usize::try_from(framer.completed_bytes()).ok()),
                None => match chunks.next() {
                    Some(chunk) => framer.feed(chunk),
                    None => return Ok(None),
                },
            }
        }
    }

    fn read_message(&mut self, message: &str) -> Result<(), Fault> {
        if !message.starts_with('<') {
            return Err(Fault::Other("text outside of a message".to_owned()));
        }
        match ServerMessage::read(message).map_err(malformed)? {
            ServerMessage::Room {
                data: ServerData::State(state),
                ..
            } => self.add_state(*state)?,
            ServerMessage::Room {
                data: ServerData::Result(result),
                ..
            } => self.result = Some(*result),
            _ => {}
        }
        Ok(())
    }

    fn add_state(&mut self, state: WireState) -> Result<(), Fault> {
        let position = state.position().map_err(malformed)?;
        // The server repeats a state when an observer joins late or a paused game continues.
        let replay = match &mut self.replay {
            Some(replay) if *replay.record.position() == position => return Ok(()),
            Some(replay) if replay.record.plies().len() >= MAX_PLIES => {
                return Err(Fault::TooManyPositions);
            }
            Some(replay) => {
                let mv = replay.record.position().move_to(&position);
                if mv.is_none_or(|mv| replay.record.play(mv).is_err()) {
                    return Err(Fault::NoMove(position.turn()));
                }
                replay
            }
            None => self
                .replay
                .insert(Replay::new(Record::from_position(position))),
        };
        let index = replay.record.plies().len();
        let hint = state.last_move.and_then(|mv| mv.hint);
        replay.remarks.extend(hint.map(|hint| (index, hint)));
        let time = state.last_move_time.map(|time| (index, time));
        replay.times.extend(time);
        replay.names = state.names;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reading_skips_xml_declarations() {
        let left = "<left roomId='r'/>";
        let declaration = "<?xml version='1.0'?>";
        for beginning in ["", "\n ", "\u{feff}", "\u{feff}\n"] {
            let text = format!(
                "{beginning}{declaration}<protocol>{left}{declaration}<!-- -->{left}</protocol>"
            );
            let read = Contest::read_games(&mut text.as_bytes());
            assert!(matches!(read, Err(ReplayError::NoPositions)), "{read:?}");
        }
    }
}
