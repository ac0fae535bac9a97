//! The one-line text form of a position.
//!
//! Four fields separated by spaces, `-` for an empty one:
//!
//! ```text
//! turn obstacles stacks reserves
//! 12 -4,0;3,1;5,0 1,2:bB;2,0:bArB;2,1:bQ;3,-1:rQ AAAGGSS/AABGSSS
//! ```
//!
//! - the turn in plies from 0; red moves on even turns;
//! - the obstacles (the contest's brambles) as `x,y`, separated by `;`;
//! - the stacks, separated by `;`: `x,y:` and the pieces from bottom to top, each a colour (`r` or
//!   `b`) and the letter of a kind;
//! - red's reserve, `/` and blue's reserve, one letter per piece.
//!
//! Fields and letters are printed in a fixed order, so equal positions have equal texts. Input may
//! be in any order.

use std::fmt;
use std::str::FromStr;

use super::super::{
    ByColor, Color, KindOf, ParseError, Piece, PieceKind, PieceOf, Reserve, RuleBook,
};
use super::{Position, PositionError, Setup, Stack};
use crate::hex::Hex;

impl<R: RuleBook> fmt::Display for Position<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |items: Vec<String>| match &items[..] {
            [] => "-".to_owned(),
            items => items.join(";"),
        };
        let setup = self.to_setup();
        let obstacles = setup.obstacles.iter().map(ToString::to_string).collect();
        let stack = |stack: &Stack<R>| {
            let pieces: String = stack.pieces.iter().map(ToString::to_string).collect();
            format!("{}:{pieces}", stack.hex)
        };
        let stacks = setup.stacks.iter().map(stack).collect();
        let (obstacles, stacks) = (list(obstacles), list(stacks));
        let ByColor { red, blue } = setup.reserve;
        write!(f, "{} {obstacles} {stacks} {red}/{blue}", setup.turn)
    }
}

impl<R: RuleBook> FromStr for Position<R> {
    type Err = PositionError;

    fn from_str(text: &str) -> Result<Position<R>, PositionError> {
        text.parse::<Setup<R>>()?.build()
    }
}

impl<R: RuleBook> FromStr for Setup<R> {
    type Err = PositionError;

    fn from_str(text: &str) -> Result<Setup<R>, PositionError> {
        let fields: Vec<&str> = text.split_whitespace().collect();
        let [turn, obstacles, stacks, reserves] = fields[..] else {
            return Err(PositionError::Fields(fields.len()));
        };
        let (red, blue) = reserves
            .split_once('/')
            .ok_or_else(|| ParseError::new(reserves, "a pair of reserves like `AAQ/-`"))?;
        Ok(Setup {
            turn: turn
                .parse()
                .map_err(|_| ParseError::new(turn, "a turn number"))?,
            obstacles: list(obstacles)
                .map(Hex::from_str)
                .collect::<Result<_, _>>()?,
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
    (field != "-")
        .then(|| field.split(';'))
        .into_iter()
        .flatten()
}

fn parse_stack<R: RuleBook>(text: &str) -> Result<Stack<R>, ParseError> {
    let (hex, pieces) = text
        .split_once(':')
        .filter(|(_, pieces)| !pieces.is_empty())
        .ok_or_else(|| ParseError::new(text, "a stack like `2,0:bArB`"))?;
    Ok(Stack {
        hex: hex.parse()?,
        pieces: parse_pieces::<R>(pieces)?,
    })
}

/// Reads a sequence of pieces such as `bArB`.
fn parse_pieces<R: RuleBook>(text: &str) -> Result<Vec<PieceOf<R>>, ParseError> {
    let letters: Vec<char> = text.chars().collect();
    letters
        .chunks(2)
        .map(|pair| {
            let expected = "a piece: expected `r` or `b` and a kind's letter";
            let error = || ParseError::new(&pair.iter().collect::<String>(), expected);
            let &[color, kind] = pair else {
                return Err(error());
            };
            let color = Color::ALL
                .into_iter()
                .find(|c| c.letter() == color)
                .ok_or_else(error)?;
            let kind = KindOf::<R>::from_letter(kind).ok_or_else(error)?;
            Ok(Piece::new(color, kind))
        })
        .collect()
}

/// Reads the letters of a reserve.
fn parse_reserve<K: PieceKind>(text: &str) -> Result<Reserve<K>, ParseError> {
    let mut reserve = Reserve::empty();
    let letters = if text == "-" { "" } else { text };
    for letter in letters.chars() {
        let kind = K::from_letter(letter);
        reserve.add(kind.ok_or_else(|| ParseError::new(&letter.to_string(), "a kind of piece"))?);
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
    fn parse_errors_name_the_malformed_part() {
        for (text, part) in [
            ("", "found 0"),
            ("0 - -", "found 3"),
            ("0 - - -/- x", "found 5"),
            ("-1 - - -/-", "`-1` is not a turn"),
            ("70000 - - -/-", "`70000` is not a turn"),
            ("0 - 1,2 -/-", "`1,2` is not a stack"),
            ("0 - 1,2: -/-", "`1,2:` is not a stack"),
            ("0 - : -/-", "`:` is not a stack"),
            ("0 - 0,0:r -/-", "`r` is not a piece"),
            ("0 - 0,0:rX -/-", "`rX` is not a piece"),
            ("0 - 0,0:xQ -/-", "`xQ` is not a piece"),
            ("0 - 0,0:rAb -/-", "`b` is not a piece"),
            ("0 - 0,0:rqbQ -/-", "`rq` is not a piece"),
            ("0 - - A", "`A` is not a pair of reserves"),
            ("0 - - A-/B", "`-` is not a kind"),
            ("0 - - A/B/", "`/` is not a kind"),
            ("0 - - Z/-", "`Z` is not a kind"),
            ("0 1 - -/-", "`1` is not a pair of coordinates"),
            ("0 1,2; - -/-", "`` is not a pair of coordinates"),
            ("0 - 1,x:rQ -/-", "`1,x` is not a pair"),
            ("0 - 1,200:rQ -/-", "`1,200` is not a pair"),
        ] {
            let error = text.parse::<Setup>().unwrap_err().to_string();
            assert!(error.contains(part), "{text}: {error}");
        }
        let error = "0 - 9,9:rQ -/-".parse::<Position>().unwrap_err();
        assert_eq!(error.to_string(), "(9,9) is not a field of the board");
    }
}
