//! Walks through a message element by element, over the events of quick-xml.

use std::borrow::Cow;

use quick_xml::XmlVersion;
use quick_xml::events::{BytesStart, Event};

use super::{ReadError, ReadProblem};

/// An element whose start tag has been read. Whoever gets one reads as much of it as it likes; the rest is skipped.
pub(in super::super) struct Element<'r, 'm> {
    reader: &'r mut Reader<'m>,
    start: BytesStart<'m>,
}

struct Reader<'m> {
    events: quick_xml::Reader<&'m [u8]>,
    /// Number of elements that are open.
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

    /// Reads on until no more than `depth` elements are open.
    fn close_to(&mut self, depth: usize) -> Result<(), ReadError> {
        while self.depth > depth {
            self.next()?;
        }
        Ok(())
    }
}

/// Reads a message, which is one element with nothing but whitespace and comments around it.
pub(in super::super) fn read_root<'m, T>(
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
    pub(in super::super) fn name(&self) -> &str {
        self.start.name().into_inner()
    }

    /// The values of these attributes, in this order. Others are ignored.
    pub(in super::super) fn attributes<const N: usize>(
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

    /// The value of one attribute that must be there.
    pub(in super::super) fn attribute(
        &self,
        name: &'static str,
    ) -> Result<Cow<'_, str>, ReadError> {
        let [value] = self.attributes([name])?;
        required_attribute(value, name)
    }

    /// Reads the child elements one after the other. Text between them is ignored.
    pub(in super::super) fn for_each_child(
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

    /// The element's text, character data and references, with its child elements left out.
    pub(in super::super) fn text(self) -> Result<String, ReadError> {
        let depth = self.reader.depth;
        let mut text = String::new();
        loop {
            match self.reader.next()? {
                Event::Text(part) => text.push_str(&part.xml10_content()),
                Event::CData(part) => text.push_str(&part.xml10_content()),
                Event::GeneralRef(reference) => {
                    match reference.resolve_char_ref().map_err(ReadError::xml)? {
                        Some(character) => text.push(character),
                        None => text.push_str(
                            quick_xml::escape::resolve_predefined_entity(&reference).ok_or_else(
                                || ReadError::xml(format_args!("unknown entity `{}`", &*reference)),
                            )?,
                        ),
                    }
                }
                Event::Start(_) => self.reader.close_to(depth)?,
                Event::End(_) | Event::Eof => return Ok(text),
                _ => {}
            }
        }
    }

    /// Leaves out an element that means nothing here.
    pub(in super::super) fn ignore(self) {
        log::debug!("ignored the element <{}>", self.name());
    }
}

/// The attribute's value, or an error that says that it is missing.
pub(in super::super) fn required_attribute<T>(
    value: Option<T>,
    name: &'static str,
) -> Result<T, ReadError> {
    value.ok_or_else(|| ReadProblem::MissingAttribute(name).into())
}

/// The element's value, or an error that says that it is missing.
pub(in super::super) fn required_element<T>(
    value: Option<T>,
    name: &'static str,
) -> Result<T, ReadError> {
    value.ok_or_else(|| ReadProblem::MissingElement(name).into())
}

/// Stores the value of an element that may be there once.
pub(in super::super) fn once<T>(
    slot: &mut Option<T>,
    value: T,
    name: &'static str,
) -> Result<(), ReadError> {
    match slot.replace(value) {
        None => Ok(()),
        Some(_) => Err(ReadProblem::Twice(name).into()),
    }
}
