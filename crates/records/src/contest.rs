//! Recordings of the contest: a `<protocol>` document with the states of a game and its result.
//!
//! The contest's server writes it with `--saveReplay`, the contest offers it for download, and an observer's viewer saves what it
//! received. A damaged recording is read up to its first fault or gap. A file may also have records in their text form, one per line.

use std::collections::BTreeMap;
use std::io::{BufRead, Read};
use std::time::Duration;

use memchr::memmem;

use super::{
    Damage, FileForm, MOST, Place, Recorded, Replay, ReplayError, StatedResult, read_lines,
    read_text,
};
use wabe_contest::protocol::{
    Cause, Frame, Framer, GameResult, Limits, RoomId, ServerData, ServerMessage, WireMove,
    WireState,
};
use wabe_contest::room::{Decision, Start, result_of, states_of, write_states};
use wabe_files::text::{SENTENCE, decode, printable};
use wabe_hive::ByColor;
use wabe_hive::contest::Contest;
use wabe_hive::game::{Ending, Record};

/// Longest recording that is read, in bytes: the states of the longest game that is read take two thirds of it.
const MAX_RECORDING: u64 = 128 << 20;

/// Number of bytes that the framer gets at once.
const CHUNK: usize = 1 << 16;

/// The beginning of every message with a state or a result. In well-formed XML it occurs nowhere else but in comments.
const MESSAGE_START: &[u8] = b"<room";

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

/// The official format, without a result if the game has none.
fn write_xml(replay: &Replay<Contest>) -> Option<String> {
    let record = &replay.record;
    let verdict = replay.stated.as_ref().and_then(|a| a.verdict.as_deref());
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
    record: Option<Record<Contest>>,
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
        let failure = source.take(MAX_RECORDING + 1).read_to_end(&mut bytes).err();
        let is_too_long = bytes.len() as u64 > MAX_RECORDING;
        // Servers and viewers on Windows wrote the system's encoding.
        let bytes = decode(bytes).into_bytes();
        // If no byte can be read, that failure is reported instead.
        self.begins_otherwise = !bytes.is_empty() && !begins_like_a_stream(&bytes);
        let mut framer = Framer::new(Limits::default());
        let mut chunks = bytes.chunks(CHUNK);
        let has_ended = loop {
            match framer.next_frame() {
                Ok(Some(Frame::Message(message))) => match self.take(message) {
                    Ok(()) => self.messages += 1,
                    Err(problem) => return self.note(&problem),
                },
                Ok(Some(Frame::End)) => break true,
                Ok(None) => match chunks.next() {
                    Some(chunk) => framer.feed(chunk),
                    None => break false,
                },
                Err(error) => return self.note(&error),
            }
        };
        let end = usize::try_from(framer.completed_bytes()).unwrap_or(bytes.len());
        let after = bytes.get(end..).unwrap_or_default();
        if has_ended {
            if memmem::find(after, MESSAGE_START).is_some() {
                self.note(&"another recording follows, which is not read");
            }
        } else if is_too_long {
            self.note(&"only the first 128 MiB are read");
        } else if let Some(error) = failure {
            self.note(&error);
        } else if self.result.is_none() {
            // A stream that an observer saved when the room closed need not end itself.
            self.note(&"the recording is cut off here");
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
        match &mut self.record {
            Some(record) if *record.position() == position => return Ok(()),
            Some(record) if record.plies().len() >= MOST => {
                return Err(format!("more than {MOST} positions"));
            }
            Some(record) => {
                let mv = record.position().move_to(&position);
                if mv.is_none_or(|mv| record.play(mv).is_err()) {
                    return Err(format!(
                        "no move leads to the position after {} plies",
                        position.turn()
                    ));
                }
            }
            None => self.record = Some(Record::from(position)),
        }
        let index = self
            .record
            .as_ref()
            .map_or(0, |record| record.plies().len());
        let hint = state.last_move.and_then(|mv| mv.hint);
        self.hints.extend(hint.map(|hint| (index, hint)));
        let time = state.last_move_time;
        self.times.extend(time.map(|time| (index, time)));
        self.names = std::mem::take(&mut state.names);
        Ok(())
    }

    /// Notes the fault that ends the recording.
    fn note(&mut self, problem: &impl ToString) {
        self.damage = Some(Damage {
            place: Place::Message {
                number: self.messages + 1,
                after: (self.record.as_ref()).map(|record| record.position().turn()),
            },
            problem: printable(&problem.to_string(), SENTENCE),
        });
    }

    fn finish(self) -> Result<Replay<Contest>, ReplayError> {
        let Some(record) = self.record else {
            return Err(match self.damage {
                _ if self.begins_otherwise => ReplayError::NotARecording,
                Some(damage) => ReplayError::Damaged(damage),
                None => ReplayError::NoPositions,
            });
        };
        Ok(Replay {
            names: self.names,
            tags: Vec::new(),
            record,
            remarks: self.hints,
            glyphs: BTreeMap::new(),
            variations: Vec::new(),
            times: self.times,
            stated: self.result.map(StatedResult::from),
            damage: self.damage,
        })
    }
}
