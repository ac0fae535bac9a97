//! Cuts a stream of bytes into the protocol's messages.
//!
//! Each direction of a connection is one XML document whose root `<protocol>` stays open; its
//! children are the messages. A [`Framer`] takes the bytes in any chunks and returns complete
//! messages. It follows tags and quotes only: whether a message is well-formed is for its reader
//! to decide. It does no I/O and holds at most one message and the bytes fed last.

use std::ops::Range;

use memchr::memmem;
use thiserror::Error;

/// The beginning of a stream.
pub const STREAM_OPEN: &str = "<protocol>";

/// The end of a stream, as the contest's server writes it.
pub const STREAM_CLOSE: &str = "\n</protocol>";

const ROOT: &[u8] = b"protocol";
const BYTE_ORDER_MARK: [u8; 3] = [0xef, 0xbb, 0xbf];

/// Markup whose content may hold `<`, `>` and quotes.
const DELIMITED: [(&[u8], &[u8]); 3] = [(b"<!--", b"-->"), (b"<![CDATA[", b"]]>"), (b"<?", b"?>")];

/// Size of the buffer that is kept after a long message, in bytes.
const KEPT_BYTES: usize = 64 << 10;

const AFTER_END: &str = "there is more after </protocol>";

/// Limits on the messages of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Maximum length of a message, in bytes. A state has about 9,000, and the contest's server
    /// passes on hints of 10 MB.
    pub message_bytes: usize,
    /// Deepest nesting in a message, whose own element counts as 1. A state has 7.
    pub depth: usize,
}

impl Default for Limits {
    /// 16 MiB and 32 levels.
    fn default() -> Limits {
        Limits {
            message_bytes: 16 << 20,
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

/// The incremental reader. Once it has failed, every further call returns the same error.
///
/// ```
/// use wabe_contest::protocol::{Frame, Framer, Limits};
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
    /// True for a client's stream, of which the contest's server accepts more.
    is_clients: bool,
    buffer: Vec<u8>,
    /// Bytes of the stream that have left the buffer.
    discarded: u64,
    /// Start of the current message in the buffer. Everything before it is finished.
    item: usize,
    /// Start of the current piece of markup; `None` between markup.
    markup: Option<usize>,
    /// Start of the unread part of the buffer.
    scanned: usize,
    /// The quotes around the attribute's value that is being read.
    quote: Option<u8>,
    /// The number of `<` that are open inside a document type.
    nested: usize,
    root: Root,
    root_name: Vec<u8>,
    /// A message that was not UTF-8.
    decoded: String,
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
            is_clients: false,
            buffer: Vec::new(),
            discarded: 0,
            item: 0,
            markup: None,
            scanned: 0,
            quote: None,
            nested: 0,
            root: Root::Awaited,
            root_name: ROOT.to_vec(),
            decoded: String::new(),
            open: Vec::new(),
            failure: None,
        }
    }

    /// Starts at the beginning of a client's stream. As by the contest's server, a root of any name
    /// is accepted, document types with an internal subset, text between messages, and bytes that
    /// are not UTF-8, which become U+FFFD. An XML declaration is an error after the beginning.
    pub fn for_client(limits: Limits) -> Framer {
        Framer {
            is_clients: true,
            ..Framer::new(limits)
        }
    }

