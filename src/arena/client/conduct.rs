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
    /// The last move has a hint of 1 MB, and pieces without owner or type on its field.
    LastMove,
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

/// A part of a long hint.
const HINT: &str = "&lt;/state&gt; &#x0;&#x1f;&#xffff; &apos;\u{1f41d}&quot; &#xd;\n";

/// Makes 1.1 MB of it.
const HINT_REPEATS: usize = 26_000;

/// The end of a last move whose destination is a field with incomplete pieces.
const FIELD_END: &str = " isObstructed=\"true\">
          <piece owner=\"RED\"/>
          <piece type=\"BEE\"/>
          <piece/>
        </destination>
      </lastMove>";

impl Conduct {
    /// A message as it is sent.
    pub(super) fn dress(self, message: &ServerMessage) -> String {
        let text = message.to_xml();
        match self.twist {
            Twist::Unknown => {
                let additions = UNKNOWN.iter();
                additions.fold(text, |text, (known, more)| text.replace(known, more))
            }
            Twist::LastMove => with_odd_last_move(&text).unwrap_or(text),
            _ => text,
        }
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

/// A state whose last move contains what the contest's server accepts and sends on; `None` unless
/// the last move is in the short form, without a hint.
fn with_odd_last_move(text: &str) -> Option<String> {
    let (before, last) = text.split_once("<lastMove class=")?;
    let is_odd = last.contains("<hint>") || last.contains("isObstructed");
    let last = Some(last).filter(|last| !is_odd && last.contains("<destination x="))?;
    let hint = format!(
        "move\">\n        <hint>{}</hint>",
        HINT.repeat(HINT_REPEATS)
    );
    let last = last
        .replacen("move\">", &hint, 1)
        .replacen("<destination x=", "<destination class=\"field\" x=", 1)
        .replacen("/>\n      </lastMove>", FIELD_END, 1);
    Some(format!("{before}<lastMove class={last}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hive::Color;
    use crate::protocol::{RoomId, ServerData};

    #[test]
    fn odd_last_moves_can_be_read() {
        let state = "<lastMove class=\"dragmove\">
        <start x=\"0\" y=\"0\" z=\"0\"/>
        <destination x=\"1\" y=\"0\" z=\"-1\"/>
      </lastMove>";
        let odd = with_odd_last_move(state).unwrap();
        assert!(odd.len() > 1_100_000);
        let message = odd.replace("lastMove", "data");
        let message = format!("<room roomId='r'>{message}</room>");
        let read = crate::protocol::ClientMessage::read(&message);
        assert!(read.is_ok(), "{read:?}");
        assert_eq!(with_odd_last_move(&odd), None);
    }

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
