//! XML by the element: reads one message over the events of quick-xml, writes the contest server's layout.

use std::borrow::Cow;
use std::fmt::{self, Write};

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
    strictness: Strictness,
}

/// The treatment of unknown and malformed parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Strictness {
    /// Skips them, as a client has to: the server may be newer.
    Lenient,
    /// Refuses them like the contest's server, which reads objects: unknown elements, and faults
    /// of attributes and references anywhere, also in skipped parts. Unknown attributes are
    /// skipped.
    Strict,
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
        if self.strictness == Strictness::Strict {
            check(&event)?;
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

/// Refuses what no strict reader skips.
fn check(event: &Event<'_>) -> Result<(), ReadError> {
    match event {
        Event::Start(start) => start.attributes().try_for_each(|attribute| {
            let attribute = attribute.map_err(ReadError::xml)?;
            unescape(attribute.value).map(drop)
        }),
        Event::Text(text) if text.contains("]]>") => Err(ReadError::xml("`]]>` in a text")),
        Event::GeneralRef(reference) => resolve(reference).map(drop),
        _ => Ok(()),
    }
}

/// The value of an attribute with references resolved and white space normalized.
fn unescape(raw: Cow<'_, str>) -> Result<Cow<'_, str>, ReadError> {
    if !raw.contains(['&', '\t', '\n', '\r']) {
        return Ok(raw);
    }
    let raw = raw.replace("\r\n", " ").replace(['\t', '\n', '\r'], " ");
    let mut parts = raw.split('&');
    let mut value = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (reference, text) = part
            .split_once(';')
            .ok_or_else(|| ReadError::xml("a reference does not end"))?;
        value.push(resolve(reference)?);
        value.push_str(text);
    }
    Ok(value.into())
}

/// The character that a reference stands for; U+FFFD for one that does not exist.
fn resolve(reference: &str) -> Result<char, ReadError> {
    let number = match (reference, reference.strip_prefix('#')) {
        ("amp", _) => return Ok('&'),
        ("lt", _) => return Ok('<'),
        ("gt", _) => return Ok('>'),
        ("quot", _) => return Ok('"'),
        ("apos", _) => return Ok('\''),
        (_, Some(number)) => match number.strip_prefix('x') {
            Some(number) => i32::from_str_radix(number, 16).ok(),
            None => number.parse::<i32>().ok(),
        },
        _ => None,
    };
    let number = number.ok_or_else(|| {
        let reference: String = reference.chars().take(40).collect();
        ReadError::xml(format_args!("unknown entity `{reference}`"))
    })?;
    let character = u32::try_from(number).ok().and_then(char::from_u32);
    Ok(character.unwrap_or(char::REPLACEMENT_CHARACTER))
}

/// Reads a message: one element, surrounded by nothing but whitespace and comments.
pub(super) fn read_root<'m, T>(
    message: &'m str,
    strictness: Strictness,
    read: impl FnOnce(Element<'_, 'm>) -> Result<T, ReadError>,
) -> Result<T, ReadError> {
    let mut events = quick_xml::Reader::from_str(message);
    events.config_mut().expand_empty_elements = true;
    let mut reader = Reader {
        events,
        depth: 0,
        strictness,
    };
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
                *value = Some(unescape(attribute.value)?);
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
        let sent = attribute.value.clone();
        Some(unescape(attribute.value).unwrap_or(sent).into_owned())
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

    /// The class of the object, if the element names one.
    pub(super) fn class(&self) -> Result<Option<String>, ReadError> {
        let [class, resolved] = self.attributes(["class", "resolves-to"])?;
        Ok(resolved.or(class).map(Cow::into_owned))
    }

    /// Reads an object as the contest's server does: each of the values with these names from an
    /// attribute or a child element, and its other children.
    pub(super) fn read_object<const N: usize>(
        self,
        names: [&'static str; N],
        mut read: impl FnMut(Element<'_, 'm>) -> Result<(), ReadError>,
    ) -> Result<[Option<Value>; N], ReadError> {
        let mut values = self.attributes(names)?.map(|value| {
            value.map(|text| Value {
                text: text.into_owned(),
                is_element: false,
            })
        });
        self.for_each_child(|child| {
            let slots = names.iter().zip(&mut values);
            let Some((name, slot)) = slots.into_iter().find(|(name, _)| **name == child.name())
            else {
                return read(child);
            };
            let value = Value {
                text: child.text()?,
                is_element: true,
            };
            once(slot, value, name)
        })?;
        Ok(values)
    }

    /// The element's text before its first child, with references resolved, as it would be written
    /// again. U+FFFD replaces characters that XML cannot represent.
    pub(super) fn text(self) -> Result<String, ReadError> {
        let mut text = String::new();
        loop {
            match self.reader.next()? {
                Event::Text(part) => text.push_str(&part.xml10_content()),
                Event::CData(part) => text.push_str(&part.xml10_content()),
                Event::GeneralRef(reference) => text.push(resolve(&reference)?),
                Event::Start(_) | Event::End(_) | Event::Eof => {
                    return Ok(text.chars().map(representable).collect());
                }
                _ => {}
            }
        }
    }

    /// Takes an unknown element: an error to a strict reader, skipped by others.
    pub(super) fn ignore(self) -> Result<(), ReadError> {
        match self.reader.strictness {
            Strictness::Strict => Err(ReadError::new("unknown element")),
            Strictness::Lenient => {
                log::debug!("ignored the element <{}>", self.name());
                Ok(())
            }
        }
    }
}

/// A value of an object.
pub(super) struct Value {
    pub(super) text: String,
    /// True if it was an element, in which names of constants may have any case.
    is_element: bool,
}

impl Value {
    /// The name of a constant such as `RED`.
    pub(super) fn into_constant(self) -> String {
        match self.is_element {
            true => self.text.to_ascii_uppercase(),
            false => self.text,
        }
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

/// Appends elements to a string as the contest's server writes them, with U+FFFD for characters
/// that XML forbids: every element starts on a new line, indented by two spaces per level, no line
/// break follows the last one, and an element without children is a single tag.
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
                '\n' | '\t' | '\r' | '\u{7f}'..='\u{9f}' => {
                    write!(self.out, "&#x{:x};", u32::from(character))?;
                }
                _ => self.out.push(representable(character)),
            }
        }
        Ok(())
    }
}
