//! Pieces and targets as files of other programs write them.

use crate::hive::standard::notation::PieceName;
use crate::hive::standard::{Kind, StandardPiece};
use crate::hive::{Color, Piece, PieceKind};

/// A piece as a file names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FilePiece {
    /// Whose it is, where the file says so.
    pub(super) color: Option<Color>,
    /// Its kind.
    pub(super) kind: Kind,
    /// Its number, 1 for kinds of which there is one.
    pub(super) number: u8,
}

impl FilePiece {
    /// Reads `wA1`, `bq`, or, without a colour, `a1` and `Q`.
    pub(super) fn read(text: &str) -> Option<FilePiece> {
        let mut letters = text.chars();
        let first = letters.next()?;
        let second = letters.clone().next().filter(char::is_ascii_alphabetic);
        let (color, letter) = match second {
            Some(letter) => {
                letters.next();
                (Some(color_of(first)?), letter)
            }
            None => (None, first),
        };
        let number = match letters.as_str() {
            "" => 1,
            digits => digits.parse().ok().filter(|&number| number > 0)?,
        };
        Some(FilePiece {
            color,
            kind: Kind::from_letter(letter.to_ascii_uppercase())?,
            number,
        })
    }

    /// The piece's name, if the file says whose it is.
    pub(super) fn name(self) -> Option<PieceName> {
        PieceName::new(Piece::new(self.color?, self.kind), self.number)
    }

    /// The piece, of `color` if the file does not say whose it is.
    pub(super) fn of(self, color: Color) -> StandardPiece {
        Piece::new(self.color.unwrap_or(color), self.kind)
    }
}

/// The side that a letter stands for.
pub(super) fn color_of(letter: char) -> Option<Color> {
    match letter.to_ascii_lowercase() {
        'w' => Some(Color::Red),
        'b' => Some(Color::Blue),
        _ => None,
    }
}

/// The piece that a target names, and the marks before and behind it. A dot behind it all says that a piece goes on top.
pub(super) fn reference(text: &str) -> Option<(&str, FilePiece, &str)> {
    const MARKS: [char; 3] = ['/', '-', '\\'];
    let text = text.strip_suffix('.').unwrap_or(text);
    let start = text.len() - text.trim_start_matches(MARKS).len();
    let end = text.trim_end_matches(MARKS).len();
    let piece = FilePiece::read(text.get(start..end)?)?;
    Some((text.get(..start)?, piece, text.get(end..)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn piece(color: Option<Color>, kind: Kind, number: u8) -> FilePiece {
        FilePiece {
            color,
            kind,
            number,
        }
    }

    #[test]
    fn pieces_are_read_with_and_without_colour_and_number() {
        let read = FilePiece::read;
        assert_eq!(read("wA2"), Some(piece(Some(Color::Red), Kind::Ant, 2)));
        assert_eq!(read("bq"), Some(piece(Some(Color::Blue), Kind::Queen, 1)));
        assert_eq!(read("b1"), Some(piece(None, Kind::Beetle, 1)));
        assert_eq!(read("bb2"), Some(piece(Some(Color::Blue), Kind::Beetle, 2)));
        assert_eq!(
            read("wM1"),
            Some(piece(Some(Color::Red), Kind::Mosquito, 1))
        );
        assert_eq!(read("P"), Some(piece(None, Kind::Pillbug, 1)));
        for text in ["", "x1", "wX1", "rA1", "wA0", "wA1x", "é", "wAA"] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    #[test]
    fn targets_fall_into_marks_and_piece() {
        let bug = piece(Some(Color::Red), Kind::Mosquito, 1);
        assert_eq!(reference("wM1/"), Some(("", bug, "/")));
        assert_eq!(reference("\\wM"), Some(("\\", bug, "")));
        assert_eq!(reference("wM1."), Some(("", bug, "")));
        for text in ["", ".", "-", "w", "--"] {
            assert_eq!(reference(text), None, "{text}");
        }
    }
}
