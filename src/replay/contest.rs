//! Recordings of the contest: a `<protocol>` document with the states of a game and its result.
//!
//! The contest's server writes it with `--saveReplay`, the contest offers it for download, and an observer's viewer saves what it
//! received. It may be damaged or cut off: readable messages are kept, also those after the damage. A file may also have records in
//! their text form, one a line.

use std::collections::BTreeMap;
use std::io::{BufRead, Read};
use std::time::Duration;

use super::{
    Account, Damage, FileForm, MOST, Place, Recorded, Replay, ReplayError, read_lines, read_text,
};
use crate::game::{Ending, Record};
use crate::hive::ByColor;
use crate::hive::contest::Contest;
use crate::protocol::{
    Cause, Frame, Framer, FramingError, GameResult, Limits, RoomId, STREAM_OPEN, ServerData,
    ServerMessage, StreamPhase, WireMove, WireState,
};
use crate::room::{Decision, Start, result_of, states_of, write_states};
use crate::text::{SENTENCE, printable};

/// Longest recording that is read, in bytes: the states of the longest game that is read take two thirds of it.
const LONGEST_RECORDING: u64 = 128 << 20;

/// Number of bytes that the framer gets at once.
const CHUNK: usize = 1 << 16;

/// The beginning of every message with a state or a result. In well-formed XML it occurs nowhere else but in comments.
const MESSAGE_START: &[u8] = b"<room";

/// Total number of bytes that are read again to find messages inside damaged ones. Without this limit, starts of messages inside a comment
/// that does not end would take quadratic time.
const MOST_READ_AGAIN: usize = 16 << 20;

impl Recorded for Contest {
    const REMARK: &'static str = "hint";

    const FORMS: &'static [FileForm<Contest>] = &[
        FileForm {
            name: "xml",
            holds_several: false,
            write: write_xml,
        },
        FileForm::RECORD,
    ];

    fn is_recording(text: &str) -> bool {
        begins_like_a_stream(text.as_bytes()) || begins_like_a_position(text.as_bytes())
    }

    fn read_games(source: &mut dyn BufRead) -> Result<Vec<Replay<Contest>>, ReplayError> {
        // A damaged beginning is for the stream's reader to report.
        if source.fill_buf().is_ok_and(begins_like_a_position) {
            return read_lines(&read_text(source)?);
        }
        let mut stream = Recording::default();
        stream.read_all(source);
        Ok(vec![stream.finish()?])
    }
}

/// A position begins with its turn.
fn begins_like_a_position(beginning: &[u8]) -> bool {
    let text = beginning.strip_prefix(b"\xef\xbb\xbf").unwrap_or(beginning);
    let text = text.trim_ascii_start();
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    digits > 0 && text.get(digits) != Some(&b'.')
}

/// The official format, without a result if the game has none; `None` for a game in several parts.
fn write_xml(replay: &Replay<Contest>) -> Option<String> {
    let [record] = &replay.parts[..] else {
        return None;
    };
    let verdict = replay.account.as_ref().and_then(|a| a.verdict.as_deref());
    let result = match verdict {
        Some(verdict) => Some(verdict.clone()),
        None => result_of(record.position(), &replay.names, decision(replay)),
    };
    let movers = record.positions().map(|position| position.side_to_move());
    let plies = (1..).zip(record.plies().iter().zip(movers));
    let moves = plies.map(|(index, (ply, mover))| {
        let hint = replay.remarks.get(&index).cloned();
        WireMove::new(ply.mv, mover, hint)
    });
    let times = (1..=record.plies().len()).map(|index| replay.times.get(&index).copied());
    let times: Option<Vec<Duration>> = times.collect();
    let start = Start {
        position: *record.start(),
        last_move: None,
    };
    let moves: Vec<WireMove> = moves.collect();
    // The format's addition needs the times of all moves.
    let times = times.unwrap_or_default();
    let states = states_of(&replay.names, &start, &moves, &times);
    let mut out = Vec::new();
    let room = RoomId("replay".to_owned());
    write_states(&mut out, &room, states, result.as_ref()).ok()?;
    String::from_utf8(out).ok()
}

