//! Cuts a stream of bytes into the protocol's messages.
//!
//! Each direction of a connection is one XML document whose root `<protocol>` stays open; its children are the messages. A
//! [`Framer`] takes the bytes however they arrive and gives out complete messages. It does no I/O, looks at every byte once,
//! and keeps no more than one message and the bytes of the last feed.

mod error;
mod lexer;

use std::ops::Range;

pub use error::{FramingError, Malformation};
use lexer::{Lexer, Token, is_space};

/// What opens a stream.
pub const STREAM_OPEN: &str = "<protocol>";

/// What ends a stream, as the contest's server writes it.
pub const STREAM_CLOSE: &str = "\n</protocol>";

const ROOT: &[u8] = b"protocol";
const BYTE_ORDER_MARK: [u8; 3] = [0xef, 0xbb, 0xbf];

/// What a stream may ask of its reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Longest message, in bytes. A state takes some 9,000.
    pub message_bytes: usize,
    /// Deepest nesting in a message, its own element counted as 1. A state takes 7.
    pub depth: usize,
}

impl Default for Limits {
    /// 1 MiB and 32 levels.
    fn default() -> Limits {
        Limits {
            message_bytes: 1 << 20,
            depth: 32,
        }
    }
}

/// What a [`Framer`] finds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Frame<'a> {
    /// One complete message, the bytes as they came: from its first `<` to its last `>`.
    Message(&'a str),
    /// The end of the document, `</protocol>`.
    End,
}

/// How far a stream has come; see [`Framer::phase`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StreamPhase {
    /// `<protocol>` has not been read completely.
    BeforeRoot,
    /// Between two messages.
    BetweenMessages,
    /// A message, or another piece of markup, has begun.
    InMessage,
    /// `</protocol>` has been read.
    Ended,
}

/// The incremental reader. After an error it gives nothing but that error.
///
/// ```
/// use wabe::protocol::{Frame, Framer, Limits};
///
/// let mut framer = Framer::new(Limits::default());
/// framer.feed(b"<protocol><joined roomId=\"7");
/// assert_eq!(framer.next_frame(), Ok(None));
/// framer.feed(b"\"/></protocol>");
/// assert_eq!(framer.next_frame(), Ok(Some(Frame::Message("<joined roomId=\"7\"/>"))));
/// assert_eq!(framer.next_frame(), Ok(Some(Frame::End)));
/// ```
#[derive(Clone, Debug)]
pub struct Framer {
    limits: Limits,
    buffer: Vec<u8>,
    /// How many bytes of the stream have left the buffer.
    discarded: u64,
    /// Where the message being read begins in the buffer; everything before is done with.
    item: usize,
    /// Where the piece of markup being read begins.
    markup: usize,
    /// Up to where the buffer has been looked at.
    scanned: usize,
    lexer: Lexer,
    root: Root,
    /// The names of the message's open elements, outermost first, as places relative to `item`.
    open: Vec<Range<usize>>,
    failure: Option<FramingError>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Root {
    Awaited,
    Open,
    Ended,
}

/// What a token completes.
enum Cut {
    Message(Range<usize>),
    End,
}

impl Framer {
    /// A reader at the beginning of a stream.
    pub fn new(limits: Limits) -> Framer {
        Framer {
            limits,
            buffer: Vec::new(),
            discarded: 0,
            item: 0,
            markup: 0,
            scanned: 0,
            lexer: Lexer::new(),
            root: Root::Awaited,
            open: Vec::new(),
            failure: None,
        }
    }

    /// Takes the next bytes of the stream.
    ///
    /// Call [`next_frame`](Framer::next_frame) until it has no more before feeding on: the buffer grows by what is fed.
    pub fn feed(&mut self, bytes: &[u8]) {
        if self.failure.is_some() {
            return;
        }
        if self.item > 0 {
            self.buffer.drain(..self.item);
            self.discarded += self.item as u64;
            self.scanned -= self.item;
            self.markup = self.markup.saturating_sub(self.item);
            self.item = 0;
        }
        self.buffer.extend_from_slice(bytes);
    }

