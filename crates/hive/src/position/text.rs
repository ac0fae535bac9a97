//! The one-line text form of a position.
//!
//! Four fields with a space between them, `-` where one is empty:
//!
//! ```text
//! turn obstacles stacks reserves
//! 12 -4,0;3,1;5,0 1,2:bB;2,0:bArB;2,1:bQ;3,-1:rQ AAAGGSS/AABGSSS
//! ```
//!
//! - the turn in plies from 0; red moves on even turns;
//! - the obstacles (the contest's brambles) as `x,y`, separated by `;`;
//! - the stacks as `x,y:` and the pieces from bottom to top, each a colour `r` or `b` and a kind's letter, separated by `;`;
//! - red's reserve, `/`, blue's reserve, a kind's letter for each piece.
//!
//! Fields and letters are printed in a fixed order, so equal positions have equal texts; any order is read.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use super::super::{ByColor, Color, KindOf, Piece, PieceKind, PieceOf, Reserve, RuleBook};
use super::{Position, Setup, SetupError, Stack};
use crate::hex::{Hex, ParseHexError};

/// The reason that a text is not a position.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ParsePositionError {
    /// The text does not have four fields.
    #[error("a position has four fields (turn, obstacles, stacks, reserves), this text has {0}")]
    FieldCount(usize),
    /// The first field is not a turn number.
    #[error("`{0}` is not a turn number")]
    Turn(String),
    /// A pair of coordinates cannot be read.
    #[error(transparent)]
    Hex(#[from] ParseHexError),
    /// A stack has no `:` or no pieces.
    #[error("`{0}` is not a stack like `2,0:bArB`")]
    Stack(String),
    /// A piece is not a colour and a kind's letter.
    #[error("`{0}` is not a piece: expected `r` or `b` and a kind's letter")]
    Piece(String),
    /// The last field is not a pair of reserves.
    #[error("`{0}` is not a pair of reserves like `AAQ/-`")]
    Reserves(String),
    /// A letter of a reserve is not that of a kind.
    #[error("`{0}` is not a kind of piece")]
    Kind(char),
    /// The fields are fine, but the position is impossible.
    #[error(transparent)]
    Setup(#[from] SetupError),
}

impl<R: RuleBook> fmt::Display for Position<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let setup = self.to_setup();
        write!(f, "{} ", setup.turn)?;
        write_list(f, &setup.obstacles, |f, hex| write!(f, "{hex}"))?;
        f.write_str(" ")?;
        write_list(f, &setup.stacks, |f, stack| {
            write!(f, "{}:", stack.hex)?;
            stack
                .pieces
                .iter()
                .try_for_each(|piece| write!(f, "{piece}"))
        })?;
        write!(f, " {}/{}", setup.reserve.red, setup.reserve.blue)
    }
}

