//! XML by the element: reads one message over the events of quick-xml, writes the contest server's layout.

use std::borrow::Cow;
use std::fmt::{self, Write};

use quick_xml::XmlVersion;
use quick_xml::events::{BytesStart, Event};

/// An invalid message: names the problem and the element.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadError {
    /// The elements around the problem, innermost first.
    path: Vec<String>,
    problem: String,
}

impl ReadError {
    pub(super) fn new(problem: impl fmt::Display) -> ReadError {
        ReadError {
            path: Vec::new(),
            problem: problem.to_string(),
        }
    }

    /// An error for a value that is not what was expected. A long value is truncated.
    pub(super) fn value(value: &str, expected: &str) -> ReadError {
        let value: String = value.chars().take(60).collect();
        ReadError::new(format_args!("`{value}` is not {expected}"))
    }

    fn xml(error: impl fmt::Display) -> ReadError {
        ReadError::new(format_args!("malformed XML: {error}"))
    }

    fn within(mut self, element: &str) -> ReadError {
        self.path.push(element.chars().take(40).collect());
        self
    }
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut separator = "in ";
        for element in self.path.iter().rev() {
            write!(f, "{separator}{element}")?;
            separator = "/";
        }
        if !self.path.is_empty() {
            f.write_str(": ")?;
        }
        f.write_str(&self.problem)
    }
}

impl std::error::Error for ReadError {}

/// An element whose start tag has been read. What its receiver leaves unread is skipped.
pub(super) struct Element<'r, 'm> {
    reader: &'r mut Reader<'m>,
    start: BytesStart<'m>,
}

struct Reader<'m> {
    events: quick_xml::Reader<&'m [u8]>,
    /// Number of open elements.
    depth: usize,
}

impl<'m> Reader<'m> {
    fn next(&mut self) -> Result<Event<'m>, ReadError> {
        let event = self.events.read_event().map_err(ReadError::xml)?;
        match event {
            Event::Start(_) => self.depth += 1,
            Event::End(_) => self.depth = self.depth.saturating_sub(1),
            Event::Eof if self.depth > 0 => return Err(ReadError::xml("the message is cut off")),
            _ => {}
        }
        Ok(event)
    }

    /// Skips events until at most `depth` elements are open.
    fn close_to(&mut self, depth: usize) -> Result<(), ReadError> {
        while self.depth > depth {
            self.next()?;
        }
        Ok(())
    }
}

/// Reads a message: one element, surrounded by nothing but whitespace and comments.
pub(super) fn read_root<'m, T>(
    message: &'m str,
    read: impl FnOnce(Element<'_, 'm>) -> Result<T, ReadError>,
) -> Result<T, ReadError> {
    let mut events = quick_xml::Reader::from_str(message);
    events.config_mut().expand_empty_elements = true;
    let mut reader = Reader { events, depth: 0 };
    let start = loop {
        match reader.next()? {
            Event::Start(start) => break start,
            Event::Eof => return Err(ReadError::xml("there is no element")),
            _ => {}
        }
    };
    let opening = start.clone();
    let element = Element {
        reader: &mut reader,
        start,
    };
    let value = read(element).map_err(|e| e.within(opening.name().as_ref()))?;
    reader.close_to(0)?;
    loop {
        match reader.next()? {
            Event::Eof => return Ok(value),
            Event::Start(_) => return Err(ReadError::xml("there is more than one element")),
            _ => {}
        }
    }
}

