//! XML by the element: reading one message, writing the contest server's layout.

mod error;
mod read;
mod write;

pub use error::{ReadError, ReadProblem};
pub(super) use read::{Element, once, read_root, required_attribute, required_element};
pub(super) use write::XmlWriter;
