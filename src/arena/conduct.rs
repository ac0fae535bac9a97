//! How the referee treats a contest client: as usual, or in ways that a client has to bear.

use std::io::{self, Write};
use std::time::Duration;
use std::{iter, thread};

use crate::protocol::ServerMessage;

/// How the referee treats a contest client; the default is the usual way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Conduct {
    pub(super) delivery: Delivery,
    pub(super) course: Course,
    /// The client gets no reservation.
    pub(super) is_open: bool,
    /// Elements and attributes that no client knows come with the others.
    pub(super) has_unknown: bool,
}

/// How bytes are sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Delivery {
    /// Each message by itself.
    #[default]
    Messages,
    /// In pieces of a few bytes.
    Pieces,
    /// All messages up to a move request, or up to the end, at once.
    Together,
}

/// The course of a game apart from its moves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Course {
    #[default]
    Usual,
    /// It begins so long after the client has joined.
    Late(Duration),
    /// It is paused for so long after the client's first move.
    Paused(Duration),
    /// The connection is lost in place of the second move request.
    Lost,
    /// The client is turned away.
    Refused,
}

/// Lengths of the pieces, one after another. Not all are odd, so that two-byte characters are cut, too.
const PIECES: [usize; 5] = [1, 7, 64, 3, 150];

/// Time between two pieces, for them to arrive one by one.
const BETWEEN_PIECES: Duration = Duration::from_micros(300);

impl Conduct {
    /// A message as it is sent.
    pub(super) fn dress(self, message: &ServerMessage) -> String {
        let text = message.to_xml();
        match message {
            _ if !self.has_unknown => text,
            ServerMessage::Room { .. } => {
                let text = text.replace(
                    "<board>",
                    "<weather><wind x=\"1\"/></weather>\n      <board>",
                );
                let text = text.replace("<state ", "<state mood=\"calm\" ");
                format!("\n  <weather sky=\"blue\"><wind>3 &lt; 4</wind></weather>{text}")
            }
            _ => text,
        }
    }
}

impl Delivery {
    pub(super) fn write(self, stream: &mut impl Write, mut bytes: &[u8]) -> io::Result<()> {
        if self != Delivery::Pieces {
            return stream.write_all(bytes);
        }
        for length in iter::repeat(PIECES).flatten() {
            let (piece, rest) = bytes.split_at(length.min(bytes.len()));
            stream.write_all(piece)?;
            if rest.is_empty() {
                break;
            }
            thread::sleep(BETWEEN_PIECES);
            bytes = rest;
        }
        Ok(())
    }
}
