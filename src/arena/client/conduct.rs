//! The referee's treatment of a contest client: as usual, or in unusual ways that a client must tolerate.

use std::io::{self, Write};
use std::time::Duration;
use std::{iter, thread};

use serde::Deserialize;

use crate::protocol::ServerMessage;

/// The referee's treatment of a contest client; the default is the usual one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Conduct {
    pub(in crate::arena) twist: Twist,
    /// The length of a pause, and of the wait for the other player.
    pub(in crate::arena) pause: Duration,
    /// Time after the client's last move, and after the end, in which it must stay silent; if zero, faults there do not count.
    pub(in crate::arena) moment: Duration,
    /// True if the referee then waits for the client to exit.
    pub(in crate::arena) exits: bool,
}

/// A departure from the usual treatment.
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
    /// Messages contain elements and attributes that no client knows.
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
    /// The room is closed without a result, and the connection stays open after the end of the stream.
    LeftOpen,
    /// The connection is lost in place of the second move request.
    Lost,
    /// The client is turned away.
    Refused,
    /// The client's memory is limited as in the contest.
    Memory,
}

/// Lengths of successive pieces. The odd ones cut two-byte characters.
const PIECES: [usize; 5] = [1, 7, 64, 3, 150];

/// Time between two pieces, so that they arrive one by one.
const BETWEEN_PIECES: Duration = Duration::from_micros(300);

/// Parts of messages, each with a replacement that adds elements and attributes unknown to clients.
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