    /// Takes the next bytes of the stream.
    ///
    /// Call [`next_frame`](Framer::next_frame) until it returns `None` before feeding more, or the
    /// buffer grows.
    pub fn feed(&mut self, bytes: &[u8]) {
        if self.failure.is_some() {
            return;
        }
        if self.item > 0 {
            self.buffer.drain(..self.item);
            self.discarded += self.item as u64;
            self.scanned -= self.item;
            self.markup = self.markup.map(|markup| markup - self.item);
            self.item = 0;
            self.decoded = String::new();
            if self.buffer.len() < KEPT_BYTES {
                self.buffer.shrink_to(KEPT_BYTES);
            }
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
                    Err(_) if self.is_clients => {
                        self.decoded = String::from_utf8_lossy(bytes).into_owned();
                        Ok(Some(Frame::Message(&self.decoded)))
                    }
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

    fn scan(&mut self) -> Result<Option<Cut>, FramingError> {
        loop {
            if self.markup.is_none() {
                self.skip_text()?;
            }
            let end = match self.markup {
                Some(markup) => self.find_markup_end(markup)?,
                None => None,
            };
            let is_message = self.markup.is_some() || !self.open.is_empty();
            if is_message && self.scanned - self.item > self.limits.message_bytes {
                return Err(FramingError::TooLarge {
                    limit: self.limits.message_bytes,
                });
            }
            let (Some(markup), Some(())) = (self.markup, end) else {
                return Ok(None);
            };
            self.markup = None;
            if let Some(cut) = self.complete(markup..self.scanned)? {
                return Ok(Some(cut));
            }
        }
    }

    /// Skips to the next `<`, where markup starts.
    fn skip_text(&mut self) -> Result<(), FramingError> {
        let rest = self.buffer.get(self.scanned..).unwrap_or_default();
        let found = memchr::memchr(b'<', rest);
        let length = found.unwrap_or(rest.len());
        if self.open.is_empty() && !self.is_clients {
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
        self.scanned += length;
        if self.open.is_empty() {
            self.item = self.scanned;
        }
        self.markup = found.map(|_| self.scanned);
        Ok(())
    }

    /// Moves behind the piece of markup that starts at `start`, if it is complete.
    fn find_markup_end(&mut self, start: usize) -> Result<Option<()>, FramingError> {
        let markup = self.buffer.get(start..).unwrap_or_default();
        for (opening, closing) in DELIMITED {
            if markup.starts_with(opening) {
                // The closing may have been cut by the end of the bytes so far.
                let seen = self.scanned.saturating_sub(start + closing.len() - 1);
                let from = seen.max(opening.len());
                let content = markup.get(from..).unwrap_or_default();
                let found = memmem::find(content, closing);
                self.scanned = match found {
                    Some(at) => start + from + at + closing.len(),
                    None => self.buffer.len(),
                };
                return Ok(found.map(|_| ()));
            }
            if opening.starts_with(markup) {
                return Ok(None);
            }
        }
        let nests = self.is_clients && markup.starts_with(b"<!");
        while let Some(&byte) = self.buffer.get(self.scanned) {
            match (byte, self.quote) {
                (b'<', None) if nests && self.scanned > start => self.nested += 1,
                (b'>', None) if self.nested > 0 => self.nested -= 1,
                // A lost quote or bracket would otherwise swallow everything up to the limit.
                (b'<', quote) if self.scanned > start && !(self.is_clients && quote.is_some()) => {
                    return Err(self.malformed("a tag does not end before the next `<`"));
                }
                (b'"' | b'\'', None) => self.quote = Some(byte),
                (_, Some(quote)) if byte == quote => self.quote = None,
                (b'>', None) => {
                    self.scanned += 1;
                    return Ok(Some(()));
                }
                _ => {}
            }
            self.scanned += 1;
        }
        Ok(None)
    }

    /// Takes a complete piece of markup.
    fn complete(&mut self, range: Range<usize>) -> Result<Option<Cut>, FramingError> {
        let markup = self.buffer.get(range.clone()).unwrap_or_default();
        match markup {
            [b'<', b'/', ..] => return self.close(&range),
            [b'<', b'!', b'[', ..] if self.open.is_empty() && !self.is_clients => {
                return Err(self.malformed("a CDATA section outside of any message"));
            }
            [b'<', b'?', b'x', b'm', b'l', b' ' | b'\t' | b'\r' | b'\n', ..]
                // A byte order mark may come before it.
                if self.is_clients && !matches!(self.discarded + range.start as u64, 0 | 3) =>
            {
                return Err(self.malformed("an XML declaration after the beginning"));
            }
            [b'<', b'!' | b'?', ..] => {
                if self.open.is_empty() {
                    self.item = self.scanned;
                }
                return Ok(None);
            }
            _ if self.root == Root::Ended => return Err(self.malformed(AFTER_END)),
            _ => {}
        }
        let is_empty = markup.ends_with(b"/>");
        let name = range.start + 1..range.start + 1 + name_len(markup.get(1..).unwrap_or_default());
        if name.is_empty() {
            return Err(self.malformed("a tag has no name"));
        }
        if self.root == Root::Awaited {
            let name = self.buffer.get(name).unwrap_or_default();
            if self.is_clients {
                self.root_name = name.to_vec();
            } else if name != ROOT {
                let fault = format!("the root element is <{}>, not <protocol>", printable(name));
                return Err(self.malformed(fault));
            }
            self.item = self.scanned;
            self.root = if is_empty { Root::Ended } else { Root::Open };
            return Ok(is_empty.then_some(Cut::End));
        }
        if self.open.len() >= self.limits.depth {
            let limit = self.limits.depth;
            return Err(FramingError::TooDeep { limit });
        }
        if !is_empty {
            self.open.push(name.start - self.item..name.end - self.item);
        }
        Ok(self.cut_if_outermost())
    }

    /// Takes an end tag.
    fn close(&mut self, range: &Range<usize>) -> Result<Option<Cut>, FramingError> {
        let tag = self.buffer.get(range.start + 2..range.end - 1);
        let found = tag.unwrap_or_default().trim_ascii_end();
        let expected = match (self.open.last(), self.root) {
            (Some(name), _) => {
                let message = self.buffer.get(self.item..).unwrap_or_default();
                message.get(name.clone()).unwrap_or_default()
            }
            (None, Root::Open) => &self.root_name[..],
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

    fn malformed(&self, fault: impl Into<String>) -> FramingError {
        FramingError::Malformed {
            offset: self.discarded + self.scanned as u64,
            fault: fault.into(),
        }
    }
}

/// The length of the name at the beginning of a tag's contents.
fn name_len(contents: &[u8]) -> usize {
    let is_end = |&byte: &u8| is_space(byte) || matches!(byte, b'/' | b'>' | b'=' | b'"' | b'\'');
    contents.iter().position(is_end).unwrap_or(contents.len())
}

/// XML's whitespace.
const fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
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
#[path = "framing_tests.rs"]
mod tests;
