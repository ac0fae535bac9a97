//! How the referee treats a contest client: as usual, or in ways that a client has to bear.

use std::io::{self, Write};
use std::time::Duration;
use std::{iter, thread};

use serde::Deserialize;

use crate::protocol::ServerMessage;

/// How the referee treats a contest client; the default is the usual way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Conduct {
    pub(in crate::arena) twist: Twist,
    /// The length of a pause, and of the wait for the other player.
    pub(in crate::arena) pause: Duration,
    /// Time after the client's last move, and after the end, in which it has nothing to say; without any, its faults there do not count.
    pub(in crate::arena) moment: Duration,
    /// After such a moment the client is waited for until it exits.
    pub(in crate::arena) exits: bool,
}

/// The unusual in a situation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(in crate::arena) enum Twist {
    #[default]
    Nothing,
    /// The other player has the first move.
    Second,
    /// Messages are sent in pieces of a few bytes.
    Pieces,
    /// All messages up to a move request, or up to the end, are sent at once.
    Together,
    /// Elements and attributes that no client knows come with the others.
    Unknown,
    /// The players' names are long and strange.
    Names,
    /// The client gets no reservation.
    Open,
    /// The game begins a pause after the client has joined.
    Late,
    /// The game is paused after the client's first move.
    Pause,
    /// The room is closed without a result.
    Cancelled,
    /// The same, and the connection stays open after the end of the stream.
    LeftOpen,
    /// The connection is lost in place of the second move request.
    Lost,
    /// The client is turned away.
    Refused,
    /// The client has the contest's memory.
    Memory,
}

/// Lengths of the pieces, one after another. Not all are odd, so that two-byte characters are cut, too.
const PIECES: [usize; 5] = [1, 7, 64, 3, 150];

/// Time between two pieces, for them to arrive one by one.
const BETWEEN_PIECES: Duration = Duration::from_micros(300);

/// Parts of messages, each with what it becomes by elements and attributes that no client knows.
const UNKNOWN: [(&str, &str); 11] = [
    ("<joined ", "<joined mood=\"calm\" "),
    (
        "<room ",
        "<weather sky=\"blue\"><wind>3 &lt; 4</wind></weather>\n  <room mood=\"calm\" ",
    ),
    ("<data ", "<weather/>\n    <data mood=\"calm\" "),
    // The welcome, whose data are empty, and the request.
    ("color=\"red\"/>", "color=\"red\"><weather/></data>"),
    ("color=\"blue\"/>", "color=\"blue\"><weather/></data>"),
    ("MoveRequest\"/>", "MoveRequest\"><weather/></data>"),
    ("<state ", "<weather/>\n      <state mood=\"calm\" "),
    (
        "<board>",
        "<weather><wind x=\"1\"/></weather>\n      <board mood=\"calm\">",
    ),
    ("</state>", "<weather/></state>"),
    (
        "<definition>",
        "<weather/>\n      <definition mood=\"calm\">",
    ),
    ("<score ", "<weather/>\n      <score mood=\"calm\" "),
];

impl Conduct {
    /// A message as it is sent.
    pub(super) fn dress(self, message: &ServerMessage) -> String {
        let text = message.to_xml();
        if self.twist != Twist::Unknown {
            return text;
        }
        let additions = UNKNOWN.iter();
        additions.fold(text, |text, (known, more)| text.replace(known, more))
    }

    /// Sends bytes.
    pub(super) fn write(self, stream: &mut impl Write, mut bytes: &[u8]) -> io::Result<()> {
        if self.twist != Twist::Pieces {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hive::Color;
    use crate::protocol::{RoomId, ServerData};

    #[test]
    fn welcome_and_request_can_have_unknown_parts_and_stay_the_same() {
        let conduct = Conduct {
            twist: Twist::Unknown,
            ..Conduct::default()
        };
        let room = RoomId("r".to_owned());
        let data = [
            ServerData::Welcome(Color::Red),
            ServerData::Welcome(Color::Blue),
            ServerData::MoveRequest,
        ];
        for data in data {
            let room = room.clone();
            let message = ServerMessage::Room { room, data };
            let dressed = conduct.dress(&message);
            for part in ["<room mood=", "<data mood=", "<weather/></data>"] {
                assert!(dressed.contains(part), "{part} in {dressed}");
            }
            // The first unknown part is a message of its own.
            let (_, dressed) = dressed.split_once("</weather>").unwrap();
            assert_eq!(ServerMessage::read(dressed.trim()).unwrap(), message);
        }
    }
}
