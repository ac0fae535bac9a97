//! The server's stream, reduced to the elements that a player needs.
//!
//! The server forwards what the opponent wrote into its move, so the bytes outside of these
//! elements may be anything, of any length. They are skipped without being decoded.

use std::collections::VecDeque;

/// The elements that are kept. All others are skipped with everything in them.
const KEPT: [&str; 19] = [
    "joined",
    "left",
    "close",
    "sc.protocol.responses.CloseConnection",
    "room",
    "data",
    "state",
    "red",
    "blue",
    "board",
    "fields",
    "field",
    "null",
    "undeployedRedPieces",
    "undeployedBluePieces",
    "piece",
    "score",
    WITH_TEXT,
    "winner",
];

/// The only element whose text is kept.
const WITH_TEXT: &str = "part";

const ROOT: &str = "protocol";

/// Maximum length of a kept tag, in bytes; the element of a longer one is skipped. Only players'
/// names and the server's error messages are long.
const MAX_TAG: usize = 64 << 10;

/// Maximum length of a message without its skipped parts, in bytes. A state has about 9,000.
const MAX_MESSAGE: usize = 1 << 20;

/// Maximum number of open elements. A state has 6.
const MAX_DEPTH: usize = 16;

/// Reads the server's stream. It accepts any bytes, and holds less than 2 MiB besides those of
/// complete messages.
#[derive(Clone, Debug, Default)]
pub(super) struct ServerStream {
    state: State,
    /// The tag that is being read.
    tag: Vec<u8>,
    /// The byte before the next one.
    previous: u8,
    /// The kept elements that are open, outermost first.
    open: Vec<&'static str>,
    /// The kept part of the current message.
    message: Vec<u8>,
    complete: VecDeque<String>,
    has_started: bool,
    has_ended: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
enum State {
    #[default]
    Text,
    /// Inside a tag, perhaps in the quotes of an attribute's value.
    Tag { quote: Option<u8> },
    /// Inside a comment, a CDATA section or a processing instruction. `matched` is the number of
    /// bytes of `end` read so far.
    Delimited { end: &'static [u8], matched: usize },
    /// Inside an element that is skipped up to its end tag. `end` lacks the `>`, and `matched` is
    /// the number of its bytes read so far.
    Skipped { end: Vec<u8>, matched: usize },
}

impl ServerStream {
    /// Takes the next bytes.
    pub(super) fn feed(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            if self.has_ended {
                return;
            }
            self.step(byte);
            self.previous = byte;
        }
    }

    /// The next complete message, well-formed and without its skipped parts.
    pub(super) fn next_message(&mut self) -> Option<String> {
        self.complete.pop_front()
    }

    /// True once the first tag has arrived.
    pub(super) fn has_started(&self) -> bool {
        self.has_started
    }

    /// True once the root's end tag has arrived.
    pub(super) fn has_ended(&self) -> bool {
        self.has_ended
    }

    /// True inside a message.
    pub(super) fn is_in_message(&self) -> bool {
        !self.open.is_empty() || self.state != State::Text
    }

    fn step(&mut self, byte: u8) {
        match &mut self.state {
            State::Text if byte == b'<' => self.begin_tag(),
            State::Text => {
                if self.open.last() == Some(&WITH_TEXT) {
                    self.keep(&[byte]);
                }
            }
            // No value of a well-formed attribute contains it: a quote or bracket is missing.
            State::Tag { .. } if byte == b'<' => self.begin_tag(),
            State::Tag { quote: None } if byte == b'>' => {
                self.state = State::Text;
                self.end_tag();
            }
            State::Tag { quote } => {
                match quote {
                    None if matches!(byte, b'"' | b'\'') => *quote = Some(byte),
                    Some(open) if *open == byte => *quote = None,
                    _ => {}
                }
                if self.tag.len() < MAX_TAG {
                    self.tag.push(byte);
                }
                let end: &[u8] = match &self.tag[..] {
                    b"!--" => b"-->",
                    b"![CDATA[" => b"]]>",
                    b"?" => b"?>",
                    _ => return,
                };
                self.state = State::Delimited { end, matched: 0 };
            }
            State::Delimited { end, matched } => {
                advance(matched, end, byte);
                if *matched == end.len() {
                    self.state = State::Text;
                }
            }
            State::Skipped { end, matched } if *matched == end.len() => match byte {
                b'>' => self.state = State::Text,
                b' ' | b'\t' | b'\r' | b'\n' => {}
                _ => *matched = usize::from(byte == b'<'),
            },
            State::Skipped { end, matched } => advance(matched, end, byte),
        }
    }

