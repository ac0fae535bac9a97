//! Why a stream cannot be cut into messages.

use thiserror::Error;

/// The stream breaks the rules; nothing can be read from it any more.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum FramingError {
    /// Not XML, or not one document with the root `<protocol>`.
    #[error("malformed XML at byte {offset}: {fault}")]
    Malformed {
        /// How many bytes of the stream come before the fault.
        offset: u64,
        /// What is wrong.
        fault: Malformation,
    },
    /// One message, or one comment between messages, is too long.
    #[error("a message is longer than {limit} bytes")]
    TooLarge {
        /// The longest that is allowed, in bytes.
        limit: usize,
    },
    /// The elements of one message lie too deep in each other.
    #[error("a message nests elements more than {limit} deep")]
    TooDeep {
        /// The deepest nesting allowed; the message's own element counts as 1.
        limit: usize,
    },
}

/// What is wrong with an XML stream.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Malformation {
    /// Text where only elements may stand.
    #[error("text outside of any message")]
    StrayText,
    /// `<` with something behind it that begins no markup.
    #[error("`<` begins neither a tag nor a comment")]
    Markup,
    /// A document type declaration: it could define entities, which nobody needs here.
    #[error("document type declarations are not accepted")]
    Doctype,
    /// A tag that is written wrongly.
    #[error("a tag is not well-formed")]
    Tag,
    /// A CDATA section outside of any message.
    #[error("a CDATA section outside of any message")]
    StrayCData,
    /// An end tag for an element that is not the innermost open one.
    #[error("`</{found}>` ends <{expected}>")]
    MismatchedEnd {
        /// The innermost open element.
        expected: String,
        /// The end tag's name.
        found: String,
    },
    /// An end tag with nothing open.
    #[error("`</{0}>` ends nothing")]
    StrayEnd(String),
    /// A document of another sort.
    #[error("the root element is <{0}>, not <protocol>")]
    Root(String),
    /// Something behind the root's end tag.
    #[error("there is more after </protocol>")]
    AfterEnd,
    /// Bytes that are no UTF-8.
    #[error("a message is not UTF-8")]
    Encoding,
}
