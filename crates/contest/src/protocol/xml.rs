//! Trees of XML elements. Messages are parsed with quick-xml, and written in the layout of the
//! contest's server.

use std::borrow::Cow;
use std::fmt::{Display, Write};

use quick_xml::events::{BytesStart, Event};
use thiserror::Error;

/// Maximum depth of elements. Deeper elements are skipped, or rejected in strict mode. A state has
/// 7 levels.
const MAX_DEPTH: usize = 32;

/// Maximum number of elements plus attributes in a message. A state has about 1,000. A whole
/// recording without an end tag has 60,000.
const MAX_PARTS: usize = 100_000;

/// Why a message is invalid, and in which element.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{place}{problem}")]
pub struct ReadError {
    /// Path to the element, such as `in room/data: `.
    place: String,
    problem: String,
}

impl ReadError {
    pub(super) fn new(problem: impl ToString) -> ReadError {
        ReadError {
            place: String::new(),
            problem: problem.to_string(),
        }
    }

    /// Creates an error for an unexpected value. Truncates long values.
    pub(super) fn value(value: &str, expected: &str) -> ReadError {
        let value: String = value.chars().take(60).collect();
        ReadError::new(format!("`{value}` is not {expected}"))
    }

    fn xml(error: impl Display) -> ReadError {
        ReadError::new(format!("malformed XML: {error}"))
    }

    fn within(self, element: &str) -> ReadError {
        let element: String = element.chars().take(40).collect();
        let place = match self.place.strip_prefix("in ") {
            Some(inner) => format!("in {element}/{inner}"),
            None => format!("in {element}: "),
        };
        ReadError { place, ..self }
    }
}

/// How to treat malformed attributes and references.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Strictness {
    /// Skips attributes and keeps references as sent. They may come from the opponent, and the
    /// client still needs the message.
    Lenient,
    /// Rejects the message, as the contest's server does.
    Strict,
}

/// An element with its contents.
#[derive(Debug)]
pub(super) struct Element {
    pub(super) name: Cow<'static, str>,
    attributes: Vec<(Cow<'static, str>, String)>,
    pub(super) children: Vec<Element>,
    /// Text before the first child.
    text: Option<String>,
}

/// Parses a message, which must have exactly one root element.
pub(super) fn read_message<T>(
    message: &str,
    strictness: Strictness,
    read: impl FnOnce(&Element) -> Result<T, ReadError>,
) -> Result<T, ReadError> {
    let root = Element::parse(message, strictness)?;
    read(&root).map_err(|error| error.within(&root.name))
}

impl Element {
    fn parse(message: &str, strictness: Strictness) -> Result<Element, ReadError> {
        let mut events = quick_xml::Reader::from_str(message);
        events.config_mut().expand_empty_elements = true;
        let is_strict = strictness == Strictness::Strict;
        let mut open: Vec<Element> = Vec::new();
        // Number of open elements that are too deep, and number of parts so far.
        let mut skipped = 0_usize;
        let mut parts = 0;
        let mut root = None;
        loop {
            let text = match events.read_event().map_err(ReadError::xml)? {
                Event::Start(_) if is_strict && open.len() >= MAX_DEPTH => {
                    let problem = format!("elements deeper than {MAX_DEPTH} levels");
                    return Err(ReadError::new(problem));
                }
                Event::Start(_) if open.len() >= MAX_DEPTH => {
                    skipped += 1;
                    continue;
                }
                Event::Start(start) => {
                    open.push(Element::from_tag(&start, is_strict, &mut parts)?);
                    continue;
                }
                Event::End(_) if skipped > 0 => {
                    skipped -= 1;
                    continue;
                }
                Event::End(_) => {
                    match (open.pop(), open.last_mut()) {
                        (Some(element), Some(parent)) => parent.children.push(element),
                        (Some(element), None) if root.is_none() => root = Some(element),
                        _ => return Err(ReadError::xml("more than one root element")),
                    }
                    continue;
                }
                Event::Text(text) if is_strict && text.contains("]]>") => {
                    return Err(ReadError::xml("`]]>` in a text"));
                }
                Event::Text(text) => text.xml10_content().into_owned(),
                Event::CData(text) => text.xml10_content().into_owned(),
                Event::GeneralRef(reference) => match resolve(&reference) {
                    Ok(character) => character.into(),
                    Err(error) if is_strict => return Err(error),
                    Err(_) => format!("&{};", &*reference),
                },
                Event::Decl(_) if is_strict => {
                    return Err(ReadError::xml("an XML declaration after the beginning"));
                }
                Event::Eof if open.is_empty() => break,
                Event::Eof => return Err(ReadError::xml("the message is incomplete")),
                _ => continue,
            };
            if let Some(element) = open.last_mut()
                && skipped == 0
                && element.children.is_empty()
            {
                let characters = text.chars().map(representable);
                element.text.get_or_insert_default().extend(characters);
            }
        }
        root.ok_or_else(|| ReadError::xml("no root element"))
    }

