//! Splits a stream of bytes into the protocol's messages.
//!
//! Each direction of a connection is an XML document whose root stays open. Its children are the
//! messages. A [`Framer`] takes bytes in chunks of any size and returns complete messages. It only
//! tracks tags and quotes; parsing a message checks whether it is well-formed. It does no I/O, and
//! buffers at most one message plus the latest chunk.

use std::error::Error;
use std::ops::Range;

use thiserror::Error;

use wabe_files::text::{MAX_DETAIL, printable};

/// The beginning of a stream.
pub const STREAM_OPEN: &str = "<protocol>";

/// End of a stream, as written by the contest's server.
pub const STREAM_CLOSE: &str = "\n</protocol>";

/// Fault of a client that sends a malformed message, as a predicate.
pub const MALFORMED: &str = "sent a malformed message";

/// Markup whose content may contain `<`, `>` and quotes.
const DELIMITED: [(&[u8], &[u8]); 3] = [(b"<!--", b"-->"), (b"<![CDATA[", b"]]>"), (b"<?", b"?>")];

/// Default maximum length of a message, in bytes. A state takes about 9,000, and the contest's
/// server forwards hints of 10 MB.
const MAX_MESSAGE: usize = 16 << 20;

/// Maximum capacity kept for the buffer between messages, in bytes.
const MAX_IDLE_CAPACITY: usize = 64 << 10;

/// Maximum depth to which names of end tags are checked. The names take 16 kB.
const MAX_NAMES: usize = 1_000;

/// Number of bytes kept of a dropped element to recognise its end tag. Longer end tags may be
/// missed.
const MAX_END_TAG: usize = 64;

/// Maximum number of characters of a message quoted in an error.
const MAX_QUOTE: usize = 120;

/// The next part of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Frame<'a> {
    /// A complete message as received, including any text before it. A misplaced end tag also
    /// completes it. Invalid UTF-8 is replaced by U+FFFD.
    Message(&'a str),
    /// The end of the document, `</protocol>`.
    End,
}

/// A message is too long, so the stream cannot be read any further.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("a message is longer than {limit} bytes")]
pub struct MessageTooLong {
    /// Maximum length of a message, in bytes.
    pub limit: usize,
}

/// An incremental parser. Like the contest's server, it accepts any name for the root, and text
/// between messages.
///
/// ```
/// use wabe_contest::protocol::{Frame, Framer};
///
/// let mut framer = Framer::default();
/// framer.feed(b"<protocol><joined roomId=\"7");
/// assert_eq!(framer.next_frame(), Ok(None));
/// framer.feed(b"\"/></protocol>");
/// assert_eq!(framer.next_frame(), Ok(Some(Frame::Message("<joined roomId=\"7\"/>"))));
/// assert_eq!(framer.next_frame(), Ok(Some(Frame::End)));
/// ```
#[derive(Clone, Debug)]
pub struct Framer {
    limit: usize,
    /// Name of elements that are dropped with their contents.
    dropped: Option<&'static str>,
    input: Vec<u8>,
    /// Number of bytes read from `input`.
    position: usize,
    /// Number of bytes in the stream before `input`.
    discarded_bytes: u64,
    /// Number of messages returned.
    messages: u64,
    state: State,
    /// The root's name, once it is open.
    root: Option<Vec<u8>>,
    /// Names of the message's open elements as ranges of the message, outermost first.
    open: Vec<Range<usize>>,
    /// Number of open elements deeper than [`MAX_NAMES`], whose names are not checked.
    deeper: usize,
    /// The message so far.
    message: Vec<u8>,
    /// The last message returned.
    complete: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Text,
    /// In a tag.
    Tag {
        /// Start of the tag in the message.
        start: usize,
        /// The quotation mark if inside a quoted value.
        quote: Option<u8>,
        /// Number of further open `<`. Document types contain them.
        nested: usize,
    },
    /// In a comment, a CDATA section or a processing instruction.
    Delimited {
        /// Start of the content in the message.
        start: usize,
        end: &'static [u8],
    },
    /// In a dropped element.
    Dropped {
        /// Start of the contents in the message.
        start: usize,
    },
    Ended,
}

