//! The error for malformed texts.

use thiserror::Error;

/// Why a text is not a move, field, piece, deal or game type.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{text}` is not {expected}")]
pub struct ParseError {
    text: String,
    expected: String,
}

impl ParseError {
    pub(crate) fn new(text: &str, expected: &str) -> ParseError {
        ParseError {
            text: text.to_owned(),
            expected: expected.to_owned(),
        }
    }

    /// The malformed text.
    pub fn text(&self) -> &str {
        &self.text
    }
}
