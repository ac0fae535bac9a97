//! The error of texts that are not what they are read as.

use thiserror::Error;

/// The reason that a text is not a move, a field, a piece, a deal or a game type.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct ParseError(String);

impl ParseError {
    pub(crate) fn new(text: &str, expected: &str) -> ParseError {
        ParseError(format!("`{text}` is not {expected}"))
    }
}