impl Default for Framer {
    /// Accepts messages of at most 16 MiB.
    fn default() -> Framer {
        Framer::new(MAX_MESSAGE)
    }
}

impl Framer {
    /// Starts at the beginning of a stream. Accepts messages of at most `limit` bytes.
    pub fn new(limit: usize) -> Framer {
        Framer {
            limit,
            dropped: None,
            input: Vec::new(),
            position: 0,
            discarded_bytes: 0,
            messages: 0,
            state: State::Text,
            root: None,
            open: Vec::new(),
            deeper: 0,
            message: Vec::new(),
            complete: String::new(),
        }
    }

    /// Drops all elements with this name. Each extends to the first end tag with that name,
    /// whatever it contains.
    #[cfg(feature = "net")]
    pub(crate) fn with_dropped(element: &'static str) -> Framer {
        Framer {
            dropped: Some(element),
            ..Framer::default()
        }
    }

    /// Adds the next bytes of the stream.
    ///
    /// Before feeding more, call [`next_frame`](Framer::next_frame) until it returns `None`.
    /// Otherwise the buffer grows.
    pub fn feed(&mut self, bytes: &[u8]) {
        self.input.drain(..self.position);
        self.discarded_bytes += self.position as u64;
        self.position = 0;
        self.input.extend_from_slice(bytes);
    }