fn write_list<T>(
    f: &mut fmt::Formatter<'_>,
    items: &[T],
    mut write_item: impl FnMut(&mut fmt::Formatter<'_>, &T) -> fmt::Result,
) -> fmt::Result {
    if items.is_empty() {
        return f.write_str("-");
    }
    for (i, item) in items.iter().enumerate() {
        if i > 0 {
            f.write_str(";")?;
        }
        write_item(f, item)?;
    }
    Ok(())
}

impl<R: RuleBook> FromStr for Position<R> {
    type Err = ParsePositionError;

    fn from_str(text: &str) -> Result<Position<R>, ParsePositionError> {
        Ok(text.parse::<Setup<R>>()?.build()?)
    }
}

impl<R: RuleBook> FromStr for Setup<R> {
    type Err = ParsePositionError;

    fn from_str(text: &str) -> Result<Setup<R>, ParsePositionError> {
        let fields: Vec<&str> = text.split_whitespace().collect();
        let [turn, obstacles, stacks, reserves] = fields[..] else {
            return Err(ParsePositionError::FieldCount(fields.len()));
        };
        let (red, blue) = reserves
            .split_once('/')
            .ok_or_else(|| ParsePositionError::Reserves(reserves.to_owned()))?;
        Ok(Setup {
            turn: turn
                .parse()
                .map_err(|_| ParsePositionError::Turn(turn.to_owned()))?,
            obstacles: list(obstacles)
                .map(|hex| Ok(hex.parse::<Hex>()?))
                .collect::<Result<_, ParsePositionError>>()?,
            stacks: list(stacks)
                .map(parse_stack::<R>)
                .collect::<Result<_, _>>()?,
            reserve: ByColor {
                red: parse_reserve::<KindOf<R>>(red)?,
                blue: parse_reserve::<KindOf<R>>(blue)?,
            },
        })
    }
}

fn list(field: &str) -> impl Iterator<Item = &str> {
    field.split(';').filter(move |_| field != "-")
}

fn parse_stack<R: RuleBook>(text: &str) -> Result<Stack<R>, ParsePositionError> {
    let (hex, pieces) = text
        .split_once(':')
        .filter(|(_, pieces)| !pieces.is_empty())
        .ok_or_else(|| ParsePositionError::Stack(text.to_owned()))?;
    Ok(Stack {
        hex: hex.parse()?,
        pieces: parse_pieces::<R>(pieces)?,
    })
}

/// Reads pieces written one after the other, such as `bArB`.
fn parse_pieces<R: RuleBook>(text: &str) -> Result<Vec<PieceOf<R>>, ParsePositionError> {
    let letters: Vec<char> = text.chars().collect();
    letters
        .chunks(2)
        .map(|pair| {
            let bad = || ParsePositionError::Piece(pair.iter().collect());
            let &[color, kind] = pair else {
                return Err(bad());
            };
            let color = Color::ALL
                .into_iter()
                .find(|c| c.letter() == color)
                .ok_or_else(bad)?;
            let kind = KindOf::<R>::from_letter(kind).ok_or_else(bad)?;
            Ok(Piece::new(color, kind))
        })
        .collect()
}

/// Reads a reserve's letters.
fn parse_reserve<K: PieceKind>(text: &str) -> Result<Reserve<K>, ParsePositionError> {
    let mut reserve = Reserve::empty();
    for letter in text.chars().filter(|_| text != "-") {
        reserve.add(K::from_letter(letter).ok_or(ParsePositionError::Kind(letter))?);
    }
    Ok(reserve)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contest::{Kind, Position, Setup};

    #[test]
    fn positions_round_trip() {
        let example = "12 -4,0;3,1;5,0 1,2:bB;2,0:bArB;2,1:bQ;3,-1:rQ AAAGGSS/AABGSSS";
        for (text, written) in [
            (example, example),
            ("0 - - /", "0 - - -/-"),
            ("0  -\t- -/\n", "0 - - -/-"),
        ] {
            let position: Position = text.parse().unwrap();
            assert_eq!(position.to_string(), written);
        }
        let position: Position = example.parse().unwrap();
        assert_eq!(position.turn(), 12);
        assert_eq!(position.reserve(Color::Red).count(Kind::Ant), 3);
    }

    #[test]
    fn malformed_texts_are_refused_by_their_part() {
        use ParsePositionError as Error;

        let stack = |text: &str| Error::Stack(text.to_owned());
        let piece = |text: &str| Error::Piece(text.to_owned());
        for (text, expected) in [
            ("", Error::FieldCount(0)),
            ("0 - -", Error::FieldCount(3)),
            ("0 - - -/- x", Error::FieldCount(5)),
            ("-1 - - -/-", Error::Turn("-1".to_owned())),
            ("70000 - - -/-", Error::Turn("70000".to_owned())),
            ("0 - 1,2 -/-", stack("1,2")),
            ("0 - 1,2: -/-", stack("1,2:")),
            ("0 - : -/-", stack(":")),
            ("0 - 0,0:r -/-", piece("r")),
            ("0 - 0,0:rX -/-", piece("rX")),
            ("0 - 0,0:xQ -/-", piece("xQ")),
            ("0 - 0,0:rAb -/-", piece("b")),
            ("0 - 0,0:rqbQ -/-", piece("rq")),
            ("0 - - A", Error::Reserves("A".to_owned())),
            ("0 - - A-/B", Error::Kind('-')),
            ("0 - - A/B/", Error::Kind('/')),
            ("0 - - Z/-", Error::Kind('Z')),
        ] {
            assert_eq!(text.parse::<Setup>(), Err(expected), "{text}");
        }
        for text in [
            "0 1 - -/-",
            "0 1,2; - -/-",
            "0 - 1,x:rQ -/-",
            "0 - 1,200:rQ -/-",
        ] {
            let error = text.parse::<Setup>().unwrap_err();
            assert!(matches!(error, Error::Hex(_)), "{text}");
        }
        let error = "0 - 9,9:rQ -/-".parse::<Position>().unwrap_err();
        assert_eq!(error, Error::Setup(SetupError::OffBoard(Hex::new(9, 9))));
        assert_eq!(error.to_string(), "(9,9) is not a field of the board");
    }
}