    /// The next complete message or the end; `None` while more bytes are needed.
    ///
    /// A message is complete with its last byte: what the latest feed completed arrived with that feed.
    ///
    /// # Errors
    /// When the stream is malformed or breaks the limits, now and at every later call. Incomplete is not malformed.
    pub fn next_frame(&mut self) -> Result<Option<Frame<'_>>, FramingError> {
        if let Some(failure) = &self.failure {
            return Err(failure.clone());
        }
        let cut = self.scan().inspect_err(|error| {
            self.failure = Some(error.clone());
        })?;
        match cut {
            None => Ok(None),
            Some(Cut::End) => Ok(Some(Frame::End)),
            Some(Cut::Message(range)) => {
                let offset = self.discarded + range.start as u64;
                let bytes = self.buffer.get(range).unwrap_or_default();
                match std::str::from_utf8(bytes) {
                    Ok(message) => Ok(Some(Frame::Message(message))),
                    Err(error) => {
                        let error = FramingError::Malformed {
                            offset: offset + error.valid_up_to() as u64,
                            fault: Malformation::Encoding,
                        };
                        self.failure = Some(error.clone());
                        Err(error)
                    }
                }
            }
        }
    }

    /// How many bytes of the stream are done with: they belong neither to the message being read nor to what follows it.
    pub fn completed_bytes(&self) -> u64 {
        self.discarded + self.item as u64
    }

    /// How far the stream has come, for the moment when no more bytes arrive.
    pub fn phase(&self) -> StreamPhase {
        match self.root {
            Root::Ended => StreamPhase::Ended,
            Root::Awaited => StreamPhase::BeforeRoot,
            Root::Open if self.open.is_empty() && self.lexer.is_idle() => {
                StreamPhase::BetweenMessages
            }
            Root::Open => StreamPhase::InMessage,
        }
    }

    fn scan(&mut self) -> Result<Option<Cut>, FramingError> {
        loop {
            if self.lexer.is_idle() && !self.skip_text()? {
                return Ok(None);
            }
            let rest = self.buffer.get(self.scanned..).unwrap_or_default();
            let (length, token) = self.lexer.scan(rest);
            self.scanned += length;
            let token = token.map_err(|fault| self.malformed(fault))?;
            if self.scanned - self.item > self.limits.message_bytes {
                return Err(self.too_large());
            }
            let Some(token) = token else {
                return Ok(None);
            };
            if let Some(cut) = self.complete(token)? {
                return Ok(Some(cut));
            }
        }
    }

    /// Goes on to just behind the next `<`; false if there is none yet.
    fn skip_text(&mut self) -> Result<bool, FramingError> {
        let rest = self.buffer.get(self.scanned..).unwrap_or_default();
        let length = rest.iter().position(|&b| b == b'<').unwrap_or(rest.len());
        if self.open.is_empty() {
            let start = self.discarded + self.scanned as u64;
            let text = rest.iter().take(length);
            if let Some((offset, _)) = (start..)
                .zip(text)
                .find(|&(offset, &byte)| !is_space(byte) && !is_byte_order_mark(offset, byte))
            {
                let fault = if self.root == Root::Ended {
                    Malformation::AfterEnd
                } else {
                    Malformation::StrayText
                };
                return Err(FramingError::Malformed { offset, fault });
            }
        }
        let found = length < rest.len();
        self.scanned += length;
        if self.open.is_empty() {
            self.item = self.scanned;
        } else if self.scanned - self.item > self.limits.message_bytes {
            return Err(self.too_large());
        }
        if found {
            self.markup = self.scanned;
            self.scanned += 1;
            self.lexer.begin();
        }
        Ok(found)
    }