    /// Returns the next message or the end. Returns `None` if more bytes are needed, and after the
    /// end.
    ///
    /// A message is returned as soon as its last byte has been fed.
    ///
    /// # Errors
    /// When a message exceeds the limit. All further calls fail as well.
    pub fn next_frame(&mut self) -> Result<Option<Frame<'_>>, MessageTooLong> {
        while self.message.len() <= self.limit {
            let Some(&byte) = self.input.get(self.position) else {
                return Ok(None);
            };
            self.position += 1;
            if !self.step(byte) || self.message.len() > self.limit {
                continue;
            }
            if self.state == State::Ended {
                self.message.clear();
                return Ok(Some(Frame::End));
            }
            self.messages += 1;
            self.complete = String::from_utf8_lossy(&self.message).into_owned();
            self.message.clear();
            self.message.shrink_to(MAX_IDLE_CAPACITY);
            self.open.clear();
            self.deeper = 0;
            return Ok(Some(Frame::Message(&self.complete)));
        }
        Err(MessageTooLong { limit: self.limit })
    }

    /// Number of bytes in the stream before the current message.
    pub fn completed_bytes(&self) -> u64 {
        (self.discarded_bytes + self.position as u64).saturating_sub(self.message.len() as u64)
    }

    /// Describes an error in the last message returned, with its position in the stream. Also
    /// quotes its beginning, unless it may contain a password.
    pub fn describe(&self, error: &dyn Error) -> String {
        let from = self
            .completed_bytes()
            .saturating_sub(self.complete.len() as u64);
        let error = printable(&error.to_string(), MAX_DETAIL);
        let description = format!("message {} at byte {from}: {error}", self.messages);
        let text = printable(&self.complete, MAX_QUOTE);
        if text.contains("password") {
            description
        } else {
            format!("{description}, in `{text}`")
        }
    }

    /// True once the root's tag has been read.
    #[cfg(feature = "net")]
    pub(crate) fn has_started(&self) -> bool {
        self.root.is_some()
    }

    /// The beginning of an unfinished message.
    #[cfg(feature = "net")]
    pub(crate) fn unfinished(&self) -> Option<String> {
        let text = String::from_utf8_lossy(&self.message);
        (!text.is_empty()).then(|| printable(&text, MAX_QUOTE))
    }

    /// Handles a byte. Returns true if it completes a frame.
    fn step(&mut self, byte: u8) -> bool {
        let length = self.message.len();
        let is_skipped = self.message.is_empty() && (self.root.is_none() || is_space(byte));
        match self.state {
            State::Ended => return false,
            State::Text if byte != b'<' && is_skipped => return false,
            _ => self.message.push(byte),
        }
        match &mut self.state {
            State::Text if byte == b'<' => {
                self.state = State::Tag {
                    start: length,
                    quote: None,
                    nested: 0,
                };
            }
            State::Text | State::Ended => {}
            State::Tag {
                start,
                quote,
                nested,
            } => {
                let tag = self.message.get(*start..).unwrap_or_default();
                match (byte, *quote) {
                    (b'>', None) if *nested == 0 => {
                        let start = *start;
                        self.state = State::Text;
                        return self.finish_tag(start);
                    }
                    (b'>', None) => *nested -= 1,
                    (b'<', None) if tag.starts_with(b"<!") => *nested += 1,
                    (b'"' | b'\'', None) => *quote = Some(byte),
                    (_, Some(open)) if open == byte => *quote = None,
                    _ => {}
                }
                if let Some((_, end)) = DELIMITED.into_iter().find(|(opening, _)| tag == *opening) {
                    let start = length + 1;
                    self.state = State::Delimited { start, end };
                }
            }
            State::Delimited { start, end } => {
                let content = self.message.get(*start..).unwrap_or_default();
                if content.ends_with(end) {
                    self.state = State::Text;
                    return self.discard_prolog();
                }
            }
            State::Dropped { start } => {
                let start = *start;
                let rest = self.message.get(start..length).unwrap_or_default();
                // Checked only after a tag's last byte, because the check is slow.
                let is_end = byte == b'>' && {
                    let name = self.dropped.unwrap_or_default().as_bytes();
                    let before = rest.trim_ascii_end().strip_suffix(name);
                    before.is_some_and(|before| before.ends_with(b"</"))
                };
                if is_end {
                    self.message.truncate(start);
                    self.state = State::Text;
                } else if rest.len() > 2 * MAX_END_TAG {
                    self.message.drain(start..=length - MAX_END_TAG);
                }
            }
        }
        false
    }

    /// Handles the complete tag that begins at `start`. Returns true if it completes a frame.
    fn finish_tag(&mut self, start: usize) -> bool {
        let tag = self.message.get(start..).unwrap_or_default();
        let is_empty = tag.ends_with(b"/>");
        match (tag, &self.root) {
            ([b'<', b'!', ..], _) => return self.discard_prolog(),
            ([b'<', b'/', ..], Some(_)) if self.deeper > 0 => self.deeper -= 1,
            ([b'<', b'/', found @ .., b'>'], Some(root)) => {
                let open = self.open.pop();
                let is_root = open.is_none();
                let expected = match open {
                    Some(name) => self.message.get(name).unwrap_or_default(),
                    None => root,
                };
                if found.trim_ascii_end() != expected {
                    return true;
                }
                if is_root {
                    self.state = State::Ended;
                }
            }
            ([b'<', b'/', ..], None) => self.state = State::Ended,
            (_, None) => {
                self.root = Some(tag_name(tag).to_owned());
                self.message.clear();
                if is_empty {
                    self.state = State::Ended;
                }
                return is_empty;
            }
            (_, Some(_)) => {
                let name = tag_name(tag);
                let is_dropped = self.dropped.is_some_and(|it| it.as_bytes() == name);
                if is_dropped && !self.open.is_empty() {
                    self.message.truncate(start);
                    if !is_empty {
                        self.state = State::Dropped { start };
                    }
                } else if !is_empty && self.open.len() >= MAX_NAMES {
                    self.deeper += 1;
                } else if !is_empty {
                    self.open.push(start + 1..start + 1 + name.len());
                }
            }
        }
        self.open.is_empty()
    }

    /// Discards markup before the root. An XML declaration that is not at the start of the stream
    /// is returned as a malformed message.
    fn discard_prolog(&mut self) -> bool {
        if self.root.is_some() {
            return false;
        }
        // A byte order mark of three bytes may precede the declaration.
        let is_at_start = matches!(self.completed_bytes(), 0 | 3);
        let is_declaration = self.message.starts_with(b"<?xml")
            && self.message.get(5).is_some_and(|&byte| is_space(byte));
        if is_declaration && !is_at_start {
            return true;
        }
        self.message.clear();
        false
    }
}

/// The name of a start tag.
fn tag_name(tag: &[u8]) -> &[u8] {
    let contents = tag.get(1..).unwrap_or_default();
    let mut parts = contents.split(|&byte| is_space(byte) || matches!(byte, b'/' | b'>'));
    parts.next().unwrap_or_default()
}

/// True for XML's white space.
const fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
}

#[cfg(test)]
#[path = "framing_tests.rs"]
mod tests;