/// The result of a game that the rules did not end.
fn decision(replay: &Replay<Contest>) -> Option<Decision> {
    let account = replay.account.as_ref();
    let (winner, cause, reason) = match (replay.last().ending(), account) {
        (Some(ending @ Ending::Agreement(_)), _) => {
            (ending.winner(), None, Some(ending.reason::<Contest>()))
        }
        (None, Some(account)) => (account.winner, account.cause, account.reason.clone()),
        _ => return None,
    };
    Some(Decision {
        loser: winner.map(|winner| (winner.opponent(), cause.unwrap_or(Cause::Regular))),
        reason: reason?,
    })
}

/// True if a file with these first bytes is a stream, perhaps with an XML declaration.
fn begins_like_a_stream(bytes: &[u8]) -> bool {
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let text = text.trim_ascii_start();
    [&b"<protocol"[..], b"<?xml", b"<!--"]
        .iter()
        .any(|start| text.starts_with(start))
}

/// The state of reading.
#[derive(Default)]
struct Recording {
    messages: usize,
    names: ByColor<String>,
    parts: Vec<Record<Contest>>,
    positions: usize,
    hints: BTreeMap<usize, String>,
    times: BTreeMap<usize, Duration>,
    result: Option<GameResult>,
    damage: Option<Damage>,
    /// True if the file does not begin like a recording.
    begins_otherwise: bool,
}

impl Recording {
    fn read_all(&mut self, source: &mut dyn BufRead) {
        let mut bytes = Vec::new();
        // What was read before an error is in `bytes`.
        let failure = source
            .take(LONGEST_RECORDING + 1)
            .read_to_end(&mut bytes)
            .err();
        let is_too_long = bytes.len() as u64 > LONGEST_RECORDING;
        // If no byte can be read, that failure is reported instead.
        self.begins_otherwise = !bytes.is_empty() && !begins_like_a_stream(&bytes);
        let mut stream = Stream::new(&bytes);
        loop {
            match stream.next_message() {
                Ok(Some(message)) => match self.take(&message) {
                    Ok(()) => self.messages += 1,
                    Err(problem) => self.note(&problem),
                },
                Ok(None) if !stream.is_over && is_too_long => {
                    return self.note(&"only the first 128 MiB are read");
                }
                Ok(None)
                    if !stream.is_over
                        && let Some(error) = &failure =>
                {
                    return self.note(error);
                }
                // A message without its end swallows all messages after it.
                Ok(None) if stream.has_message_in_message() => {
                    self.note(&"a message does not end");
                    stream.pass_over_damage();
                }
                Ok(None) => break,
                Err(error) => {
                    self.note(&error);
                    stream.pass_over_damage();
                }
            }
        }
        // A stream that an observer saved when the room closed need not have been closed itself.
        if self.result.is_none() && !stream.is_over {
            self.note(&"the recording is cut off here");
        }
        if stream.next_stream.is_some() {
            self.note(&"another recording follows, which is not read");
        }
    }

    /// Takes a message. An error describes its fault.
    fn take(&mut self, message: &str) -> Result<(), String> {
        let message = ServerMessage::read(message).map_err(|error| error.to_string())?;
        let ServerMessage::Room { data, .. } = message else {
            return Ok(());
        };
        match data {
            ServerData::State(state) => self.take_state(*state)?,
            ServerData::Result(result) => self.result = Some(*result),
            _ => {}
        }
        Ok(())
    }

    fn take_state(&mut self, mut state: WireState) -> Result<(), String> {
        let position = state.position().map_err(|error| error.to_string())?;
        // A state is sent again when an observer joins late or a paused game continues.
        let is_known = |record: &Record<Contest>| *record.position() == position;
        if self.parts.last().is_some_and(is_known) {
            return Ok(());
        }
        if self.positions >= MOST {
            return Err(format!("more than {MOST} positions"));
        }
        let continued = self.parts.last_mut().is_some_and(|record| {
            let mv = record.position().move_to(&position);
            mv.is_some_and(|mv| record.play(mv).is_ok())
        });
        if !continued {
            self.parts.push(Record::from(position));
        }
        let hint = state.last_move.and_then(|mv| mv.hint);
        self.hints.extend(hint.map(|hint| (self.positions, hint)));
        let time = state.last_move_time;
        self.times.extend(time.map(|time| (self.positions, time)));
        self.positions += 1;
        self.names = std::mem::take(&mut state.names);
        Ok(())
    }

    /// Counts a damaged message.
    fn note(&mut self, problem: &impl ToString) {
        self.messages += 1;
        match &mut self.damage {
            Some(damage) => damage.further += 1,
            None => {
                self.damage = Some(Damage {
                    place: Place::Message {
                        number: self.messages,
                        after: self.parts.last().map(|part| part.position().turn()),
                    },
                    problem: printable(&problem.to_string(), SENTENCE),
                    further: 0,
                });
            }
        }
    }

