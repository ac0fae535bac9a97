//! Writes XML byte for byte as the contest's server does: every element starts on a new line, indented by two spaces a level, no
//! line break follows the last one, and an element without children is a single tag.

use std::fmt::{self, Write};

/// Appends elements to a string.
pub(in crate::protocol) struct XmlWriter<'o> {
    out: &'o mut String,
    depth: usize,
}

/// An unfinished start tag.
#[must_use]
pub(in crate::protocol) struct Tag<'w, 'o> {
    writer: &'w mut XmlWriter<'o>,
    name: &'static str,
}

impl<'o> XmlWriter<'o> {
    /// Writes elements at this depth: 1 for messages in a stream.
    pub(in crate::protocol) fn new(out: &'o mut String, depth: usize) -> XmlWriter<'o> {
        XmlWriter { out, depth }
    }

    /// Begins an element.
    pub(in crate::protocol) fn element(&mut self, name: &'static str) -> Tag<'_, 'o> {
        self.new_line();
        self.out.push('<');
        self.out.push_str(name);
        Tag { writer: self, name }
    }

    fn new_line(&mut self) {
        self.out.push('\n');
        for _ in 0..self.depth {
            self.out.push_str("  ");
        }
    }
}

impl<'o> Tag<'_, 'o> {
    /// Adds an attribute.
    pub(in crate::protocol) fn attribute(
        self,
        name: &'static str,
        value: impl fmt::Display,
    ) -> Self {
        let out = &mut *self.writer.out;
        out.push(' ');
        out.push_str(name);
        out.push_str("=\"");
        write_escaped(out, value, Place::Attribute);
        out.push('"');
        self
    }

    /// Ends the tag and, with it, the element.
    pub(in crate::protocol) fn empty(self) {
        self.writer.out.push_str("/>");
    }

    /// Ends the tag, writes text and the end tag.
    pub(in crate::protocol) fn text(self, text: impl fmt::Display) {
        self.writer.out.push('>');
        write_escaped(self.writer.out, text, Place::Text);
        self.end_tag();
    }

    /// Ends the tag, writes the child elements and the end tag.
    pub(in crate::protocol) fn children(self, write: impl FnOnce(&mut XmlWriter<'o>)) {
        self.writer.out.push('>');
        let length = self.writer.out.len();
        self.writer.depth += 1;
        write(self.writer);
        self.writer.depth -= 1;
        if self.writer.out.len() == length {
            self.writer.out.pop();
            self.writer.out.push_str("/>");
        } else {
            self.writer.new_line();
            self.end_tag();
        }
    }

    fn end_tag(self) {
        self.writer.out.push_str("</");
        self.writer.out.push_str(self.name);
        self.writer.out.push('>');
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Attribute,
    Text,
}

struct Escaping<'o> {
    out: &'o mut String,
    place: Place,
}

fn write_escaped(out: &mut String, value: impl fmt::Display, place: Place) {
    // Writing to a string cannot fail. If the `Display` does, its output is cut short.
    let _ = write!(Escaping { out, place }, "{value}");
}

impl Write for Escaping<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for character in text.chars() {
            match character {
                '&' => self.out.push_str("&amp;"),
                '<' => self.out.push_str("&lt;"),
                '>' => self.out.push_str("&gt;"),
                '"' => self.out.push_str("&quot;"),
                '\'' => self.out.push_str("&apos;"),
                '\n' | '\t' if self.place == Place::Text => self.out.push(character),
                '\n' | '\t' | '\r' => write!(self.out, "&#x{:x};", u32::from(character))?,
                // XML cannot represent the other control characters, nor U+FFFE and U+FFFF.
                c if c.is_control() && u32::from(c) < 0x20 => self.out.push('\u{fffd}'),
                '\u{fffe}' | '\u{ffff}' => self.out.push('\u{fffd}'),
                _ => self.out.push(character),
            }
        }
        Ok(())
    }
}
