//! UHP names of pieces: `wQ`, `bA2`.

use std::fmt;
use std::str::FromStr;

use crate::game::Game;
use crate::standard::{Kind, Standard, StandardPiece};
use crate::{Color, ParseError, Piece, PieceKind};

/// A piece as the Universal Hive Protocol names it: `w` or `b`, the kind's letter and, where a side
/// has several of the kind, its number in the order of placement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PieceName {
    piece: StandardPiece,
    /// From 1.
    ordinal: u8,
}

impl PieceName {
    /// The piece with this number, from 1, among its kind; `None` if a side has fewer.
    pub fn new(piece: StandardPiece, ordinal: u8) -> Option<PieceName> {
        (1..=piece.kind.pieces_per_side())
            .contains(&ordinal)
            .then_some(PieceName { piece, ordinal })
    }

    /// Owner and kind.
    pub const fn piece(self) -> StandardPiece {
        self.piece
    }

    /// The number among the side's pieces of the kind, from 1.
    pub const fn ordinal(self) -> u8 {
        self.ordinal
    }
}

impl fmt::Display for PieceName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let color = Standard::SIDES[self.piece.color].letter();
        write!(f, "{color}{}", self.piece.kind.letter())?;
        if self.piece.kind.pieces_per_side() > 1 {
            write!(f, "{}", self.ordinal)?;
        }
        Ok(())
    }
}

/// Accepts letters in either case, and `wM1` for the only piece of a kind.
impl FromStr for PieceName {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<PieceName, ParseError> {
        let parse = || {
            let mut letters = text.chars();
            let color = letters.next()?.to_ascii_lowercase();
            let color = Color::ALL
                .into_iter()
                .find(|&side| Standard::SIDES[side].letter() == color)?;
            let kind = Kind::from_letter(letters.next()?.to_ascii_uppercase())?;
            let ordinal = match (letters.as_str(), kind.pieces_per_side()) {
                ("", 1) | ("1", _) => 1,
                ("2", 2..) => 2,
                ("3", 3..) => 3,
                _ => return None,
            };
            PieceName::new(Piece::new(color, kind), ordinal)
        };
        parse().ok_or_else(|| ParseError::new(text, "a piece: expected a name like `wQ` or `bA2`"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_names_round_trip() {
        let mut count = 0;
        for color in Color::ALL {
            for &kind in Kind::ALL {
                for ordinal in 1..=kind.pieces_per_side() {
                    let name = PieceName::new(Piece::new(color, kind), ordinal).unwrap();
                    assert_eq!(name.to_string().parse(), Ok(name));
                    count += 1;
                }
            }
        }
        assert_eq!(count, 28);
    }

    #[test]
    fn parse_normalises_names() {
        for (text, name) in [("Wq", "wQ"), ("BA3", "bA3"), ("wQ1", "wQ"), ("bm1", "bM")] {
            assert_eq!(text.parse::<PieceName>().unwrap().to_string(), name);
        }
    }

    #[test]
    fn parse_rejects_other_texts() {
        for text in [
            "", "w", "wX", "wQ0", "wQ2", "wQ11", "wA", "wA0", "wA4", "wS3", "rA1", "wA1x", "é",
            "wA１",
        ] {
            assert!(text.parse::<PieceName>().is_err(), "{text}");
        }
    }
}