    fn finish(self) -> Result<Replay<Contest>, ReplayError> {
        if self.parts.is_empty() && self.begins_otherwise {
            return Err(ReplayError::NotARecording);
        }
        if self.parts.is_empty() {
            return Err(self
                .damage
                .map_or(ReplayError::NoPositions, ReplayError::Damaged));
        }
        Ok(Replay {
            names: self.names,
            tags: Vec::new(),
            parts: self.parts,
            remarks: self.hints,
            glyphs: BTreeMap::new(),
            variations: Vec::new(),
            times: self.times,
            account: self.result.map(Account::from),
            damage: self.damage,
        })
    }
}

/// A stream of messages that continues after a damaged one.
struct Stream<'b> {
    bytes: &'b [u8],
    framer: Framer,
    /// The place where the framer's stream begins; it may be negative.
    origin: i64,
    /// The number of bytes that the framer has got, including those before its stream.
    fed: usize,
    /// The place where reading resumed after damage.
    resumed_at: Option<usize>,
    /// The number of bytes read once more.
    read_again: usize,
    /// True after the stream's end, or if nothing readable is left.
    is_over: bool,
    /// The place of a message after the stream's end.
    next_stream: Option<usize>,
}

impl Stream<'_> {
    fn new(bytes: &[u8]) -> Stream<'_> {
        Stream {
            bytes,
            framer: Framer::new(Limits::default()),
            origin: 0,
            fed: 0,
            resumed_at: None,
            read_again: 0,
            is_over: false,
            next_stream: None,
        }
    }

    /// The next message; `None` at the end.
    fn next_message(&mut self) -> Result<Option<String>, FramingError> {
        while !self.is_over {
            match self.framer.next_frame() {
                Ok(Some(Frame::Message(message))) => return Ok(Some(message.to_owned())),
                Ok(Some(Frame::End)) => {
                    self.is_over = true;
                    self.next_stream = find_message(self.bytes, self.message_start());
                }
                Ok(None) => {
                    let rest = self.bytes.get(self.fed..).unwrap_or_default();
                    let Some(chunk) = rest.chunks(CHUNK).next() else {
                        break;
                    };
                    self.framer.feed(chunk);
                    self.fed += chunk.len();
                }
                Err(FramingError::Malformed { offset, fault }) => {
                    let offset = self.origin.saturating_add_unsigned(offset);
                    let offset = u64::try_from(offset).unwrap_or(0);
                    return Err(FramingError::Malformed { offset, fault });
                }
                Err(error) => return Err(error),
            }
        }
        Ok(None)
    }

    /// The place of the message that is not complete yet.
    fn message_start(&self) -> usize {
        let start = (self.origin).saturating_add_unsigned(self.framer.completed_bytes());
        usize::try_from(start).unwrap_or(0)
    }

    /// Continues with the next message that begins after the beginning of the damaged one, which the framer has just refused.
    fn pass_over_damage(&mut self) {
        let start = self.message_start();
        // Damage between messages, or before the root, leaves the next message whole.
        let is_in_message = self.framer.phase() == StreamPhase::InMessage;
        let is_repeated = self.resumed_at == Some(start);
        let from = start + usize::from(is_in_message || is_repeated);
        self.resumed_at = find_message(self.bytes, from);
        let Some(found) = self.resumed_at else {
            self.is_over = true;
            return;
        };
        self.read_again += self.fed.saturating_sub(found);
        self.is_over = self.read_again > MOST_READ_AGAIN;
        self.origin = found as i64 - STREAM_OPEN.len() as i64;
        self.fed = found;
        self.framer = Framer::new(Limits::default());
        self.framer.feed(STREAM_OPEN.as_bytes());
    }

    fn has_message_in_message(&self) -> bool {
        !self.is_over
            && self.framer.phase() == StreamPhase::InMessage
            && find_message(self.bytes, self.message_start() + 1).is_some()
    }
}

/// Offset of the first message at or after `from`.
fn find_message(bytes: &[u8], from: usize) -> Option<usize> {
    let rest = bytes.get(from..)?;
    let mut windows = rest.windows(MESSAGE_START.len());
    let found = windows.position(|window| window == MESSAGE_START)?;
    Some(from + found)
}