impl<'m> Element<'_, 'm> {
    /// The element's name.
    pub(super) fn name(&self) -> &str {
        self.start.name().into_inner()
    }

    /// The values of the attributes with these names, in the same order. Others are ignored.
    pub(super) fn attributes<const N: usize>(
        &self,
        names: [&str; N],
    ) -> Result<[Option<Cow<'_, str>>; N], ReadError> {
        let mut values = [const { None }; N];
        for attribute in self.start.attributes() {
            let attribute = attribute.map_err(ReadError::xml)?;
            let key = attribute.key.into_inner();
            let slot = names
                .iter()
                .zip(&mut values)
                .find(|(name, _)| **name == key);
            if let Some((_, value)) = slot {
                *value = Some(
                    attribute
                        .normalized_value(XmlVersion::Implicit1_0)
                        .map_err(ReadError::xml)?,
                );
            } else if key != "class" {
                log::debug!("ignored the attribute `{key}` of <{}>", self.name());
            }
        }
        Ok(values)
    }

    /// The value of an attribute of free text, such as a name. Text that cannot be decoded is
    /// returned as it was sent: it must not cost the whole message.
    pub(super) fn text_attribute(&self, name: &'static str) -> Option<String> {
        let mut attributes = self.start.attributes().flatten();
        let attribute = attributes.find(|attribute| attribute.key.into_inner() == name)?;
        Some(match attribute.normalized_value(XmlVersion::Implicit1_0) {
            Ok(value) => value.into_owned(),
            Err(_) => attribute.value.into_owned(),
        })
    }

    /// The value of a required attribute.
    pub(super) fn attribute(&self, name: &'static str) -> Result<Cow<'_, str>, ReadError> {
        let [value] = self.attributes([name])?;
        required_attribute(value, name)
    }

    /// Reads the child elements in turn. Text between them is ignored.
    pub(super) fn for_each_child(
        self,
        mut read: impl FnMut(Element<'_, 'm>) -> Result<(), ReadError>,
    ) -> Result<(), ReadError> {
        let depth = self.reader.depth;
        loop {
            match self.reader.next()? {
                Event::Start(start) => {
                    let opening = start.clone();
                    let child = Element {
                        reader: &mut *self.reader,
                        start,
                    };
                    read(child).map_err(|e| e.within(opening.name().as_ref()))?;
                    self.reader.close_to(depth)?;
                }
                Event::End(_) => return Ok(()),
                Event::Eof => return Err(ReadError::xml("the message is cut off")),
                _ => {}
            }
        }
    }

    /// Reads every child called `name` and ignores the others.
    pub(super) fn read_each<T>(
        self,
        name: &str,
        mut read: impl FnMut(Element<'_, 'm>) -> Result<T, ReadError>,
    ) -> Result<Vec<T>, ReadError> {
        let mut values = Vec::new();
        self.for_each_child(|child| {
            if child.name() != name {
                return child.ignore();
            }
            values.push(read(child)?);
            Ok(())
        })?;
        Ok(values)
    }

    /// Reads the one child called `name`, which is required, and ignores the others.
    pub(super) fn read_one<T>(
        self,
        name: &'static str,
        mut read: impl FnMut(Element<'_, 'm>) -> Result<T, ReadError>,
    ) -> Result<T, ReadError> {
        let mut value = None;
        self.for_each_child(|child| match child.name() {
            found if found == name => once(&mut value, read(child)?, name),
            _ => child.ignore(),
        })?;
        required_element(value, name)
    }

    /// The element's text with references resolved, without that of its children, as it would be
    /// written again. U+FFFD replaces references to characters that XML cannot represent.
    pub(super) fn text(self) -> Result<String, ReadError> {
        let depth = self.reader.depth;
        let mut text = String::new();
        loop {
            match self.reader.next()? {
                Event::Text(part) => text.push_str(&part.xml10_content()),
                Event::CData(part) => text.push_str(&part.xml10_content()),
                Event::GeneralRef(reference) => match reference.resolve_char_ref() {
                    Ok(Some(character)) => text.push(character),
                    Err(_) => text.push(char::REPLACEMENT_CHARACTER),
                    Ok(None) => text.push_str(
                        quick_xml::escape::resolve_predefined_entity(&reference).ok_or_else(
                            || ReadError::xml(format_args!("unknown entity `{}`", &*reference)),
                        )?,
                    ),
                },
                Event::Start(_) => self.reader.close_to(depth)?,
                Event::End(_) | Event::Eof => return Ok(text.chars().map(representable).collect()),
                _ => {}
            }
        }
    }

    /// Skips an unknown element. Never fails: the result saves its callers a line.
    pub(super) fn ignore(self) -> Result<(), ReadError> {
        log::debug!("ignored the element <{}>", self.name());
        Ok(())
    }
}

