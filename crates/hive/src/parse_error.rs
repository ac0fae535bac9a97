//! The error for malformed texts.

use thiserror::Error;

/// Why a text is not a move, field, piece, deal or game type.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct ParseError(String);

impl ParseError {
    pub(crate) fn new(text: &str, expected: &str) -> ParseError {
        ParseError(format!("`{text}` is not {expected}"))
    }
}