    /// Parses a start tag. Adds the number of elements and attributes to `parts`.
    fn from_tag(
        tag: &BytesStart<'_>,
        is_strict: bool,
        parts: &mut usize,
    ) -> Result<Element, ReadError> {
        let mut attributes = Vec::new();
        *parts += 1;
        for attribute in tag.attributes() {
            *parts += 1;
            if *parts > MAX_PARTS {
                break;
            }
            match attribute.map_err(ReadError::xml) {
                Ok(attribute) => {
                    let value = match unescape(&attribute.value) {
                        Err(error) if is_strict => return Err(error),
                        Err(_) => attribute.value.into_owned(),
                        Ok(value) => value,
                    };
                    attributes.push((attribute.key.into_inner().to_owned().into(), value));
                }
                Err(error) if is_strict => return Err(error),
                Err(_) => {}
            }
        }
        if *parts > MAX_PARTS {
            let problem = format!("more than {MAX_PARTS} elements and attributes");
            return Err(ReadError::new(problem));
        }
        Ok(Element {
            name: tag.name().into_inner().to_owned().into(),
            attributes,
            children: Vec::new(),
            text: None,
        })
    }

    /// The value of an attribute.
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        let mut attributes = self.attributes.iter();
        let found = attributes.find(|(found, _)| found == name);
        found.map(|(_, value)| value.as_str())
    }

    /// The value of a required attribute.
    pub(super) fn attribute(&self, name: &str) -> Result<&str, ReadError> {
        required(self.get(name), name)
    }

    /// Text before the first child, with references resolved. Characters that XML cannot represent
    /// are replaced by U+FFFD.
    pub(super) fn text(&self) -> &str {
        self.text.as_deref().unwrap_or_default()
    }

    /// Reads every child with this name.
    pub(super) fn each<T>(
        &self,
        name: &str,
        mut read: impl FnMut(&Element) -> Result<T, ReadError>,
    ) -> Result<Vec<T>, ReadError> {
        let children = self.children.iter().filter(|child| child.name == name);
        children
            .map(|child| read(child).map_err(|error| error.within(name)))
            .collect()
    }

    /// Reads the child with this name, which must occur at most once.
    pub(super) fn optional<T>(
        &self,
        name: &str,
        read: impl FnMut(&Element) -> Result<T, ReadError>,
    ) -> Result<Option<T>, ReadError> {
        let mut values = self.each(name, read)?;
        match values.len() {
            0 | 1 => Ok(values.pop()),
            _ => Err(occurs_twice(name)),
        }
    }

    /// Reads the child with this name, which must occur exactly once.
    pub(super) fn one<T>(
        &self,
        name: &str,
        read: impl FnMut(&Element) -> Result<T, ReadError>,
    ) -> Result<T, ReadError> {
        let value = self.optional(name, read)?;
        value.ok_or_else(|| ReadError::new(format!("the element <{name}> is missing")))
    }

    /// The object's class, if given.
    pub(super) fn class(&self) -> Option<&str> {
        self.get("resolves-to").or_else(|| self.get("class"))
    }

    /// Checks an object like the contest's server. Each of its `values` must occur once, as an
    /// attribute or a child element. Other children must be in `elements`.
    pub(super) fn check(&self, values: &[&str], elements: &[&str]) -> Result<(), ReadError> {
        for (index, child) in self.children.iter().enumerate() {
            let name = &*child.name;
            if values.contains(&name) {
                let before = self.children.iter().take(index);
                if self.get(name).is_some() || before.into_iter().any(|it| it.name == name) {
                    return Err(occurs_twice(name));
                }
            } else if !elements.contains(&name) {
                return Err(ReadError::new("unknown element").within(name));
            }
        }
        Ok(())
    }