/// The value of the attribute, or the error that it is missing.
pub(super) fn required_attribute<T>(value: Option<T>, name: &'static str) -> Result<T, ReadError> {
    value.ok_or_else(|| ReadError::new(format_args!("the attribute `{name}` is missing")))
}

/// The value of the element, or the error that it is missing.
pub(super) fn required_element<T>(value: Option<T>, name: &'static str) -> Result<T, ReadError> {
    value.ok_or_else(|| ReadError::new(format_args!("the element <{name}> is missing")))
}

/// Stores the value of an element that may occur once.
pub(super) fn once<T>(slot: &mut Option<T>, value: T, name: &'static str) -> Result<(), ReadError> {
    match slot.replace(value) {
        None => Ok(()),
        Some(_) => Err(ReadError::new(format_args!(
            "the element <{name}> occurs twice"
        ))),
    }
}

/// Appends elements to a string, byte for byte as the contest's server writes them: every element starts on a new line, indented by two
/// spaces a level, no line break follows the last one, and an element without children is a single tag.
pub(super) struct XmlWriter<'o> {
    out: &'o mut String,
    depth: usize,
}

/// An unfinished start tag.
#[must_use]
pub(super) struct Tag<'w, 'o> {
    writer: &'w mut XmlWriter<'o>,
    name: &'static str,
}

impl<'o> XmlWriter<'o> {
    /// Writes elements at this depth: 1 for messages in a stream.
    pub(super) fn new(out: &'o mut String, depth: usize) -> XmlWriter<'o> {
        XmlWriter { out, depth }
    }

    /// Begins an element.
    pub(super) fn element(&mut self, name: &'static str) -> Tag<'_, 'o> {
        self.new_line();
        self.out.push('<');
        self.out.push_str(name);
        Tag { writer: self, name }
    }

    /// Writes an element without children.
    pub(super) fn leaf(
        &mut self,
        name: &'static str,
        attributes: &[(&'static str, &dyn fmt::Display)],
    ) {
        let tag = self.element(name);
        let attributes = attributes.iter();
        attributes
            .fold(tag, |tag, (name, value)| tag.attribute(name, value))
            .empty();
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
    pub(super) fn attribute(self, name: &'static str, value: impl fmt::Display) -> Self {
        let out = &mut *self.writer.out;
        out.push(' ');
        out.push_str(name);
        out.push_str("=\"");
        write_escaped(out, value, Place::Attribute);
        out.push('"');
        self
    }

    /// Ends the tag and, with it, the element.
    pub(super) fn empty(self) {
        self.writer.out.push_str("/>");
    }

    /// Ends the tag, writes text and the end tag.
    pub(super) fn text(self, text: impl fmt::Display) {
        self.writer.out.push('>');
        write_escaped(self.writer.out, text, Place::Text);
        self.end_tag();
    }

    /// Ends the tag, writes the child elements and the end tag.
    pub(super) fn children(self, write: impl FnOnce(&mut XmlWriter<'o>)) {
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

/// The character, or U+FFFD for one that XML cannot represent: most control characters, U+FFFE and U+FFFF.
fn representable(character: char) -> char {
    match character {
        '\t' | '\n' | '\r' | ' '..='\u{fffd}' | '\u{10000}'.. => character,
        _ => '\u{fffd}',
    }
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
                _ => self.out.push(representable(character)),
            }
        }
        Ok(())
    }
}
