//! Cuts a stream of bytes into the protocol's messages.
//!
//! Each direction of a connection is one XML document whose root `<protocol>` stays open; its children are the messages. A
//! [`Framer`] takes the bytes in any chunks and returns complete messages. It does no I/O, looks at every byte once, and holds at
//! most one message and the bytes fed last.

mod lexer;

use std::ops::Range;

use lexer::{Lexer, Token, is_space};
use thiserror::Error;

/// The beginning of a stream.
pub const STREAM_OPEN: &str = "<protocol>";

/// The end of a stream, as the contest's server writes it.
pub const STREAM_CLOSE: &str = "\n</protocol>";

const ROOT: &[u8] = b"protocol";
const BYTE_ORDER_MARK: [u8; 3] = [0xef, 0xbb, 0xbf];

const AFTER_END: &str = "there is more after </protocol>";

/// Limits on the messages of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Longest message, in bytes. A state has about 9,000.
    pub message_bytes: usize,
    /// Deepest nesting in a message, whose own element counts as 1. A state has 7.
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

/// The next part of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Frame<'a> {
    /// One complete message as received, from its first `<` to its last `>`.
    Message(&'a str),
    /// The end of the document, `</protocol>`.
    End,
}

/// The stream breaks the rules. No more can be read from it.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum FramingError {
    /// Not XML, or not a single document with the root `<protocol>`.
    #[error("malformed XML at byte {offset}: {fault}")]
    Malformed {
        /// Bytes of the stream before the fault.
        offset: u64,
        /// A description of the fault.
        fault: String,
    },
    /// A message, or a comment between messages, is too long.
    #[error("a message is longer than {limit} bytes")]
    TooLarge {
        /// The longest message allowed.
        limit: usize,
    },
    /// A message nests elements too deep.
    #[error("a message nests elements more than {limit} deep")]
    TooDeep {
        /// The deepest nesting allowed.
        limit: usize,
    },
}

/// The progress of reading a stream; see [`Framer::phase`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StreamPhase {
    /// `<protocol>` has not been read completely.
    BeforeRoot,
    /// Between two messages.
    BetweenMessages,
    /// Inside a message or another piece of markup.
    InMessage,
    /// `</protocol>` has been read.
    Ended,
}

/// The incremental reader. Once it has failed, every further call returns the same error.
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
    /// Bytes of the stream that have left the buffer.
    discarded: u64,
    /// Start of the current message in the buffer. Everything before it is finished.
    item: usize,
    /// Start of the current piece of markup.
    markup: usize,
    /// Start of the unread part of the buffer.
    scanned: usize,
    lexer: Lexer,
    root: Root,
    /// The names of the message's open elements, outermost first, as ranges relative to `item`.
    open: Vec<Range<usize>>,
    failure: Option<FramingError>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Root {
    Awaited,
    Open,
    Ended,
}

/// A completed frame, as a range of the buffer.
enum Cut {
    Message(Range<usize>),
    End,
}

impl Framer {
    /// Starts at the beginning of a stream.
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
    /// Call [`next_frame`](Framer::next_frame) until it returns `None` before feeding more, or the buffer grows.
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
    /// A message is complete as soon as its last byte has been fed.
    ///
    /// # Errors
    /// When the stream is malformed or exceeds the limits. An incomplete stream is not malformed.
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
                            fault: "a message is not UTF-8".to_owned(),
                        };
                        self.failure = Some(error.clone());
                        Err(error)
                    }
                }
            }
        }
    }

    /// Bytes of the stream before the current message.
    pub fn completed_bytes(&self) -> u64 {
        self.discarded + self.item as u64
    }

    /// The progress of reading the stream, which locates a cut when no more bytes arrive.
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

    /// Skips to just after the next `<`; false if there is none yet.
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
                let fault = match self.root {
                    Root::Ended => AFTER_END,
                    Root::Awaited | Root::Open => "text outside of any message",
                };
                let fault = fault.to_owned();
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
        match (token, self.root) {
            (Token::Ignorable, _) => {
                if self.open.is_empty() {
                    self.item = self.scanned;
                }
                Ok(None)
            }
            (Token::CData, _) if self.open.is_empty() => {
                Err(self.malformed("a CDATA section outside of any message"))
            }
            (Token::CData, _) => Ok(None),
            (_, Root::Ended) => Err(self.malformed(AFTER_END)),
            (Token::End, _) => self.close(),
            (_, Root::Awaited) => {
                let name = self.name(1);
                if name != ROOT {
                    let name = printable(name);
                    let fault = format!("the root element is <{name}>, not <protocol>");
                    return Err(self.malformed(fault));
                }
                self.item = self.scanned;
                if token == Token::Empty {
                    self.root = Root::Ended;
                    return Ok(Some(Cut::End));
                }
                self.root = Root::Open;
                Ok(None)
            }
            (_, Root::Open) if self.open.len() >= self.limits.depth => Err(FramingError::TooDeep {
                limit: self.limits.depth,
            }),
            (Token::Start, Root::Open) => {
                let start = self.markup - self.item + 1;
                self.open.push(start..start + self.lexer.name_len());
                Ok(None)
            }
            (Token::Empty, Root::Open) => Ok(self.cut_if_outermost()),
        }
    }

    fn close(&mut self) -> Result<Option<Cut>, FramingError> {
        let found = self.name(2);
        let expected = match (self.open.last(), self.root) {
            (Some(name), _) => {
                let message = self.buffer.get(self.item..).unwrap_or_default();
                message.get(name.clone()).unwrap_or_default()
            }
            (None, Root::Open) => ROOT,
            (None, _) => {
                let fault = format!("`</{}>` ends nothing", printable(found));
                return Err(self.malformed(fault));
            }
        };
        if found != expected {
            let (found, expected) = (printable(found), printable(expected));
            return Err(self.malformed(format!("`</{found}>` ends <{expected}>")));
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

    /// The current tag's name, which begins `skip` bytes into the tag.
    fn name(&self, skip: usize) -> &[u8] {
        let start = self.markup + skip;
        let end = start + self.lexer.name_len();
        self.buffer.get(start..end).unwrap_or_default()
    }

    fn malformed(&self, fault: impl Into<String>) -> FramingError {
        FramingError::Malformed {
            offset: self.discarded + self.scanned as u64,
            fault: fault.into(),
        }
    }

    fn too_large(&self) -> FramingError {
        FramingError::TooLarge {
            limit: self.limits.message_bytes,
        }
    }
}

/// Some programs start a UTF-8 stream with a byte order mark.
fn is_byte_order_mark(offset: u64, byte: u8) -> bool {
    usize::try_from(offset).is_ok_and(|offset| BYTE_ORDER_MARK.get(offset) == Some(&byte))
}

/// A name for an error message: invalid UTF-8 is replaced, a long name truncated.
fn printable(name: &[u8]) -> String {
    String::from_utf8_lossy(name).chars().take(40).collect()
}

#[cfg(test)]
mod tests;