    fn complete(&mut self, token: Token) -> Result<Option<Cut>, FramingError> {
        match token {
            Token::Ignorable => {
                if self.open.is_empty() {
                    self.item = self.scanned;
                }
                return Ok(None);
            }
            Token::CData if self.open.is_empty() => {
                return Err(self.malformed(Malformation::StrayCData));
            }
            Token::CData => return Ok(None),
            Token::Start { .. } | Token::Empty { .. } | Token::End { .. } => {}
        }
        match (self.root, token) {
            (Root::Ended, _) => Err(self.malformed(Malformation::AfterEnd)),
            (Root::Awaited, Token::Start { name_len } | Token::Empty { name_len }) => {
                let name = self.name(1, name_len);
                if name != ROOT {
                    let name = printable(name);
                    return Err(self.malformed(Malformation::Root(name)));
                }
                self.item = self.scanned;
                if matches!(token, Token::Empty { .. }) {
                    self.root = Root::Ended;
                    return Ok(Some(Cut::End));
                }
                self.root = Root::Open;
                Ok(None)
            }
            (Root::Open, Token::Start { name_len }) => {
                if self.open.len() >= self.limits.depth {
                    return Err(self.too_deep());
                }
                let start = self.markup - self.item + 1;
                self.open.push(start..start + name_len);
                Ok(None)
            }
            (Root::Open, Token::Empty { .. }) => {
                if self.open.len() >= self.limits.depth {
                    return Err(self.too_deep());
                }
                Ok(self.cut_if_outermost())
            }
            (_, Token::End { name_len }) => self.close(name_len),
            (_, Token::CData | Token::Ignorable) => Ok(None),
        }
    }

    fn close(&mut self, name_len: usize) -> Result<Option<Cut>, FramingError> {
        let found = self.name(2, name_len);
        let expected = match (self.open.last(), self.root) {
            (Some(name), _) => {
                let message = self.buffer.get(self.item..).unwrap_or_default();
                message.get(name.clone()).unwrap_or_default()
            }
            (None, Root::Open) => ROOT,
            (None, _) => {
                let found = printable(found);
                return Err(self.malformed(Malformation::StrayEnd(found)));
            }
        };
        if found != expected {
            let fault = Malformation::MismatchedEnd {
                expected: printable(expected),
                found: printable(found),
            };
            return Err(self.malformed(fault));
        }
        if self.open.pop().is_some() {
            Ok(self.cut_if_outermost())
        } else {
            self.root = Root::Ended;
            self.item = self.scanned;
            Ok(Some(Cut::End))
        }
    }

    fn cut_if_outermost(&mut self) -> Option<Cut> {
        self.open.is_empty().then(|| {
            let start = std::mem::replace(&mut self.item, self.scanned);
            Cut::Message(start..self.scanned)
        })
    }

    /// The name in the tag being read, which begins `skip` bytes behind the tag's `<`.
    fn name(&self, skip: usize, len: usize) -> &[u8] {
        let start = self.markup + skip;
        self.buffer.get(start..start + len).unwrap_or_default()
    }

    fn malformed(&self, fault: Malformation) -> FramingError {
        FramingError::Malformed {
            offset: self.discarded + self.scanned as u64,
            fault,
        }
    }

    fn too_large(&self) -> FramingError {
        FramingError::TooLarge {
            limit: self.limits.message_bytes,
        }
    }

    fn too_deep(&self) -> FramingError {
        FramingError::TooDeep {
            limit: self.limits.depth,
        }
    }
}

/// Some programs begin a UTF-8 stream with this mark.
fn is_byte_order_mark(offset: u64, byte: u8) -> bool {
    usize::try_from(offset).is_ok_and(|offset| BYTE_ORDER_MARK.get(offset) == Some(&byte))
}

/// A name for a message to a person: what is no UTF-8 is replaced, what is long is cut.
fn printable(name: &[u8]) -> String {
    String::from_utf8_lossy(name).chars().take(40).collect()
}

#[cfg(test)]
mod tests;
