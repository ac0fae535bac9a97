//! XML by the element: reads one message, writes the contest server's layout.

mod read;
mod write;

pub use read::ReadError;
pub(super) use read::{Element, once, read_root, required_attribute, required_element};
pub(super) use write::XmlWriter;
