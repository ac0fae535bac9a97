//! Why a message could not be read.

use std::fmt;

use thiserror::Error;

/// A message that is well-formed as far as the [`Framer`](super::super::Framer) can tell, but not what it should be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadError {
    /// The elements around the problem, innermost first.
    path: Vec<String>,
    problem: ReadProblem,
}

/// What is wrong with a message.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ReadProblem {
    /// Not XML after all.
    #[error("malformed XML: {0}")]
    Xml(String),
    /// An attribute that must be there.
    #[error("the attribute `{0}` is missing")]
    MissingAttribute(&'static str),
    /// An element that must be there.
    #[error("the element <{0}> is missing")]
    MissingElement(&'static str),
    /// An element that may be there once.
    #[error("the element <{0}> is there twice")]
    Twice(&'static str),
    /// A wrong number of elements.
    #[error("there are {found} <{element}>, not {expected}")]
    Count {
        /// The element.
        element: &'static str,
        /// How many there are.
        found: usize,
        /// How many there have to be.
        expected: usize,
    },
    /// A value that means nothing.
    #[error("`{value}` is not {expected}")]
    Value {
        /// The value, cut if it is long.
        value: String,
        /// What it should be.
        expected: &'static str,
    },
}

impl ReadError {
    /// What is wrong.
    pub fn problem(&self) -> &ReadProblem {
        &self.problem
    }

    pub(in super::super) fn value(value: &str, expected: &'static str) -> ReadError {
        ReadProblem::Value {
            value: value.chars().take(60).collect(),
            expected,
        }
        .into()
    }

    pub(super) fn xml(error: impl fmt::Display) -> ReadError {
        ReadProblem::Xml(error.to_string()).into()
    }

    #[must_use]
    pub(super) fn within(mut self, element: &str) -> ReadError {
        self.path.push(element.chars().take(40).collect());
        self
    }
}

impl From<ReadProblem> for ReadError {
    fn from(problem: ReadProblem) -> ReadError {
        ReadError {
            path: Vec::new(),
            problem,
        }
    }
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.path.is_empty() {
            f.write_str("in ")?;
            for (i, element) in self.path.iter().rev().enumerate() {
                if i > 0 {
                    f.write_str("/")?;
                }
                f.write_str(element)?;
            }
            f.write_str(": ")?;
        }
        write!(f, "{}", self.problem)
    }
}

impl std::error::Error for ReadError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        None
    }
}
