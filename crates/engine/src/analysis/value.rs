//! The value of a position or move.

use std::fmt;

use crate::search::{RootMove, Solved};
use wabe_hive::RuleBook;

/// The expected score of a side, or its exact result.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    /// The exact result.
    Proven(Solved),
    /// The expected score, in `0..=1`.
    Expected(f64),
}

impl Value {
    /// The value for the side that makes the move; 0.5 without an evaluation.
    pub(super) fn from_line<R: RuleBook>(line: &RootMove<R>) -> Value {
        match line.proof {
            Some(proof) => Value::Proven(proof),
            None => Value::Expected(line.score.unwrap_or(0.5)),
        }
    }

    /// The expected score, in `0..=1`.
    pub fn score(self) -> f64 {
        match self {
            Value::Proven(proof) => f64::from(proof.score()),
            Value::Expected(score) => score,
        }
    }

    /// The exact result, if proven.
    pub fn proof(self) -> Option<Solved> {
        match self {
            Value::Proven(proof) => Some(proof),
            Value::Expected(_) => None,
        }
    }

    /// The value for the other side.
    #[must_use]
    pub fn reversed(self) -> Value {
        match self {
            Value::Proven(proof) => Value::Proven(proof.reversed()),
            Value::Expected(score) => Value::Expected(1.0 - score),
        }
    }

    /// The value of a position that has a move with this value and other moves, which may be
    /// better. Only a win stays proven.
    pub(super) fn at_least(self) -> Value {
        match self {
            Value::Proven(Solved::Win) => self,
            _ => Value::Expected(self.score()),
        }
    }
}

/// `win`, `draw` or `loss` if proven, otherwise the expected score in percent.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Proven(proof) => f.pad(&proof.to_string()),
            Value::Expected(score) => f.pad(&format!("{:.1}%", 100.0 * score)),
        }
    }
}