    /// Value of an object, from an attribute or child element.
    pub(super) fn value(&self, name: &str) -> Option<&str> {
        let child = || self.children.iter().find(|child| child.name == name);
        self.get(name).or_else(|| child().map(Element::text))
    }

    /// The value as the name of a constant such as `RED`. In child elements, case is ignored.
    pub(super) fn constant(&self, name: &str) -> Option<String> {
        let value = self.value(name)?;
        Some(if self.get(name).is_some() {
            value.to_owned()
        } else {
            value.to_ascii_uppercase()
        })
    }

    /// An element for writing, without attributes and contents.
    pub(super) fn new(name: &'static str) -> Element {
        Element {
            name: name.into(),
            attributes: Vec::new(),
            children: Vec::new(),
            text: None,
        }
    }

    /// Adds an attribute.
    pub(super) fn with(mut self, name: &'static str, value: impl ToString) -> Element {
        self.attributes.push((name.into(), value.to_string()));
        self
    }

    /// Adds an attribute if `value` is not `None`.
    pub(super) fn with_some(self, name: &'static str, value: Option<impl ToString>) -> Element {
        match value {
            Some(value) => self.with(name, value),
            None => self,
        }
    }

    /// Adds child elements.
    pub(super) fn with_children(mut self, children: impl IntoIterator<Item = Element>) -> Element {
        self.children.extend(children);
        self
    }

    /// Sets the text.
    pub(super) fn with_text(mut self, text: impl ToString) -> Element {
        self.text = Some(text.to_string());
        self
    }

    /// Appends the element like the contest's server: on a new line, indented by two spaces per
    /// level, without a line break at the end. Empty elements are written as a single tag.
    pub(super) fn write(&self, out: &mut String, depth: usize) {
        start_line(out, depth);
        out.push('<');
        out.push_str(&self.name);
        for (name, value) in &self.attributes {
            out.push(' ');
            out.push_str(name);
            out.push_str("=\"");
            escape(out, value, true);
            out.push('"');
        }
        if let Some(text) = &self.text {
            out.push('>');
            escape(out, text, false);
        } else if self.children.is_empty() {
            out.push_str("/>");
            return;
        } else {
            out.push('>');
            for child in &self.children {
                child.write(out, depth + 1);
            }
            start_line(out, depth);
        }
        out.push_str("</");
        out.push_str(&self.name);
        out.push('>');
    }
}

fn start_line(out: &mut String, depth: usize) {
    out.push('\n');
    out.extend(std::iter::repeat_n("  ", depth));
}

fn occurs_twice(name: &str) -> ReadError {
    ReadError::new(format!("the element <{name}> occurs twice")).within(name)
}

/// Returns the value, or an error for a missing attribute.
pub(super) fn required<T>(value: Option<T>, name: &str) -> Result<T, ReadError> {
    value.ok_or_else(|| ReadError::new(format!("the attribute `{name}` is missing")))
}

/// An attribute's value with references resolved and white space normalised.
fn unescape(raw: &str) -> Result<String, ReadError> {
    let raw = raw.replace("\r\n", " ").replace(['\t', '\n', '\r'], " ");
    let mut parts = raw.split('&');
    let mut value = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (reference, text) = part
            .split_once(';')
            .ok_or_else(|| ReadError::xml("unterminated reference"))?;
        value.push(resolve(reference)?);
        value.push_str(text);
    }
    Ok(value)
}

/// Resolves a reference to a character. Returns U+FFFD for invalid characters.
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
        ReadError::xml(format!("unknown entity `{reference}`"))
    })?;
    let character = u32::try_from(number).ok().and_then(char::from_u32);
    Ok(character.unwrap_or(char::REPLACEMENT_CHARACTER))
}

/// Replaces characters that XML cannot represent with U+FFFD: most control characters, U+FFFE and
/// U+FFFF.
fn representable(character: char) -> char {
    match character {
        '\t' | '\n' | '\r' | ' '..='\u{fffd}' | '\u{10000}'.. => character,
        _ => '\u{fffd}',
    }
}

fn escape(out: &mut String, text: &str, is_attribute: bool) {
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&apos;"),
            '\n' | '\t' if !is_attribute => out.push(character),
            '\n' | '\t' | '\r' | '\u{7f}'..='\u{9f}' => {
                // Writing to a string cannot fail.
                let _ = write!(out, "&#x{:x};", u32::from(character));
            }
            _ => out.push(representable(character)),
        }
    }
}