    fn begin_tag(&mut self) {
        self.tag.clear();
        self.state = State::Tag { quote: None };
    }

    /// Takes a complete tag.
    fn end_tag(&mut self) {
        self.has_started = true;
        let tag = std::mem::take(&mut self.tag);
        let is_empty = self.previous == b'/';
        let (name, is_end) = match tag.strip_prefix(b"/") {
            Some(name) => (name, true),
            None => (&tag[..], false),
        };
        let is_delimiter = |byte: &u8| byte.is_ascii_whitespace() || *byte == b'/';
        let name = name.split(is_delimiter).next().unwrap_or_default();
        let kept = KEPT.iter().find(|kept| kept.as_bytes() == name);
        let fits = tag.len() < MAX_TAG && self.open.len() < MAX_DEPTH;
        match kept {
            _ if name.is_empty() || tag.starts_with(b"!") => {}
            _ if name == ROOT.as_bytes() => self.has_ended |= is_end,
            Some(&kept) if is_end => self.close(kept),
            None if is_end => {}
            // A message in a message: the outer one was not closed.
            Some(&"room" | &"joined" | &"left") if !self.open.is_empty() => {
                self.open.clear();
                self.message.clear();
                self.tag = tag;
                return self.end_tag();
            }
            Some(&kept) if fits => {
                self.keep(&[b"<", &tag[..], b">"].concat());
                if is_empty {
                    self.finish_message();
                } else {
                    self.open.push(kept);
                }
            }
            _ if is_empty => {}
            _ => {
                let end = [b"</", name].concat();
                self.state = State::Skipped { end, matched: 0 };
            }
        }
        // Its memory is used again.
        self.tag = tag;
    }

    /// Closes an element and all elements in it; nothing if it is not open.
    fn close(&mut self, name: &'static str) {
        let Some(depth) = self.open.iter().rposition(|open| *open == name) else {
            return;
        };
        for inner in self.open.split_off(depth).into_iter().rev() {
            self.keep(&[b"</", inner.as_bytes(), b">"].concat());
        }
        self.finish_message();
    }

    fn keep(&mut self, bytes: &[u8]) {
        // One byte more than allowed marks a message that is too long.
        let room = (MAX_MESSAGE + 1).saturating_sub(self.message.len());
        self.message.extend(bytes.iter().take(room));
    }

