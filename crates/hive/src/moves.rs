//! Moves, their text form, and lists of them.

use std::fmt;
use std::str::FromStr;

use arrayvec::ArrayVec;

use super::movegen::MoveSink;
use super::{CellSetOf, KindOf, ParseError, PieceKind, RuleBook};
use crate::hex::{Cell, Grid, Hex};

/// One ply.
///
/// The text form is `set KIND x,y`, `drag x,y x,y` or `skip`, with the kind's capital letter:
/// `set A -3,1`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Move<R: RuleBook> {
    /// Puts a piece from the reserve on the board.
    Place {
        /// The kind to take from the reserve.
        kind: KindOf<R>,
        /// The target field.
        to: Cell,
    },
    /// Moves the top piece of one field to another.
    Drag {
        /// The field that the piece leaves.
        from: Cell,
        /// The target field.
        to: Cell,
    },
    /// Does nothing. Legal only if no other move is.
    Pass,
}

impl<R: RuleBook> Move<R> {
    /// The field on which a piece ends up.
    pub fn destination(self) -> Option<Cell> {
        match self {
            Move::Place { to, .. } | Move::Drag { to, .. } => Some(to),
            Move::Pass => None,
        }
    }

    /// Maps the fields of the move with `field`, possibly to another board; `None` if `field`
    /// returns `None`.
    pub fn on_fields<S: RuleBook<Kind = R::Kind>>(
        self,
        field: impl Fn(Cell) -> Option<Cell>,
    ) -> Option<Move<S>> {
        Some(match self {
            Move::Place { kind, to } => Move::Place {
                kind,
                to: field(to)?,
            },
            Move::Drag { from, to } => Move::Drag {
                from: field(from)?,
                to: field(to)?,
            },
            Move::Pass => Move::Pass,
        })
    }
}

impl<R: RuleBook> fmt::Display for Move<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Move::Place { kind, to } => write!(f, "set {} {}", kind.letter(), R::Grid::hex(to)),
            Move::Drag { from, to } => {
                write!(f, "drag {} {}", R::Grid::hex(from), R::Grid::hex(to))
            }
            Move::Pass => f.write_str("skip"),
        }
    }
}

fn parse_cell<R: RuleBook>(text: &str) -> Result<Cell, ParseError> {
    text.parse::<Hex>()
        .ok()
        .and_then(R::Grid::cell)
        .ok_or_else(|| ParseError::new(text, "a field of the board"))
}

impl<R: RuleBook> FromStr for Move<R> {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Move<R>, ParseError> {
        let words: Vec<&str> = text.split_whitespace().collect();
        match words[..] {
            ["skip"] => Ok(Move::Pass),
            ["set", kind, to] => {
                let mut letters = kind.chars();
                let kind = match (letters.next(), letters.next()) {
                    (Some(letter), None) => KindOf::<R>::from_letter(letter),
                    _ => None,
                }
                .ok_or_else(|| ParseError::new(kind, "a kind of piece"))?;
                let to = parse_cell::<R>(to)?;
                Ok(Move::Place { kind, to })
            }
            ["drag", from, to] => Ok(Move::Drag {
                from: parse_cell::<R>(from)?,
                to: parse_cell::<R>(to)?,
            }),
            _ => Err(ParseError::new(
                text,
                "a move: expected `set KIND x,y`, `drag x,y x,y` or `skip`",
            )),
        }
    }
}

/// Upper bound on the number of moves in a position: in the contest a side has 11 pieces and 91
/// fields; on an unbounded board every target lies next to the hive.
pub const MAX_MOVES: usize = 1536;

/// A list of moves that never allocates. Adding more than [`MAX_MOVES`] panics.
pub type MoveList<R> = ArrayVec<Move<R>, MAX_MOVES>;

impl<R: RuleBook> MoveSink<R> for MoveList<R> {
    #[inline]
    fn place(&mut self, kind: KindOf<R>, to: CellSetOf<R>) {
        to.into_iter()
            .for_each(|to| self.push(Move::Place { kind, to }));
    }

    #[inline]
    fn drag(&mut self, from: Cell, to: CellSetOf<R>) {
        to.into_iter()
            .for_each(|to| self.push(Move::Drag { from, to }));
    }
}

#[cfg(test)]
mod tests {
    use crate::contest::Move;

    #[test]
    fn moves_allow_extra_white_space() {
        let place: Move = " set  A\t-3,1 ".parse().unwrap();
        assert_eq!(place.to_string(), "set A -3,1");
        let drag: Move = "drag 0,0 5,0".parse().unwrap();
        assert_eq!(drag.destination().map(|c| c.index()), Some(125));
        assert_eq!("skip".parse(), Ok(Move::Pass));
        assert_eq!(Move::Pass.destination(), None);
    }

    #[test]
    fn parse_errors_name_the_malformed_part() {
        let assert_error_names = |text: &str, part: &str| {
            let error = text.parse::<Move>().unwrap_err().to_string();
            assert!(error.contains(&format!("`{part}` is not")), "{error}");
        };
        for text in [
            "",
            "pass",
            "SKIP",
            "skip 0,0",
            "set A",
            "set A 0,0 1,1",
            "drag 0,0",
        ] {
            assert_error_names(text, text);
        }
        for kind in ["a", "M", "AA", "🐝"] {
            assert_error_names(&format!("set {kind} 0,0"), kind);
        }
        for field in ["6,0", "3,3", "x", "1;2", "1,2,3", "999,0"] {
            assert_error_names(&format!("set A {field}"), field);
            assert_error_names(&format!("drag 0,0 {field}"), field);
        }
    }
}