    /// Passes on the message if its outermost element is closed.
    fn finish_message(&mut self) {
        if !self.open.is_empty() {
            return;
        }
        let message = std::mem::take(&mut self.message);
        if message.len() > MAX_MESSAGE {
            log::warn!("ignored a message of the server that is longer than {MAX_MESSAGE} bytes");
            return;
        }
        let message = String::from_utf8_lossy(&message).into_owned();
        self.complete.push_back(message);
    }
}

/// Counts the bytes of `end` that the bytes so far end with. Of the ends in use, none begins
/// again inside itself, except for a repeated first byte.
fn advance(matched: &mut usize, end: &[u8], byte: u8) {
    *matched = match end.get(*matched) {
        Some(&next) if next == byte => *matched + 1,
        _ if *matched == 2 && end.starts_with(&[byte, byte]) => 2,
        _ => usize::from(end.first() == Some(&byte)),
    };
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn messages(stream: &[u8]) -> Vec<String> {
        let mut whole = ServerStream::default();
        whole.feed(stream);
        let mut bytes = ServerStream::default();
        stream.chunks(1).for_each(|byte| bytes.feed(byte));
        let all = |mut stream: ServerStream| -> Vec<String> {
            std::iter::from_fn(|| stream.next_message()).collect()
        };
        let messages = all(whole);
        assert_eq!(messages, all(bytes));
        messages
    }

    #[test]
    fn keeps_needed_elements() {
        let message =
            "<room roomId=\"a>b\"><data class='result'><part>2</part><winner/></data></room>";
        let stream = format!(
            "\u{feff}<?xml version='1.0'?><!DOCTYPE a>\n<protocol>text<!-- <left/> --->{message}<left/>"
        );
        assert_eq!(messages(stream.as_bytes()), [message, "<left/>"]);
    }

    #[test]
    fn skips_other_elements_undecoded() {
        for skipped in [
            &b"<lastMove class='setmove'><hint>&#0;&foo;&#xD800;\0\xff\xfe</hint></lastMove>"[..],
            b"<lastMove/><lastMove class='>'/>",
            b"<lastMove><piece><state></piece a=><</board></lastMove\n>",
            b"<lastMove><![CDATA[</lastMove>]]></lastMove>",
            b"<lastMove><lastMove></lastMove></lastMove>",
            b"<lastMove></lastMov</lastMover></</lastMove>",
            b"<\xff\xfe></\xff\xfe>",
            b"text ]]> <!----> <![CDATA[<board>]]]>",
        ] {
            let stream = [
                b"<protocol><room><data>",
                skipped,
                b"<state/></data></room>",
            ]
            .concat();
            assert_eq!(
                messages(&stream),
                ["<room><data><state/></data></room>"],
                "{}",
                String::from_utf8_lossy(skipped)
            );
        }
    }

    #[test]
    fn skips_any_length_in_bounded_memory() {
        let mut stream = ServerStream::default();
        stream.feed(b"<protocol><room><data>");
        let hint = [b'x'; 1 << 16];
        let nested = b"<a b='c'>".repeat(1 << 12);
        for (before, repeated, after) in [
            (
                &b"<lastMove><hint>"[..],
                &hint[..],
                &b"</hint></lastMove>"[..],
            ),
            (b"<lastMove hint='", &hint, b"'/>"),
            (b"<red displayName='", &hint, b"'/>"),
            (b"<lastMove>", &nested, b"</lastMove>"),
        ] {
            stream.feed(before);
            for _ in 0..64 {
                stream.feed(repeated);
                assert!(stream.tag.capacity() + stream.message.capacity() < 1 << 18);
            }
            stream.feed(after);
        }
        stream.feed(b"<state/></data></room></protocol>");
        let message = "<room><data><state/></data></room>";
        assert_eq!(stream.next_message().as_deref(), Some(message));
        assert!(stream.has_ended());
    }

    #[test]
    fn drops_messages_of_endless_elements() {
        let mut stream = ServerStream::default();
        stream.feed(b"<protocol><room>");
        for _ in 0..MAX_MESSAGE / 7 {
            stream.feed(b"<piece/>");
        }
        stream.feed(b"</room><left/>");
        assert_eq!(stream.next_message().as_deref(), Some("<left/>"));
        let mut deep = ServerStream::default();
        deep.feed(&b"<room>".repeat(100_000));
        assert!(deep.open.len() <= MAX_DEPTH && deep.message.len() < 1 << 10);
    }

    #[test]
    fn closes_elements_that_are_left_open() {
        assert_eq!(
            messages(b"<room a='><room/><left b=\"<left/>"),
            ["<room/>", "<left/>"]
        );
        assert_eq!(
            messages(b"<protocol></data><room><data><state></room></x><left/>"),
            ["<room><data><state></state></data></room>", "<left/>"]
        );
    }

    #[test]
    fn message_in_a_message_ends_the_outer_one() {
        let messages = messages(b"<protocol><room a='1'><data><state><room><data/></room>");
        assert_eq!(messages, ["<room><data/></room>"]);
    }

    proptest! {
        #[test]
        fn survives_any_last_move(
            contents in prop::collection::vec(any::<u8>(), 0..200),
        ) {
            prop_assume!(memchr::memmem::find(&contents, b"</lastMove").is_none());
            let stream = [
                b"<protocol><room><data><lastMove>",
                &contents[..],
                b"</lastMove><state/></data></room>",
            ];
            prop_assert_eq!(messages(&stream.concat()), ["<room><data><state/></data></room>"]);
        }
    }
}
